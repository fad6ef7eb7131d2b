#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compare what perf diff --stream says about traced programs with the truth.
#
# usage: [PERF=FILE] [PERF_ASAN=FILE] tools-perf/tests/streams.sh [--update]
#
# Traces programs before and after a change with branchgen and has compare-streams make the
# streams from the traces the slow way: there must be no difference, with source trees and
# without, relinked at other addresses, in C++, with functions that moved, in a file with another name and line
# ends, with helpers that are called twice, with a macro that changed, with two events and with entries of the kernel. What is printed
# of two short traces is compared with golden/stream.txt; --update writes it.
# $PERF_ASAN, where it is built, must print the same, and reads damaged files without an error
# of the sanitizers. Exit status: 0 all the same, 1 not, 2 it cannot be run here and why.

UPDATES=y
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
need_x86
need gcc g++ c++filt llvm-addr2line llvm-dwarfdump diff
need_perf
golden=$tools/golden/stream.txt
export LC_ALL=C PERF_CONFIG=/dev/null PAGER=cat ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
branchgen=$tools/branchgen/branchgen

# diff_streams PERF ARGUMENTS: perf diff --stream, that neither hangs nor keeps build ids
diff_streams() {
	local binary=$1
	shift
	timeout 120 "$binary" --buildid-dir "$tmp/cache" diff --stream "$@" < /dev/null
}

# Also: the same code at other addresses.
"$tools/branchgen/build-programs" "$tmp" || exit 1
flags=(-g -O1 -fno-inline -fno-optimize-sibling-calls)
echo '.text; .skip 5000; .section .note.GNU-stack, "", @progbits' > "$tmp/pad.s"
(cd "$tmp/before" && gcc "${flags[@]}" -o relinked ../pad.s div.c) || exit 1
mkdir "$tmp/again"
(cd "$tmp/again" && g++ "${flags[@]}" -fPIE -pie -o names ../pad.s "$tools/branchgen/programs/names.cc") || exit 1

# [rounds=N] trace NAME PROGRAM OPTIONS
trace() {
	local name=$1 program=$2
	shift 2
	"$branchgen" -o "$tmp/$name.data" "$@" -- "$tmp/$program" "${rounds:-1500}" || exit 1
}

# check NAME OLD NEW OPTIONS [-- OPTIONS OF compare-streams]
check() {
	local name=$1 old=$tmp/$2.data new=$tmp/$3.data options=()
	shift 3
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	diff_streams "$perf" -q --json "${options[@]}" "$old" "$new" > "$tmp/json" || {
		echo "streams.sh: $name: perf diff failed"
		failed=$((failed + 1))
		return
	}
	"$tools/branchgen/compare-streams" -v "$@" "$old" "$new" "${trees[@]}" < "$tmp/json" > "$tmp/out"
	local status=$?
	# the first differences say which kind they are
	grep -E '^(missing|wrong): ' "$tmp/out" | head -n 8 | cut -c1-1000 | sed "s/^/streams.sh: $name: /"
	grep -vE '^(missing|wrong): ' "$tmp/out" | sed "s/^/streams.sh: $name: /"
	[ $status = 0 ] || failed=$((failed + 1))
}

trace before before/div -e cycles:97
trace after after/div -e cycles:97
trace relinked before/relinked -e cycles:89
trace old-events before/div -e cycles:97 -e branches:31
trace new-events after/div -e branches:29 -e cycles:97
trace old-kernel before/div -e cycles:97 --kernel-entries
trace new-kernel after/div -e cycles:97 --kernel-entries
trace old-moves before/moves -e cycles:97
trace new-moves after/moves -e cycles:97
trace renamed-moves renamed/moves -e cycles:97
rounds=60 trace old-calls before/calls -e cycles:23
rounds=60 trace new-calls after/calls -e cycles:23
rounds=300 trace old-macro before/macro -e cycles:97
rounds=300 trace new-macro after/macro -e cycles:97
rounds=40 trace old-names names -e cycles:97
rounds=30 trace new-names again/names -e cycles:89
trace old-golden before/bare -e cycles:97
trace new-golden after/bare -e cycles:97

trees=()
check lines before after --stream=0
check relinked before relinked --stream=0
check c++ old-names new-names --stream=0
trees=("$tmp/before" "$tmp/after")
with_trees=(--before "$tmp/before" --after "$tmp/after")
check sources before after --stream=0 "${with_trees[@]}"
check moves old-moves new-moves --stream=0 "${with_trees[@]}"
check calls old-calls new-calls --stream=0 "${with_trees[@]}"
check macro old-macro new-macro --stream=0 "${with_trees[@]}"
trees=("$tmp/before" "$tmp/renamed")
check renamed old-moves renamed-moves --stream=0 --before "$tmp/before" --after "$tmp/renamed" -- \
	--renamed moves.c=steps.c
trees=("$tmp/before" "$tmp/after")
check events old-events new-events --stream=0 "${with_trees[@]}"
check kernel old-kernel new-kernel --stream=0 --stream-kernel hide "${with_trees[@]}" -- --hide

show_golden() {
	local binary=$1
	(cd "$tmp" && diff_streams "$binary" --before before --after after old-golden.data new-golden.data
	 echo "exit status $?"
	 diff_streams "$binary" -t ';' --stream=1 --percent-limit 4 --changed-func toss old-golden.data new-golden.data
	 echo "exit status $?") 2>&1 | sed "s|$tmp|DIR|g"
}
if [ "$update" ]; then
	show_golden "$perf" > "$golden"
else
	for binary in "$perf" "${PERF_ASAN-}"; do
		[ -x "$binary" ] || continue
		show_golden "$binary" > "$tmp/now"
		diff -u --label golden/stream.txt --label "${binary##*/}" "$golden" "$tmp/now" && continue
		echo "streams.sh: golden: differs with $binary"
		failed=$((failed + 1))
	done
fi

# Damaged files: other bytes in the records, always the same ones.
fuzz=${PERF_ASAN:-$perf}
[ -x "$fuzz" ] || fuzz=$perf
damaged=0
for seed in $(seq 40); do
	python3 - "$tmp/before.data" "$tmp/bad.data" "$seed" <<'EOF'
import random, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
rng = random.Random(int(sys.argv[3]))
start, size = struct.unpack_from("<QQ", data, 40)
kind = rng.randrange(4)
for _ in range(rng.choice((1, 8, 200))):
    at = start + rng.randrange(size - 8)
    if kind == 0:                       # any byte
        data[at] = rng.randrange(256)
    elif kind == 1:                     # a number at the edge
        struct.pack_into("<Q", data, at & ~7, rng.choice((0, 1, 2**64 - 1, 2**63, 2**32, 127, 128)))
    elif kind == 2:                     # an address
        struct.pack_into("<Q", data, at & ~7, rng.getrandbits(rng.choice((16, 47, 64))))
    else:                               # the head of the file
        data[rng.randrange(104 + 300)] = rng.randrange(256)
open(sys.argv[2], "wb").write(data)
EOF
	for side in old new; do
		files=("$tmp/bad.data" "$tmp/after.data")
		[ $side = old ] || files=("$tmp/after.data" "$tmp/bad.data")
		diff_streams "$fuzz" -f --stream=0 --stream-kernel show "${with_trees[@]}" "${files[@]}" > /dev/null 2> "$tmp/err"
		status=$?
		damaged=$((damaged + 1))
		if [ $status = 124 ] || { [ $status -gt 128 ] && [ $status -le 192 ]; } ||
		   grep -qE 'Sanitizer|runtime error' "$tmp/err"; then
			echo "streams.sh: damaged file $seed as the $side one: status $status"
			grep -E -A 8 'Sanitizer|runtime error' "$tmp/err" | head -n 20
			failed=$((failed + 1))
		fi
	done
done
echo "streams.sh: $damaged damaged files, $failed failures in all"
[ "$failed" = 0 ]
