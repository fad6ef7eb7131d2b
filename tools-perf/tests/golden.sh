#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compare what perf prints about data types with golden outputs.
#
# usage: [PERF=FILE] [PERF_ASAN=FILE] tools-perf/tests/golden.sh [--update]
#
# golden/generate makes three recordings of programs that it builds, golden/cases lists the
# commands and golden/NAME.txt what each is to print, with its errors and exit status. A
# difference is shown as a diff. --update writes what $PERF prints to the golden outputs:
# look at the change before you commit it. $PERF_ASAN, where it is built, must print the
# same and leak nothing but what golden/leaks.suppressed lists. Then the examples in the man
# pages of the kernel tree are compared with what $PERF prints: scripts/man-examples, which
# rewrites them, too. Exit status: 0 all the same, 1 not, 2 it cannot be run here and why.

UPDATES=y
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
need_x86
need gcc
need_perf
here=$tools/golden
"$here/generate" "$tmp/data" || exit 1

# run PERF DATA ARGUMENTS: what a command prints, with nothing in it that changes
run() {
	local perf=$1 data=$2 command=$3 arguments status
	IFS=' ' read -ra arguments <<< "${command//\\ /$'\x01'}"
	arguments=("${arguments[@]//$'\x01'/ }")
	PERF_CONFIG=/dev/null LC_ALL=C PAGER=cat ASAN_OPTIONS=detect_leaks=1 \
		LSAN_OPTIONS=print_suppressions=0:suppressions=$here/leaks.suppressed timeout 120 \
		"$perf" --buildid-dir "$tmp/cache" "${arguments[@]}" -i "$tmp/data/$data.data" \
		> "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
	# Of a usage text only the error: the keys of others are of no interest.
	sed -e "s|$tmp/data|DIR|g" -e '/^# (\(Tip: \|Cannot load tips\)/d' "$tmp/out"
	sed -e "s|$tmp/data|DIR|g" -e '/^ Usage: /,$d' -e '/^$/d' -e 's/^/stderr: /' "$tmp/err"
	echo "exit status $status"
}

nr=0
while IFS='|' read -r name data command; do
	name=${name// /} data=${data// /} command=${command# }
	case $name in ''|'#'*) continue ;; esac
	nr=$((nr + 1))
	if [ "$update" ]; then
		run "$perf" "$data" "$command" > "$here/$name.txt"
		continue
	fi
	for binary in "$perf" "${PERF_ASAN-}"; do
		[ -x "$binary" ] || continue
		run "$binary" "$data" "$command" > "$tmp/now"
		diff -u --label "golden/$name.txt" --label "${binary##*/} $command" "$here/$name.txt" "$tmp/now" && continue
		echo "golden.sh: $name: differs with $binary"
		failed=$((failed + 1))
	done
done < "$here/cases"

[ "$nr" != 0 ] || { echo "golden.sh: no cases in $here/cases"; exit 1; }
[ "$update" ] || echo "golden.sh: $nr golden outputs, $failed differences"

if [ ! "$update" ]; then
	PERF=$perf "$tools/../scripts/man-examples"
	case $? in
	0) ;;
	2) echo "golden.sh: the man pages were not compared" ;;
	*) fail "the man pages do not show what perf prints: scripts/man-examples --write rewrites them" ;;
	esac
fi
[ $failed = 0 ]
