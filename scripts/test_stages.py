#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of stages.sh and of what perf-test-check makes of tests that fail once.

usage: python3 scripts/test_stages.py
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent
PERF = """\
#!/bin/sh
[ "$1" = test ] || exit 0
if [ "$2" = list ]; then printf ' 1: steady\\n 2: shaky\\n 3: broken\\n'; exit; fi
echo "run $*" >> runs
case "$*" in test|*1) echo '  1: steady  : Ok' ;; esac
case "$*" in test) printf '  2: shaky  : FAILED!\\n      | it rained\\n' ;; *2) echo '  2: shaky  : Ok' ;; esac
case "$*" in test|*3) printf '  3: broken  : FAILED!\\n      | it is broken\\n' ;; esac
"""


class Stages(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="stages-"))
        self.addCleanup(shutil.rmtree, self.dir)
        (self.dir / "scripts").mkdir()
        for name in ("lib.sh", "stages.sh", "perf-test-check"):
            shutil.copy(SCRIPTS / name, self.dir / "scripts")
        self.env = {**os.environ, "BUILD": str(self.dir / "build"), "LINUX": str(self.dir)}

    def stages(self, text, *only, status=0):
        """Output of a script that defines these stages and runs them or some."""
        script = self.dir / "scripts/run"
        script.write_text('#!/bin/bash\n. "$(dirname "$0")/stages.sh"\n' + text +
                          '[ "${1-}" != list ] || { list_stages; exit; }\nrun_stages "$@"\nsummary\n')
        script.chmod(0o755)
        done = subprocess.run([str(script), *only], env=self.env, check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def tail(self, out, begin):
        return out[out.index(begin):]

    def test_all_pass(self):
        out = self.stages("define a -- true\ndefine b --needs a -- echo fine\n")
        self.assertTrue(out.endswith("2 passed, 0 failed, 0 skipped\n"), out)

    def test_failure_is_told_at_the_end(self):
        fails = "echo 'x.c:3: error: no such thing'; seq 40; exit 1"
        out = self.stages(f'define a -- bash -c "{fails}"\ndefine b -- echo fine\n', status=1)
        digest = self.tail(out, "FAILED: a")
        self.assertIn("first error, line 1:x.c:3: error: no such thing", digest)
        self.assertIn("\n    26\n", digest)
        self.assertNotIn("\n    25\n", digest)
        self.assertIn("times in seconds", digest)
        self.assertTrue(out.endswith("1 passed, 1 failed, 0 skipped\n"), out)

    def test_many_failures_fit_the_screen(self):
        text = "".join(f'define s{n} -- bash -c "echo error: {n}; seq 60; exit 1"\n' for n in range(9))
        out = self.stages(text, status=1)
        lines = self.tail(out, "FAILED: s0").splitlines()
        self.assertLess(len(lines), 61)
        self.assertEqual(sum("first error" in line for line in lines), 9)

    def test_what_needs_a_failed_one_is_not_run(self):
        out = self.stages("define a -- false\ndefine b --needs a -- touch ran\ndefine c --needs b -- touch ran\n", status=1)
        self.assertIn("not run: b: needs a, which failed", out)
        self.assertIn("not run: c: needs b, which did not run", out)
        self.assertTrue(out.endswith("0 passed, 1 failed, 2 skipped\n"), out)

    def test_skip_gives_its_reason(self):
        out = self.stages('define a -- bash -c "echo there is no fire; exit 2"\n')
        self.assertIn("skipped: a: there is no fire", out)
        self.assertTrue(out.endswith("0 passed, 0 failed, 1 skipped\n"), out)

    def test_limit_is_told(self):
        out = self.stages('define a --limit 1 -- bash -c "echo counting sheep; sleep 60"\n', status=1)
        self.assertIn("counting sheep", self.tail(out, "FAILED: a"))
        self.assertIn("the time limit of 1 s is over", self.tail(out, "FAILED: a"))

    def test_only(self):
        text = "define a -- echo\ndefine b -- echo\ndefine c --needs a -- echo\n"
        out = self.stages(text, "c")
        self.assertTrue(out.endswith("2 passed, 0 failed, 0 skipped\n"), out)
        self.assertIn("there is no stage nothing", self.stages(text, "nothing", status=1))
        self.assertIn("needs a", self.stages(text, "list"))

    def test_lanes_run_beside_each_other(self):
        # Each waits for the other: one after the other they would not end.
        wait = "touch {0}; until [ -e {1} ]; do sleep .1; done"
        text = f"define a --limit 30 -- bash -c 'cd {self.dir}; {wait.format('x', 'y')}'\n"
        text += f"define b --lane other --limit 30 -- bash -c 'cd {self.dir}; {wait.format('y', 'x')}'\n"
        out = self.stages(text)
        self.assertTrue(out.endswith("2 passed, 0 failed, 0 skipped\n"), out)

    def test_one_lane_runs_one_at_a_time(self):
        busy = f"cd {self.dir}; mkdir busy && sleep .3 && rmdir busy"
        text = "".join(f"define {name} --lane l -- bash -c '{busy}'\n" for name in "abc")
        out = self.stages(text)
        self.assertTrue(out.endswith("3 passed, 0 failed, 0 skipped\n"), out)

    def test_any_lane_is_one_that_is_free(self):
        # b runs while a has its lane, and c only behind b: a waits for what c makes.
        wait = "touch {0}; until [ -e {1} ]; do sleep .1; done"
        text = f"define a --lane l --limit 30 -- bash -c 'cd {self.dir}; {wait.format('x', 'z')}'\n"
        text += f"define b --lane any --limit 30 -- bash -c 'cd {self.dir}; {wait.format('y', 'x')}; sleep .5; ! [ -e z ]'\n"
        text += f"define c --lane any --limit 30 -- bash -c 'cd {self.dir}; [ -e y ]; {wait.format('z', 'y')}'\n"
        text += "define d --lane m --needs a -- true\n"
        out = self.stages(text)
        self.assertTrue(out.endswith("4 passed, 0 failed, 0 skipped\n"), out)

    def test_need_of_another_lane(self):
        text = (f"define b --lane other --needs a -- test -e {self.dir}/made\ndefine a -- bash -c 'sleep .5; touch {self.dir}/made'\n"
                "define c --lane other -- true\n")
        out = self.stages(text)
        self.assertTrue(out.endswith("3 passed, 0 failed, 0 skipped\n"), out)
        order = [line.split()[0] for line in out.splitlines() if " ok " in line]
        self.assertEqual(order[0], "c")
        self.assertLess(order.index("a"), order.index("b"))
        out = self.stages("define b --lane other --needs a -- true\ndefine a -- false\n", status=1)
        self.assertIn("not run: b: needs a, which failed", out)

    def test_end_ends_what_runs(self):
        script = self.dir / "scripts/run"
        self.stages("define a -- true\n")
        script.write_text(f'#!/bin/bash\n. "$(dirname "$0")/stages.sh"\n'
                          f"define a --limit 60 -- bash -c 'touch {self.dir}/begun; sleep 55; touch {self.dir}/over'\n"
                          f"plain() {{ bash -c 'touch {self.dir}/too; sleep 56'; }}\ndefine b --lane other -- plain\nrun_stages\n")
        run = subprocess.Popen([str(script)], env=self.env)
        while not ((self.dir / "begun").exists() and (self.dir / "too").exists()):
            time.sleep(.05)
        run.terminate()
        self.assertEqual(run.wait(timeout=40), 130)
        # What was told to end may need a moment, but not the minute that it would run.
        for _ in range(200):
            left = subprocess.run(["pgrep", "-af", str(self.dir)], check=False, capture_output=True, text=True).stdout
            if not left:
                break
            time.sleep(.1)
        self.assertEqual(left, "")

    def test_up_to_date_by_content(self):
        text = f"define a --key 'cat {self.dir}/key' --output {self.dir}/out -- bash -c 'echo >> {self.dir}/runs; touch {self.dir}/out'\n"
        (self.dir / "key").write_text("1")
        for _ in range(2):
            out = self.stages(text)
        self.assertIn("up to date", out)
        (self.dir / "key").write_text("2")
        self.stages(text)
        (self.dir / "out").unlink()
        self.stages(text)
        self.assertEqual((self.dir / "runs").read_text().count("\n"), 3)

    def test_flaky_is_named(self):
        perf = self.dir / "perf"
        perf.write_text(PERF)
        perf.chmod(0o755)
        (self.dir / "tools/perf/tests/shell").mkdir(parents=True)
        (self.dir / "list").write_text("steady | pass\nshaky | pass\nbroken | fail | a reason\n")
        text = f"define a --key 'cat {self.dir}/list' -- {self.dir}/scripts/perf-test-check --tree {self.dir} {perf} {self.dir}/list\n"
        out = self.stages(text)
        self.assertIn("(flaky: 1)", out)
        self.assertIn("\na: FLAKY: shaky: fail at first, pass when it was run again\ntimes in", out)
        self.assertIn("| it rained", (self.dir / "build/logs/a.log").read_text())
        (self.dir / "list").write_text("steady | pass\nshaky | pass\nbroken | pass\n")
        out = self.stages(text, status=1)
        self.assertIn("changed: broken: fail, expected pass", self.tail(out, "FAILED: a"))
        self.assertIn("| it is broken", self.tail(out, "FAILED: a"))
        # In the output of earlier runs, as a guest gives them
        (self.dir / "first").write_text("  1: steady  : Ok\n  2: shaky  : FAILED!\n      | it rained\n  3: broken  : FAILED!\n")
        (self.dir / "second").write_text("  2: shaky  : Ok\n  3: broken  : FAILED!\n")
        done = subprocess.run([self.dir / "scripts/perf-test-check", perf, self.dir / "list", "--results", self.dir / "first",
                               "--again", self.dir / "second"], env=self.env, check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FLAKY: shaky", done.stdout)
        self.assertIn("changed: broken", done.stdout)
        self.assertNotIn("changed: shaky", done.stdout)
        # A list that cannot be read is no skip.
        (self.dir / "list").write_text("steady\n")
        self.assertIn("expected 'NAME | EXPECTED", self.stages(text, status=1))


if __name__ == "__main__":
    unittest.main()
