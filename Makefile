# SPDX-License-Identifier: GPL-2.0
# The front door: every task is a target. "make help" lists them; scripts/ does the work.

.DEFAULT_GOAL := help
.PHONY: help demo perf install deb try-package try-foreign deb-kernel try-kernels dist try-dist deps source tree patches fold hooks newcomer clean \
	test test-all check check-each check-newest lint guest-x86_64 guest-arm64 guest-debug guest-seeded kunit fuzz \
	bench truth change-report lines man-examples

help: ## list the targets
	@echo "usage: make TARGET"
	@awk -F ':.*## ' '/^##@ / { printf "\n%s:\n", substr($$0, 5) } /^[a-z0-9_-]+:.*## / && $$1 != "help" { printf "  %-14s %s\n", $$1, $$2 }' Makefile
	@printf '\nSettings: KERNEL_TARBALL=FILE or KERNEL_GIT=DIR (where the kernel comes from, see kernel/base),\n'
	@echo "SINCE=REV (check-each: only what REV does not have), INTO=NUMBER (fold: what is changed goes into that mail), SECONDS=N (fuzz, guest-debug), FORCE=1 (tree: overwrite what is not exported)"

##@ Use it

demo: ## build everything, record two real programs, show their hot data types
	@scripts/demo

perf: ## build perf from build/linux into build/perf
	@[ -e build/linux ] || scripts/tree
	@scripts/build-perf

install: ## install perf: program, scripts, tests, pages (PREFIX=DIR, default /usr/local; DESTDIR=DIR); it may be moved afterwards
	@DESTDIR='$(DESTDIR)' scripts/install '$(or $(PREFIX),/usr/local)'

deb: ## make a Debian package of perf in build/deb, to be installed beside linux-perf (ARCH=arm64: for that, by a cross compiler)
	@scripts/deb $(if $(ARCH),--arch '$(patsubst x86%,amd64,$(ARCH:aarch64=arm64))')

try-package: ## install that package in a fresh Debian 12, use it there and remove it (root)
	@scripts/try-package

try-foreign: ## look into the package for arm64 and use it under user-mode emulation
	@scripts/try-foreign

deb-kernel: ## make Debian packages of the kernel in build/deb-kernel, by Debian's configuration and Kconfig.fragment, and boot it (hours; SMALL=1: the guest's configuration, minutes)
	@[ -e build/perf/perf ] || $(MAKE) perf
	@scripts/deb-kernel $(if $(SMALL),--small)

try-kernels: ## what works, and what is said, on kernels without the series: this machine's, and Debian's in a guest
	@[ -e build/perf/perf ] || $(MAKE) perf
	@scripts/try-kernels

dist: ## make an archive of perf in build/dist that runs where it is unpacked: Debian 11, 12, 13 and others of their age
	@scripts/dist

try-dist: ## unpack that archive in fresh Debians 11, 12 and 13 and use it there (root)
	@scripts/try-dist

##@ Change it

deps: ## install the Debian packages of scripts/packages (root or sudo)
	@scripts/deps

source: ## get the pinned kernel tarball and print where it is
	@scripts/fetch-source

tree: ## make build/linux: the pinned kernel with one commit a patch
	@scripts/tree

patches: ## write the commits of build/linux to patches/
	@scripts/export-patches

fold: ## fold the fixup! commits of build/linux into their mails and export (INTO=NUMBER: what is not committed into it)
	@scripts/fold $(INTO)

hooks: ## check what is committed here before it is: mails, style, scripts, names of this machine (a git hook, pre-commit)
	@scripts/hooks

newcomer: ## go the way of Documentation/contributing.md in a fresh clone: change a line of a view, see the test that sees it; the time each step takes
	@scripts/newcomer

clean: ## remove what was built, but not build/linux
	@find build -mindepth 1 -maxdepth 1 ! -name linux -exec rm -rf {} + 2>/dev/null || true

##@ Check it

test: ## run all tests, as CI does (ONLY="STAGE...": some, LIST=1: which there are)
	@scripts/test

test-all: ## the same and what takes hours: every patch built, random input, debug kernel, seeded mistakes, truth, packages, other sources (ONLY=, LIST=1)
	@ALL=1 scripts/test

check: ## check the patch queue: mails, checkpatch, round trip, git am, topics alone, quilt; lines of each topic
	@scripts/check

check-each: ## build after every patch that is new or changed (SINCE=REV: that REV does not have)
	@scripts/check-each $(if $(SINCE),--since $(SINCE))

check-newest: ## apply to the distribution's newest 6.1 source and build perf there
	@scripts/check-newest

lint: ## shellcheck, py_compile and the unit tests of the scripts
	@scripts/lint

guest-x86_64: ## boot the patched kernel under QEMU and run the selftests and perf tests in it
	@[ -e build/perf/perf ] || $(MAKE) perf
	@scripts/guest-test --perf build/perf/perf x86_64

guest-arm64: ## the same for arm64, with an emulated cycle counter
	@scripts/build-perf arm64
	@scripts/guest-test --perf build/perf-arm64/perf arm64

guest-debug: ## the same with lockdep, KASAN and UBSAN, and random attributes for 5 minutes (SECONDS=N)
	@scripts/guest-fuzz $(SECONDS)

guest-seeded: ## break the kernel in known ways and show that the selftests see it
	@scripts/guest-seeded

kunit: ## run the unit tests of the kernel patches by the kernel's kunit.py, under QEMU
	@scripts/kunit

man-examples: ## compare the examples in the man pages with what perf prints (WRITE=1: put that into the pages of build/linux)
	@[ -e build/perf/perf ] || $(MAKE) perf
	@scripts/man-examples $(if $(WRITE),--write)

fuzz: ## broken files, random code and bytes through the type engine, 20 minutes each (SECONDS=N)
	@tools-perf/fuzz/fuzz $(SECONDS)

##@ Measure it

bench: ## time and memory: type reports against symbol reports, the code of all functions, a kernel (VMLINUX=FILE), branch blocks, streams; share of known types; right fields without a precise event
	@tools-perf/bench/report-types
	@tools-perf/bench/annotate
	@tools-perf/bench/kernel
	@tools-perf/bench/blocks
	@tools-perf/bench/streams
	@tools-perf/bench/sharing
	@tools-perf/bench/skid/run

truth: ## score the data types of written programs against what their data addresses tell
	@tools-perf/truth/truth

change-report: ## which data types two builds of perf tell differently: FROM=PERF TO=PERF (FILES="FILE...": of these)
	@[ -n "$(FROM)" ] && [ -n "$(TO)" ] || { echo "change-report: give two perf binaries: make change-report FROM=FILE TO=FILE"; exit 2; }
	@tools-perf/change-report/change-report $(FROM) $(TO) $(FILES)

lines: ## lines that each topic adds: code, tests, documents
	@scripts/lines
