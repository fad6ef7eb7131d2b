# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Shared by the tests of this directory: sourced, never run.
#
# Tests that compare with golden outputs source it with UPDATES=y; --update then sets $update. Sets
# $tools (tools-perf), $tmp (removed at the end) and $failed, and asks for nothing of the machine.

set -u
test=${0##*/}
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
BUILD=${BUILD:-${tools%/*}/build}
update=
case ${1-}:${UPDATES-} in
:*) ;;
--help:*|-h:*) sed -n '3,/^$/s/^# \{0,1\}//p' "$0"; exit 0 ;;
--update:y)
	# shellcheck disable=SC2034 # used by the tests that source this file
	update=y
	;;
*) echo "$test: unknown argument $1 (see --help)" >&2; exit 1 ;;
esac

# skip REASON...: it cannot be run here
skip() {
	echo "$test: skipped: $*"
	exit 2
}

# fail WHAT...: tell what is wrong and go on
failed=0
fail() {
	echo "$test: $*"
	failed=$((failed + 1))
}

# need_x86: the programs that are traced or read are for x86-64
need_x86() { [ "$(uname -m)" = x86_64 ] || skip "the programs are for x86-64"; }

# need COMMAND...: programs that the test runs
need() {
	local command
	for command in "$@"; do
		command -v "$command" > /dev/null || skip "no $command"
	done
}

# need_perf: the perf to test, $perf
need_perf() {
	perf=${PERF:-$BUILD/perf/perf}
	[ -x "$perf" ] || skip "$perf is not there: make perf"
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
