# SPDX-License-Identifier: GPL-2.0
"""The little that is needed of 64-bit ELF files: load segments, symbols, and where those are that were taken out."""
import os
import struct


class ElfFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:5] != b"\x7fELF\x02":
            raise ValueError(f"{path} is not a 64-bit ELF file")
        phoff, shoff = struct.unpack_from("<QQ", self.data, 32)
        phentsize, phnum, shentsize, shnum = struct.unpack_from("<HHHH", self.data, 54)
        # (file offset, address, size in the file) of each PT_LOAD
        self.segments = []
        self.executable = []    # addresses of those that hold code
        for number in range(phnum):
            kind, flags, offset, vaddr, _, size = struct.unpack_from(
                "<IIQQQQ", self.data, phoff + number * phentsize)
            if kind == 1:
                self.segments.append((offset, vaddr, size))
                if flags & 1:
                    self.executable.append(vaddr)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + n * shentsize)
                         for n in range(shnum)]

    def address(self, offset):
        """The address that the byte at a file offset is linked at."""
        for start, vaddr, size in self.segments:
            if start <= offset < start + size:
                return offset - start + vaddr
        return offset

    def code_start(self):
        """The lowest address of a segment that holds code."""
        return min(self.executable)

    def symbols(self):
        """(name, address, size) of each function."""
        for section in self.sections:
            if section[1] not in (2, 11):       # SHT_SYMTAB, SHT_DYNSYM
                continue
            strings = self.sections[section[6]][4]
            for position in range(section[4], section[4] + section[5], 24):
                name, info, _, index, value, size = struct.unpack_from(
                    "<IBBHQQ", self.data, position)
                if info & 15 == 2 and index:
                    end = self.data.index(b"\0", strings + name)
                    yield self.data[strings + name:end].decode(), value, size

    def build_id(self):
        """What tells builds from each other, in hexadecimal digits; '' where there is none."""
        for section in self.sections:
            position, end = section[4], section[4] + section[5]
            while section[1] == 7 and position + 12 <= end:         # SHT_NOTE
                names, size, kind = struct.unpack_from("<III", self.data, position)
                start = position + 12 + (names + 3 & ~3)
                if kind == 3 and self.data[position + 12:position + 16] == b"GNU\0":
                    return self.data[start:start + size].hex()
                position = start + (size + 3 & ~3)
        return ""

    def all_symbols(self):
        """symbols() of the file and of the one of a debug package, where that is installed."""
        yield from self.symbols()
        ident = self.build_id()
        path = f"/usr/lib/debug/.build-id/{ident[:2]}/{ident[2:]}.debug"
        if ident and os.path.isfile(path):
            yield from ElfFile(path).symbols()

    def symbol(self, wanted):
        """The address of a function, None if it has none of that name."""
        return next((value for name, value, _ in self.symbols() if name == wanted), None)
