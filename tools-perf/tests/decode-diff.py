#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the instruction decoder of the data type profile with objdump.

usage: tools-perf/tests/decode-diff.py [--limit N] [--show N] [FILE...]

Every instruction that objdump finds in the code of FILE (default: the perf under test,
the C and C++ libraries it runs with, the arm64 ones of the cross compiler, decode-arm64.s
assembled, and a vmlinux if VMLINUX names one) is decoded by decode-dump as well. Compared are length, memory operands (base, index, scale,
displacement, segment, width, read and write, implicit ones too), registers that change,
destination, branch target, and for the plain operations the operation and its sources.

objdump gives operands and, in Intel syntax, widths. What an instruction reads, writes
and changes beside its operands is written down here from the manuals, by mnemonic, and
not taken from the decoder's tables (arm64: in decode_arm64.py). A mnemonic that this file does not know is counted
as a difference. Bytes that objdump takes for no instruction, and prefixes that it prints
on their own (data between functions), are not compared but counted.

--limit N   at most N instructions of each file
--show N    examples of each class of difference (default 2)

Exit status: 0 no difference, 1 differences, 2 nothing could be compared.
Environment: PERF, LINUX (kernel tree), BUILD (where decode-dump is built), VMLINUX.
"""
import argparse
import collections
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import decode_arm64

HERE = pathlib.Path(__file__).resolve().parent
CHUNK = 100000
R, W, RW = 1, 2, 3

# DWARF numbers (psABI, figure 3.36)
LEGACY = ("ax", "dx", "cx", "bx", "si", "di", "bp", "sp")
GPR = {}
for number, name in enumerate(LEGACY):
    GPR["r" + name], GPR["e" + name], GPR[name] = (number, 8), (number, 4), (number, 2)
    GPR[name[0] + "l" if name[1] == "x" else name + "l"] = (number, 1)
for number in range(8, 16):
    for suffix, width in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
        GPR[f"r{number}{suffix}"] = (number, width)
HIGH = {"ah": 0, "dh": 1, "ch": 2, "bh": 3}
RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP = range(8)
NONE = 255
VECTOR = re.compile(r"([xyz])mm(\d+)$")
UNTRACKED = re.compile(r"(k\d|st(\(\d\))?|[c-gs]s|cr\d+|db?r?\d+|bnd\d|tmm\d|[re]ip|riz|eiz|[de]iz)$")
POINTER = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8, "TBYTE": 10,
           "XMMWORD": 16, "OWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
OP = {name: number for number, name in enumerate(
    "OTHER NOP MOV ZEXT SEXT INSERT LEA ADD SUB MUL AND OR XOR SHL SHR SAR NEG NOT SELECT XCHG XADD "
    "CMPXCHG CMP PUSH POP LEAVE CALL RET JMP JCC COPY FILL STOP".split())}
GPRS = set(range(16)) - {RSP}
XMM16 = set(range(17, 33))
VECTORS = XMM16 | set(range(67, 83))
# rbx, rbp, rsp, r12-r15 survive a call (psABI, figure 3.4)
CALL_DEFS = set(range(16)) - {RBX, RBP, RSP, 12, 13, 14, 15} | VECTORS

PREFIXES = re.compile(r"(lock|repn?[ez]?|xacquire|xrelease|notrack|bnd|data16|addr32|[c-gs]s|rex(\.[WRXB]+)?|\{\w+\})$")


def words(text):
    return frozenset(text.split())


JCC = {"o": 13, "no": 13, "b": 3, "ae": 4, "e": 1, "ne": 2, "be": 5, "a": 6, "s": 11, "ns": 12,
       "p": 13, "np": 13, "l": 7, "ge": 8, "le": 9, "g": 10}
JUMPS = {"j" + c: v for c, v in JCC.items()} | dict.fromkeys(
    ("jrcxz", "jecxz", "loop", "loope", "loopne", "xbegin"), 13)

# First operand (if any) is read, not written
READS = words("""cmp test bt push pushw pushq call jmp mul div idiv out comiss comisd ucomiss ucomisd
 vcomiss vcomisd vucomiss vucomisd vcomish vucomish ptest vptest vtestps vtestpd ldmxcsr vldmxcsr
 lgdt lidt lldt ltr lmsw verr verw xrstor xrstor64 xrstors xrstors64 fxrstor fxrstor64
 fld fild fadd fiadd fmul fimul fsub fisub fsubr fisubr fdiv fidiv fdivr fidivr fcom ficom fcomp ficomp
 fldcw fldenv fldenvw frstor frstorw fbld fcomi fcomip fucomi fucomip fucom fucomp fxch ffree ffreep
 faddp fmulp fsubp fsubrp fdivp fdivrp
 vmptrld vmclear vmxon wrfsbase wrgsbase incsspd incsspq ldtilecfg ptwrite ret retw lret lretw
 vmwrite invept invvpid invpcid int monitor mwait umonitor umwait tpause outs scas
 pcmpestri pcmpistri pcmpestrm pcmpistrm vpcmpestri vpcmpistri vpcmpestrm vpcmpistrm
 retf retfw retfq kortestb kortestw kortestd kortestq ktestb ktestw ktestd ktestq iret iretq sysretl sysretd sysretq sysexitl sysexitq
 ud0 ud1 senduipi llwpcb lwpins lwpval enter hreset xabort""")
# First operand is read and written
MODIFIES = words("""add or adc sbb and sub xor not neg inc dec shl sal shr sar rol ror rcl rcr shld shrd
 bts btr btc xadd cmpxchg cmpxchg8b cmpxchg16b xchg xsave xsave64 xsaveopt xsaveopt64 rstorssp clrssbsy""")
# Memory is named, not accessed
NAMES = words("""lea nop nopw nopl clflush clflushopt clwb cldemote invlpg bndmk bndcl bndcu bndcn
 bndldx bndstx bndmov ud0 ud1 prefetch""")
# No operand, or only such as say nothing, and no effect on what is compared
NEUTRAL = words("""nop nopw nopl pause endbr64 endbr32 fwait hlt cli sti clc stc cmc cld std clac stac clts
 lfence mfence sfence wrmsr xsetbv wrpkru swapgs invd wbinvd wbnoinvd sahf monitor monitorx mwait mwaitx
 ud2 int3 int1 icebp sysretl sysretd sysretq sysexitl sysexitq iret iretw iretq serialize xend xtest rsm
 setssbsy saveprevssp clui stui testui uiret vmxoff stgi clgi vmload vmsave invlpga tilerelease
 xsusldtrk xresldtrk hreset""")
# Registers that change beside the destination
CHANGES = {
    "cpuid": {RAX, RBX, RCX, RDX}, "rdtsc": {RAX, RDX}, "rdtscp": {RAX, RDX, RCX},
    "rdpmc": {RAX, RDX}, "rdmsr": {RAX, RDX}, "xgetbv": {RAX, RDX}, "rdpkru": {RAX, RDX},
    "rdpru": {RAX, RDX},
    # Linux: the result, and what the processor itself uses (psABI, A.2.1)
    "syscall": {RAX, RCX, 11}, "int": {RAX, RCX, 8, 9, 10, 11},
    "sysenter": GPRS | {RSP}, "vmcall": GPRS, "vmmcall": GPRS, "vmlaunch": GPRS, "vmresume": GPRS,
    "vmrun": GPRS, "vmfunc": GPRS, "getsec": GPRS, "encls": GPRS, "enclu": GPRS, "enclv": GPRS,
    "pconfig": GPRS, "tdcall": GPRS, "seamcall": GPRS, "seamops": GPRS, "seamret": GPRS, "skinit": GPRS,
    "cbw": {RAX}, "cwde": {RAX}, "cdqe": {RAX}, "cwd": {RDX}, "cdq": {RDX}, "cqo": {RDX},
    "lahf": {RAX}, "xlat": {RAX}, "xlatb": {RAX},
    "cmpxchg": {RAX}, "cmpxchg8b": {RAX, RDX}, "cmpxchg16b": {RAX, RDX},
    "push": {RSP}, "pushw": {RSP}, "pop": {RSP}, "popw": {RSP}, "pushf": {RSP}, "pushfw": {RSP},
    "popf": {RSP}, "popfw": {RSP}, "ret": {RSP}, "retw": {RSP}, "retf": {RSP}, "retfw": {RSP}, "retfq": {RSP},
    "leave": {RSP, RBP}, "leavew": {RSP, RBP}, "enter": {RSP, RBP},
    "movs": {RSI, RDI}, "cmps": {RSI, RDI}, "stos": {RDI}, "scas": {RDI}, "lods": {RSI},
    "ins": {RDI}, "outs": {RSI}, "loop": {RCX}, "loope": {RCX}, "loopne": {RCX}, "xbegin": {RAX},
    "pcmpestri": {RCX}, "pcmpistri": {RCX}, "vpcmpestri": {RCX}, "vpcmpistri": {RCX},
    "pcmpestrm": {17}, "pcmpistrm": {17}, "vpcmpestrm": {17}, "vpcmpistrm": {17},
    # the decoder counts the cleared upper halves as a change
    "vzeroupper": XMM16, "vzeroall": XMM16,
    "fxrstor": VECTORS, "fxrstor64": VECTORS, "xrstor": VECTORS, "xrstor64": VECTORS,
    "xrstors": VECTORS, "xrstors64": VECTORS,
    "xstore-rng": GPRS, "xcrypt-ecb": GPRS, "xcrypt-cbc": GPRS, "xcrypt-ctr": GPRS, "xcrypt-cfb": GPRS,
    "xcrypt-ofb": GPRS, "montmul": GPRS, "xsha1": GPRS, "xsha256": GPRS,
}
# Width of memory operands that objdump prints without one
WIDTHS = {
    "fxsave": 512, "fxsave64": 512, "fxrstor": 512, "fxrstor64": 512,
    "xsave": 0, "xsave64": 0, "xsavec": 0, "xsavec64": 0, "xsaveopt": 0, "xsaveopt64": 0, "xsaves": 0,
    "xsaves64": 0, "xrstor": 0, "xrstor64": 0, "xrstors": 0, "xrstors64": 0,
    "fnstenv": 28, "fldenv": 28, "fnstenvw": 14, "fldenvw": 14, "fnsave": 108, "frstor": 108,
    "fnsavew": 94, "frstorw": 94,
    "invpcid": 16, "invept": 16, "invvpid": 16, "sgdt": 10, "sidt": 10, "lgdt": 10, "lidt": 10, "movdir64b": 64, "enqcmd": 64, "enqcmds": 64,
    "ldtilecfg": 64, "sttilecfg": 64, "tileloadd": 0, "tileloaddt1": 0, "tilestored": 0,
    "cmpxchg16b": 16,
}
SIMPLE = {
    "mov": "MOV", "movabs": "MOV", "movzx": "ZEXT", "movsx": "SEXT", "movsxd": "SEXT", "lea": "LEA",
    "add": "ADD", "sub": "SUB", "and": "AND", "or": "OR", "xor": "XOR", "inc": "ADD", "dec": "SUB",
    "shl": "SHL", "sal": "SHL", "shr": "SHR", "sar": "SAR", "neg": "NEG", "not": "NOT", "xchg": "XCHG",
    "xadd": "XADD", "cmpxchg": "CMPXCHG", "cmp": "CMP", "test": "CMP", "bt": "CMP", "push": "PUSH",
    "pop": "POP", "leave": "LEAVE", "call": "CALL", "ret": "RET", "jmp": "JMP", "movs": "COPY",
    "stos": "FILL", "ud2": "STOP", "int3": "STOP", "movaps": "MOV", "movups": "MOV", "movdqa": "MOV",
    "movdqu": "MOV", "movapd": "MOV", "movupd": "MOV", "vmovdqa": "MOV", "vmovdqu": "MOV",
    "vmovaps": "MOV", "vmovups": "MOV", "vmovdqu64": "MOV", "vmovdqa64": "MOV", "movq": "MOV",
    "movd": "MOV", "vmovq": "MOV", "vmovd": "MOV", "nop": "NOP", "endbr64": "NOP",
    "cbw": "SEXT", "cwde": "SEXT", "cdqe": "SEXT", "cwd": "SAR", "cdq": "SAR", "cqo": "SAR",
    "shlx": "SHL", "shrx": "SHR", "sarx": "SAR",
} | {"cmov" + c: "SELECT" for c in JCC} | {j: "JCC" for j in JUMPS}


class Unknown(Exception):
    pass


Mem = collections.namedtuple("Mem", "base index scale disp width access seg pcrel implicit vector addr32")


def register(name):
    """(number, width, high) of a register that is followed, None of another."""
    if name in GPR:
        number, width = GPR[name]
        return number, width, False
    if name in HIGH:
        return HIGH[name], 1, True
    found = VECTOR.match(name)
    if found:
        number = int(found[2])
        return (17 + number if number < 16 else 67 + number - 16,
                {"x": 16, "y": 32, "z": 64}[found[1]], False)
    if name.startswith("mm") and name[2:].isdigit():
        return 41 + int(name[2:]), 8, False
    if UNTRACKED.match(name):
        return None
    raise Unknown(f"register {name}")


def number(text):
    return int(text, 16) if "0x" in text else int(text)


ADDRESS = re.compile(r"^(?:(\w+) (?:PTR|BCST) )?(?:([c-gs]s):)?(?:\[(.*)\]|(0x[0-9a-f]+))$")
TERM = re.compile(r"([+-]?)([^+-]+)")


def memory(text, address, length):
    """The operand as Mem without access, or None if text is no memory operand."""
    found = ADDRESS.match(text)
    if not found or (found[4] and not found[2]):
        return None
    size, seg, inside, absolute = found.groups()
    base, index, scale, disp, pcrel, vector, addr32 = NONE, NONE, 0, 0, False, False, False
    if absolute:
        disp = number(absolute)
    else:
        for sign, term in TERM.findall(inside):
            if "*" in term or VECTOR.match(term):
                name, _, factor = term.partition("*")
                addr32 |= name[0] == "e" or (name[0] == "r" and name[-1] == "d")
                if name in ("riz", "eiz"):
                    continue
                index, _, _ = register(name)
                scale = int(factor or 1)
                vector = bool(VECTOR.match(name))
            elif term in ("rip", "eip"):
                pcrel, addr32 = True, term == "eip"
            elif term[0].isalpha():
                addr32 |= term[0] == "e" or (term[0] == "r" and term[-1] == "d")
                if term in ("riz", "eiz"):
                    continue
                found = register(term)[0]
                if base == NONE:
                    base = found
                else:
                    index, scale = found, 1
            else:
                disp += number(term) * (-1 if sign == "-" else 1)
    if pcrel:
        disp += address + length
        if addr32:
            disp &= 0xffffffff
    if disp >= 1 << 63:
        disp -= 1 << 64
    return Mem(base, index, scale, disp, POINTER.get(size), 0,
               {"fs": 1, "gs": 2}.get(seg, 0), pcrel, False, vector, addr32)


def split_operands(text):
    """Split at commas outside of brackets; masks and rounding are dropped."""
    out, depth, current = [], 0, ""
    masked = False
    for char in text:
        if char == "," and not depth:
            out.append(current)
            current = ""
            continue
        depth += char in "[{("
        depth -= char in "]})"
        current += char
    if current:
        out.append(current)
    cleaned = []
    for operand in out:
        operand = operand.strip()
        if operand.startswith("{"):
            continue
        bare = re.sub(r"\{[^}]*\}", "", operand)
        masked |= "{k" in operand
        cleaned.append(bare)
    return cleaned, masked


class Expect:
    """What an instruction does, by its text."""

    def __init__(self, address, raw, text):
        self.address, self.raw = address, raw
        self.mems, self.defs, self.target, self.op, self.cond = [], set(), None, None, None
        self.operands, self.dst, self.any_x87, self.fields = [], None, False, True
        text, _, _ = text.partition("#")
        text = re.sub(r"\s*<[^>]*>\s*$|\(2?8?0?87 only\)", "", text).strip()
        prefixes = set()
        mnemonic, _, rest = text.partition(" ")
        while PREFIXES.match(mnemonic):
            prefixes.add(mnemonic)
            text = rest.strip()
            mnemonic, _, rest = text.partition(" ")
        if mnemonic.endswith((",pt", ",pn")):
            mnemonic = mnemonic[:-3]
        self.lone_prefix = not mnemonic
        # what objdump lets pass: unknown segment register, lock of what cannot be locked, REX
        # before VEX, and 16-bit branches, which only one vendor's processors have in 64-bit mode
        self.bad = bool(re.search(r"\(bad\)|^\.byte|\?|^(jmpw|callw|retw|(jmp|call) +WORD )", text)) or \
            ("lock" in prefixes and (mnemonic not in MODIFIES or "[" not in rest.partition(",")[0])) or \
            (mnemonic[0:1] == "v" and any(p.startswith("rex") for p in prefixes))
        if self.lone_prefix or self.bad:
            return
        self.mnemonic = mnemonic
        self.prefixes = prefixes
        self.operand_size_16 = b"\x66" in raw[:max(0, self.prefix_bytes())]
        self.operands, self.masked = split_operands(rest.strip())
        self.model()

    def prefix_bytes(self):
        count = 0
        while count < len(self.raw) and self.raw[count] in b"\x66\x67\xf0\xf2\xf3\x26\x2e\x36\x3e\x64\x65":
            count += 1
        return count

    def stack(self, width, access, disp, base=RSP):
        self.mems.append(Mem(base, NONE, 0, disp, width, access, 0, False, True, False, False))

    def model(self):
        name, ops = self.mnemonic, self.operands
        string = name in ("movs", "cmps", "stos", "lods", "scas", "ins", "outs", "xlat", "xlatb") and (
            not ops or any("[" in op for op in ops))
        parsed = [memory(op, self.address, len(self.raw)) for op in ops]
        self.parsed = parsed

        if name in JUMPS or (name in ("jmp", "call", "xbegin") and not parsed[0] and re.match(r"(0x)?[0-9a-f]+$", ops[0]) and ops[0] not in GPR):
            self.target = int(ops[0], 16)
            self.op = {"jmp": "JMP", "call": "CALL"}.get(name, "JCC")
            self.cond = JUMPS.get(name)
            ops, parsed = [], []
        elif name in SIMPLE:
            self.op = SIMPLE[name]
        if name.startswith("cmov"):
            self.cond = JCC[name[4:]]

        # the one-byte form is a nop (SDM vol. 2, XCHG)
        if name == "xchg" and ops[0] == ops[1] and self.raw[-1] == 0x90:
            self.op = "NOP"
            self.operands = self.parsed = []
            return

        self.defs |= CHANGES.get(name, set())
        if string and name[0] != "x" and self.prefixes & {"rep", "repz", "repnz"}:
            self.defs.add(RCX)

        known = name in NAMES or name in READS or name in MODIFIES or name in NEUTRAL or name in CHANGES or name in SIMPLE
        vector = any(op.startswith(("xmm", "ymm", "zmm", "mm", "k")) and register(op) is not None or
                     re.match(r"k\d$", op) for op in ops if re.match(r"([xyz]?mm\d|k\d)", op))
        self.any_x87 = name[0] == "f" or name in ("emms", "femms") or "restor" in name or "rstor" in name
        if not (known or vector or string or self.any_x87 or GENERAL.match(name)):
            raise Unknown(f"mnemonic {name}")

        for place, (text, mem) in enumerate(zip(ops, parsed)):
            access, written = R, False
            if place == 0:
                if name in MODIFIES:
                    access, written = RW, True
                elif name in READS or (name == "imul" and len(ops) == 1) or self.reads_first(name):
                    pass
                else:
                    access, written = W, True
            if name == "xchg":
                access, written = RW, True
            if name == "xadd" or (name == "mulx" and place == 1):
                written = True
            if name == "cmps":
                access = R
            if name in ("scas", "outs", "lods", "xlat") and mem:
                access = R
            if name == "lods":
                written = place == 0
            if place == 2 and "gather" in name and not self.masked:
                written = True
            # what these name is neither accessed nor changed
            if name in ("ud0", "ud1") or name.startswith(("nop", "bnd")):
                continue
            if mem:
                if name in NAMES or name.startswith("prefetch"):
                    access = 0
                width = mem.width
                if width is None:
                    width = self.width_by_name(name)
                    if width is None and access:
                        raise Unknown(f"width of {name}")
                if not access:
                    width = None
                seg = 0 if name == "lea" else mem.seg
                self.mems.append(mem._replace(width=width, access=access, seg=seg))
                continue
            if not re.match(r"[a-z]", text):
                continue
            found = register(text)
            if name in ("movdir64b", "enqcmd", "enqcmds") and place == 0:
                self.mems.append(Mem(found[0], NONE, 0, 0, 64, W, 0, False, False, False, found[1] == 4))
                continue
            if written and found:
                self.defs.add(found[0])
                if place == 0:
                    self.dst = found

        if name in ("jmp", "call") and self.rex_w():
            # a far pointer of 8 and 2 bytes, which objdump takes for one of 4 and 2
            self.mems = [m._replace(width=10) if m.width == 6 else m for m in self.mems]
        self.implicit(name)

    def width_by_name(self, name):
        """Of a memory operand that objdump prints without its width."""
        if name in ("mov", "movabs", "lddqu", "vlddqu"):
            return next(register(op)[1] for op, mem in zip(self.operands, self.parsed) if not mem)
        return WIDTHS.get(name)

    @staticmethod
    def reads_first(name):
        """Vector compares that end in flags."""
        return name.startswith(("prefetch", "vgatherpf", "vscatterpf"))

    def implicit(self, name):
        wide = 2 if self.operand_size_16 and not self.rex_w() else 8
        if name in ("push", "pushf", "pushw", "pushfw"):
            self.stack(wide, W, -wide)
        elif name in ("pop", "popf", "popw", "popfw"):
            # an address based on rsp is computed after the pop
            self.mems = [m._replace(disp=m.disp + wide) if m.base == RSP else m for m in self.mems]
            self.stack(wide, R, 0)
        elif name == "call":
            far = self.mems and self.mems[0].width in (6, 10)
            wide = 16 if far and self.rex_w() else 8
            self.stack(wide, W, -wide)
            self.defs = CALL_DEFS
        elif name == "ret":
            self.stack(8, R, 0)
        elif name in ("retf", "retfw", "retfq"):
            self.stack(16 if self.rex_w() else 4 if self.operand_size_16 else 8, R, 0)
        elif name in ("iret", "iretq", "iretw"):
            self.stack(40 if self.rex_w() else 10 if self.operand_size_16 else 20, R, 0)
        elif name in ("leave", "leavew"):
            self.stack(wide, R, 0, RBP)
        elif name == "enter":
            self.stack(8, W, -8)
        elif name in ("maskmovq", "maskmovdqu", "vmaskmovdqu"):
            addr32 = b"\x67" in self.raw[:self.prefix_bytes()]
            seg = 0
            self.mems.append(Mem(RDI, NONE, 0, 0, 8 if name == "maskmovq" else 16, W, seg, False, False, False, addr32))
            self.defs = set()
        elif name in ("imul", "mul", "div", "idiv") and len(self.operands) == 1:
            mem = self.parsed[0]
            width = mem.width if mem else register(self.operands[0])[1]
            self.defs |= {RAX} if width == 1 else {RAX, RDX}
            self.dst = None
        elif name == "clzero":
            self.mems = [Mem(RAX, NONE, 0, 0, 64, W, 0, False, False, False,
                             b"\x67" in self.raw[:self.prefix_bytes()])]
            self.defs = set()
        elif name in ("xlat", "xlatb"):
            self.mems = [m._replace(base=RBX) for m in self.mems]

    def rex_w(self):
        at = self.prefix_bytes()
        return at < len(self.raw) and 0x48 <= self.raw[at] <= 0x4f


# Without vector registers in sight, known by name: the first operand is written
GENERAL = re.compile(
    r"(set\w+|cmov\w+|imul|mulx|bsf|bsr|[lt]zcnt|popcnt|andn|bextr|bl\w+|bzhi|pdep|pext|rorx|sarx|shlx|shrx|"
    r"bswap|adcx|adox|crc32|movbe|movnti|movdiri|movdir64b|enqcmds?|in|rdrand|rdseed|rdpid|rd[fg]sbase|"
    r"rdssp[dq]|smsw|sldt|str|sgdt|sidt|lar|lsl|l[fgs]s|vmread|vmptrst|wru?ss[dq]|stmxcsr|vstmxcsr|fxsave(64)?|"
    r"xsavec?(64)?|xsaves(64)?|sttilecfg|tile\w+|tdp\w+|prefetch\w*|emms|femms|vzero\w+|clzero|loop\w*|kmov\w|"
    r"cvt\w+|slwpcb|tzmsk|t1mskc|movs\w*|nop\w*|lock|popcnt|v\w+)$")


def compare(expect, line):
    """Names of the differences between what is expected and a line of decode-dump."""
    fields = line.split()
    length = int(fields[1])
    if not length:
        return ["rejected"]
    if length != len(expect.raw):
        return ["length"]
    op, cond = int(fields[2]), int(fields[3])
    defs = int(fields[6], 16) | int(fields[7], 16) << 64
    dst, _, src, src2 = fields[8].split(",")
    problems = []

    if expect.target is not None and int(fields[5], 16) != expect.target % (1 << 64):
        problems.append("target")
    if expect.cond is not None and cond != expect.cond:
        problems.append("condition")

    mems = []
    for text in fields[9:]:
        base, index, scale, disp, width, access, seg, writeback, flags = text.split(":")
        disp = int(disp)
        if writeback == "2":
            disp = 0
        mems.append(Mem(int(base), int(index), int(scale), disp, int(width), int(access), int(seg),
                        "p" in flags, "i" in flags, "v" in flags, "a" in flags))
    if len(mems) != len(expect.mems):
        problems.append("number of memory operands")
    else:
        for wanted in expect.mems:
            best = min((difference(wanted, m) for m in mems), key=len)
            problems += [f"memory {what}" for what in best]

    ours = {n for n in range(96) if defs >> n & 1}
    theirs = set(expect.defs)
    ours -= set(range(33, 41))
    if expect.any_x87 or expect.op == "CALL" or not any(40 < n < 49 for n in theirs) or \
       re.match(r"cvt.*pi|cvtpi", expect.mnemonic):
        ours -= set(range(41, 49))
        theirs -= set(range(41, 49))
    if expect.op == "CALL":
        ours = {n for n in ours if n < 33 or 67 <= n < 83} - {16}
    if theirs - ours:
        problems.append("changed register missing")
    if ours - theirs:
        problems.append("register does not change")

    if expect.op and not expect.masked:
        problems += compare_operation(expect, op, dst, src, src2)
    elif expect.dst and expect.mnemonic not in ("mulx",) and expect.dst[0] < 16 and dst[0] == "r":
        if dst != opnd(expect.dst):
            problems.append("destination")
    return problems


def difference(wanted, mem):
    """Names of the fields that differ."""
    out = []
    for field, a, b in zip(Mem._fields, wanted, mem):
        if a is None or a == b:
            continue
        if field == "disp" and (a - b) % (1 << 64) == 0:
            continue
        if field == "scale" and wanted.index == NONE == mem.index:
            continue
        if field == "addr32" and wanted.implicit:
            continue
        # objdump: an absolute address says nothing about the prefix
        if field == "addr32" and wanted.base == wanted.index == NONE and not wanted.pcrel:
            continue
        if field == "disp" and wanted.base == wanted.index == NONE and mem.addr32 and (a - b) % (1 << 32) == 0:
            continue
        out.append(field)
    return out


def opnd(found):
    return f"r{found[0]}.{found[1]}{'h' if found[2] else ''}"


def compare_operation(expect, op, dst, src, src2):
    """The operations that the flow analysis follows: operation, destination and sources."""
    name, ops = expect.mnemonic, expect.operands
    wanted = expect.op
    moved = False

    # what gives a constant is a move of it
    if name in ("xor", "sub") and len(ops) == 2 and ops[0] == ops[1] and not expect.parsed[0]:
        wanted, moved = "MOV", True
    elif name in ("and", "or") and not expect.parsed[0] and re.match(r"0x[0-9a-f]+$", ops[1]):
        found = register(ops[0])
        value = int(ops[1], 16)
        if value == (0 if name == "and" else (1 << 8 * found[1]) - 1):
            wanted, moved = "MOV", True
    if name in ("movzx", "movsx") and expect.operand_size_16 and not expect.rex_w() and \
       width_of(expect, 1) == 2:
        wanted = "MOV"
    if name == "movsxd" and width_of(expect, 0) != 8:
        wanted = "MOV"
    if wanted == "MOV" and name in ("mov",) and op == OP["OTHER"] and \
       any(re.match(r"([c-gs]s|[cd]b?r?\d+)$", o) for o in ops):
        return []
    if op != OP[wanted]:
        return [f"operation of {name}"]
    if moved:
        return [] if dst == opnd(register(ops[0])) and src[0] == "i" else ["constant"]
    if name in JUMPS or expect.target is not None or name in ("movs", "stos", "nop", "xchg", "xadd") or wanted in ("COPY", "FILL"):
        return []

    # sources in the order of the manual; the first operand of most is a source as well
    sources = [src, src2]
    if wanted in ("ADD", "SUB", "AND", "OR", "XOR", "SHL", "SHR", "SAR", "NEG", "NOT", "SELECT") and \
       name not in ("shlx", "shrx", "sarx", "cwd", "cdq", "cqo"):
        sources = [src2]
        if src != dst:
            return ["first source"]
    places = range(1, len(ops))
    if wanted in ("CMP", "PUSH", "CALL", "JMP"):
        places = range(0, len(ops))
    elif wanted in ("RET", "POP", "LEAVE"):
        places = ()
    if wanted not in ("CMP", "PUSH", "CALL", "JMP", "RET", "LEAVE") and ops:
        if not same(ops[0], expect.parsed[0], dst):
            return ["destination"]
    for place, got in zip(places, sources):
        if wanted == "LEA":
            continue
        text = ops[place]
        if name == "bt" and place == 1 and text[0].isdigit():
            # the decoder has the bit where the instruction has its number
            text = hex(1 << (number(text) & 8 * width_of(expect, 0) - 1))
        if not same(text, expect.parsed[place], got):
            return [f"source of {name}"]
    return []


def width_of(expect, place):
    mem = expect.parsed[place]
    if mem:
        return mem.width
    found = register(expect.operands[place])
    return found[1] if found else 0


def same(text, mem, got):
    """Does an operand of the dump stand for an operand of the text?"""
    if mem:
        return got[0] == "m"
    if re.match(r"-?(0x)?[0-9a-f]+$", text) and text not in GPR and text not in HIGH:
        if got[0] != "i":
            return False
        value, width = got[1:].split(".")
        bits = 8 * int(width) or 64
        return (int(value) - number(text)) % (1 << bits) == 0
    found = register(text)
    if found is None:
        return True
    if 16 <= found[0]:
        return got.split(".")[0] == f"r{found[0]}"
    return got == opnd(found)


LINE = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(?:\t(.*))?$")
EM_AARCH64 = 183


def is_arm64(path):
    with open(path, "rb") as file:
        return int.from_bytes(file.read(20)[18:], "little") == EM_AARCH64


def instructions(path, limit):
    """Chunks of (address, bytes, text) as objdump has them."""
    arm64 = is_arm64(path)
    command = decode_arm64.OBJDUMP if arm64 else ["objdump", "-d", "-z", "-w", "-M", "intel", "--insn-width=16"]
    command = command + [path]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace",
                             env=dict(os.environ, LC_ALL="C"))
    chunk, total = [], 0
    for line in child.stdout:
        found = (decode_arm64.LINE if arm64 else LINE).match(line)
        if not found:
            continue
        address, raw, text = found[1], found[2], found[3] or ""
        if raw.startswith("9b ") and len(raw) > 3:
            # objdump draws fwait and what follows into one
            chunk.append((address, "9b ", "fwait"))
            address, raw = f"{int(address, 16) + 1:x}", raw[3:]
            text = re.sub(r"^f(?=st|save|init|clex)", "fn", text)
        chunk.append((address, raw, text))
        total += 1
        if len(chunk) >= CHUNK:
            yield path, arm64, chunk
            chunk = []
        if limit and total >= limit:
            break
    if chunk:
        yield path, arm64, chunk
    child.stdout.close()
    if child.wait() and not (limit and total >= limit):
        sys.exit(f"decode-diff: objdump failed on {path}")


CACHE = {}
POSITION = re.compile(r"^(j|call|loop|xbegin)|#|rip|eip")


def check(job):
    """Compare one chunk; runs in a worker process."""
    path, arm64, chunk = job
    machine = decode_arm64 if arm64 else sys.modules[__name__]
    counts, examples = collections.Counter(), {}
    out = subprocess.run([DUMP, path], input="\n".join(item[0] for item in chunk) + "\n",
                         stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    if len(out) != len(chunk):
        sys.exit(f"decode-diff: decode-dump gave {len(out)} lines for {len(chunk)} addresses in {path}")
    for (address, raw, text), line in zip(chunk, out):
        start, _, tail = line.partition(" ")
        if start != address:
            sys.exit(f"decode-diff: decode-dump answered {start} to {address} in {path}")
        known = CACHE.get(raw)
        if known == tail:
            counts["compared"] += 1
            continue
        problems = []
        try:
            expect = machine.Expect(int(address, 16), bytes.fromhex(raw), text)
            if expect.bad or (not arm64 and expect.lone_prefix):
                counts["bad" if expect.bad else "prefix"] += 1
                continue
            problems = machine.compare(expect, line)
        except machine.Unknown as problem:
            problems = [f"not known here: {problem}"]
        counts["compared"] += 1
        if not problems:
            if not machine.POSITION.search(text):
                CACHE[raw] = tail
            continue
        counts["different"] += 1
        for problem in problems:
            counts["! " + problem] += 1
            examples.setdefault(problem, []).append(f"{path} {address}: {raw}| {' '.join(text.split())} | {line}")
    for problem in examples:
        examples[problem] = examples[problem][:20]
    return path, counts, examples


def arm64_files(scratch):
    """The libraries of the arm64 cross compiler, and every kind of instruction assembled."""
    path = os.path.join(scratch, "decode-arm64.o")
    try:
        if subprocess.run(["aarch64-linux-gnu-as", "-o", path, HERE / "decode-arm64.s"]).returncode:
            sys.exit("decode-diff: cannot assemble decode-arm64.s")
    except FileNotFoundError:
        sys.exit("decode-diff: needs aarch64-linux-gnu-as: install binutils-aarch64-linux-gnu")
    libraries = [f"/usr/aarch64-linux-gnu/lib/{name}" for name in ("libc.so.6", "libm.so.6", "libstdc++.so.6")]
    for library in libraries:
        if not os.path.exists(library):
            print(f"not compared: {library} (package libc6-arm64-cross or libstdc++6-arm64-cross)")
    return [path] + [library for library in libraries if os.path.exists(library)]


def default_files(scratch):
    perf = os.environ.get("PERF")
    if not perf:
        sys.exit("decode-diff: name files, or the perf under test in PERF")
    files = [perf]
    linked = subprocess.run(["ldd", perf], stdout=subprocess.PIPE, text=True).stdout
    files += re.findall(r"=> (/\S*/lib(?:c|stdc\+\+|m)\.so\S*)", linked)
    files += arm64_files(scratch)
    if os.environ.get("VMLINUX"):
        files.append(os.environ["VMLINUX"])
    else:
        print("no vmlinux compared: VMLINUX names none")
    return files


def main():
    global DUMP
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--show", type=int, default=2)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.help:
        print(__doc__)
        return 0
    built = subprocess.run([HERE.parent / "decode/build"], stdout=subprocess.PIPE, text=True)
    if built.returncode:
        return 2
    DUMP = built.stdout.strip()
    with tempfile.TemporaryDirectory() as scratch:
        return diff(args, args.files or default_files(scratch))


def diff(args, files):
    totals, examples = collections.Counter(), {}
    for path in files:
        if not os.path.exists(path):
            print(f"decode-diff: {path}: no such file", file=sys.stderr)
            return 2
        counts = collections.Counter()
        with multiprocessing.Pool(os.cpu_count()) as pool:
            for _, some, shown in pool.imap_unordered(check, instructions(path, args.limit)):
                counts += some
                for problem, lines in shown.items():
                    examples.setdefault(problem, []).extend(lines)
        print(f"{path}: {counts['compared']} instructions compared, {counts['different']} different, "
              f"{counts['bad']} bad to objdump, {counts['prefix']} lone prefixes", flush=True)
        totals += counts

    for problem, count in totals.most_common():
        if not problem.startswith("! "):
            continue
        print(f"{count:8} {problem[2:]}")
        for line in examples[problem[2:]][:args.show]:
            print(f"         {line}")
    print(f"{totals['compared']} instructions compared, {totals['different']} different")
    if not totals["compared"]:
        return 2
    return 1 if totals["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
