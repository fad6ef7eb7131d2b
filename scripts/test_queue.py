#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the queue scripts on a tiny kernel tree: import, tree, export, checks.

usage: python3 scripts/test_queue.py

A copy of the scripts is pinned to a "kernel" of a few files in a temporary
directory; git is real, the user's settings are made as unhelpful as possible.
"""
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent
FILES = {
    "COPYING": "GPL-2.0\n",
    ".gitignore": "*.o\n/ignored\n",
    "ignored": "tracked all the same\n",
    "dos.txt": "line\r\n",
    "include/uapi/linux/perf_event.h": "#define A 1\n" * 12,
    "tools/include/uapi/linux/perf_event.h": "#define A 1\n" * 12,
    "tools/perf/check-headers.sh": (
        "cd ../..\nfor f in include/uapi/linux/perf_event.h; do\n"
        "diff -q tools/$f $f >/dev/null || echo diff -u tools/$f $f\ndone\n"),
    "tools/perf/util/a.c": "".join(f"int a{n};\n" for n in range(30)),
    "tools/perf/util/b.c": "".join(f"int b{n};\n" for n in range(30)),
    "scripts/checkpatch.pl": (
        '$f = $ARGV[-1]; open(F, $f); while (<F>) { $n++;'
        ' if (/^\\+.*ugly/) { print "$f:$n: WARNING:UGLY: it is ugly\\n"; $bad = 1; } } exit($bad ? 1 : 0);'),
    "nonfree/x.c": "left out of the tarball\n",
}
SETTINGS = """\
[core]
	autocrlf = true
	abbrev = 20
	quotePath = true
	excludesFile = {home}/ignore
	attributesFile = {home}/attributes
	hooksPath = {home}/hooks
[diff]
	noprefix = true
	algorithm = histogram
	context = 7
	renames = copies
[format]
	signature = hello
	numbered = true
	subjectPrefix = RFC
	attach = true
	signOff = true
[commit]
	gpgSign = true
[am]
	threeWay = true
[user]
	useConfigOnly = true
"""


def tar_of(drop=()):
    """An uncompressed tar of the tiny kernel with awkward modes and owners."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, text in FILES.items():
            if name.startswith(tuple(drop)) and drop:
                continue
            info = tarfile.TarInfo("linux-1.0/" + name)
            info.size, info.mtime, info.uid = len(text.encode()), 12345, 1234
            info.mode = 0o744 if name.endswith(".sh") else 0o664
            tar.addfile(info, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("linux-1.0/link")
        link.type, link.linkname = tarfile.SYMTYPE, "COPYING"
        tar.addfile(link)
    return out.getvalue()


class Queue(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="queue-"))
        self.addCleanup(shutil.rmtree, self.dir)
        self.top = self.dir / "repository"
        self.linux = self.top / "build/linux"
        self.home = self.dir / "home"
        (self.home / "hooks").mkdir(parents=True)
        (self.home / "ignore").write_text("*\n")
        (self.home / "attributes").write_text("* text eol=crlf\n")
        for hook in ("pre-commit", "applypatch-msg", "post-checkout"):
            (self.home / "hooks" / hook).write_text("#!/bin/sh\nexit 1\n")
            (self.home / "hooks" / hook).chmod(0o755)
        (self.home / ".gitconfig").write_text(SETTINGS.format(home=self.home))
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("GIT_", "KERNEL_")) and k not in ("LINUX", "BUILD", "FORCE")}
        self.env.update(HOME=str(self.home), XDG_CACHE_HOME=str(self.home / "cache"))

        shutil.copytree(TOP / "scripts", self.top / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("kernel", "patches", "selftests"):
            (self.top / name).mkdir()
        (self.top / "patches/series").write_text("")
        (self.top / "selftests/checkpatch.exceptions").write_text("# none\n")
        (self.top / "kernel/excluded").write_text("# not free\nnonfree\n")
        self.tarball = self.dir / "linux.tar.xz"
        self.pack(tar_of(drop=("nonfree",)))
        self.pin("0" * 40)
        found = self.run_script("base-tree", ok=False)
        self.base = found.split("gave commit ")[1].split(",")[0]
        self.pin(self.base)

    def pack(self, data):
        self.tarball.write_bytes(subprocess.run(["xz", "-0c"], input=data, check=True,
                                                capture_output=True).stdout)
        self.env["KERNEL_TARBALL"] = str(self.tarball)

    def pin(self, commit):
        digest = hashlib.sha256(self.tarball.read_bytes()).hexdigest()
        (self.top / "kernel/base").write_text(
            f"VERSION=1.0\nTARBALL=linux.tar.xz\nSHA256={digest}\nGIT_TAG=v1.0\n"
            f"SOURCE_PACKAGE=none\nSOURCE_VERSION=0\nBASE_COMMIT={commit}\n")

    def run_script(self, *args, ok=True, umask=0o022, **env):
        done = subprocess.run([str(self.top / "scripts" / args[0]), *args[1:]], env={**self.env, **env},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              umask=umask)
        self.assertEqual(done.returncode == 0, ok, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def git(self, *args, **env):
        return subprocess.run(["git", "-C", str(self.linux), *args], check=True, capture_output=True, text=True,
                              env={**self.env, "GIT_CONFIG_GLOBAL": "/dev/null", **env}).stdout.strip()

    def commit(self, subject, topic="5 (data types)", path="tools/perf/util/a.c", line="int new;", end="\n"):
        """Append a line to a file of the tree and commit it with good trailers."""
        file = self.linux / path
        file.parent.mkdir(parents=True, exist_ok=True)
        old = file.read_bytes() if file.exists() else b""
        file.write_bytes(old + (line + end).encode())
        self.git("add", "-f", path)
        self.git("-c", "user.name=Ä Person", "-c", "user.email=a@localhost", "commit", "-q", "-m", subject, "-m",
                 "A user has a problem.", "-m", "Solve it.", "-m",
                 f"Patch-mainline: Never, a test\nDescribed-in: none\nFeature: {topic}",
                 GIT_AUTHOR_DATE="2026-01-02T10:00:00 +0100")

    def tree_and_two(self):
        self.run_script("tree")
        self.commit("perf tools: Add one", "0 (base fixes)")
        self.commit("perf tools: Add two", path="tools/perf/util/new.c", line="/* tab\there */")

    def queue(self):
        return {path.name: path.read_bytes() for path in (self.top / "patches").iterdir()}

    def check_fails(self, which, text):
        """scripts/check fails at the named check, with the text below it."""
        out = self.run_script("check", ok=False)
        failed = re.search(rf"FAIL  {which} +[0-9.]+ s\n", out)
        self.assertTrue(failed, out)
        self.assertIn(text, re.split(r"^  (?:ok|FAIL)  ", out[failed.end():], maxsplit=1, flags=re.M)[0])
        return out

    # The import

    def test_same_commit_whatever_the_settings(self):
        self.run_script("base-tree", umask=0o077, LC_ALL="tr_TR.UTF-8", TZ="Asia/Tokyo")
        self.assertEqual(self.git("rev-parse", "base"), self.base)
        self.assertEqual((self.linux / "dos.txt").read_bytes(), b"line\r\n")
        self.assertEqual((self.linux / "ignored").read_text(), FILES["ignored"])
        self.assertEqual(self.git("status", "--porcelain"), "")
        modes = {line.split("\t")[1]: line.split()[0] for line in self.git("ls-tree", "-r", "base").splitlines()}
        self.assertEqual((modes["COPYING"], modes["tools/perf/check-headers.sh"], modes["link"]),
                         ("100644", "100755", "120000"))

    def kernel_git(self, files):
        repository = self.dir / "upstream"
        for name, text in files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            path.chmod(0o755 if name.endswith(".sh") else 0o644)
        (repository / "link").symlink_to("COPYING")
        env = {**self.env, "GIT_CONFIG_GLOBAL": "/dev/null"}
        for args in (["init", "-q"], ["add", "-A", "-f"],
                     ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
                     ["-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "-m", "t", "v1.0"]):
            subprocess.run(["git", "-C", str(repository), *args], check=True, env=env)
        del self.env["KERNEL_TARBALL"]
        self.env["KERNEL_GIT"] = str(repository)

    def test_git_gives_the_same_commit(self):
        self.kernel_git(FILES)
        self.run_script("base-tree")
        self.assertEqual(self.git("rev-parse", "base"), self.base)

    def test_other_git_content(self):
        self.kernel_git({**FILES, "COPYING": "MIT\n"})
        self.assertIn("not the pinned 1.0", self.run_script("base-tree", ok=False))
        self.assertFalse(self.linux.exists())

    def test_git_without_tag(self):
        self.env["KERNEL_GIT"] = str(self.dir)
        self.assertIn("fetch that tag", self.run_script("base-tree", ok=False))

    def test_wrong_hash(self):
        right = hashlib.sha256(self.tarball.read_bytes()).hexdigest()
        self.pack(tar_of())
        wrong = hashlib.sha256(self.tarball.read_bytes()).hexdigest()
        shutil.rmtree(self.home / "cache")
        out = self.run_script("base-tree", ok=False)
        self.assertIn(f"expected SHA-256 {right}, found {wrong}", out)
        self.assertEqual(len(out.splitlines()), 1, out)
        self.assertFalse(self.linux.exists())

    def test_damaged_cache(self):
        kept = pathlib.Path(self.run_script("fetch-source").strip())
        del self.env["KERNEL_TARBALL"]
        self.assertEqual(self.run_script("fetch-source").strip(), str(kept))
        kept.write_bytes(b"damaged")
        self.assertIn("remove it and try again", self.run_script("fetch-source", ok=False))

    def test_no_tarball(self):
        self.env["KERNEL_TARBALL"] = "/nowhere"
        self.assertIn("no such file", self.run_script("fetch-source", ok=False))

    def test_not_a_tar(self):
        self.pack(b"This is no tar. " * 1000)
        self.pin(self.base)
        self.assertIn("not a kernel source tar", self.run_script("base-tree", ok=False))

    def test_other_base_tag(self):
        self.run_script("base-tree")
        self.pin("1" * 40)
        self.assertIn("kernel/base says 1111", self.run_script("tree", ok=False))

    # Tree and export

    def test_round_trip(self):
        self.tree_and_two()
        self.run_script("export-patches")
        first = self.queue()
        self.assertEqual(sorted(first), ["0001-perf-tools-add-one.patch", "5001-perf-tools-add-two.patch", "series"])
        self.run_script("tree")
        head = self.git("rev-parse", "HEAD")
        self.run_script("export-patches", umask=0o077, LC_ALL="tr_TR.UTF-8", TZ="Asia/Tokyo")
        self.assertEqual(self.queue(), first)
        shutil.rmtree(self.linux)
        self.run_script("tree", TZ="America/New_York")
        self.assertEqual(self.git("rev-parse", "HEAD"), head)
        self.assertIn("ok    roundtrip", self.run_script("check"))

    def test_git_am_and_plain_git_agree(self):
        self.tree_and_two()
        self.run_script("export-patches")
        made = self.git("rev-parse", "series^{tree}")
        self.git("checkout", "-q", "base")
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "am", "-q",
                 *sorted(str(p) for p in (self.top / "patches").glob("*.patch")))
        self.assertEqual(self.git("rev-parse", "HEAD^{tree}"), made)

    def test_local_settings_do_not_matter(self):
        self.tree_and_two()
        self.run_script("export-patches")
        first = self.queue()
        for key, value in (("diff.noprefix", "true"), ("format.attach", "true"), ("core.abbrev", "9"),
                           ("diff.context", "1"), ("format.signature", "x")):
            self.git("config", key, value)
        self.run_script("export-patches")
        self.assertEqual(self.queue(), first)

    def test_adding_renames_own_topic_only(self):
        self.tree_and_two()
        self.run_script("export-patches")
        before = self.queue()
        self.git("checkout", "-q", "-B", "series", "base")
        self.commit("perf tools: Add zero", "0 (base fixes)", path="tools/perf/util/b.c")
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "cherry-pick", "refs/queue/exported~1", "refs/queue/exported")
        self.run_script("export-patches")
        after = self.queue()
        self.assertEqual(sorted(after)[:3], ["0001-perf-tools-add-zero.patch", "0002-perf-tools-add-one.patch",
                                             "5001-perf-tools-add-two.patch"])
        self.assertEqual(after["5001-perf-tools-add-two.patch"], before["5001-perf-tools-add-two.patch"])

    def test_topics_out_of_order(self):
        self.run_script("tree")
        self.commit("perf tools: Add one", "5 (data types)")
        self.commit("perf tools: Add two", "0 (base fixes)")
        self.assertIn("reorder the commits by topic", self.run_script("export-patches", ok=False))
        self.assertEqual(list(self.queue()), ["series"])

    def test_empty_commit(self):
        self.tree_and_two()
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--allow-empty",
                 "-m", "perf tools: Do nothing", "-m", "Feature: 5 (data types)")
        self.assertIn("the commit is empty", self.run_script("export-patches", ok=False))

    def test_merge(self):
        self.tree_and_two()
        self.git("checkout", "-q", "-b", "side", "base")
        self.commit("perf tools: Add side", path="tools/perf/util/b.c")
        self.git("checkout", "-q", "series")
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "merge", "-q", "--no-edit", "side")
        self.assertIn("is a merge", self.run_script("export-patches", ok=False))

    def test_dirty_tree_is_not_exported(self):
        self.tree_and_two()
        (self.linux / "COPYING").write_text("x\n")
        self.assertIn("commit or stash", self.run_script("export-patches", ok=False))

    def test_new_file_is_not_left_out(self):
        self.tree_and_two()
        (self.linux / "tools/perf/tests").mkdir()
        (self.linux / "tools/perf/tests/new.sh").write_text("x\n")
        (self.linux / "built.o").write_text("x\n")
        out = self.run_script("export-patches", ok=False)
        self.assertIn("tools/perf/tests/new.sh in ", out)
        self.assertIn("git add and commit it, or remove it", out)
        self.assertEqual(len(out.splitlines()), 1, out)
        self.run_script("export-patches", "--allow-dirty")
        (self.linux / "tools/perf/tests/new.sh").unlink()
        self.run_script("export-patches")

    def test_work_is_not_overwritten(self):
        self.tree_and_two()
        head = self.git("rev-parse", "HEAD")
        self.assertIn("run make patches", self.run_script("tree", ok=False))
        self.assertEqual(self.git("rev-parse", "HEAD"), head)
        self.run_script("export-patches")
        self.run_script("tree")
        (self.linux / "COPYING").write_text("x\n")
        self.assertIn("not committed", self.run_script("tree", ok=False))
        self.assertEqual((self.linux / "COPYING").read_text(), "x\n")
        self.run_script("tree", FORCE="1")
        self.assertEqual((self.linux / "COPYING").read_text(), FILES["COPYING"])
        self.git("checkout", "-q", "-b", "other")
        self.assertIn("not on branch series", self.run_script("tree", ok=False))

    def test_forced_tree_keeps_the_old_commits(self):
        self.tree_and_two()
        head = self.git("rev-parse", "HEAD")
        self.run_script("tree", FORCE="1")
        self.assertEqual(self.git("rev-parse", "HEAD"), self.base)
        self.assertEqual(self.git("rev-parse", "refs/queue/previous"), head)

    def test_tree_follows_a_newer_queue(self):
        self.tree_and_two()
        self.run_script("export-patches")
        self.run_script("tree")
        (self.top / "patches/5001-perf-tools-add-two.patch").unlink()
        (self.top / "patches/series").write_text("0001-perf-tools-add-one.patch\n")
        self.run_script("tree")
        self.assertEqual(self.git("rev-list", "--count", "base..HEAD"), "1")
        self.assertFalse((self.linux / "tools/perf/util/new.c").exists())

    # The checks, each broken

    def test_check_passes(self):
        self.tree_and_two()
        self.run_script("export-patches")
        self.assertNotIn("FAIL", self.run_script("check"))

    def test_check_with_no_patches(self):
        self.run_script("tree")
        self.assertNotIn("FAIL", self.run_script("check"))

    def test_hand_edited_patch(self):
        self.tree_and_two()
        self.run_script("export-patches")
        patch = self.top / "patches/5001-perf-tools-add-two.patch"
        patch.write_bytes(patch.read_bytes() + b"-- \n2.39.5\n")
        self.check_fails("roundtrip", "make patches")

    def test_seeded_mistake_that_does_not_apply(self):
        self.tree_and_two()
        self.run_script("export-patches")
        seeded = self.top / "selftests/seeded"
        seeded.mkdir()
        mistake = ("--- a/tools/perf/util/a.c\n+++ b/tools/perf/util/a.c\n@@ -28,4 +28,4 @@\n"
                   " int a27;\n int a28;\n int a29;\n-int new;\n+int old;\n")
        (seeded / "fits.diff").write_text(mistake)
        self.assertIn("ok    seeded", self.run_script("check"))
        (seeded / "stale.diff").write_text(mistake.replace("int new", "int gone"))
        out = self.check_fails("seeded", "selftests/seeded/stale.diff: error: patch failed")
        self.assertNotIn("fits.diff", out)

    def test_patch_that_does_not_apply(self):
        self.tree_and_two()
        self.run_script("export-patches")
        patch = self.top / "patches/0001-perf-tools-add-one.patch"
        patch.write_text(patch.read_text().replace(" int a29;", " int other;"))
        self.check_fails("am", "0001-perf-tools-add-one.patch does not apply")

    def test_quilt_with_another_result(self):
        self.tree_and_two()
        self.run_script("export-patches")
        fake = self.dir / "bin/quilt"
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\nexit 0\n")
        fake.chmod(0o755)
        self.env["PATH"] = f"{fake.parent}:{self.env['PATH']}"
        self.check_fails("quilt", "EOF on tools/perf/util/a.c")

    def test_picked_topics(self):
        self.tree_and_two()
        self.git("checkout", "-q", "-B", "series", "HEAD~1")
        self.commit("perf/core: Add a line", "1 (alternating sample period)", path="COPYING", line="MIT")
        self.commit("perf tools: Add two", path="tools/perf/util/new.c", line="/* tab\there */")
        self.run_script("export-patches")
        self.assertIn("ok    pick", self.run_script("check"))
        picked = self.dir / "picked"
        out = self.run_script("series-pick", "5", str(picked))
        self.assertIn("2 patches", out)
        self.assertIn("5 (data types); with what they need: 0 (base fixes)", out)
        names = ["0001-perf-tools-add-one.patch", "5001-perf-tools-add-two.patch"]
        self.assertEqual(sorted(path.name for path in picked.iterdir()), [*names, "series"])
        self.assertEqual((picked / "series").read_text().split(), names)
        self.assertIn("is there already", self.run_script("series-pick", "5", str(picked), ok=False))
        self.assertIn("9 is no topic", self.run_script("series-pick", "9", str(self.dir / "other"), ok=False))
        self.assertIn("a directory to write to", self.run_script("series-pick", "5", ok=False))
        self.assertFalse((self.dir / "other").exists())

    def test_topic_that_needs_another(self):
        self.run_script("tree")
        self.commit("perf/core: Add a line", "0 (base fixes)", path="COPYING", line="MIT")
        self.commit("perf/core: Add another", "1 (alternating sample period)", path="COPYING", line="BSD")
        self.run_script("export-patches")
        self.check_fails("pick", "1001-perf-core-add-another.patch does not apply")

    def test_topic_that_is_another_alone(self):
        self.run_script("tree")
        header = "include/uapi/linux/perf_event.h"
        self.commit("perf/core: Begin with a line", "0 (base fixes)", path=header)
        (self.linux / header).write_text("#define B 1\n" + FILES[header])
        self.git("commit", "-qa", "--amend", "--no-edit")
        self.commit("perf/core: End in a line", "1 (alternating sample period)", path=header)
        self.run_script("export-patches")
        self.check_fails("pick", "topic 1 with what it needs makes another include/uapi/linux/perf_event.h than")

    def test_lines(self):
        self.tree_and_two()
        self.commit("perf test: Add three", path="tools/perf/tests/shell/new.sh", line="true\n-- false\n++ true")
        self.commit("perf test: Take one away", path="tools/perf/tests/shell/new.sh")
        (self.linux / "tools/perf/tests/shell/new.sh").write_bytes(b"true\n")
        self.git("commit", "-qa", "--amend", "--no-edit")
        self.commit("docs: Add one", path="tools/perf/Documentation/new.txt")
        self.run_script("export-patches")
        out = self.run_script("lines")
        self.assertRegex(out, r"5 data types +4 +\+1 +\+1 +\+1\n")
        self.assertRegex(out, r"\nall +5 +\+2 +\+1 +\+1\n")
        self.assertIn("is not a directory", self.run_script("lines", "nowhere", ok=False))

    def test_commits_that_are_not_exported(self):
        self.tree_and_two()
        self.run_script("export-patches")
        self.commit("perf tools: Add three")
        self.check_fails("tree", "run make patches or make tree")

    def test_series_and_directory(self):
        self.tree_and_two()
        self.run_script("export-patches")
        (self.top / "patches/5002-stray.patch").write_text("x\n")
        self.check_fails("mail", "5002-stray.patch is in patches/ but not in series")

    def test_bad_trailer(self):
        self.tree_and_two()
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--amend", "-m",
                 "perf tools: Add two\n\nBecause.\n\nFeature: 5 (data types)")
        self.run_script("export-patches")
        self.check_fails("mail", "trailer Patch-mainline: found 0 times")

    def test_changed_context(self):
        self.tree_and_two()
        self.run_script("export-patches")
        patch = self.top / "patches/0001-perf-tools-add-one.patch"
        patch.write_text(patch.read_text().replace(" int a27;\n", " int a99;\n"))
        self.check_fails("quilt", "FAILED")

    def test_checkpatch(self):
        self.run_script("tree")
        self.commit("perf tools: Add one", line="int ugly;")
        self.commit("perf allowed: Add two", line="int ugly2;")
        (self.top / "selftests/checkpatch.exceptions").write_text("UGLY | perf-allowed* | a test\n")
        self.run_script("export-patches")
        out = self.check_fails("style", "5001-perf-tools-add-one.patch")
        self.assertNotIn("5002-perf-allowed-add-two.patch:", out)
        listing = self.top / "selftests/checkpatch.exceptions"
        listing.write_text("UGLY(*is handsome*) | * | a test\n")
        self.check_fails("style", "5002-perf-allowed-add-two.patch")
        listing.write_text("UGLY(*it is ugly*) | * | a test\n")
        self.run_script("check")
        listing.write_text("UGLY | *\n")
        self.check_fails("style", "exceptions:1: must be")

    def test_style_is_read_once(self):
        self.run_script("tree")
        self.commit("perf tools: Add one", line="int ugly;")
        self.commit("perf tools: Add two")
        self.run_script("export-patches")
        one, two = sorted((self.top / "patches").glob("*.patch"))
        listing = self.top / "selftests/checkpatch.exceptions"
        listing.write_text("UGLY | perf-tools-add-one* | a test\n")
        self.run_script("check-style")
        # What is kept is judged by the exceptions of now, and nothing reads the mails again.
        counter = self.dir / "bin/perl"
        counter.parent.mkdir()
        counter.write_text(f"#!/bin/sh\necho >> {self.dir}/read\nexec {shutil.which('perl')} \"$@\"\n")
        counter.chmod(0o755)
        self.env["PATH"] = f"{counter.parent}:{self.env['PATH']}"
        one.write_text(re.sub("^index .*", "index 1..2 100644", one.read_text(), flags=re.M).replace("@@ -28,", "@@ -48,"))
        listing.write_text("# none\n")
        self.assertIn("it is ugly", self.run_script("check-style", ok=False))
        self.assertFalse((self.dir / "read").exists())
        two.write_text(two.read_text().replace("+int new;", "+int ugly;"))
        self.assertEqual(self.run_script("check-style", ok=False).count("it is ugly"), 2)
        self.assertEqual((self.dir / "read").read_text(), "\n")
        # Another checkpatch reads all.
        script = self.linux / "scripts/checkpatch.pl"
        script.write_text(script.read_text().replace("it is ugly", "it is plain"))
        self.assertEqual(self.run_script("check-style", ok=False).count("it is plain"), 2)

    def test_style_of_single_mails(self):
        self.run_script("tree")
        self.commit("perf tools: Add one", line="int ugly;")
        self.commit("perf tools: Add two")
        self.run_script("export-patches")
        one, two = sorted((self.top / "patches").glob("*.patch"))
        self.assertIn("it is ugly", self.run_script("check-style", str(one), ok=False))
        (self.top / "selftests/checkpatch.exceptions").write_text("UGLY | perf-tools-add-one* | a test\n")
        self.run_script("check-style", str(two))
        part = self.dir / "part"
        part.mkdir()
        shutil.copy(two, part)
        self.run_script("check-style", str(part))
        self.assertIn("is not there", self.run_script("check-style", str(self.dir / "none"), ok=False))

    def test_stale_exception(self):
        self.tree_and_two()
        self.run_script("export-patches")
        (self.top / "selftests/checkpatch.exceptions").write_text("UGLY | perf-tools-add-one* | a test\n")
        self.check_fails("style", "lets nothing through any more")

    def test_header_without_its_copy(self):
        header = "include/uapi/linux/perf_event.h"
        self.run_script("tree")
        self.commit("perf/core: Add a word", "1 (alternating sample period)", path=header, line="#define B 2")
        self.run_script("export-patches")
        self.check_fails("headers", f"diff -u tools/{header} {header}")
        self.commit("perf tools: Copy the header", "4 (windows and branch filters in perf)", path="tools/" + header,
                    line="#define B 2")
        self.run_script("export-patches")
        self.run_script("check")

    def test_machine_named(self):
        self.tree_and_two()
        self.run_script("export-patches")
        subprocess.run(["git", "-C", str(self.top), "init", "-q"], check=True, env=self.env)
        (self.top / "notes.txt").write_text(f"see {self.top}/x\n")
        subprocess.run(["git", "-C", str(self.top), "add", "-f", "notes.txt"], check=True,
                       env={**self.env, "GIT_CONFIG_GLOBAL": "/dev/null"})
        self.check_fails("private", "notes.txt:1:")

    # The hook

    def own_git(self, *args, ok=True, **env):
        """git in the queue's own repository, with the user's settings as they are but for their folder of hooks."""
        done = subprocess.run(["git", "-C", str(self.top), "-c", "user.name=A", "-c", "user.email=a@localhost",
                               "-c", "commit.gpgSign=false", *args], env={**self.env, "GIT_CONFIG_GLOBAL": "/dev/null", **env},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode == 0, ok, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def hooked(self):
        self.tree_and_two()
        self.run_script("export-patches")
        self.own_git("init", "-q")
        (self.top / ".gitignore").write_text("/build/\n__pycache__/\n")
        (self.home / ".gitconfig").write_text("")
        shutil.copy(TOP / ".shellcheckrc", self.top)
        self.own_git("add", "-A")
        self.own_git("commit", "-q", "-m", "All")
        self.assertIn("pre-commit checks each commit", self.run_script("hooks"))

    def test_hook_lets_good_commits_pass(self):
        self.hooked()
        (self.top / "notes.txt").write_text("plain\n")
        self.own_git("add", "notes.txt")
        self.own_git("commit", "-q", "-m", "Notes")
        self.run_script("hooks", "--remove")
        self.assertFalse((self.top / ".git/hooks/pre-commit").exists())

    def test_hook_sees_what_is_staged(self):
        self.hooked()
        script, mail = self.top / "scripts/new", self.top / "patches/5001-perf-tools-add-two.patch"
        good = mail.read_text()
        script.write_text("#!/bin/bash\necho $1\n")
        mail.write_text(good.replace("Described-in: none\n", "").replace("+/* tab", "+/* ugly tab"))
        (self.top / "new.py").write_text("if:\n")
        (self.top / "notes.txt").write_text(f"see {self.top}/x\n")
        self.own_git("add", "-A")
        # What lies there is mended, what is staged is not.
        mail.write_text(good)
        out = self.own_git("commit", "-m", "Bad", ok=False)
        for text in ("scripts/new: has a #! line but is not executable", "SC2086", "trailer Described-in", "it is ugly",
                     "new.py", "notes.txt:1:"):
            self.assertIn(text, out)
        # One that is named is another index.
        (self.top / ".gitignore").write_text("/build/\n__pycache__/\n*.o\n")
        self.own_git("commit", "-q", "-m", "Only that", "--", ".gitignore")
        self.own_git("commit", "-q", "-m", "All the same", "--no-verify")

    def test_hook_sees_what_is_removed(self):
        self.hooked()
        self.own_git("rm", "-q", "patches/5001-perf-tools-add-two.patch")
        self.assertIn("series: ", self.own_git("commit", "-m", "Gone", ok=False))

    def test_hook_of_somebody_else(self):
        self.hooked()
        hook = self.top / ".git/hooks/pre-commit"
        hook.write_text("#!/bin/sh\nexit 0\n")
        self.assertIn("is there already", self.run_script("hooks", ok=False))
        self.assertIn("is not ours", self.run_script("hooks", "--remove", ok=False))
        self.assertEqual(hook.read_text(), "#!/bin/sh\nexit 0\n")

    # Folding

    def three(self):
        """Three mails of one topic, two of them on the same lines; exported."""
        self.run_script("tree")
        self.commit("perf tools: Add one", line="int one;")
        self.commit("perf tools: Add two", path="tools/perf/util/b.c", line="int two;")
        self.commit("perf tools: Add three", line="int three;")
        self.run_script("export-patches")
        self.run_script("tree")
        self.a, self.b = (self.linux / f"tools/perf/util/{name}.c" for name in "ab")

    def replace(self, path, old, new):
        path.write_text(path.read_text().replace(old, new))

    def assert_folded(self, mails=3):
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("log", "--format=%s", "base..series").count("fixup!"), 0)
        self.assertEqual(len(self.queue()), mails + 1)
        self.assertFalse((self.top / "build/fold").exists())
        head = self.git("rev-parse", "series")
        self.run_script("check")
        shutil.rmtree(self.linux)
        self.run_script("tree")
        self.assertEqual(self.git("rev-parse", "series"), head)

    def test_fold_a_change(self):
        self.three()
        before = self.queue()
        self.replace(self.b, "int two;", "long two;")
        (self.linux / "tools/perf/util/c.c").write_text("int c;\n")
        self.assertIn("c.c in ", self.run_script("fold", "5002", ok=False))
        self.assertEqual(self.git("log", "-1", "--format=%s"), "perf tools: Add three")
        self.git("add", "tools/perf/util/c.c")
        times = {path: path.stat().st_mtime_ns for path in self.linux.rglob("*.[ch]")}
        self.run_script("fold", "5002")
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.linux.rglob("*.[ch]")}, times)
        after = self.queue()
        self.assertEqual([name for name in after if after[name] != before[name]], ["5002-perf-tools-add-two.patch"])
        self.assertIn(b"+long two;", after["5002-perf-tools-add-two.patch"])
        self.assertIn(b"+int c;", after["5002-perf-tools-add-two.patch"])
        self.assert_folded()

    def test_fold_fixups(self):
        self.three()
        self.replace(self.b, "int two;", "long two;")
        self.git("add", "-u")
        for line, subject in ("int more;", "fixup! perf"), ("int again;", "fixup! fixup! perf"):
            self.b.write_text(self.b.read_text() + line + "\n")
            self.git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-a", "-m", subject + " tools: Add two")
        self.run_script("fold")
        self.assertIn(b"+long two;\n+int more;\n+int again;\n", self.queue()["5002-perf-tools-add-two.patch"])
        self.assert_folded()

    def test_fold_new_mails(self):
        self.three()
        four = "4 (windows and branch filters in perf)"
        self.commit("perf record: Add four", four, path="tools/perf/util/d.c", line="int four;")
        self.commit("perf tools: Add five", line="int five;")
        self.commit("perf record: Add six", four, path="tools/perf/util/e.c", line="int six;")
        self.replace(self.linux / "tools/perf/util/d.c", "int four;", "long four;")
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-a",
                 "-m", "fixup! perf record: Add four")
        self.run_script("fold")
        self.assertEqual(sorted(self.queue()), [
            "4001-perf-record-add-four.patch", "4002-perf-record-add-six.patch", "5001-perf-tools-add-one.patch",
            "5002-perf-tools-add-two.patch", "5003-perf-tools-add-three.patch",
            "5004-perf-tools-add-five.patch", "series"])
        self.assertIn(b"+long four;", self.queue()["4001-perf-record-add-four.patch"])
        self.assert_folded(6)

    def test_fold_at_a_conflict(self):
        self.three()
        before = self.queue()
        self.replace(self.a, "int one;\nint three;", "int three;\nlong one;")
        out = self.run_script("fold", "patches/5001-perf-tools-add-one.patch", ok=False)
        self.assertIn("does not fit (tools/perf/util/a.c): solve it in ", out)
        self.assertEqual(len(out.splitlines()), 1, out)
        self.assertIn("another fold", self.run_script("fold", ok=False))
        self.assertIn("does not fit", self.run_script("fold", "--continue", ok=False))
        self.run_script("fold", "--abort")
        self.assertEqual(self.queue(), before)
        self.assertEqual(self.git("log", "-1", "--format=%s"), "fixup! perf tools: Add one")

        self.run_script("fold", ok=False)
        work = self.top / "build/fold"
        for text in ("long one;\n", "long one;\nint three;\n"):
            (work / "tools/perf/util/a.c").write_text(FILES["tools/perf/util/a.c"] + text)
            subprocess.run(["git", "-C", str(work), "add", "tools/perf/util/a.c"], check=True,
                           env={**self.env, "GIT_CONFIG_GLOBAL": "/dev/null"})
            out = subprocess.run([str(self.top / "scripts/fold"), "--continue"], env=self.env, check=False,
                                 capture_output=True, text=True)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("what was solved changes the tree", out.stderr)
        self.assertIn(b"+long one;", self.queue()["5001-perf-tools-add-one.patch"])
        self.assert_folded()

    def test_fold_of_nothing(self):
        self.three()
        self.assertIn("no fixup! commit, and its topics are in order", self.run_script("fold", ok=False))
        self.assertIn("nothing is changed", self.run_script("fold", "5001", ok=False))
        self.assertIn("no mail", self.run_script("fold", "5", ok=False))
        self.assertIn("no mail", self.run_script("fold", "5009", ok=False))
        self.assertIn("no fold is in progress", self.run_script("fold", "--continue", ok=False))
        self.commit("fixup! perf tools: Add nine")
        self.assertIn("Add nine: no commit of branch series", self.run_script("fold", ok=False))
        self.assertFalse((self.top / "build/fold").exists())

    # Building single mails

    def each(self, *args, status=0):
        """Lines of check-each with a build that fails where a file of perf has the word "broken" in it
        and notes what it builds."""
        builder = self.top / "scripts/build-perf"
        builder.write_text(
            '#!/bin/sh\n[ "$1" != --key ] || { echo gcc; exit; }\n'
            f'git -C "$2" log -1 --format=%s >> {self.dir}/built\n'
            '! grep -r broken "$2/tools/perf"\n')
        (self.top / "Kconfig.fragment").write_text("")
        (self.dir / "built").write_text("")
        done = subprocess.run([str(self.top / "scripts/check-each"), *args], env=self.env, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        built = (self.dir / "built").read_text().replace("perf tools: Add ", "").split()
        return built, done.stdout + done.stderr

    def queue_commit(self):
        self.run_script("export-patches")
        env = {**self.env, "GIT_CONFIG_GLOBAL": "/dev/null"}
        for args in (["init", "-q"], ["add", "-f", "patches"],
                     # All on one day: no date plays a part.
                     ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x",
                      "--date=2026-01-01T00:00:00Z"]):
            subprocess.run(["git", "-C", str(self.top), *args], check=True,
                           env={**env, "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"})

    def mails_apart(self):
        """Three mails of two topics in three commits of the queue."""
        self.run_script("tree")
        self.queue_commit()
        self.commit("perf tools: Add six", "6 (block ranges)", line="int six;")
        self.queue_commit()
        self.commit("perf tools: Add seven", "7 (streams)", path="tools/perf/util/b.c", line="int seven;")
        self.queue_commit()

    def put_first(self, line):
        """A new mail of topic 5, which moves the lines of the others."""
        self.git("checkout", "-q", "-B", "series", "base")
        file = self.linux / "tools/perf/util/a.c"
        file.write_text(line + "\n" + file.read_text())
        self.commit("perf tools: Add five", path="tools/perf/util/a.c", line="", end="")
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "cherry-pick", "base..refs/queue/exported")

    def test_each_builds_the_newest_first(self):
        self.mails_apart()
        built, _ = self.each()
        self.assertEqual(built, ["seven", "six"])
        built, out = self.each()
        self.assertEqual(built, [])
        self.assertIn("0 of 2 mails were not recorded as built", out)
        self.assertEqual(self.each("--no-cache")[0], ["seven", "six", "seven"])

    def test_each_builds_the_newest_change_whatever_the_time(self):
        self.mails_apart()
        built, out = self.each("--within", "0", status=2)
        self.assertEqual(built, ["seven"])
        self.assertIn("1 mails were not built one by one", out)
        self.commit("perf tools: Add eight", "8 (mem, c2c and other consumers)")
        self.queue_commit()
        self.queue_commit()  # one that changes no mail
        self.assertEqual(self.each("--within", "0", status=2)[0], ["eight"])
        self.assertEqual(self.each()[0], ["six"])

    def test_each_knows_mails_that_moved(self):
        self.mails_apart()
        self.each()
        self.put_first("int five;")
        self.queue_commit()
        self.commit("perf tools: Add eight", "8 (mem, c2c and other consumers)")
        self.queue_commit()
        built, out = self.each()
        # Behind the new one: the ends of topics.
        self.assertEqual(built, ["eight", "five", "six", "seven"])
        self.assertIn("2 of 4 mails were not recorded", out)
        self.assertIn("1 of 4 mails are not in HEAD~1", self.each("--since", "HEAD~1")[1])
        self.assertIn("no such commit", self.each("--since", "nowhere", status=1)[1])

    def test_each_finds_what_does_not_build(self):
        self.mails_apart()
        self.each()
        self.commit("perf tools: Add eight", "8 (mem, c2c and other consumers)", line="int broken;")
        self.queue_commit()
        for _ in range(2):
            self.assertIn("FAIL  8001-perf-tools-add-eight.patch (perf)", self.each("--within", "0", status=1)[1])

    def test_each_finds_what_a_change_breaks_behind_it(self):
        self.mails_apart()
        self.commit("perf tools: Add more", "7 (streams)")
        self.queue_commit()
        self.each()
        # Before each changed mail, and at the end of each topic, it is seen whether those between build.
        self.put_first("int five;")
        self.commit("perf tools: Add last", "7 (streams)")
        self.queue_commit()
        self.assertEqual(self.each()[0], ["five", "six", "more", "last"])

    def test_each_wants_the_queue_of_the_tree(self):
        self.mails_apart()
        (self.linux / "tools/perf/util/b.c").write_text("int b;\n")
        self.git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-a", "--amend", "--no-edit")
        self.assertIn("run make patches", self.each(status=1)[1])

    # The kernels of guests

    def test_left_lock_of_a_killed_git(self):
        self.run_script("tree")
        (self.top / "Kconfig.fragment").write_text("CONFIG_A=y\n")
        (self.top / "kernel/guest.config").write_text("CONFIG_A=y\n")
        (self.top / "kernel/guest-x86_64.config").write_text("CONFIG_A=y\n")
        work = self.home / "cache/perf-types/guest/work"
        work.mkdir(parents=True)
        (work / "index.lock").write_text("")
        # This tree is copied, though there is nothing to build in it.
        self.assertNotIn("cannot copy", self.run_script("guest-kernel", ok=False))
        self.assertTrue((work / "src/COPYING").exists())

    def test_help(self):
        for script in sorted((self.top / "scripts").iterdir()):
            if script.name.startswith("test_") or not os.access(script, os.X_OK) or script.is_dir():
                continue
            with self.subTest(script.name):
                self.assertIn("usage: ", self.run_script(script.name, "--help"))


if __name__ == "__main__":
    unittest.main()
