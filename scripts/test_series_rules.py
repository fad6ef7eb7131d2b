#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of series_rules.py: a good patch passes, and each rule broken is told.

usage: python3 scripts/test_series_rules.py
"""
import unittest

import series_rules

NAME = "5001-perf-report-add-the-type-sort-key.patch"
GOOD = """\
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A Person <person@localhost>
Date: Fri, 2 Jan 2026 10:00:00 +0100
Subject: [PATCH] perf report: Add the type sort key

A user cannot see which data type a sample touched.

Add a sort key for it.

Patch-mainline: Not yet, needs the flow analysis
Described-in: data type profiling, public posting
Feature: 5 (data types)
---
 tools/perf/util/sort.c | 1 +
 1 file changed, 1 insertion(+)

diff --git a/tools/perf/util/sort.c b/tools/perf/util/sort.c
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644
--- a/tools/perf/util/sort.c
+++ b/tools/perf/util/sort.c
@@ -1,1 +1,2 @@
 a
+b
"""


def diff_of(path):
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,2 @@\n a\n+b\n"


class Rules(unittest.TestCase):
    def told(self, want, old, new, name=NAME):
        """Replacing old by new in the good patch brings exactly one complaint, with want in it."""
        self.assertIn(old, GOOD)
        found = series_rules.check(name, GOOD.replace(old, new))
        self.assertEqual(len(found), 1, found)
        self.assertIn(want, found[0])

    def test_good(self):
        self.assertEqual(series_rules.check(NAME, GOOD), [])

    def test_changes_id(self):
        def ident(old="", new=""):
            self.assertIn(old, GOOD)
            return series_rules.changes_id(GOOD.replace(old, new).encode())
        for same in (("Add a sort", "Have a sort"), ("Fri, 2", "Sat, 3"), ("index 1111", "index 2222"),
                     ("@@ -1,1 +1,2 @@", "@@ -7,1 +9,2 @@ int f(void)"), (" | 1 +", " | 11 +")):
            self.assertEqual(ident(*same), ident(), same)
        for other in (("+b", "+c"), ("\n a\n", "\n c\n"), ("sort.c", "line.c"), ("+b", "+@@ b"), ("+b", "+index b"),
                      ("\nindex ", "\nnew file mode 100755\nindex ")):
            self.assertNotEqual(ident(*other), ident(), other)

    def test_first_line(self):
        self.told("first line", "From 0000", "From 1234")

    def test_signature(self):
        found = series_rules.check(NAME, GOOD + "-- \n2.39.5\n")
        self.assertEqual(found, ["ends in a mail signature: not exported by make patches"])

    def test_no_mark(self):
        self.told("'---'", "\n---\n", "\n--\n")

    def test_author(self):
        self.told("header From", "A Person <person@localhost>", "person")

    def test_authors(self):
        other = GOOD.replace("From: A Person", "From: A\n Person")
        self.assertEqual(list(series_rules.check_authors([("a", GOOD), ("b", other)])), [])
        found = list(series_rules.check_authors([("a", GOOD), ("b", GOOD.replace("A Person", "B"))]))
        self.assertEqual(found, ["b: comes from B <person@localhost>, the mails before it from A Person "
                                 "<person@localhost>: one identity for all"])

    def test_date(self):
        self.told("header Date", "Fri, 2 Jan 2026 10:00:00 +0100", "2026-01-02")

    def test_no_date(self):
        self.told("header Date: found 0", "Date: Fri, 2 Jan 2026 10:00:00 +0100\n", "")

    def test_subject_tag(self):
        self.told("header Subject", "[PATCH] ", "")

    def test_subject_case(self):
        self.told("header Subject", "report: Add", "report: add")

    def test_subject_full_stop(self):
        self.told("header Subject", "sort key\n\n", "sort key.\n\n")

    def test_subject_long(self):
        found = series_rules.check(NAME, GOOD.replace("type sort key", "type sort key " + "x" * 70))
        self.assertTrue(any("at most 75" in text for text in found), found)

    def test_folded_subject(self):
        self.assertEqual(series_rules.check(NAME, GOOD.replace("Add the type", "Add the\n type")), [])

    def test_trailer_missing(self):
        for line in ("Patch-mainline: Not yet, needs the flow analysis\n",
                     "Described-in: data type profiling, public posting\n", "Feature: 5 (data types)\n"):
            self.told(f"trailer {line.split(':')[0]}: found 0 times", line, "")

    def test_trailer_twice(self):
        self.told("found 2 times", "Described-in: data", "Described-in: none\nDescribed-in: data")

    def test_trailer_no_reason(self):
        self.told("trailer Patch-mainline", "Not yet, needs the flow analysis", "Not yet")

    def test_trailer_own_implementation(self):
        self.assertEqual(series_rules.check(NAME, GOOD.replace(
            "Not yet, needs the flow analysis", "No, own implementation of perf data types")), [])

    def test_feature_name(self):
        self.told("trailer Feature", "5 (data types)", "5 (datatypes)")

    def test_signed_off(self):
        self.told("trailer Signed-off-by must not", "Feature: 5", "Signed-off-by: A <a@b>\nFeature: 5")

    def test_signed_off_in_body(self):
        self.told("stands outside", "Add a sort key for it.\n", "Signed-off-by: A <a@b>\n")

    def test_unknown_trailer(self):
        self.told("not in the table", "Feature: 5", "Colour: red\nFeature: 5")

    def test_trailers_not_last(self):
        found = series_rules.check(NAME, GOOD.replace("(data types)\n", "(data types)\n\nBye.\n"))
        self.assertTrue(any("outside the last paragraph" in text for text in found), found)

    def test_no_body(self):
        start = GOOD.index("A user"), GOOD.index("Patch-mainline")
        found = series_rules.check(NAME, GOOD[:start[0]] + GOOD[start[1]:])
        self.assertEqual(len(found), 1, found)
        self.assertIn("no message", found[0])

    def test_name_other_slug(self):
        found = series_rules.check("5001-perf-report.patch", GOOD)
        self.assertEqual(found, ["file name must be " + NAME])

    def test_name_other_topic(self):
        found = series_rules.check(NAME.replace("5001", "4001"), GOOD)
        self.assertEqual(len(found), 1, found)
        self.assertIn("begin with topic 5", found[0])

    def test_topic_paths(self):
        found = series_rules.check(NAME, GOOD + diff_of("kernel/events/core.c"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("must not touch kernel/events/core.c", found[0])

    def test_empty(self):
        cut = GOOD.index("diff --git")
        self.assertEqual(series_rules.check(NAME, GOOD[:cut]), ["empty: it changes no file"])

    def test_empty_file_change(self):
        found = series_rules.check(NAME, GOOD + "diff --git a/tools/x b/tools/x\n")
        self.assertEqual(found, ["empty change of tools/x"])

    def test_binary(self):
        found = series_rules.check(NAME, GOOD + "diff --git a/tools/x b/tools/x\nGIT binary patch\n")
        self.assertEqual(found, ["binary change of tools/x"])

    def test_script_that_perf_test_does_not_run(self):
        for path, mode, complaints in (("x.sh", 100644, 1), ("x.sh", 100755, 0), ("lib/x.sh", 100644, 0)):
            path = "tools/perf/tests/shell/" + path
            first, rest = diff_of(path).split("\n", 1)
            found = series_rules.check(NAME, GOOD + f"{first}\nnew file mode {mode}\n{rest}")
            self.assertEqual(len(found), complaints, found)
            self.assertTrue(all(f"{path} is not executable" in text for text in found), found)

    def test_uapi_and_copy(self):
        path = "include/uapi/linux/perf_event.h"
        text = GOOD.replace("5 (data types)", "0 (base fixes)")
        name = NAME.replace("5001", "0001")
        self.assertEqual(series_rules.check(name, text + diff_of(path)), [])
        self.assertEqual(series_rules.check(name, text + diff_of("tools/" + path)), [])
        found = series_rules.check(name, text + diff_of(path) + diff_of("tools/" + path))
        self.assertEqual(found, [f"{path} and its copy tools/{path} must change in two patches"])


class Needs(unittest.TestCase):
    def test_closed(self):
        for topic, (_, _, needs) in series_rules.TOPICS.items():
            found = series_rules.with_needs([topic])
            self.assertEqual(found, sorted(set(found)))
            self.assertTrue({topic, *needs} <= set(found))
            self.assertTrue(all(need < topic for need in needs))
            self.assertEqual(series_rules.with_needs(found), found)

    def test_not_more(self):
        self.assertEqual(series_rules.with_needs([0]), [0])
        self.assertEqual(series_rules.with_needs([2]), [1, 2])
        self.assertEqual(series_rules.with_needs([1, 4]), [0, 1, 4])


class Names(unittest.TestCase):
    def message(self, topic):
        return f"s\n\nbody\n\nFeature: {topic} ({series_rules.TOPICS[topic][0]})\n"

    def test_count_within_topic(self):
        names = series_rules.file_names([(f"perf x: Do {n}", self.message(t))
                                         for n, t in enumerate((0, 0, 5, 5, 5, 7))])
        self.assertEqual([name[:4] for name in names], ["0001", "0002", "5001", "5002", "5003", "7001"])

    def test_new_patch_renames_own_topic_only(self):
        def commits(extra):
            out = [("perf a: A", self.message(0)), ("perf b: B", self.message(5)), ("perf c: C", self.message(7))]
            return out[:1] + extra + out[1:]
        before = series_rules.file_names(commits([]))
        after = series_rules.file_names(commits([("perf n: N", self.message(0))]))
        self.assertLess(set(before), set(after))

    def test_order(self):
        with self.assertRaisesRegex(series_rules.RuleError, "topic 0 comes after topic 5"):
            series_rules.file_names([("perf a: A", self.message(5)), ("perf b: B", self.message(0))])

    def test_no_topic(self):
        with self.assertRaisesRegex(series_rules.RuleError, "one 'Feature:"):
            series_rules.file_names([("perf a: A", "s\n\nbody\n")])

    def test_unknown_topic(self):
        with self.assertRaisesRegex(series_rules.RuleError, "must be"):
            series_rules.file_names([("perf a: A", "s\n\nbody\n\nFeature: 9 (nine)\n")])

    def test_slug(self):
        self.assertEqual(series_rules.file_name(5, 12, "perf/x86: Use `a->b` in Zürich"),
                         "5012-perf-x86-use-a-b-in-zurich.patch")
        long = series_rules.file_name(5, 1, "perf x: " + "word " * 30)
        self.assertLessEqual(len(long), 5 + series_rules.SLUG_MAX + len(".patch"))
        self.assertTrue(long.endswith("-word.patch"))

    def test_too_many(self):
        with self.assertRaises(series_rules.RuleError):
            series_rules.file_name(1, 1000, "a: B")


class Series(unittest.TestCase):
    def test_good(self):
        self.assertEqual(series_rules.check_series("# 0: x\n0001-a.patch\n0002-b.patch\n5001-c.patch\n",
                                                   {"0001-a.patch", "0002-b.patch", "5001-c.patch"}), [])

    def test_missing_and_extra(self):
        found = series_rules.check_series("0001-a.patch\n", {"0002-b.patch"})
        self.assertEqual(len(found), 2, found)

    def test_twice(self):
        self.assertIn("twice", series_rules.check_series("0001-a.patch\n0001-a.patch\n", {"0001-a.patch"})[0])

    def test_order(self):
        found = series_rules.check_series("0002-b.patch\n0001-a.patch\n", {"0001-a.patch", "0002-b.patch"})
        self.assertIn("series is not in the order of the file names", found)

    def test_gap(self):
        found = series_rules.check_series("0001-a.patch\n0003-b.patch\n", {"0001-a.patch", "0003-b.patch"})
        self.assertIn("0003 follows 0001", found[0])


if __name__ == "__main__":
    unittest.main()
