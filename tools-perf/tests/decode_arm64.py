# SPDX-License-Identifier: GPL-2.0
"""What arm64 instructions do, by the text that objdump has for them: for decode-diff.py.

The text is that of "objdump -M no-aliases", where every encoding has one name. What an
instruction reads, writes and changes is written down here by mnemonic from the Arm
Architecture Reference Manual (DDI 0487, chapters C6 and C7) and not taken from the
decoder. Registers go by their DWARF numbers: x0-x30, 31 sp, 64-95 v0-v31.
"""
import collections
import re

R, W, RW = 1, 2, 3
NONE = 255
SP, LR = 31, 30
OBJDUMP = ["aarch64-linux-gnu-objdump", "-d", "-z", "-w", "-M", "no-aliases"]
LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f]{8}) \t(.*)$")
POSITION = re.compile(r"^(b|bl|b\.\w+|cbn?z|tbn?z|adrp?)\t|\t(\w+, )+[0-9a-f]+( <|$)")
OP = {name: number for number, name in enumerate(
    "OTHER NOP MOV ZEXT SEXT INSERT LEA ADD SUB MUL AND OR XOR SHL SHR SAR NEG NOT SELECT XCHG XADD "
    "CMPXCHG CMP PUSH POP LEAVE CALL RET JMP JCC COPY FILL STOP".split())}
COND = {"eq": 1, "ne": 2, "cc": 3, "lo": 3, "cs": 4, "hs": 4, "ls": 5, "hi": 6, "lt": 7, "ge": 8, "le": 9,
        "gt": 10, "mi": 11, "pl": 12, "vs": 13, "vc": 13}
# x19-x29 and sp survive a call, of v8-v15 the half that matters (AAPCS64 6.1)
CALL_DEFS = set(range(19)) | {LR} | set(range(64, 72)) | set(range(80, 96))

Mem = collections.namedtuple("Mem", "base index scale disp width access pcrel narrow writeback")
REGISTER = re.compile(r"([wxbhsdqvz])(\d+)(?:\.(\d*)([bhsdq]))?(?:\[\d+\])?$")
SIZES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16, "w": 4, "x": 8}
NAMED = {"sp": (SP, 8), "wsp": (SP, 4)}
ADDRESS = re.compile(r"^\[(\w+)(?:, (?:#(-?(?:0x)?[0-9a-f]+)|(\w+)(?:, (\w+)(?: #(\d+))?)?))?\](!?)$")
SPLIT = re.compile(r",\s*(?![^\[{]*[\]}])")

LOAD_SIZE = {"b": 1, "h": 2, "sb": 1, "sh": 2, "sw": 4, "": None}
LOADS = re.compile(r"(ldr|ldur|ldtr|ldar|ldlar|ldapr|ldapur|ldxr|ldaxr)(b|h|sb|sh|sw|)$")
STORES = re.compile(r"(str|stur|sttr|stlr|stllr|stlur)(b|h|)$")
EXCLUSIVE = re.compile(r"(stxr|stlxr)(b|h|)$")
LOAD_PAIRS = ("ldp", "ldnp", "ldpsw", "ldxp", "ldaxp")
STORE_PAIRS = ("stp", "stnp", "stgp")
ATOMICS = re.compile(r"(ldadd|ldclr|ldeor|ldset|ldsmax|ldsmin|ldumax|ldumin|swp)(a|l|al|)(b|h|)$")
COMPARES = re.compile(r"(casp?)(a|l|al|)(b|h|)$")
STRUCTURES = re.compile(r"(ld|st)([1-4])(r?)$")
# Nothing that is followed changes
NO_DESTINATION = frozenset("""ccmp ccmn fcmp fcmpe fccmp fccmpe msr sys hint nop dmb dsb isb sb clrex tlbi dc ic
 at cfinv xaflag axflag rmif setf8 setf16 ret br b brk hlt udf eret drps prfm prfum wfet wfit retaa retab braa brab
 braaz brabz eretaa eretab whilelo whilelt whilels whilele ptrue pfalse ptest cmpeq cmpne cmphs cmphi stg st2g
 stzg stz2g stgm stzgm dcps1 dcps2 dcps3 hvc smc svc""".split())


class Unknown(Exception):
    pass


def number(text):
    text = text.lstrip("#")
    return int(text, 16) if "0x" in text else int(text)


def register(name):
    """(number, width) of a register that is followed, None of the zero register."""
    if name in NAMED:
        return NAMED[name]
    if name in ("xzr", "wzr"):
        return None
    found = REGISTER.match(name)
    if not found:
        raise Unknown(f"register {name}")
    kind, num, count, element = found[1], int(found[2]), found[3], found[4]
    if kind in "wx":
        return num, SIZES[kind]
    if kind in "vz":
        return 64 + num, int(count) * SIZES[element] if count else 16
    return 64 + num, SIZES[kind]


def is_register(text):
    return bool(REGISTER.match(text)) or text in NAMED or text in ("xzr", "wzr")


def width_of(name):
    found = register(name)
    return found[1] if found else SIZES[name[0]]


def address(text, rest):
    """The memory operand without width and access, of "[x0, #8]" and what comes behind it."""
    found = ADDRESS.match(text)
    if not found:
        raise Unknown(f"address {text}")
    base, disp, index, how, amount, bang = found.groups()
    mem = Mem(register(base)[0], NONE, 0, number(disp) if disp else 0, 0, 0, False, False, 1 if bang else 0)
    if index and index not in ("xzr", "wzr"):
        mem = mem._replace(index=register(index)[0], scale=1 << int(amount or 0),
                           narrow=how in ("uxtw", "sxtw"))
    if rest:
        # post-indexed; by a register the change is not known
        mem = mem._replace(writeback=2, disp=number(rest)) if rest[0] == "#" else mem._replace(writeback=3)
    return mem


def list_registers(text):
    """Of "{v0.16b-v3.16b}" and "{v0.b, v1.b}[3]": numbers, bytes of each, bytes of an element."""
    inside, _, lane = text[1:].partition("}")
    names = [n.strip() for n in inside.replace("-", ",").split(",")]
    first = REGISTER.match(names[0])
    num = int(first[2])
    if "-" in inside:
        last = int(REGISTER.match(names[1])[2])
        nums = [(num + n) % 32 for n in range((last - num) % 32 + 1)]
    else:
        nums = [int(REGISTER.match(n)[2]) for n in names]
    element = SIZES[first[4]]
    return [64 + n for n in nums], int(first[3] or 0) * element, element, bool(lane)


class Expect:
    """What an instruction does, by its text."""

    def __init__(self, addr, raw, text):
        self.address, self.raw = addr, raw
        self.mems, self.defs, self.target, self.op, self.cond = [], set(), None, None, None
        self.loose = False          # SVE, SME: registers may be a few too many, addresses are not compared
        self.operands = {}          # dst, dst2, src, src2 as decode-dump prints them
        text = re.sub(r"\s*<[^>]*>\s*$", "", re.sub(r"\s*(//|;).*$", "", text)).strip()
        name, _, rest = text.partition("\t")
        self.mnemonic, self.args = name, SPLIT.split(rest) if rest else []
        self.bad = name in (".inst", ".word", ".long") or "undefined" in text
        if self.bad:
            return
        if re.search(r"\b(z\d+|p\d+|za\d*)\b", rest) or name in ("addvl", "addpl", "rdvl", "smstart", "smstop") or \
           re.match(r"(cnt|inc|dec|[su]q(inc|dec))[bhwdp]$", name) and not rest.startswith("v") or name == "cntp":
            self.vector_length()
        elif not self.memory():
            self.plain()

    def vector_length(self):
        self.loose = True
        for arg in self.args[:1]:
            if is_register(arg.strip("{}")) and self.mnemonic[:2] not in ("st", "pr"):
                found = register(arg.strip("{}"))
                self.defs |= {found[0]} if found else set()

    # --- loads and stores ---

    def define(self, name):
        found = register(name)
        if found:
            self.defs.add(found[0])
        return found

    def access(self, place, width, access, disp=0, keep=True):
        """Adds the memory operand that is written from operand @place on."""
        rest = self.args[place + 1] if len(self.args) > place + 1 else ""
        text = self.args[place]
        if not text.startswith("["):
            self.mems.append(Mem(NONE, NONE, 0, int(text, 16), width, access, True, False, 0))
            return
        mem = address(text, rest)
        if mem.writeback:
            self.defs.add(mem.base)
        if mem.writeback == 3 or not keep:
            offset = mem.disp if mem.writeback == 1 else 0
            mem = mem._replace(writeback=0, disp=offset)
        self.mems.append(mem._replace(width=width, access=access, disp=mem.disp + disp))

    def memory(self):
        name, args = self.mnemonic, self.args
        found = LOADS.match(name)
        if found:
            dst = self.define(args[0])
            width = LOAD_SIZE[found[2]] or width_of(args[0])
            self.access(1, width, R)
            self.op = "SEXT" if found[2][:1] == "s" else "ZEXT" if width < 4 and args[0][0] in "wx" else "MOV"
            self.operands = {"dst": opnd(dst), "src": "m0"}
            return True
        found = STORES.match(name)
        if found:
            width = LOAD_SIZE[found[2]] or width_of(args[0])
            self.access(1, width, W)
            self.op = "MOV"
            self.operands = {"dst": "m0", "src": stored(args[0], width)}
            return True
        found = EXCLUSIVE.match(name)
        if found:
            self.define(args[0])
            self.access(2, LOAD_SIZE[found[2]] or width_of(args[1]), W)
            return True
        if name in LOAD_PAIRS or name in STORE_PAIRS:
            width = 4 if name == "ldpsw" else width_of(args[0])
            load = name in LOAD_PAIRS
            self.access(2, width, R if load else W)
            self.second(2, width, R if load else W)
            self.op = "SEXT" if name == "ldpsw" else "MOV"
            if load:
                self.operands = {"dst": opnd(self.define(args[0])), "dst2": opnd(self.define(args[1])),
                                 "src": "m0", "src2": "m1"}
            else:
                self.operands = {"dst": "m0", "dst2": "m1", "src": stored(args[0], width),
                                 "src2": stored(args[1], width)}
            return True
        if name in ("stxp", "stlxp"):
            self.define(args[0])
            width = width_of(args[1])
            self.access(3, width, W)
            self.second(3, width, W)
            return True
        found = ATOMICS.match(name)
        if found:
            width = LOAD_SIZE[found[3]] or width_of(args[0])
            self.access(2, width, RW)
            dst = self.define(args[1])
            if found[1] == "swp":
                self.op = "MOV" if width > 2 else "OTHER"
            elif dst:
                self.op = "XADD" if found[1] == "ldadd" else "OTHER"
            self.operands = {"dst": "m0"}
            return True
        found = COMPARES.match(name)
        if found:
            self.define(args[0])
            self.op = "CMPXCHG"
            if found[1] == "casp":
                self.define(args[1])
                width = width_of(args[0])
                self.access(4, width, RW)
                self.second(4, width, RW)
            else:
                self.access(2, LOAD_SIZE[found[3]] or width_of(args[0]), RW)
            self.operands = {"dst": "m0"}
            return True
        found = STRUCTURES.match(name)
        if found:
            regs, whole, element, lane = list_registers(args[0])
            width = element * int(found[2]) if lane or found[3] else whole * len(regs)
            self.access(1, width, R if found[1] == "ld" else W)
            if found[1] == "ld":
                self.defs |= set(regs)
            return True
        if name in ("prfm", "prfum"):
            self.access(1, 0, 0)
            self.op = "NOP"
            return True
        if name in ("stg", "st2g", "stzg", "stz2g"):
            width = {"stg": 0, "st2g": 0, "stzg": 16, "stz2g": 32}[name]
            self.access(1, width, W if width else 0)
            return True
        if name in ("ldraa", "ldrab"):
            self.define(args[0])
            self.access(1, 8, R)
            return True
        return False

    def second(self, place, width, access):
        first = self.mems[0]
        disp = first.disp if first.writeback != 2 else 0
        self.mems.append(first._replace(disp=disp + width, writeback=0, access=access))

    # --- the rest ---

    def plain(self):
        name, args = self.mnemonic, self.args
        if name.startswith("b.") or name.startswith("bc."):
            self.cond = COND.get(name.split(".")[1], None)
            self.op = "JCC" if self.cond else "JMP"
            self.target = int(args[0], 16)
        elif name in ("b", "bl"):
            self.target = int(args[0], 16)
            self.op = "CALL" if name == "bl" else "JMP"
            self.defs = CALL_DEFS if name == "bl" else set()
        elif name in ("cbz", "cbnz", "tbz", "tbnz"):
            self.op, self.target = "JCC", int(args[-1], 16)
            self.cond = {"cbz": 1, "cbnz": 2}.get(name, 13)
            self.operands = {"src": source(args[0])}
            if name.startswith("tb"):
                self.operands["src2"] = immediate(1 << number(args[1]), width_of(args[0]))
        elif name in ("blr", "blraa", "blrab", "blraaz", "blrabz"):
            self.op, self.defs, self.operands = "CALL", CALL_DEFS, {"src": source(args[0])}
        elif name in ("br", "braa", "brab", "braaz", "brabz"):
            self.op, self.operands = "JMP", {"src": source(args[0])}
        elif name in ("ret", "retaa", "retab"):
            self.op = "RET"
        elif name in ("udf", "brk", "hlt", "eret", "eretaa", "eretab", "drps"):
            self.op = "STOP"
        elif name == "svc":
            self.defs = {0}
        elif name in ("hvc", "smc"):
            self.defs = set(range(18))
        elif name == "hint":
            self.hint(number(args[0]))
        elif name in ("dmb", "dsb", "isb", "sb", "clrex"):
            self.op = "NOP"
        elif name == "sys":
            if args[1:4] in (["C7", "C4", "#1"], ["C7", "C4", "#3"], ["C7", "C4", "#4"]) and args[0] == "#3":
                self.mems = [Mem(register(args[4])[0], NONE, 0, 0, 0, W, False, False, 0)]
        elif name == "msr":
            self.defs = {SP} if args[0].lower() == "spsel" and args[1].startswith("#") else set()
        elif name == "mrs":
            dst = self.define(args[0])
            seg = {"tpidr_el0": "s1", "tpidr_el1": "s2", "tpidr_el2": "s2", "sp_el0": "s3"}.get(args[1])
            if seg:
                self.op, self.operands = "MOV", {"dst": opnd(dst), "src": seg}
        elif name == "ldg":
            self.define(args[0])
        elif name.startswith("cpy") or name.startswith("set") and "!" in (args or [""])[0]:
            regs = [register(a.strip("[]!"))[0] for a in args]
            self.defs = set(regs if name.startswith("cpy") else regs[:2])
            self.mems = [Mem(regs[0], NONE, 0, 0, 0, W, False, False, 0)]
            if name.startswith("cpy"):
                self.mems.append(Mem(regs[1], NONE, 0, 0, 0, R, False, False, 0))
        elif name not in NO_DESTINATION:
            if not args:
                raise Unknown(f"mnemonic {name}")
            dst = self.define(args[0])
            self.compute(name, args, dst)

    def hint(self, imm):
        self.defs = {LR} if imm == 7 or 24 <= imm < 32 else {17} if imm in (8, 10, 12, 14) else \
            {16} if imm == 40 else set()
        self.op = "OTHER" if self.defs else "NOP"

    def compute(self, name, args, dst):
        """Operation and operands of what the flow analysis follows."""
        dst_text = opnd(dst)
        vector = bool(dst) and dst[0] >= 64
        if name in ("adr", "adrp"):
            self.op, self.operands = "LEA", {"dst": dst_text}
            self.mems = [Mem(NONE, NONE, 0, int(args[1], 16), 0, 0, True, False, 0)]
        elif name in ("movz", "movn", "movk"):
            width = width_of(args[0])
            shift = int(args[2].split("#")[1]) if len(args) > 2 else 0
            value = number(args[1])
            if name == "movk":
                self.op = "INSERT"
                self.operands = {"dst": dst_text, "src": source(args[0]), "src2": f"i{value}.2<<{shift}" if shift else
                                 f"i{value}.2"}
                return
            value <<= shift
            if name == "movn":
                value = ~value & (1 << 8 * width) - 1
            self.op, self.operands = "MOV", {"dst": dst_text, "src": immediate(value, width)}
        elif name in ("add", "adds", "sub", "subs") and not vector:
            self.add(name, args, dst)
        elif name in ("and", "ands", "orr", "eor", "bic", "bics", "orn", "eon") and not vector:
            self.logic(name, args, dst)
        elif name in ("csel",):
            self.op = "SELECT"
            self.cond = COND.get(args[3], 13)
            self.operands = {"dst": dst_text, "src": source(args[1]), "src2": source(args[2])}
        elif name in ("ubfm", "sbfm", "bfm"):
            self.bitfield(name, args, dst)
        elif name in ("lslv", "lsrv", "asrv"):
            self.op = {"lslv": "SHL", "lsrv": "SHR", "asrv": "SAR"}[name]
            self.operands = {"dst": dst_text, "src": source(args[1]), "src2": source(args[2])}
        elif name == "madd" and args[3] in ("xzr", "wzr"):
            self.op = "MUL"
            self.operands = {"dst": dst_text, "src": source(args[1]), "src2": source(args[2])}
        elif name in ("madd", "smaddl", "umaddl", "msub", "smsubl", "umsubl"):
            if args[3] in ("xzr", "wzr"):
                self.op = "MOV"
            else:
                self.op = "ADD" if name in ("madd", "smaddl", "umaddl") else "SUB"
                factors = [register(arg) for arg in args[1:3]]
                self.operands = {"dst": dst_text, "src": source(args[3])}
                if all(factors):
                    self.operands["src2"] = f"p{factors[0][0]}*{factors[1][0]}.{factors[0][1]}"
        elif name == "fmov" and is_register(args[1]) and "[" not in "".join(args) and "." not in "".join(args):
            # of half precision only the width of the vector register counts
            narrow = min(width_of(args[0]), width_of(args[1]))
            if narrow > 2:
                self.op = "MOV"
                self.operands = {"dst": dst_text, "src": source(args[1])}

    def add(self, name, args, dst):
        sub = name.startswith("sub")
        width = width_of(args[0])
        value = args[2]
        if value.startswith("#"):
            imm = number(value) << (12 if len(args) > 3 and args[3].startswith("lsl") else 0)
            if dst is None:
                self.op = "CMP"
                self.operands = {"src": source(args[1]), "src2": immediate(imm if sub else -imm, width)}
            elif name == "add" and not imm and (dst[0] == SP or register(args[1]) and register(args[1])[0] == SP):
                self.op, self.operands = "MOV", {"dst": opnd(dst), "src": source(args[1])}
            else:
                self.op = "SUB" if sub else "ADD"
                self.operands = {"dst": opnd(dst), "src": source(args[1]), "src2": immediate(imm, width)}
            return
        second = shifted(args[2:], width)
        flags = name.endswith("s")
        if flags and dst is None:
            self.op = "CMP"
            self.operands = {"src": source(args[1])} | ({"src2": second} if sub else {})
        elif sub and args[1] in ("xzr", "wzr"):
            self.op, self.operands = "NEG", {"dst": opnd(dst), "src": second}
        else:
            self.op = "SUB" if sub else "ADD"
            self.operands = {"dst": opnd(dst), "src": source(args[1]), "src2": second}

    def logic(self, name, args, dst):
        width = width_of(args[0])
        invert = name in ("bic", "bics", "orn", "eon")
        if args[2].startswith("#"):
            second = immediate(number(args[2]), width)
        else:
            second = shifted(args[2:], width)
        plain_second = args[2].startswith("#") or len(args) == 3
        if name in ("orr", "orn") and args[1] in ("xzr", "wzr") and plain_second:
            self.op = "NOT" if invert else "MOV"
            self.operands = {"dst": opnd(dst), "src": second}
            return
        if name in ("ands", "bics") and dst is None:
            self.op = "CMP"
        else:
            self.op = {"and": "AND", "ands": "AND", "bic": "AND", "bics": "AND", "orr": "OR", "orn": "OR",
                       "eor": "XOR", "eon": "XOR"}[name]
            self.operands["dst"] = opnd(dst)
        self.operands["src"] = source(args[1])
        self.operands["src2"] = f"n.{width}" if invert else second

    def bitfield(self, name, args, dst):
        width = width_of(args[0])
        immr, imms = number(args[2]), number(args[3])
        top = 8 * width - 1
        operands = {"dst": opnd(dst)}
        sign = "s" if name == "sbfm" else ""
        if name == "bfm":
            # bits of one register replace those of another
            self.op = "OTHER"
            to = top + 1 - immr if imms < immr else 0
            operands |= {"src": source(args[0]),
                         "src2": some_bits(args[1], width, 0 if to else immr, imms, to)}
        elif immr == 0 and imms in (7, 15) or (immr == 0 and imms == 31 and width == 8):
            self.op = "ZEXT" if name == "ubfm" else "SEXT"
            operands["src"] = source(args[1], (imms + 1) // 8)
        elif imms == top:
            self.op = "SHR" if name == "ubfm" else "SAR"
            operands |= {"src": source(args[1]), "src2": f"i{immr}.1"}
        elif name == "ubfm" and imms + 1 == immr:
            self.op = "SHL"
            operands |= {"src": source(args[1]), "src2": f"i{top - imms}.1"}
        elif imms < immr:
            # low bits, shifted left
            self.op = "SHL"
            low = source(args[1], (imms + 1) // 8) + (sign if register(args[1]) else "") \
                if imms in (7, 15, 31) else some_bits(args[1], width, 0, imms) + sign
            operands |= {"src": low, "src2": f"i{top + 1 - immr}.1"}
        else:
            # bits from the middle
            self.op = "MOV"
            operands["src"] = some_bits(args[1], width, immr, imms) + sign
        self.operands = operands


def opnd(found):
    return f"r{found[0]}.{found[1]}" if found else "-"


def immediate(value, width):
    """As a signed number of 64 bits; 32 bits are not extended in the text."""
    value &= (1 << 8 * width) - 1
    return f"i{value}.{width}"


def source(name, width=None):
    found = register(name)
    if not found:
        return f"i0.{width or SIZES[name[0]]}"
    return f"r{found[0]}.{width or found[1]}"


def some_bits(name, width, first, last, to=0):
    """A number of @width bytes that is the bits from @first to @last of a register, moved to @to."""
    found = register(name)
    if not found:
        return f"n.{width}"
    mask = (1 << last + 1) - (1 << first)
    return f"n.{width}=r{found[0]}&{mask:x}" + (f"<<{to}" if to else "")


def stored(name, width):
    return source(name, width)


def shifted(args, width):
    """Second source: a register with its shift or extension."""
    name, how = args[0], args[1] if len(args) > 1 else ""
    kind, _, amount = how.partition(" ")
    amount = int(amount.lstrip("#")) if amount else 0
    if kind in ("lsr", "asr", "ror") and amount:
        return f"n.{width}"
    found = register(name)
    narrow = {"b": 1, "h": 2, "w": 4, "x": 8}[kind[-1]] if kind[1:3] == "xt" else width
    narrow = min(narrow, width)
    if not found:
        return f"i0.{narrow}"
    text = f"r{found[0]}.{narrow}"
    if kind.startswith("s") and narrow < width:
        text += "s"
    return text + (f"<<{amount}" if amount else "")


def same_value(wanted, got):
    if wanted == got:
        return True
    if wanted[:1] == "i" and got[:1] == "i":
        (a, _, wa), (b, _, wb) = wanted[1:].partition("."), got[1:].partition(".")
        width = int(wa.split("<<")[0])
        return wa == wb and (int(a) - int(b)) % (1 << 8 * width) == 0
    return False


def compare(expect, line):
    """Names of the differences between what is expected and a line of decode-dump."""
    fields = line.split()
    if fields[1] == "0":
        return ["rejected"]
    if fields[1] != "4":
        return ["length"]
    op, cond = int(fields[2]), int(fields[3])
    defs = int(fields[6], 16) | int(fields[7], 16) << 64
    got = dict(zip(("dst", "dst2", "src", "src2"), fields[8].split(",")))
    ours = {n for n in range(96) if defs >> n & 1}
    if expect.loose:
        return [] if expect.defs <= ours else ["changed register missing"]
    problems = []
    if expect.target is not None and int(fields[5], 16) != expect.target % (1 << 64):
        problems.append("target")
    if expect.cond is not None and cond != expect.cond:
        problems.append("condition")
    if expect.defs - ours:
        problems.append("changed register missing")
    if ours - expect.defs:
        problems.append("register does not change")
    mems = []
    for text in fields[9:]:
        base, index, scale, disp, width, access, _, writeback, flags = text.split(":")
        mems.append(Mem(int(base), int(index), int(scale), int(disp), int(width), int(access), "p" in flags,
                        "n" in flags, int(writeback)))
    if len(mems) != len(expect.mems):
        problems.append("number of memory operands")
    for wanted, mem in zip(expect.mems, mems):
        for field, a, b in zip(Mem._fields, wanted, mem):
            if a == b or (field == "disp" and (a - b) % (1 << 64) == 0) or (field == "scale" and wanted.index == NONE):
                continue
            if field == "narrow" and wanted.index == NONE:
                continue
            problems.append(f"memory {field}")
    if expect.op and op != OP[expect.op]:
        problems.append(f"operation of {expect.mnemonic}")
    for field, wanted in expect.operands.items():
        if not same_value(wanted, got[field].rstrip()) and not (wanted[0] == "m" and got[field] == wanted):
            problems.append(f"{field} of {expect.mnemonic}")
    return problems
