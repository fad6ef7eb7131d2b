# SPDX-License-Identifier: GPL-2.0
"""Is what perf says of an access true? No files, no processes: only the rules.

A truth is where the data of an access lay: (type number, offset in that type, size, count),
with type -1 for memory that the program did not announce. An answer is a dict as perf
annotate --type-scan --json prints it; an instruction can have several. judge() gives one of these:

  correct   type and offset of the whole object that lay there
  level     the right place, named as a member of that object that is a struct of its own
            (or, for types made to be embedded, as the container)
  leaf      only the scalar that was accessed, not what it is part of
  wrong     anything else: another type, offset or member, or a type where there is none of it
  unknown   no type
  unjudged  a type, or none, for memory that nobody announced: nothing to compare with
"""
import fnmatch
import re

CORRECT, LEVEL, LEAF, WRONG, UNKNOWN, UNJUDGED = (
    "correct", "level", "leaf", "wrong", "unknown", "unjudged")
RIGHT = (CORRECT, LEVEL, LEAF)

LINK, VALUE, OPAQUE = 1, 2, 4           # flags of truth.h
INTEGER, POINTER, REAL = 1, 5, 8        # what __builtin_classify_type() says
BITS = 0                                # and what truth_bits() says

ANY = "(any)"                           # of a type all of whose members may be accessed
LIBRARY = r"(std|__gnu_cxx|core|alloc)::"
NO_TYPE = ("(unknown)", "(no memory access)", "(stack operation)", "(stack canary)")

_INTEGERS = {
    1: "bool _Bool char u8 i8 int8_t uint8_t signed_char unsigned_char",
    2: "short u16 i16 int16_t uint16_t short_int unsigned_short short_unsigned_int char16_t",
    4: "int u32 i32 int32_t uint32_t unsigned unsigned_int char32_t wchar_t char32",
    8: "long u64 i64 int64_t uint64_t size_t ssize_t usize isize uintptr_t intptr_t long_int "
       "unsigned_long long_unsigned_int long_long long_long_int unsigned_long_long "
       "long_long_unsigned_int",
    16: "__int128 unsigned___int128 __int128_unsigned u128 i128",
}
_SCALARS = {name.replace("_", " "): (size, INTEGER)
            for size, names in _INTEGERS.items() for name in names.split()}
_SCALARS.update({name: (size, INTEGER)
                 for size, names in _INTEGERS.items() for name in names.split()})
_SCALARS.update({"float": (4, REAL), "f32": (4, REAL), "double": (8, REAL), "f64": (8, REAL),
                 "long double": (16, REAL)})


# gcc writes DW_AT_name in one way, clang and __PRETTY_FUNCTION__ in another.
_SPELLINGS = (("long long unsigned int", "unsigned long long"), ("long unsigned int", "unsigned long"),
              ("short unsigned int", "unsigned short"), ("long long int", "long long"),
              ("long int", "long"), ("short int", "short"))


def plain(name):
    """A type's name without what compilers spell differently."""
    name = re.sub(r"\b(struct|class|union|enum|const|volatile)\b", " ", name)
    name = re.sub(r"(\[\d*\])+$", "", name.strip())
    name = name.replace("std::__cxx11::", "std::")
    name = re.sub(r"\s+", " ", name).strip()
    for spelled, short in _SPELLINGS:
        name = re.sub(rf"\b{spelled}\b", short, name)
    return re.sub(r" ?([<>,*&:()]) ?", r"\1", name)


def scalar(name):
    """(size, class) of a scalar type, None when it is not known to be one."""
    name = plain(name)
    if name.endswith(("*", "&")) or "(*)" in name:
        return 8, POINTER
    return _SCALARS.get(name)


class Member:
    def __init__(self, offset, size, element, class_, nested, name):
        self.offset, self.size, self.element = offset, size, element
        self.class_, self.nested, self.name = class_, nested, name

    def covers(self, offset, width=1):
        """Has the member the byte at that offset? Of a bit-field also: one of @width bytes from there."""
        end = offset + (width if self.class_ == BITS else 1)
        return self.offset < end and offset < self.offset + self.size


class Type:
    def __init__(self, number, size, flags, name):
        self.number, self.size, self.flags, self.name = number, size, flags, name
        self.members = []

    @property
    def scalar(self):
        return not self.members and scalar(self.name) or None


class Table:
    """What a program told of its types: the lines that runtime.c writes."""

    def __init__(self, lines):
        self.types, self.names = {}, {}
        complete = False
        for line in lines:
            kind, *fields = line.rstrip("\n").split("\t")
            if kind == "type":
                number, size, flags = map(int, fields[:3])
                self.types[number] = Type(number, size, flags, fields[3])
                self.names[plain(fields[3])] = self.types[number]
            elif kind == "alias":
                self.names[plain(fields[1])] = self.types[int(fields[0])]
            elif kind == "member":
                number, *numbers = map(int, fields[:6])
                self.types[number].members.append(Member(*numbers, fields[6]))
            complete = kind == "end"
        if not complete:
            raise ValueError("the program did not run to its end")

    def canonical(self, type_, offset):
        """The offset with every array index zero."""
        for member in type_.members:
            if member.covers(offset):
                inner = (offset - member.offset) % member.element
                if member.nested >= 0:
                    inner = self.canonical(self.types[member.nested], inner)
                return member.offset + inner
        return offset

    def same_place(self, type_, one, other):
        return one == other or self.canonical(type_, one) == self.canonical(type_, other)

    def inside(self, type_, offset):
        """Every (type, offset) of a nested object that has the byte at that offset."""
        for member in type_.members:
            if member.covers(offset) and member.nested >= 0:
                nested = self.types[member.nested]
                inner = (offset - member.offset) % member.element
                yield nested, inner
                yield from self.inside(nested, inner)

    def embeddings(self, type_, wanted, base=0):
        """Every offset in a type where an object of type @wanted begins."""
        for member in type_.members:
            if member.nested >= 0:
                start = base + member.offset
                if member.nested == wanted.number:
                    yield start
                yield from self.embeddings(self.types[member.nested], wanted, start)

    def paths(self, type_, offset, width=1):
        """The names of the members that have the byte at that offset, or bits of the @width bytes there.

        A word is read and written for any of the bit-fields in it.
        """
        for member in type_.members:
            if not member.covers(offset, width):
                continue
            if member.nested < 0:
                yield member.name
                continue
            nested = self.types[member.nested]
            paths = list(self.paths(nested, (offset - member.offset) % member.element, width))
            # Padding, or what the standard library names, is only known by what it is in.
            if not paths or nested.flags & OPAQUE:
                yield member.name
            for path in paths:
                yield f"{member.name}.{path}" if member.name else path

    def scalars(self, type_, offset):
        """(size, class) of the members that have the byte at that offset."""
        if type_.scalar:
            yield type_.scalar
        for member in type_.members:
            if not member.covers(offset):
                continue
            if member.nested < 0:
                yield member.element, member.class_
            else:
                yield from self.scalars(self.types[member.nested],
                                        (offset - member.offset) % member.element)


def field_fits(table, type_, offset, field, width=1):
    """Is @field a name of what is at that offset, or one of several? True where the program names nothing."""
    names = {name for name in table.paths(type_, offset, width) if name}
    # What tells the variants of an enum apart is of the enum, of which the program names the variants.
    field = re.sub(r"\[\d*\]|\.?\(discriminant\)$", "", field or "")
    if not names or not field or field == ANY:
        return True
    return any(name == one or name.startswith(one + ".") or one.startswith(name + ".")
               for name in names for one in field.split("|"))


def _places(table, type_, answer, size, offset):
    """Does the answer's offset mean that one? Wide accesses are traced in pieces."""
    start, width = answer["offset"], max(answer.get("width", 0), 1)
    if not 0 <= start < type_.size:
        return False
    if answer.get("field") == ANY:
        return 0 <= offset <= type_.size - size
    return any(table.same_place(type_, start + piece, offset) for piece in range(0, width, size))


def judge_one(table, answer, truth):
    """(verdict, why it is wrong) for one place that was accessed."""
    number, offset, size, _ = truth
    name, place = plain(answer["type"]), answer.get("offset", 0)
    said = table.names.get(name)

    if answer.get("width", size) < size:
        return WRONG, f"{size} bytes were accessed, not {answer['width']}"
    if number < 0:
        if said and said.members and not said.flags & VALUE:
            return WRONG, "no object of that type was there"
        return UNJUDGED, ""

    type_ = table.types[number]
    true = f"{type_.name} +{offset:#x}"
    if said and not said.scalar:
        verdict = None
        answer = {**answer, "offset": place}
        if said is type_:
            if _places(table, said, answer, size, offset):
                verdict = CORRECT
        elif any(inner is said and _places(table, said, answer, size, where)
                 for inner, where in table.inside(type_, offset)):
            verdict = LEVEL
        elif type_.flags & LINK and any(_places(table, said, answer, size, start + offset)
                                        for start in table.embeddings(said, type_)):
            verdict = LEVEL
        if not verdict:
            return WRONG, f"it is {true}"
        width = max(answer.get("width", size), 1)
        if not field_fits(table, said, place, answer.get("field"), width):
            names = " or ".join(sorted(set(table.paths(said, place, width))))
            return WRONG, f"the member at +{place:#x} is {names}"
        return verdict, ""

    if not said and re.match(LIBRARY, name) and any(inner.flags & OPAQUE and place < inner.size
                                                     for inner, _ in table.inside(type_, offset)):
        return LEVEL, ""
    kind = scalar(name) or (said.size, INTEGER) if said else scalar(name)
    if not kind:
        return WRONG, f"it is {true}"
    if type_.scalar:
        return (CORRECT, "") if kind == type_.scalar else (WRONG, f"it is {true}")
    if kind in ((s, INTEGER if c not in (POINTER, REAL) else c)
                for s, c in table.scalars(type_, offset)) or kind[0] == size:
        return LEAF, ""
    return WRONG, f"it is {true}"


def _sweep(table, answer, truths):
    """One instruction that goes over a whole object: the answer is its first byte."""
    said = table.names.get(plain(answer["type"]))
    places = sorted({(offset, size) for number, offset, size, _ in truths
                     if said and number == said.number})
    if len(places) < 3 or len({number for number, *_ in truths}) > 1:
        return False
    gaps = any(left + size != right for (left, size), (right, _) in zip(places, places[1:]))
    return not gaps and answer.get("offset", 0) == places[0][0]


def _best(table, answers, truth):
    """The best of what several answers for one instruction give."""
    order = (*RIGHT, UNJUDGED, UNKNOWN, WRONG)
    results = [judge_one(table, answer, truth) if answer["type"] not in NO_TYPE else
               (UNKNOWN if truth[0] >= 0 else UNJUDGED, "") for answer in answers]
    return min(results, key=lambda result: order.index(result[0]))


def judge(table, answers, truths):
    """(verdict, why it is wrong) for an instruction, by most of what it accessed.

    One instruction can access objects of several types: the end of a list is in its head,
    code on a base class sees all derived ones. An answer that fits the most is right. There
    are several answers for one that loads or stores a pair: then nearly all must fit one.
    """
    known = sum(truth[3] for truth in truths if truth[0] >= 0)
    if all(answer["type"] in NO_TYPE for answer in answers):
        return (UNKNOWN if known else UNJUDGED), ""
    weights, why = {}, ""
    for truth in truths:
        result, reason = _best(table, answers, truth)
        weights[result] = weights.get(result, 0) + truth[3]
        why = reason or why
    right = sum(weights.get(result, 0) for result in RIGHT)
    wrong = weights.get(WRONG, 0)
    if right and right >= wrong * (1 if len(answers) == 1 else 3):
        return max(RIGHT, key=lambda result: weights.get(result, 0)), ""
    if not wrong:
        return (UNKNOWN if known else UNJUDGED), ""
    if _sweep(table, answers[0], truths):
        return CORRECT, ""
    return WRONG, why


class KnownWrong:
    """The wrong answers that are known, each with its reason."""

    def __init__(self, path):
        self.entries, self.used, self.path = [], set(), path
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split("|", 3)]
            if len(fields) != 4 or not all(fields):
                raise ValueError(f"{path.name}:{number}: must be"
                                 " 'BUILD | FUNCTION | ANSWER | reason'")
            self.entries.append((number, *fields))

    def lists(self, row):
        hits = [number for number, build, function, answer, _ in self.entries
                if fnmatch.fnmatchcase(row["build"], build) and
                fnmatch.fnmatchcase(row["function"], function) and
                fnmatch.fnmatchcase(row["answer"], answer.replace("[", "[[]"))]
        self.used.update(hits)
        return bool(hits)

    def unused(self):
        return [f"{self.path.name}:{entry[0]}: no answer is wrong in this way any more: remove it"
                for entry in self.entries if entry[0] not in self.used]
