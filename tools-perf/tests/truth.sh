#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The data types of written programs against what their data addresses tell: a small part.
#
# usage: [PERF=FILE] tools-perf/tests/truth.sh
#
# A few builds of each program of tools-perf/truth; "make truth" runs all of them. Exit
# status: 0 no wrong answer but the known ones, 1 there is one, 2 it cannot be run and why.

case ${1-} in
-h|--help) sed -n '3,/^$/s/^# \{0,1\}//p' "$0"; exit ;;
esac
[ "$(uname -m)" = x86_64 ] || { echo "truth.sh: skipped: the programs are run on x86-64"; exit 2; }
exec "$(dirname "$0")/../truth/truth" --quick
