#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of ktap-check."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

PATH = str(pathlib.Path(__file__).parent / "ktap-check")
LOADER = importlib.machinery.SourceFileLoader("ktap_check", PATH)
SPEC = importlib.util.spec_from_loader("ktap_check", LOADER)
ktap = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(ktap)

GOOD = "TAP version 13\n1..2\n# noise\nok 1 a.one\nok 2 a.two\n# Totals: pass:2\n"


class Lists(unittest.TestCase):
    def test_one_architecture(self):
        text = "# c\na | all | run\nb | arm64 | run\na / x | x86_64 | fail | no counter\n"
        self.assertEqual(ktap.read_list(text, "x86_64"), {"a": {"x": ("fail", "no counter")}})
        self.assertEqual(ktap.read_list(text, "arm64"), {"a": {}, "b": {}})

    def test_host_clock(self):
        text = "a | all | host-clock | runs for a second\na / x | arm64 | skip | no counter\n"
        self.assertEqual(ktap.read_list(text, "x86_64"), {"a": {}})
        self.assertEqual(ktap.read_list(text, "arm64"), {"a": {"x": ("skip", "no counter")}})

    def test_refused(self):
        for text in ("a", "a | all", "a | all | host-clock", "a | all | run\na / x | all | host-clock | why", "a | ppc | run", "a | all | works", "a / x | all | run",
                     "a | all | pass", "a | all | run\na / x | all | fail", "a / x | all | pass"):
            with self.assertRaises(ktap.Bad, msg=text):
                ktap.read_list(text, "arm64")


class Results(unittest.TestCase):
    def differences(self, text, status=0, **expected):
        return ktap.compare("t", {k.replace("_", "."): (v, "why") for k, v in expected.items()},
                            text, status)[1]

    def test_pass(self):
        self.assertEqual(self.differences(GOOD), [])

    def test_case_fails(self):
        bad = GOOD.replace("ok 2", "not ok 2")
        self.assertEqual(len(self.differences(bad, 1)), 1)
        self.assertEqual(self.differences(bad, 1, a_two="fail"), [])

    def test_expected_failure_passes(self):
        self.assertEqual(len(self.differences(GOOD, 0, a_two="fail")), 1)

    def test_cut_short(self):
        self.assertEqual(len(self.differences(GOOD.replace("ok 2 a.two\n", ""), 139)), 2)

    def test_nothing(self):
        self.assertTrue(self.differences("", 0))

    def test_crash_after_results(self):
        self.assertEqual(len(self.differences(GOOD, 139)), 1)

    def test_skips(self):
        self.assertEqual(len(self.differences(GOOD.replace("two", "two # SKIP no tracefs"))), 1)
        self.assertEqual(self.differences(GOOD.replace("two", "two # SKIP no tracefs"), 0,
                                          a_two="skip"), [])
        self.assertEqual(len(self.differences("TAP version 13\n1..0 # SKIP no feature\n", 4)), 1)

    def test_skip_without_a_name(self):
        text = "TAP version 13\n1..1\n#  RUN           a.one ...\nok 1 # SKIP no counter\n"
        self.assertEqual(self.differences(text, 0, a_one="skip"), [])

    def test_line_of_no_case(self):
        self.assertEqual(len(self.differences(GOOD, 0, a_three="fail")), 1)


class Again(unittest.TestCase):
    """A test that was run again, as the command tells it."""
    def run_check(self, first, second):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "list").write_text("t | all | run\n")
            for run, (text, status) in {"t.first": first, "t": second}.items():
                (folder / f"{run}.ktap").write_text(text)
                (folder / f"{run}.status").write_text(f"{status}\n")
            done = subprocess.run([PATH, str(folder / "list"), "arm64", name], check=False, capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_passes_then(self):
        status, out = self.run_check((GOOD.replace("ok 2", "not ok 2"), 1), (GOOD, 0))
        self.assertEqual(status, 0, out)
        self.assertIn("\nFLAKY: t: fail at first, pass when it was run again\n    at first: t / a.two: fail", out)

    def test_fails_again(self):
        bad = GOOD.replace("ok 2", "not ok 2")
        status, out = self.run_check((bad, 1), (bad, 1))
        self.assertEqual(status, 1, out)
        self.assertNotIn("FLAKY", out)
        self.assertIn("at first: t / a.two: fail", out)


if __name__ == "__main__":
    unittest.main()
