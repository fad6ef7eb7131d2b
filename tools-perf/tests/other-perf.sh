#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What this perf records is read by the perf of the distribution, where nothing new is used.
#
# usage: [PERF=FILE] [OTHER_PERF=FILE] tools-perf/tests/other-perf.sh
#
# Records with several kinds of events, to files and through pipes, and expects of the other perf (/usr/bin/perf, of Debian's
# package linux-perf, unless OTHER_PERF names one) the same samples, events and totals as of the one that recorded. A file that uses
# what only this perf knows must be refused by the other one, not misread.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
need_perf
other=${OTHER_PERF:-/usr/bin/perf}
[ -x "$other" ] || skip "there is no other perf at $other: apt-get install linux-perf"
"$other" --version > "$tmp/version" 2>&1 || skip "$other does not run: $(head -n 1 "$tmp/version")"
export PERF_CONFIG=/dev/null PERF_BUILDID_DIR=$tmp/debug

# same WHAT FILE: both read the same from it
same() {
	local command
	# Not the stacks (-G, -g none): how they are unwound and named is a matter of the libraries that a perf was built with.
	for command in "script -G -F comm,tid,time,period,event" "evlist -F" "report --stdio -g none -s comm -F sample,period,comm"; do
		for which in perf other; do
			# shellcheck disable=SC2086 # words of a command
			${!which} $command -i "$2" 2> "$tmp/$which.err" < /dev/null | grep -v '^#\|^$' > "$tmp/$which.out"
			[ "${PIPESTATUS[0]}" = 0 ] || fail "$1: $which: $command: $(head -n 3 "$tmp/$which.err")"
		done
		[ -s "$tmp/perf.out" ] || fail "$1: $command: nothing to compare"
		diff "$tmp/perf.out" "$tmp/other.out" > "$tmp/difference" ||
			fail "$1: $command: $(head -n 5 "$tmp/difference")"
	done
}

# recorded OPTION...: to a file and through a pipe
recorded() {
	"$perf" record -q "$@" -o "$tmp/file" -- "$perf" bench sched pipe -l 2000 > /dev/null 2> "$tmp/err" ||
		fail "record $*: $(tail -n 3 "$tmp/err")"
	same "record $*" "$tmp/file"
	"$perf" record -q "$@" -o - -- "$perf" bench sched pipe -l 100 2> "$tmp/err" > "$tmp/pipe" || fail "record $* -o -: $(tail -n 3 "$tmp/err")"
	same "record $* -o -" "$tmp/pipe"
	"$perf" inject -b -i "$tmp/file" -o "$tmp/injected" 2> "$tmp/err" || fail "inject of record $*: $(tail -n 3 "$tmp/err")"
	same "inject of record $*" "$tmp/injected"
}

recorded -e cpu-clock:u -c 100000
recorded -e cpu-clock -e task-clock:u -F 1999
recorded -e cpu-clock:u -g -c 200000
recorded -e cpu-clock:u --call-graph dwarf,4096 -c 1000000
recorded -e '{cpu-clock:u,context-switches}:S' -c 100000
recorded -e cpu-clock:u -c 100000 -d --phys-data --sample-cpu -T

# What was measured of an event is a capability, which the other perf shows as it is
recorded -e cpu-clock:u -c 100000 --calibrate-skid
for file in file pipe injected; do
	for which in perf other; do
		# the header of a pipe comes with its events
		if [ $file = pipe ]; then
			${!which} report --header -g none -s comm --stdio -i - < "$tmp/pipe"
		else
			${!which} report --header-only -i "$tmp/$file"
		fi > "$tmp/$which.out" 2> "$tmp/$which.err"
		grep '^# software pmu capabilities: .*skid:1:0=0:[0-9]*,1:[0-9]' "$tmp/$which.out" > "$tmp/$which.skid" ||
			fail "--calibrate-skid, $file: not shown by $which: $(head -n 3 "$tmp/$which.err")"
	done
	cmp -s "$tmp/perf.skid" "$tmp/other.skid" || fail "--calibrate-skid, $file: shown differently"
done

# What only this perf knows: 32 bytes more of each attribute, which the kernel here may not have, so the file is made
python3 "${LINUX:-${tools%/*}/build/linux}/tools/perf/tests/shell/lib/attr_size_data.py" "$tmp/new" 160 || fail "no test data"
"$perf" script -F time,event -i "$tmp/new" > /dev/null 2>&1 || fail "a file with windows is not read by the perf that knows them"
! "$other" script -F time,event -i "$tmp/new" > "$tmp/out" 2>&1 || fail "a file with windows is read by $other: $(head -n 3 "$tmp/out")"

[ $failed = 0 ] && echo "$test: $(< "$tmp/version") reads what $("$perf" --version) records"
exit $((failed != 0))
