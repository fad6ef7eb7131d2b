#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Data types of arm64 programs in an arm64 recording, read on this machine.

usage: tools-perf/tests/arm64-types.py [--keep DIR]

Cross-compiles tools-perf/arm64 with gcc, and with clang where it is installed, writes a
perf.data file that says it comes from an aarch64 machine, with a sample at every
instruction of EXPECTED, and compares what "perf report -s type,typeoff" has for them. Where
the instructions are is found in the text of objdump, what they access follows from the
source and its assertions about layout.

Exit status: 0 all as expected, 1 not, 2 it cannot be run here and why.
Environment: PERF, BUILD.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent / "arm64"
sys.path.insert(0, str(HERE.parent / "branchgen"))
import perfdata  # noqa: E402  (needs the path)

ITEM, LEAF, HOLDER, RESULT = "struct item", "struct leaf", "struct holder", "struct result"
RECORD, CANARY, SAVED = "struct record", "(stack canary)", "(stack operation)"
# object, function, pattern of the instruction's text: type and offset
EXPECTED = [
    ("prog", "chain", r"\[x\d+\]$", ITEM, 0),
    ("prog", "chain", r"#8\]$", ITEM, 8),
    ("prog", "chain", r"#16\]$", ITEM, 16),
    ("prog", "chain", r"#40\]$", LEAF, 40),
    ("prog", "pair", r"^stp .*\[x0\]$", ITEM, 0),
    ("prog", "indexed", r"#76\]$", ITEM, 76),
    ("prog", "walk", r"#24\]$", ITEM, 24),
    ("prog", "element", r"#184\]$", ITEM, 184),
    ("prog", "global", r"#8\]$", ITEM, 8),
    ("prog", "add", r"^ldadd ", ITEM, 24),
    ("prog", "thread_local_pointer", r"^ldr .*\[x\d+\]$", "struct item*", 0),
    ("prog", "thread_local_pointer", r"#184\]$", ITEM, 184),
    ("prog", "thread_local_struct", r"^str w0", LEAF, 44),
    ("prog", "container", r"#192\]$", HOLDER, 200),
    ("prog", "kept_over_call", r"^str x19, \[sp", SAVED, None),
    ("prog", "kept_over_call", r"^stp x29, x30", SAVED, None),
    ("prog", "kept_over_call", r"^ldr x\d+, \[x19, #16\]$", ITEM, 16),
    ("prog", "kept_over_call", r"#44\]$", LEAF, 44),
    # gcc keeps three times the field, clang the field
    ("prog", "temporary", r"^str x\d+, \[sp", (SAVED, "long"), None),
    ("prog", "temporary", r"^ldr x\d+, \[sp", (SAVED, "long"), None),
    ("prog", "temporary", r"#24\]!?$", ITEM, 24),
    ("prog", "result_of_call", r"#20\]$", RECORD, 20),
    ("prog", "hook", r"#16\]$", ITEM, 16),
    ("prog", "hook", r"#176\]$", ITEM, 176),
    ("prog", "big", r"^str x\d+, \[x8, #64\]$", RESULT, 64),
    ("prog", "cases", r"^ldr w\d+, .*#120\]$", ITEM, 120),
    ("prog", "cases", r"#40\]$", LEAF, 40),
    ("prog", "cases", r"#44\]$", LEAF, 44),
    ("prog", "cases", r"\[x0, #24\]$", ITEM, 24),
    ("prog", "canary", r"^ldr x\d+, \[x\d+\]$", CANARY, None),
    ("prog", "canary", r"^ldr x\d+, \[x\d+, #24\]$", ITEM, 24),
    ("lib.so", "lib_touch", r"^str ", "long int", 0),
    ("lib.so", "lib_total", r"#88\]$", RECORD, 24),
    ("lib.so", "lib_count", r"#24\]$", RECORD, 24),
]
# object, function: the first and the last of the fields that its pairs access
WIDE = {("prog", "pair"): "next..prev"}
BASE = {"prog": 0xaaaaaaaa0000, "lib.so": 0xffff9d000000}
OBJDUMP = "aarch64-linux-gnu-objdump"
LINE = re.compile(r"^\s*([0-9a-f]+):\t[0-9a-f]{8} \t(.*)$")


def skip(why):
    print(f"arm64-types: skipped: {why}")
    sys.exit(2)


def build(compiler, directory):
    flags = ["-O2", "-g", "-march=armv8.1-a", "-mno-outline-atomics"]
    subprocess.run([*compiler, *flags, "-fPIC", "-shared", "-o", "lib.so", SOURCES / "lib.c"], cwd=directory, check=True)
    subprocess.run([*compiler, *flags, "-fstack-protector-strong", "-o", "prog", SOURCES / "prog.c", "./lib.so"],
                   cwd=directory, check=True)


def instructions(path):
    """{function: [(address, text)]} as objdump has them."""
    functions, current = {}, None
    out = subprocess.run([OBJDUMP, "-d", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in out.splitlines():
        name = re.match(r"[0-9a-f]+ <([\w.]+)>:$", line)
        found = LINE.match(line)
        if name:
            current = functions.setdefault(name[1], [])
        elif found and current is not None:
            text = re.sub(r"\s*(//|<).*$", "", found[2]).replace("\t", " ").strip()
            current.append((int(found[1], 16), text))
    return functions


def samples(directory):
    """[(object, function, address, type, offset)], and how many expectations had no instruction."""
    out, missing = [], 0
    code = {name: instructions(directory / name) for name in BASE}
    for name, function, pattern, kind, offset in EXPECTED:
        found = [a for a, text in code[name].get(function, ()) if re.search(pattern, text)]
        if not found:
            print(f"arm64-types: no instruction {pattern} in {function}")
            missing += 1
        out += [(name, function, address, kind, offset) for address in found]
    return out, missing


def record(directory, points):
    path = directory / "perf.data"
    writer = perfdata.Writer(path, [("cycles", 1000)], cmdline=("prog",), arch="aarch64", branches=False)
    writer.comm(100, 100, "prog", 1000)
    for name, base in BASE.items():
        writer.mmap(100, base, 0x30000, 0, str(directory / name), 1000)
    for number, (name, _, address, _, _) in enumerate(points):
        writer.sample(0, BASE[name] + address, 100, 100, 2000 + number, 1000)
    writer.close()
    return path


def report(perf, path):
    """{(object, address in function): (type, offset)} of all samples."""
    out = subprocess.run([perf, "report", "-i", path, "--stdio", "-q", "-t", "|", "-s", "dso,symoff,type,typeoff"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode:
        sys.exit(f"arm64-types: perf report failed: {out.stderr}")
    found = {}
    for line in out.stdout.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 5:
            found[fields[1], re.sub(r"^\[.\] ", "", fields[2])] = (fields[3], fields[4])
    return found, out.stdout


def check(perf, compiler, directory):
    build(compiler, directory)
    points, failed = samples(directory)
    found, text = report(perf, record(directory, points))
    starts = {name: {f: c[0][0] for f, c in instructions(directory / name).items() if c} for name in BASE}
    for name, function, address, kind, offset in points:
        key = (name, f"{function}+{address - starts[name][function]:#x}")
        got = found.get(key)
        kinds = [k.replace("long int", "long") for k in ([kind] if isinstance(kind, str) else kind)]
        # what has no members, at its start, has no offset
        at = got and re.match(r" \+(0x[0-9a-f]+|[0-9])\b", got[1][len(got[0]):])
        where = int(at[1], 0) if at else 0
        if got is None:
            print(f"{compiler[0]}: {name}: {key[1]}: no answer")
        # clang's "long" is gcc's "long int"
        elif got[0].replace("long int", "long") not in kinds or \
                (offset is not None and where != offset):
            print(f"{compiler[0]}: {name}: {key[1]}: want {kind} +{offset}, have {got[0]} {got[1]}")
        elif (name, function) in WIDE and not got[1].endswith(f"({WIDE[name, function]})"):
            print(f"{compiler[0]}: {name}: {key[1]}: want the fields {WIDE[name, function]}, have {got[1]}")
        else:
            continue
        failed += 1
    print(f"{compiler[0]}: {len(points)} samples, {failed} failed")
    if failed:
        print(text)
    return failed


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--keep")
    args = parser.parse_args()
    if args.help:
        print(__doc__)
        return 0
    perf = os.environ.get("PERF") or pathlib.Path(os.environ.get("BUILD", HERE.parents[1] / "build")) / "perf/perf"
    if not os.access(perf, os.X_OK):
        skip(f"{perf} is not there: make perf")
    for tool, package in (("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), (OBJDUMP, "binutils-aarch64-linux-gnu")):
        if not shutil.which(tool):
            skip(f"no {tool} (package {package})")
    compilers = [["aarch64-linux-gnu-gcc"]]
    if shutil.which("clang"):
        compilers.append(["clang", "--target=aarch64-linux-gnu"])
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number, compiler in enumerate(compilers):
            directory = pathlib.Path(args.keep or scratch) / str(number)
            directory.mkdir(parents=True, exist_ok=True)
            failed += check(str(perf), compiler, directory)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
