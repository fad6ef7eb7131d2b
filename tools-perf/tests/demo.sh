#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What make demo prints, on a recording of perf itself: README's first command.
#
# usage: [PERF=FILE] tools-perf/tests/demo.sh
#
# tools-perf/demo/show must print the first lines of both views, keep all of them in files, and say what is wrong where
# a recording cannot be read. Exit status: 0 as it should be, 1 not, 2 it cannot be run.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
PERF=${PERF:-$BUILD/perf/perf}
[ -x "$PERF" ] || skip "there is no $PERF: make perf"
export PERF_CONFIG=/dev/null

# Work with many types: the scan of a unit of it, and what that prints.
"$PERF" record -q -N -e cpu-clock:u -F 10000 -o "$tmp/many.data" -- "$PERF" annotate --type-scan "$PERF" > "$tmp/log" 2>&1 ||
	skip "perf record does not work here: $(tail -n 1 "$tmp/log")"

# shown PERF NAME: what the demo shows of a recording
shown() { "$tools/demo/show" "$1" "$tmp" "$2" > "$tmp/shown" 2> "$tmp/errors"; }

# first_lines NAME: of each view what is shown must be the first of the lines that are kept
first_lines() {
	local view lines
	for view in report annotate; do
		# a list of types comes before the fields of the first
		lines=24
		[ $view = report ] || lines=40
		grep -v '^#\|^$' "$tmp/$1.$view.txt" | cut -c -120 | sed -n "1,${lines}p" > "$tmp/expected"
		[ -s "$tmp/expected" ] || fail "perf $view of $1: nothing"
		sed -n "/^\\$ perf $view /,/^  \[\.\.\. all of it: /p" "$tmp/shown" | sed '1d;$d' > "$tmp/found"
		diff "$tmp/expected" "$tmp/found" || fail "perf $view of $1: not its first $lines lines"
	done
}

shown "$PERF" many || fail "status $? of the views: $(cat "$tmp/errors" "$tmp/shown")"
first_lines many
grep -q '^ *[0-9.]*% *struct ' "$tmp/shown" || fail "no struct in the types of perf"
grep -q '^Annotate type: ' "$tmp/shown" || fail "no fields of a type of perf"

# More than a pipe holds, whose rest nobody reads
printf '#!/bin/sh\necho "# header"; seq 100000\n' > "$tmp/long"
chmod +x "$tmp/long"
shown "$tmp/long" many || fail "status $? of long views: $(cat "$tmp/errors")"
first_lines many

# wrong WHAT REASON: what is told of a recording that cannot be shown
wrong() {
	! shown "$PERF" "$1" || fail "$1: status 0"
	grep -q "$2" "$tmp/errors" || fail "$1: does not say \"$2\": $(cat "$tmp/errors")"
}
head -c 100 "$tmp/many.data" > "$tmp/cut.data"
wrong cut "perf report of $tmp/cut.data failed: ."
wrong nothing "there is no $tmp/nothing.data: run "

[ "$failed" = 0 ]
