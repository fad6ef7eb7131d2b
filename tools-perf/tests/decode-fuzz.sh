#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Random bytes through the instruction decoder, with address and undefined behaviour sanitizers.
#
# usage: tools-perf/tests/decode-fuzz.sh [SECONDS [SEED]]
#
# Each input has memory of exactly its size, so that a byte read too far is seen. The same
# seed gives the same inputs; by default 20 seconds of the default seed.
# Exit status: 0 no error, 1 an error, 2 the program could not be built.

case ${1-} in
-h|--help) sed -n '3,/^$/s/^# \{0,1\}//p' "$0"; exit ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
program=$("$here/../decode/build" asan) || exit 2
"$program" --fuzz "${1:-20}" ${2:+"$2"} || exit 1
