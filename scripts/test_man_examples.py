#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of man-examples: what a mark means, and what is taken of an output."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest

PATH = str(pathlib.Path(__file__).parent / "man-examples")
LOADER = importlib.machinery.SourceFileLoader("man_examples", PATH)
SPEC = importlib.util.spec_from_loader("man_examples", LOADER)
man = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(man)


def page(mark, *body):
    return ["text", "", mark, "----", *body, "----", "", "more"]


class Marks(unittest.TestCase):
    def test_all_words(self):
        one = man.Example(page("// example: mem lines=1-2,5 cut=40 wrap=60 status=1 stderr",
                               "$ perf report -s 'a b'", "old", "older"), 2)
        self.assertEqual((one.recording, one.numbers, one.cut, one.wrap, one.status, one.stderr),
                         ("mem", [1, 2, 5], 40, 60, 1, True))
        self.assertEqual(one.command, ["perf", "report", "-s", "a b"])
        self.assertEqual((one.start, one.end), (4, 7))

    def test_refused(self):
        for mark in ("", " mem lines=", " mem lines=2-1", " mem lines=3,1", " mem lines=0",
                     " mem lines=x", " mem cut=x", " mem often"):
            with self.assertRaises(man.Bad, msg=mark):
                man.Example(page("// example:" + mark, "$ perf report"), 2)
        for lines in (["\t$ perf report"], ["----", "$ perf report"],
                      ["", "----", "$ perf report", "----"], ["----", "----"],
                      ["----", "$ ls", "----"]):
            with self.assertRaises(man.Bad, msg=lines):
                man.Example(["// example: mem", *lines], 0)

    def test_spelling(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "perf-x.txt")
            path.write_text("//example: mem\n----\n$ perf x\n----\n", encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit):
                man.read_page(path)
        self.assertIn("perf-x.txt:1:", err.getvalue())


class Selection(unittest.TestCase):
    LINES = ["# head", "#", "", "one", "two two two", "# (Tip: any)", "#", ""]

    def test_all(self):
        self.assertEqual(man.select(self.LINES[:5], None), self.LINES[:5])

    def test_left_out(self):
        self.assertEqual(man.select(self.LINES, [4]), ["[...]", "one", "[...]"])
        self.assertEqual(man.select(self.LINES, [1, 5]), ["# head", "[...]", "two two two"])
        self.assertEqual(man.select(self.LINES, [1, 4, 5]), ["# head", "one", "two two two"])

    def test_width(self):
        self.assertEqual(man.select(["12345678901"], None, cut=10), ["1234 [...]"])
        self.assertEqual(man.select(["1234567890"], None, cut=10), ["1234567890"])
        self.assertEqual(man.select(["one two three"], None, wrap=8), ["one two", "    three"])

    def test_too_few(self):
        with self.assertRaises(man.Bad):
            man.select(["one"], [2])

    def test_dashes(self):
        one = man.Example(page("// example: mem stderr", "$ perf x"), 2)
        self.assertEqual(one.output("said\n", "text\n"), ["$ perf x", "said", "text"])
        with self.assertRaises(man.Bad):
            one.output("", "text\n-----\n")


class Fake:
    """Prints the same for each command."""

    def run(self, recording, _command, status=0):
        if recording == "none":
            raise man.Bad("is of no recording")
        return "", f"new {status}\n"


class Pages(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        pages = pathlib.Path(self.directory.name, man.DOCUMENTS)
        os.makedirs(pages)
        self.page, self.linux = pages / "perf-x.txt", man.LINUX
        man.LINUX = pathlib.Path(self.directory.name)

    def tearDown(self):
        man.LINUX = self.linux

    def check(self, text, write=False, skipped=()):
        self.page.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = man.check(Fake(), write, set(skipped))
        return status, out.getvalue()

    def test_differs_and_written(self):
        text = "\n".join(page("// example: mem", "$ perf x", "old") * 2)
        status, said = self.check(text)
        self.assertEqual(status, 1)
        self.assertIn("2 of 2 examples differ", said)
        self.assertIn("scripts/man-examples --write", said)
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)
        self.assertEqual(self.check(text, write=True)[0], 0)
        self.assertEqual(self.page.read_text(encoding="utf-8"), text.replace("old", "new 0"))
        self.assertEqual(self.check(text.replace("old", "new 0"))[0], 0)

    def test_cannot_be_made(self):
        text = "\n".join(page("// example: none", "$ perf x", "old"))
        for write in False, True:
            status, said = self.check(text, write)
            self.assertEqual(status, 1)
            self.assertIn("perf-x.txt:3: the example '$ perf x' is of no recording", said)
            self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def test_other_compiler(self):
        text = "\n".join(page("// example: branches", "$ perf x", "old") +
                         page("// example: mem", "$ perf x", "new 0"))
        status, said = self.check(text, skipped=["branches"])
        self.assertEqual(status, 0)
        self.assertIn("1 of the examples were not compared", said)

    def test_none(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            self.check("text\n")


if __name__ == "__main__":
    unittest.main()
