#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Broken ELF and DWARF, random code and random bytes through the type engine: some thousand of each.
#
# usage: [LINUX=TREE] [BUILD=DIRECTORY] tools-perf/tests/fuzz.sh
#
# "make fuzz" does it for hours, with other inputs each time. Here they are the same each time and on
# each machine, however fast it is, so that a failure is of the change. Exit status: 0 no error, 1 an error, 2 it cannot be built
# here, and why.

case ${1-} in
-h|--help) sed -n '3,/^$/s/^# \{0,1\}//p' "$0"; exit ;;
esac
FUZZ_CORPUS=$(mktemp -d) || exit 1
trap 'rm -rf "$FUZZ_CORPUS"' EXIT
trap 'exit 1' INT TERM
export FUZZ_CORPUS FUZZ_SEED=1
"$(dirname "$0")/../fuzz/fuzz" 4000x
