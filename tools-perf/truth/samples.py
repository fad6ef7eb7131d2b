# SPDX-License-Identifier: GPL-2.0
"""Precise samples of a traced program, and what perf report says of them.

A sample is made for each instruction and place in its data, with the true data address and
with the number of executions as period: as if every access had been sampled by hardware that
does not slip. perf report must then give each instruction the type and offset that the scan
of the file gave it.
"""
import collections
import os
import re
import struct
import subprocess

import perfdata

ADDRESS, DATA_SOURCE = 1 << 3, 1 << 15
SAMPLE_TYPE = perfdata.S_IP | perfdata.S_TID | perfdata.S_TIME | ADDRESS | perfdata.S_CPU | \
    perfdata.S_PERIOD | DATA_SOURCE | perfdata.S_IDENTIFIER
# union perf_mem_data_src: what it was, and a hit in the first level
LOAD, STORE, HIT_L1 = 2, 4, (2 | 8) << 5
EVENTS = {"mem-loads": 0x81d0, "mem-stores": 0x82d0}    # type raw


class Writer(perfdata.Writer):
    """perfdata's writer, for memory accesses: no branches, but data addresses."""

    def _attr(self, name, period):
        # disabled, exclude_kernel, exclude_hv, mmap, comm, task, precise_ip 2, mmap_data,
        # sample_id_all, mmap2, comm_exec
        flags = 1 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 13 | 2 << 15 | 1 << 17 | 1 << 18 | \
            1 << 23 | 1 << 24
        return struct.pack("<IIQQQQQ", 4, perfdata.ATTR_SIZE, EVENTS[name], period, SAMPLE_TYPE,
                           4, flags).ljust(perfdata.ATTR_SIZE, b"\0")

    def access(self, event, ip, address, pid, time, period):
        """One sample of a load (event 0) or a store (event 1)."""
        source = (STORE if event else LOAD) | HIT_L1
        body = struct.pack("<QQIIQQIIQQ", event + 1, ip, pid, pid, time, address, 0, 0, period, source)
        self._record(perfdata.RECORD_SAMPLE, perfdata.MISC_USER, body)


def write(path, trace):
    """A perf.data of everything that the trace has."""
    writer = Writer(path, [("mem-loads", 1), ("mem-stores", 1)], cmdline=["truth"], branches=False)
    pid, time = 1000, 1000
    writer.comm(pid, pid, "program", time)
    with open(trace.program, "rb") as file:
        size = len(file.read())
    for offset, vaddr, length in trace.elf.segments:
        if vaddr in trace.elf.executable:
            page = vaddr & 0xfff
            writer.mmap(pid, trace.bias + vaddr - page, min(length, size) + page, offset - page,
                        str(trace.program), time)
    for (address, access), truths in sorted(trace.truths.items()):
        for (*_, count), data in zip(truths, trace.addresses[address, access]):
            time += 1000
            writer.access(access == "w", address + trace.bias, data, pid, time, count)
    writer.close()


def report(perf, data):
    """{(function, offset in it, "r" or "w"): {(type, offset)}} as perf report prints it."""
    command = [perf, "report", "-i", data, "--stdio", "--no-demangle", "-t", "|", "-w", "0,0,0",
               "-F", "symoff,type,typeoff"]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300,
                          env={**os.environ, "PERF_CONFIG": "/dev/null", "PAGER": "cat"})
    if done.returncode:
        raise ValueError(f"perf report: status {done.returncode}: {done.stderr.strip()}")
    return parse(done.stdout)


def parse(text):
    """The rows of perf report: see report()."""
    rows, access = collections.defaultdict(set), None
    for line in text.splitlines():
        event = re.match(r"# Samples: .* of event '(.*)'", line)
        if event:
            access = {"mem-loads": "r", "mem-stores": "w"}[event[1].split(":")[0]]
        fields = [field.strip() for field in line.split("|")]
        place = re.fullmatch(r"(?:\[.\] )?(.*)\+0x([0-9a-f]+)", fields[0])
        if line.startswith("#") or len(fields) != 3 or not place:
            continue
        # "TYPE +OFFSET (FIELD)": what has no members, at its start, has no offset
        offset = re.fullmatch(re.escape(fields[1]) + r"(?: \+(?:0x)?([0-9a-f]+))?(?: \(.*\))?", fields[2])
        if not offset:
            raise ValueError(f"perf report: cannot read the row '{line}'")
        rows[place[1], int(place[2], 16), access].add((fields[1], int(offset[1] or "0", 16)))
    return rows


def _list(places):
    return " and ".join(f"{name} +{place:#x}" for name, place in sorted(places))


def compare(perf, data, trace, answers):
    """What perf report says otherwise than the scan of the file did."""
    write(data, trace)
    rows = report(perf, data)
    place_of = {name: (start, end) for start, end, name in trace.functions}
    twice = collections.Counter(name for _, _, name in trace.functions)
    seen, differences = 0, []
    for (function, offset, access), said in sorted(rows.items()):
        start, end = place_of.get(function, (0, 0))
        if twice[function] != 1 or start + offset >= end:
            continue
        seen += 1
        wanted = {(answer["type"], answer.get("offset", 0))
                  for answer in answers.get((start + offset, access), [{"type": "(unknown)"}])}
        if not said <= wanted:
            differences.append(f"{function}+{offset:#x} {access}: perf report says {_list(said)},"
                               f" --type-scan {_list(wanted)}")
    if not seen:
        differences.append("perf report shows no sample of a known function")
    return differences
