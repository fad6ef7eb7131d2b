#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of the verdicts, of the reading of perf report, and of the known wrong answers."""
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "branchgen")]

import samples
import verdict
from verdict import CORRECT, LEAF, LEVEL, UNJUDGED, UNKNOWN, WRONG

# struct pair { int a; int b; };
# struct bits { int low : 8, high : 16; int whole; int rest; };
# struct outer { int first; struct bits in; };
# struct box { long id; struct pair pairs[3]; int grid[2][4]; struct pair one; union; } (0x50)
MAP = """\
type	0	8	1	struct pair
member	0	0	4	4	1	-1	a
member	0	4	4	4	1	-1	b
type	1	96	0	struct box
alias	1	box_t
member	1	0	8	8	1	-1	id
member	1	8	24	8	12	0	pairs
member	1	32	32	4	1	-1	grid
member	1	64	8	8	12	0	one
member	1	72	8	8	5	-1	pointer
member	1	72	8	8	8	-1	real
type	2	4	0	int
type	3	16	0	ns::Derived
member	3	0	8	8	12	0	
member	3	8	4	4	1	-1	more
type	4	8	2	struct value
member	4	0	8	8	1	-1	v
type	5	12	0	struct bits
member	5	0	1	1	0	-1	low
member	5	1	2	2	0	-1	high
member	5	4	4	4	1	-1	whole
type	6	16	0	struct outer
member	6	4	12	12	12	5	in
end
""".splitlines()
PAIR, BOX, INT, DERIVED, VALUE, BITS, OUTER, NOWHERE = 0, 1, 2, 3, 4, 5, 6, -1


def says(type_, offset=0, field="", width=4):
    return {"type": type_, "offset": offset, "field": field, "width": width}


class Verdict(unittest.TestCase):
    def setUp(self):
        self.table = verdict.Table(MAP)

    def check(self, wanted, answer, *truths):
        truths = [(*truth, 1) if len(truth) == 3 else truth for truth in truths]
        answers = answer if isinstance(answer, list) else [answer]
        self.assertEqual(verdict.judge(self.table, answers, truths)[0], wanted)

    def test_exact(self):
        self.check(CORRECT, says("struct box", 0, "id", 8), (BOX, 0, 8))
        self.check(CORRECT, says("box_t", 64, "one.a"), (BOX, 64, 4))
        self.check(CORRECT, says("const struct box"), (BOX, 0, 4))

    def test_other_offset_or_type(self):
        self.check(WRONG, says("struct box", 8, "pairs[0].a"), (BOX, 0, 8))
        self.check(WRONG, says("struct box", 68, "one.b"), (BOX, 64, 4))
        self.check(WRONG, says("struct pair", 0, "a"), (BOX, 0, 4))
        self.check(WRONG, says("struct value", 0, "v", 8), (BOX, 0, 8))
        self.check(WRONG, says("struct nobody", 0, "x"), (BOX, 0, 4))
        self.check(WRONG, says("struct box", 96, "", 4), (BOX, 0, 4))
        self.check(WRONG, says("struct box", -8, "", 4), (BOX, 0, 4))

    def test_any_index_of_an_array(self):
        self.check(CORRECT, says("struct box", 8, "pairs[0].a"), (BOX, 24, 4))
        self.check(CORRECT, says("struct box", 8, "pairs[0].a"), (BOX, 8, 4), (BOX, 16, 4))
        self.check(WRONG, says("struct box", 12, "pairs[0].b"), (BOX, 24, 4))
        self.check(CORRECT, says("struct box", 32, "grid[0][0]"), (BOX, 60, 4))
        self.check(CORRECT, says("struct box", 8, "pairs[].a"), (BOX, 24, 4))
        self.check(WRONG, says("struct box", 12, "pairs[].a"), (BOX, 24, 4))
        self.check(WRONG, says("struct box", 8, "pairs[].b"), (BOX, 24, 4))

    def test_any_member(self):
        self.check(CORRECT, says("struct box", 0, "(any)", 8), (BOX, 0, 8))
        self.check(CORRECT, says("struct box", 0, "(any)", 8), (BOX, 72, 8), (BOX, 0, 8))
        self.check(LEVEL, says("struct pair", 0, "(any)"), (BOX, 20, 4))
        self.check(WRONG, says("struct pair", 0, "(any)"), (BOX, 72, 4))
        self.check(WRONG, says("struct value", 0, "(any)", 8), (BOX, 0, 8))
        self.check(WRONG, says("struct box", 0, "(any)", 4), (BOX, 0, 8))

    def test_member_of_the_object(self):
        self.check(LEVEL, says("struct pair", 4, "b"), (BOX, 20, 4))
        self.check(LEVEL, says("struct pair", 4, "b"), (BOX, 68, 4))
        self.check(WRONG, says("struct pair", 0, "a"), (BOX, 68, 4))
        self.check(LEVEL, says("struct pair", 4, "b"), (DERIVED, 4, 4))

    def test_container_only_of_what_is_made_to_be_embedded(self):
        self.check(LEVEL, says("struct box", 68, "one.b"), (PAIR, 4, 4))
        self.check(LEVEL, says("struct box", 16, "pairs[1].a"), (PAIR, 0, 4))
        self.check(WRONG, says("struct box", 64, "one.a"), (PAIR, 4, 4))
        self.check(WRONG, says("ns::Derived", 8, "more"), (INT, 0, 4))
        self.check(WRONG, says("struct box", 0, "id", 8), (VALUE, 0, 8))

    def test_member_name(self):
        self.check(WRONG, says("struct box", 64, "one.b"), (BOX, 64, 4))
        self.check(CORRECT, says("struct box", 72, "pointer", 8), (BOX, 72, 8))
        self.check(CORRECT, says("struct box", 72, "real", 8), (BOX, 72, 8))
        self.check(CORRECT, says("struct box", 8, "pairs", 8), (BOX, 8, 8))
        self.check(CORRECT, says("ns::Derived", 4, "b"), (DERIVED, 4, 4))
        # The program names nothing there.
        self.check(CORRECT, says("ns::Derived", 12, "tail"), (DERIVED, 12, 4))

    def test_bit_fields_of_a_word(self):
        self.check(CORRECT, says("struct bits", 0, "low"), (BITS, 0, 4))
        self.check(CORRECT, says("struct bits", 0, "high"), (BITS, 0, 4))
        self.check(CORRECT, says("struct bits", 0, "low|high"), (BITS, 0, 4))
        self.check(CORRECT, says("struct outer", 4, "in.high"), (OUTER, 4, 4))
        self.check(WRONG, says("struct bits", 0, "high", 1), (BITS, 0, 1))
        self.check(WRONG, says("struct bits", 4, "high"), (BITS, 4, 4))
        self.check(WRONG, says("struct bits", 2, "low", 2), (BITS, 2, 2))
        # A member that is none is where its first byte is.
        self.check(WRONG, says("struct bits", 0, "whole", 8), (BITS, 0, 8))

    def test_scalars(self):
        self.check(LEAF, says("int"), (BOX, 64, 4))
        self.check(LEAF, says("char", width=1), (BOX, 64, 1))
        self.check(LEAF, says("struct pair*", width=8), (BOX, 72, 8))
        self.check(WRONG, says("long int", width=8), (BOX, 64, 4))
        self.check(CORRECT, says("int"), (INT, 0, 4))
        self.check(CORRECT, says("unsigned int"), (INT, 0, 4))
        self.check(WRONG, says("char", width=4), (INT, 0, 4))

    def test_width(self):
        self.check(WRONG, says("struct box", 0, "id", 4), (BOX, 0, 8))
        # Wide accesses are traced in pieces.
        self.check(CORRECT, says("struct box", 64, "one", 16), (BOX, 64, 8), (BOX, 72, 8))
        self.check(CORRECT, says("struct box", 0, "id", 8),
                   *((BOX, offset, 8) for offset in range(0, 96, 8)))
        self.check(WRONG, says("struct box", 64, "one", 8),
                   *((BOX, offset, 8) for offset in range(0, 96, 8)))

    def test_most_executions_decide(self):
        self.check(CORRECT, says("struct box", 64, "one.a"), (BOX, 64, 4, 5), (VALUE, 0, 4, 3))
        self.check(WRONG, says("struct box", 64, "one.a"), (BOX, 64, 4, 3), (VALUE, 0, 4, 5))
        self.check(LEVEL, says("struct pair", 0, "a"), (BOX, 64, 4, 5), (PAIR, 0, 4, 3))

    def test_pairs(self):
        pair = [says("struct box", 64, "one.a"), says("struct box", 68, "one.b")]
        self.check(CORRECT, pair, (BOX, 64, 4), (BOX, 68, 4))
        self.check(WRONG, pair, (BOX, 64, 4), (BOX, 0, 4))
        self.check(WRONG, [pair[0], says("struct box", 0, "id", 8)], (BOX, 64, 4), (BOX, 68, 4))
        self.check(UNKNOWN, [says("(unknown)"), says("(stack operation)")], (BOX, 64, 4))

    def test_unknown(self):
        self.check(UNKNOWN, [], (BOX, 0, 8))
        self.check(UNKNOWN, says("(unknown)"), (BOX, 0, 8))
        self.check(UNKNOWN, says("(stack operation)"), (BOX, 0, 8))
        self.check(UNJUDGED, says("(unknown)"), (NOWHERE, 0, 8))

    def test_memory_that_nobody_announced(self):
        self.check(WRONG, says("struct box", 0, "id", 8), (NOWHERE, 0, 8))
        self.check(UNJUDGED, says("struct value", 0, "v", 8), (NOWHERE, 0, 8))
        self.check(UNJUDGED, says("int"), (NOWHERE, 0, 4))
        self.check(UNJUDGED, says("struct other"), (NOWHERE, 0, 4))

    def test_names(self):
        for one, other in (("struct pair[4]", "pair"), ("class ns::A<int, char *>", "ns::A<int,char*>"),
                           ("std::__cxx11::list<int>", "std::list<int>"),
                           ("A<long  unsigned int>", "A<unsigned long>"),
                           ("pair<const int, x>", "pair<int const,x>")):
            self.assertEqual(verdict.plain(one), verdict.plain(other))
        self.assertNotEqual(verdict.plain("structure"), verdict.plain("ure"))

    def test_unfinished_map(self):
        with self.assertRaises(ValueError):
            verdict.Table(MAP[:-1])


class Report(unittest.TestCase):
    def test_rows(self):
        rows = samples.parse(
            "# Samples: 3  of event 'mem-loads'\n# Symbol|Data Type|Data Type Offset\n"
            "[.] main+0x1f   |struct box |struct box +0x8 (pairs[0].a)\n"
            "[.] f.isra.0+0x0|(unknown)|(unknown)\n"
            "[.] g+0x4       |char      |char +0x2 (text: char[4])\n"
            "\n# Samples: 1  of event 'mem-stores:u'\n"
            "[.] main+0x1f   |int (*)(char)|int (*)(char)\n")
        self.assertEqual(rows, {("main", 0x1f, "r"): {("struct box", 8)},
                                ("f.isra.0", 0, "r"): {("(unknown)", 0)},
                                ("g", 4, "r"): {("char", 2)},
                                ("main", 0x1f, "w"): {("int (*)(char)", 0)}})

    def test_what_cannot_be_read(self):
        with self.assertRaises(ValueError):
            samples.parse("# Samples: 3  of event 'mem-loads'\n[.] main+0x1f|int|long\n")


class KnownWrong(unittest.TestCase):
    ROW = {"build": "x86-64/shop/gcc-O2", "function": "main", "answer": "struct box[2] +0x8"}

    def listing(self, text):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "known-wrong")
            path.write_text(text, encoding="utf-8")
            return verdict.KnownWrong(path)

    def test_patterns(self):
        known = self.listing("# a comment\n\n*/shop/gcc-* | ma* | struct box[2] +0x8 | a reason\n"
                             "*/other/* | main | * | another\n")
        self.assertTrue(known.lists(self.ROW))
        self.assertFalse(known.lists({**self.ROW, "answer": "struct box2 +0x8"}))
        self.assertEqual(len(known.unused()), 1)
        self.assertIn(":4:", known.unused()[0])

    def test_a_reason_is_needed(self):
        for text in ("* | main | *\n", "* | main | * |\n"):
            with self.assertRaises(ValueError):
                self.listing(text)


if __name__ == "__main__":
    unittest.main()
