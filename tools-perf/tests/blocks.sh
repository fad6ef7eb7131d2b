#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compare what perf annotate says of branch stacks with the truth.
#
# usage: [PERF=FILE] [PERF_ASAN=FILE] [BASE_PERF=FILE] tools-perf/tests/blocks.sh [--update]
#
# branchgen records programs instruction by instruction, with the true counts beside. Of
# each recording all numbers of perf annotate --blocks --json, all rows of perf report
# --total-cycles, the instructions per cycle of all functions in perf report and of all
# instructions in perf annotate --stdio2, and all comments of perf annotate --stdio are
# compared, without any difference allowed, and likewise
# the comments of a perf without the series when there is one (build/perf-base/perf, made by
# tools-perf/bench/blocks), which is only reported. What --branch-select takes by the types of the
# code is compared with the types of the tracer. Then two outputs are compared with
# golden ones (--update writes them), and recordings with spoiled stacks are read, by
# $PERF_ASAN where it is built: no crash, no error of the sanitizers, no end without a word.
# Exit status: 0 all the same, 1 not, 2 it cannot be run here and why.

UPDATES=y
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
branchgen=$tools/branchgen golden=$tools/golden
need_x86
need gcc g++ c++filt objdump python3
need_perf
export PERF_CONFIG=/dev/null LC_ALL=C PAGER=cat
base=${BASE_PERF:-$BUILD/perf-base/perf}
printf '[annotate]\n\toffset_level = 3\n' > "$tmp/config"

"$branchgen/build-programs" "$tmp" || exit 1

# comments PERF NAME: how many comments of annotate --stdio are right
comments() {
	"$1" annotate --stdio -P -i "$tmp/$2.data" > "$tmp/$2.txt" 2> "$tmp/err" < /dev/null ||
		{ echo "status $?"; return 1; }
	"$branchgen/compare-annotate" "$tmp/$2.json" "$tmp/$2.txt"
}

# ipc NAME KIND COMMAND...: the instructions per cycle that perf COMMAND prints
ipc() {
	local name=$1 kind=$2
	shift 2
	PERF_CONFIG=$tmp/config "$perf" "$@" -i "$tmp/$name.data" > "$tmp/$name.txt" 2> "$tmp/err" < /dev/null ||
		{ fail "$name: perf $*: status $?: $(head -n 3 "$tmp/err")"; return; }
	"$branchgen/compare-ipc" "$tmp/$name.json" "$kind" "$tmp/$name.txt" > "$tmp/text" ||
		fail "$name: IPC of perf $* differs (compare-ipc -v says where)"
	sed "s/^/$name: IPC: /" "$tmp/text"
}

# trace NAME ARGUMENT...: one recording, everything in it compared
trace() {
	local name=$1 text
	shift
	"$branchgen/branchgen" -o "$tmp/$name.data" --oracle "$tmp/$name.json" "$@" ||
		{ fail "$name: not recorded"; return; }
	if "$perf" annotate --blocks --json -i "$tmp/$name.data" > "$tmp/$name.out" 2> "$tmp/err"; then
		"$branchgen/compare-blocks" "$tmp/$name.json" "$tmp/$name.out" > "$tmp/text" ||
			fail "$name: counts differ (compare-blocks -v says where)"
		sed "s/^/$name: /" "$tmp/text"
	else
		fail "$name: perf annotate --blocks --json: status $?: $(head -n 3 "$tmp/err")"
	fi
	if "$perf" report --stdio --total-cycles -i "$tmp/$name.data" > "$tmp/$name.txt" 2> "$tmp/err"; then
		"$branchgen/compare-cycles" "$tmp/$name.json" "$tmp/$name.txt" > "$tmp/text" ||
			fail "$name: rows of --total-cycles differ"
		sed "s/^/$name: /" "$tmp/text"
	elif [ "$name" != untimed ] || ! grep -q "no cycles of branches were recorded" "$tmp/err"; then
		fail "$name: perf report --total-cycles: $(head -n 3 "$tmp/err")"
	fi
	ipc "$name" report report --stdio -s dso_to,symbol_from,symbol_to -t ';'
	ipc "$name" annotate annotate --stdio2
	text=$(comments "$perf" "$name") || fail "$name: comments differ"
	echo "$name: comments: $text"
	[ ! -x "$base" ] || echo "$name: comments without the series: $(comments "$base" "$name")"
}

shapes=$tmp/shapes fixed=$tmp/shapes-fixed div=$tmp/before/div
trace pie -e cycles:50 -e branches:40 -- "$shapes" 100 -- "$div" 300
trace fixed -e cycles:50 -e instructions:70 -- "$fixed" 100
trace aslr --aslr -e branches:30 -- "$shapes" 60 -- "$shapes" 90
trace collide -e cycles:50 -- "$fixed" 80 -- "$fixed" 40
trace kernel --kernel-entries -e cycles:50 -- "$shapes" 100
trace types --kernel-entries --types -e instructions:90 -- "$shapes" 60
trace untimed --no-cycles -N 16 -e branches:20 -- "$div" 300
trace signals --signals -e cycles:50 -- "$tmp/signals" 200
trace c++ -e cycles:50 -e branches:40 -- "$tmp/names" 60
trace static -e cycles:50 -- "$tmp/static" 200
trace lost --lose 12 -e cycles:50 -- "$shapes" 60 -- "$div" 200

# Types that were not recorded come from the code: the same branches as by those of the tracer
"$branchgen/branchgen" -o "$tmp/typed.data" --types -e branches:40 -- "$shapes" 40 || exit 1
python3 - "$tmp/typed.data" "$tmp/untyped.data" <<'EOF' || exit 1
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
end = at + size
while at < end:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    if kind == 9:                       # a sample: no types in the flags of its branches
        number, = struct.unpack_from("<Q", data, at + 56)
        for flags in range(at + 80, at + 80 + 24 * number, 24):
            struct.pack_into("<Q", data, flags, struct.unpack_from("<Q", data, flags)[0] & ~(15 << 20))
    at += length
open(sys.argv[2], "wb").write(data)
EOF
for word in any_call any_ret call ind_call cond ind_jmp; do
	for name in typed untyped; do
		"$perf" script -F brstack --branch-select $word -i "$tmp/$name.data" 2> "$tmp/err" |
			tr ' ' '\n' | sed -n 's|^\(0x[0-9a-f]*/0x[0-9a-f]*\)/.*|\1|p' > "$tmp/$name"
		[ ! -s "$tmp/err" ] || fail "--branch-select $word, $name: $(head -n 3 "$tmp/err")"
	done
	[ -s "$tmp/typed" ] || fail "--branch-select $word selects nothing"
	cmp "$tmp/typed" "$tmp/untyped" || fail "--branch-select $word differs"
	echo "--branch-select $word: $(wc -l < "$tmp/untyped") branches by the code"
done

# Only the calls of it, as -j any_call records them: what lies between two of them is no block
python3 - "$tmp/typed.data" "$tmp/calls.data" <<'EOF' || exit 1
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
attrs, attrs_size, at, size = struct.unpack_from("<4Q", data, 24)
struct.pack_into("<Q", data, attrs + 72, 1 << 0 | 1 << 4 | 1 << 16)     # user, any_call, save_type
end = at + size
while at < end:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    if kind == 9:
        number, = struct.unpack_from("<Q", data, at + 56)
        entries = [data[place:place + 24] for place in range(at + 64, at + 64 + 24 * number, 24)]
        calls = [one for one in entries if struct.unpack_from("<Q", one, 16)[0] >> 20 & 15 in (4, 5)]
        struct.pack_into("<Q", data, at + 56, len(calls))
        data[at + 64:at + 64 + 24 * len(calls)] = b"".join(calls)
    at += length
open(sys.argv[2], "wb").write(data)
EOF
"$perf" annotate --blocks --json -i "$tmp/calls.data" > "$tmp/out" 2> "$tmp/err" < /dev/null ||
	fail "calls: perf annotate --blocks --json: $(head -n 3 "$tmp/err")"
python3 - "$tmp/out" <<'EOF' || fail "calls: blocks between calls"
import json, sys
event, = json.load(open(sys.argv[1]))["events"]
assert event["entries"] > 100 and event["left_out"] == {"recorded with a filter": event["entries"]}, event["left_out"]
assert not event["dsos"]
EOF
"$perf" annotate --stdio -i "$tmp/calls.data" 2> "$tmp/err" < /dev/null | grep -q "	# [-+]" &&
	fail "calls: comments of branches"
! "$perf" report --stdio --total-cycles -i "$tmp/calls.data" > "$tmp/out" 2>&1 < /dev/null ||
	fail "calls: perf report --total-cycles has rows"
"$perf" diff --stream "$tmp/calls.data" "$tmp/calls.data" 2> "$tmp/err" < /dev/null |
	grep -q "^# Branches are selected in both files: between them is no block" ||
	fail "calls: perf diff --stream has blocks"
echo "calls only: no blocks"

# The code and the cycles of a golden output are those of one compiler.
"$branchgen/branchgen" -o "$tmp/bare.data" -e cycles:50 -e branches:40 -- "$tmp/before/bare" || exit 1
compiler="gcc $(gcc -dumpfullversion)"
for name in blocks blocks-stdio; do
	case $name in
	blocks) command=(annotate --blocks -l --percent-limit 1) ;;
	blocks-stdio) command=(annotate --stdio collatz) ;;
	esac
	{
		echo "# $compiler"
		"$perf" "${command[@]}" -i "$tmp/bare.data" 2>&1 | sed -e "s|$tmp|DIR|g" -e 's/  *$//'
	} > "$tmp/now"
	if [ "$update" ]; then
		cp "$tmp/now" "$golden/$name.txt"
	elif [ "$(head -n 1 "$golden/$name.txt")" != "# $compiler" ]; then
		echo "golden $name.txt: of $(head -n 1 "$golden/$name.txt" | cut -c 3-): not compared"
	else
		diff -u --label "golden/$name.txt" --label "perf ${command[*]}" \
			"$golden/$name.txt" "$tmp/now" || fail "golden $name.txt differs"
	fi
done

# The same numbers from the sanitized perf, and no complaint about spoiled stacks
binary=$perf
[ ! -x "${PERF_ASAN-}" ] || binary=$PERF_ASAN
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1}
rounds=0
for name in pie kernel; do
	for seed in 1 2 3 4 5 6; do
		"$branchgen/fuzz-stacks" --seed $seed --share $((seed * 16)) "$tmp/$name.data" "$tmp/bad.data" ||
			fail "fuzz-stacks failed"
		for command in "--blocks" "--blocks --json" "--stdio mix" "--stdio2 mix"; do
			# shellcheck disable=SC2086 # several arguments
			timeout 120 "$binary" annotate $command -i "$tmp/bad.data" \
				> "$tmp/out" 2> "$tmp/err" < /dev/null
			status=$?
			rounds=$((rounds + 1))
			if { [ $status -ge 124 ] && [ $status -le 159 ]; } ||
			   grep -q "Sanitizer\|runtime error" "$tmp/err" ||
			   { [ $status != 0 ] && [ ! -s "$tmp/err" ]; }; then
				cp "$tmp/bad.data" "$BUILD/blocks-bad.data"
				fail "annotate $command, $name seed $seed (kept: $BUILD/blocks-bad.data):" \
				     "status $status: $(head -n 5 "$tmp/err")"
			fi
		done
	done
done
echo "spoiled stacks: $rounds runs of ${binary##*/}"
[ $failed = 0 ]
