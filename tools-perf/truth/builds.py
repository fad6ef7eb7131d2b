# SPDX-License-Identifier: GPL-2.0
"""Which programs are built how; building and tracing them, once for the same content."""
import hashlib
import inspect
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / \
    "perf-types/truth"

# The compilers of an architecture: name: {file ending: command}
COMPILERS = {
    "x86-64": {
        "gcc": {".c": ["gcc"], ".cc": ["g++"]},
        "clang": {".c": ["clang"], ".cc": ["clang++"]},
        "rustc": {".rs": ["/usr/bin/rustc"]},
    },
    "arm64": {
        "gcc": {".c": ["aarch64-linux-gnu-gcc"], ".cc": ["aarch64-linux-gnu-g++"]},
        "clang": {".c": ["clang", "--target=aarch64-linux-gnu"],
                  ".cc": ["clang++", "--target=aarch64-linux-gnu"]},
    },
}
QEMU = {"x86-64": ["qemu-x86_64"], "arm64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]}
FLAGS = {
    "gcc": {"O0": ["-O0"], "Og": ["-Og"], "O2": ["-O2"], "O3": ["-O3"],
            "lto": ["-O2", "-flto=1"],
            # the same code, debug information in other forms; and code at fixed addresses
            "dwarf4": ["-O2", "-gdwarf-4"], "split": ["-O2", "-gsplit-dwarf"],
            "types": ["-O2", "-fdebug-types-section"], "dwz": ["-O2"], "fixed": ["-O2", "-fno-pie", "-no-pie"]},
    "clang": {"O0": ["-O0"], "Og": ["-Og"], "O2": ["-O2"], "O3": ["-O3"],
              "lto": ["-O2", "-flto"], "dwarf4": ["-O2", "-gdwarf-4"]},
    "rustc": {"O0": ["-Copt-level=0"], "O2": ["-Copt-level=2"], "O3": ["-Copt-level=3"],
              "lto": ["-Copt-level=2", "-Clto=fat"]},
}
# In CI: a second or two for each.
QUICK = (("gcc", "O2"), ("gcc", "O0"), ("clang", "O2"), ("rustc", "O2"))
PACKAGES = {"gcc": "gcc", "g++": "g++", "clang": "clang", "clang++": "clang",
            "/usr/bin/rustc": "rustc", "dwz": "dwz", "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
            "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
            "qemu-x86_64": "qemu-user", "qemu-aarch64": "qemu-user"}


class Missing(Exception):
    """A tool that is not installed."""


class Failed(Exception):
    """A build or a run that did not work, with what was printed."""


def need(tool):
    if not shutil.which(tool):
        raise Missing(f"{tool} is not installed: apt-get install {PACKAGES.get(tool, tool)}")


def run(command, **options):
    need(command[0])
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


_versions = {}


def version(tool):
    """What a tool says of its version."""
    if tool not in _versions:
        _versions[tool] = run([tool, "--version"])
    return _versions[tool]


class Build:
    """One program, compiled in one way for one architecture."""

    def __init__(self, arch, program, compiler, level):
        self.arch, self.program, self.compiler, self.level = arch, program, compiler, level
        self.language = program.suffix
        self.name = f"{arch}/{program.stem}/{compiler}-{level}"

    def sources(self):
        peers = sorted(PROGRAMS.glob(f"{self.program.stem}-*{self.language}"))
        return [self.program, *peers]

    def command(self):
        """The compiler command, but for sources and output."""
        words = COMPILERS[self.arch][self.compiler][self.language] + \
            FLAGS[self.compiler][self.level]
        if self.language == ".rs":
            return words + ["--edition=2021", "-g", "-Cdebug-assertions=off"]
        if self.language == ".cc":
            words.append("-std=c++17")
        return words + ["-g", f"-I{HERE}", "-w"]

    def key(self):
        """Identifies everything that the trace depends on."""
        parts = [" ".join(self.command()), version(self.command()[0]), version(QEMU[self.arch][0]),
                 version("dwz") if self.level == "dwz" else ""]
        files = self.sources() + sorted(PROGRAMS.glob("*.h")) + \
            [HERE / name for name in ("truth.h", "truth.hh", "runtime.c", "tracer.c")]
        parts += [path.read_bytes().hex() for path in files] + [inspect.getsource(self._make)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    def directory(self):
        """Where program, map and trace are, made if they are not there yet."""
        target = CACHE / self.arch / f"{self.program.stem}-{self.compiler}-{self.level}-{self.key()}"
        if (target / "trace").exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as made:
            self._make(pathlib.Path(made), target)
            os.chmod(made, 0o755)
            # Of the same program, what older sources gave is of no use any more.
            for old in target.parent.glob(f"{self.program.stem}-{self.compiler}-{self.level}-*"):
                shutil.rmtree(old, ignore_errors=True)
            try:
                os.rename(made, target)
                os.mkdir(made)
            except OSError:
                if not (target / "trace").exists():     # another run was faster
                    raise
        return target

    def _make(self, made, target):
        compiler = COMPILERS[self.arch]["gcc"][".c"]
        library, tracer = made / "libtruth.so", made / "tracer.so"
        shared = ["-O2", "-Wall", "-Wextra", "-shared", "-fPIC"]
        run([*compiler, *shared, "-o", library, HERE / "runtime.c"])
        run(["gcc", *shared, "-fvisibility=hidden", "-o", tracer, HERE / "tracer.c"])
        if self.language == ".rs":
            run([*self.command(), "-o", made / "program", f"-L{made}", "-ltruth",
                 "-Clink-arg=-Wl,-rpath,$ORIGIN", self.program])
        else:
            # Split debug information is found by the directory of the compilation.
            run([*self.command(), "-o", "program", *self.sources(), f"-L{made}", "-ltruth",
                 "-Wl,-rpath,$ORIGIN", "-pthread", f"-fdebug-prefix-map={made}={target}"], cwd=made)
        if self.level == "dwz":     # types that units share in units of their own
            run(["dwz", made / "program"])
        environment = {**os.environ, "TRUTH_MAP": str(made / "map")}
        run([*QEMU[self.arch], "-plugin", f"{tracer},out={made / 'trace'}", made / "program"],
            env=environment, timeout=300)
        if not (made / "trace").exists():
            raise Failed(f"{self.name}: QEMU wrote no trace: has it been built without plugins?")


def matrix(arches=("x86-64", "arm64"), quick=False):
    """Every build; with @quick the few of them that CI makes."""
    for arch in arches:
        for program in sorted(PROGRAMS.iterdir()):
            if program.suffix == ".h" or "-" in program.stem:
                continue
            for compiler, endings in COMPILERS[arch].items():
                if program.suffix not in endings:
                    continue
                for level in FLAGS[compiler]:
                    if not quick or (compiler, level) in QUICK:
                        yield Build(arch, program, compiler, level)
