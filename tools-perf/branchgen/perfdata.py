# SPDX-License-Identifier: GPL-2.0
"""Write perf.data files, with or without branch stacks.

The layout is that of tools/perf/Documentation/perf.data-file-format.txt and of
perf_event.h; only what the tests need is here. Times are in nanoseconds and
the caller writes records in time order.
"""
import os
import platform
import struct

RECORD_MMAP, RECORD_COMM, RECORD_EXIT, RECORD_FORK = 1, 3, 4, 7
RECORD_SAMPLE, RECORD_MMAP2 = 9, 10
MISC_KERNEL, MISC_USER, MISC_COMM_EXEC = 1, 2, 1 << 13

S_IP, S_TID, S_TIME, S_CPU, S_PERIOD = 1 << 0, 1 << 1, 1 << 2, 1 << 7, 1 << 8
S_BRANCH_STACK, S_IDENTIFIER = 1 << 11, 1 << 16
SAMPLE_TYPE = S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_BRANCH_STACK | S_IDENTIFIER

BRANCH_USER, BRANCH_KERNEL, BRANCH_ANY, BRANCH_TYPE_SAVE = 1 << 0, 1 << 1, 1 << 3, 1 << 16
ATTR_SIZE = 128

FEATURES = {"hostname": 3, "osrelease": 4, "version": 5, "arch": 6, "nrcpus": 7,
            "cpudesc": 8, "cpuid": 9, "cmdline": 11, "event_desc": 12, "branch_stack": 15}
# name: (attr.type, attr.config)
EVENTS = {"cycles": (0, 0), "instructions": (0, 1), "branches": (0, 4)}
ENTRY = struct.Struct("<QQQ")


def entry(source, target, mispredicted=0, cycles=0, kind=0):
    """One struct perf_branch_entry; kind is a PERF_BR_* number."""
    flags = 1 if mispredicted else 2
    return ENTRY.pack(source, target, flags | min(cycles, 0xffff) << 4 | kind << 20)


def _string(text):
    data = text.encode() + b"\0"
    size = (len(data) + 63) & ~63
    return struct.pack("<I", size) + data.ljust(size, b"\0")


def _padded(text):
    data = os.fsencode(text) + b"\0"
    return data.ljust((len(data) + 7) & ~7, b"\0")


class Writer:
    """A perf.data file of the given events: [(name, period)].

    arch: the machine that it is said to be recorded on, as uname -m has it.
    branches: samples have branch stacks.
    """

    def __init__(self, path, events, user_only=True, types=False, cmdline=(), arch=None, branches=True):
        self.events = events
        self.arch = arch or platform.machine()
        self.branches = branches
        self.sample_type = SAMPLE_TYPE if branches else SAMPLE_TYPE & ~S_BRANCH_STACK
        self.user_only = user_only
        self.types = types
        self.cmdline = cmdline
        self.file = open(path, "wb")
        ids = b"".join(struct.pack("<Q", n + 1) for n in range(len(events)))
        self.ids_offset = 104
        self.attrs_offset = self.ids_offset + len(ids)
        self.data_offset = self.attrs_offset + len(events) * (ATTR_SIZE + 16)
        self.file.write(b"\0" * self.ids_offset + ids)
        self.attrs = [self._attr(*event) for event in events]
        for number, attr in enumerate(self.attrs):
            self.file.write(attr + struct.pack("<QQ", self.ids_offset + 8 * number, 8))

    def _attr(self, name, period):
        kind, config = EVENTS[name]
        # disabled, mmap, comm, task, sample_id_all, mmap2, comm_exec
        flags = 1 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24
        branch = BRANCH_USER | BRANCH_ANY
        if self.user_only:
            flags |= 1 << 5 | 1 << 6
        else:
            branch |= BRANCH_KERNEL
        if self.types:
            branch |= BRANCH_TYPE_SAVE
        attr = struct.pack("<IIQQQQQIIQQ", kind, ATTR_SIZE, config, period, self.sample_type,
                           4, flags, 0, 0, 0, 0)
        attr += struct.pack("<Q", branch if self.branches else 0)
        return attr.ljust(ATTR_SIZE, b"\0")

    def _record(self, kind, misc, body):
        self.file.write(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    @staticmethod
    def _trailer(pid, tid, time):
        return struct.pack("<IIQIIQ", pid, tid, time, 0, 0, 1)

    def comm(self, pid, tid, name, time, is_exec=True):
        self._record(RECORD_COMM, MISC_USER | (MISC_COMM_EXEC if is_exec else 0),
                     struct.pack("<II", pid, tid) + _padded(name[:15]) +
                     self._trailer(pid, tid, time))

    def fork(self, pid, tid, parent_pid, parent_tid, time):
        self._record(RECORD_FORK, 0, struct.pack("<IIIIQ", pid, parent_pid, tid, parent_tid, time) +
                     self._trailer(parent_pid, parent_tid, time))

    def exit(self, pid, tid, time):
        self._record(RECORD_EXIT, 0, struct.pack("<IIIIQ", pid, pid, tid, tid, time) +
                     self._trailer(pid, tid, time))

    def mmap(self, pid, start, size, offset, path, time):
        """An executable mapping of a user process."""
        try:
            stat = os.stat(path)
            ids = os.major(stat.st_dev), os.minor(stat.st_dev), stat.st_ino, 0
        except OSError:
            ids = 0, 0, 0, 0
        self._record(RECORD_MMAP2, MISC_USER,
                     struct.pack("<IIQQQIIQQII", pid, pid, start, size, offset, *ids, 5, 2) +
                     _padded(path) + self._trailer(pid, pid, time))

    def kernel_mmap(self, start, size, time, name="[kernel.kallsyms]_text"):
        """The mapping of the kernel or of a module; it belongs to every process."""
        offset = start if name.startswith("[kernel.kallsyms]") else 0
        self._record(RECORD_MMAP, MISC_KERNEL,
                     struct.pack("<IIQQQ", 0xffffffff, 0, start, size, offset) +
                     _padded(name) + self._trailer(0, 0, time))

    def sample(self, event, ip, pid, tid, time, period, stack=b""):
        """stack: the packed entries, newest first."""
        body = struct.pack("<QQIIQIIQ", event + 1, ip, pid, tid, time, 0, 0, period)
        if self.branches:
            body += struct.pack("<Q", len(stack) // ENTRY.size)
        misc = MISC_KERNEL if ip >> 63 else MISC_USER
        self.file.write(struct.pack("<IHH", RECORD_SAMPLE, misc, 8 + len(body) + len(stack)) +
                        body + stack)

    def close(self):
        data_size = self.file.tell() - self.data_offset
        features = {
            "hostname": _string("generated"), "osrelease": _string("6.1.0"),
            "version": _string("6.1"), "arch": _string(self.arch),
            "nrcpus": struct.pack("<II", 1, 1),
            "cpudesc": _string("Generated by branchgen"),
            "cpuid": _string("0x00000000410fd0c0" if self.arch == "aarch64" else "GenuineIntel,6,106,6"),
            "cmdline": struct.pack("<I", len(self.cmdline)) +
                       b"".join(_string(word) for word in self.cmdline),
            "event_desc": struct.pack("<II", len(self.events), ATTR_SIZE) + b"".join(
                attr + struct.pack("<I", 1) + _string(name) + struct.pack("<Q", number + 1)
                for number, (attr, (name, _)) in enumerate(zip(self.attrs, self.events))),
        }
        if self.branches:
            features["branch_stack"] = b""
        bits = [0] * 4
        position = self.data_offset + data_size + 16 * len(features)
        table, blobs = b"", b""
        for name in sorted(features, key=FEATURES.get):
            bits[0] |= 1 << FEATURES[name]
            table += struct.pack("<QQ", position, len(features[name]))
            blobs += features[name]
            position += len(features[name])
        self.file.write(table + blobs)
        self.file.seek(0)
        self.file.write(b"PERFILE2" + struct.pack(
            "<QQQQQQQQ4Q", 104, ATTR_SIZE + 16, self.attrs_offset,
            len(self.events) * (ATTR_SIZE + 16), self.data_offset, data_size, 0, 0, *bits))
        self.file.close()
