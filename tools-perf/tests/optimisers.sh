#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Give what perf data convert exports of branch stacks to the tools that read it.
#
# usage: [PERF=FILE] tools-perf/tests/optimisers.sh
#
# A program whose usual paths are marked as the unusual ones is recorded by branchgen, which also counts what ran: the ranges
# that are exported are those. perf2bolt makes the same profile of
# perf data convert --to-bolt as of the recording itself; what llvm-bolt makes of the program by it prints the same and takes
# fewer branches, as the tracer counts them. Of recordings with signals and with lost branches the exported ranges are all
# ranges of the code for perf2bolt, those of the recording are not. llvm-profgen makes the same profile of --to-profgen as of
# perf script, and AutoFDO's create_gcov reads --to-autofdo. Of each of these tools all versions are tried that are in PATH or in
# TOOLS (directories, by colons); what is not there is named.
# Exit status: 0 all the same, 1 not, 2 it cannot be run here and why.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
branchgen=$tools/branchgen
need_x86
need gcc objdump python3
need_perf
export PERF_CONFIG=/dev/null LC_ALL=C
# perf2bolt and the rest of this call perf, too
mkdir "$tmp/bin" && ln -s "$(readlink -f "$perf")" "$tmp/bin/perf" || exit 1
PATH=$tmp/bin:$PATH

# versions NAME: the files of a tool, of any version, one a line
versions() {
	local directory file
	# shellcheck disable=SC2086 # several directories
	for directory in $(tr : ' ' <<< "${TOOLS-}:$PATH") /usr/lib/llvm-*/bin; do
		for file in "$directory/$1" "$directory/$1"-[0-9]*; do
			[ ! -x "$file" ] || readlink -f "$file"
		done
	done | sort -u
}
# perf2bolt is a name of llvm-bolt: what is behind the link does not do
perf2bolts=$(versions llvm-bolt | sed 's|[^/]*$|perf2bolt|')
profgens=$(versions llvm-profgen)
gcovs=$(versions create_gcov)
tried=0

cat > "$tmp/prog.c" <<'EOF_C'
#include <stdio.h>
#include <stdlib.h>

#define never(x)	__builtin_expect(!!(x), 0)

static unsigned int state = 1;

static unsigned int next(void)
{
	state = state * 1103515245 + 12345;
	return state >> 16 & 0x7fff;
}

__attribute__((noinline)) int rare(int n)
{
	printf("rare %d\n", n);
	return n / 3;
}

__attribute__((noinline)) int step(int n)
{
	if (never(n & 3))
		n = n * 3 + 1;
	else
		n = rare(n);
	if (never(n > 7))
		return n >> 1;
	return rare(n);
}

__attribute__((noinline)) int choose(int n)
{
	switch (n % 11) {
	case 0: return n + 1;
	case 1: return n * 3;
	case 2: return n - 7;
	case 3: return n ^ 5;
	case 4: return n | 9;
	case 5: return n / 3;
	default: return step(n | 1);
	}
}

static int compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10, numbers[16], i, j;
	unsigned int sum = 0;

	for (i = 0; i < rounds; i++) {
		for (j = 0; j < 16; j++)
			numbers[j] = choose(next());
		qsort(numbers, 16, sizeof(numbers[0]), compare);
		for (j = 0; j < 16; j++) {
			if (never(numbers[j] >= 0))
				sum += numbers[j];
			else
				sum ^= rare(j);
		}
	}
	printf("%u\n", sum);
	return 0;
}
EOF_C
flags=(-gdwarf-4 -O2 -fno-reorder-blocks-and-partition "-Wl,--emit-relocs")
gcc "${flags[@]}" -fPIE -pie -o "$tmp/pie" "$tmp/prog.c" || exit 1
gcc "${flags[@]}" -fno-pie -no-pie -o "$tmp/fixed" "$tmp/prog.c" || exit 1
gcc "${flags[@]}" -fPIE -pie -fno-toplevel-reorder -o "$tmp/signals" "$branchgen/programs/signals.c" || exit 1

# record NAME PROGRAM ARGUMENT... -- OPTION...: into NAME.data
record() {
	local name=$1 program=$2 arguments=()
	shift 2
	while [ "$1" != -- ]; do
		arguments+=("$1")
		shift
	done
	shift
	"$branchgen/branchgen" -o "$tmp/$name.data" --oracle "$tmp/$name.json" "$@" -- "$tmp/$program" "${arguments[@]}" ||
		{ fail "$name: not recorded"; return 1; }
}

# export_as FORMAT NAME PROGRAM: NAME.FORMAT from NAME.data
export_as() {
	rm -f "$tmp/$2.$1"
	"$perf" data convert -i "$tmp/$2.data" --to-"$1" "$tmp/$2.$1" --dso "$tmp/$3" 2> "$tmp/err" ||
		fail "$2: perf data convert --to-$1: $(head -n 3 "$tmp/err")"
}

record pie pie 40 -- -e branches:97
record fixed fixed 40 -- -e branches:97
record signals signals 200 -- --signals -e cycles:50
record lost pie 40 -- --lose 12 -e branches:97

record kernel pie 40 -- --kernel-entries -e cycles:200

# What ran, by who made it run: the ranges of --to-bolt, those by a branch of the same function or not together
for recording in pie:pie fixed:fixed signals:signals lost:pie kernel:pie; do
	program=${recording#*:} recording=${recording%:*}
	export_as bolt "$recording" "$program"
	python3 - "$tmp/$recording.json" "$tmp/$program" "$tmp/$recording.bolt" > "$tmp/text" <<'EOF_PY' ||
import collections, json, sys
events = json.load(open(sys.argv[1]))["events"]
ran, exported = collections.Counter(), collections.Counter()
for event in events:
    for first, last, count, *_ in event["dsos"][sys.argv[2]]["blocks"]:
        ran[first, last] += count
for line in open(sys.argv[3]):
    kind, start, end, count, *_ = line.split()
    if kind != "B":
        exported[int(start, 16), int(end, 16)] += int(count)
for start, end in sorted(ran.keys() | exported.keys()):
    if ran[start, end] != exported[start, end]:
        print(f"{start:x}-{end:x}: {ran[start, end]} ran, {exported[start, end]} were exported")
print(f"{len(ran)} ranges, {sum(ran.values())} passes, all the same" if ran == exported else "not the same")
sys.exit(ran != exported)
EOF_PY
		fail "$recording: other ranges are exported than what ran"
	sed "s/^/$recording: /" "$tmp/text"
done

# version FILE: the name and number of a tool
version() {
	echo "${1##*/}" "$("$1" --version 2> /dev/null | grep -om 1 '[0-9][0-9.]*')"
}

# mismatching: ranges that perf2bolt could not follow in the code, as it says
mismatching() {
	sed -n 's/^PERF2BOLT: traces mismatching disassembled function contents: \([0-9]*\).*/\1/p' "$tmp/err"
}

# without_stubs PROGRAM: lines of --to-bolt without the ranges of the procedure linkage table: only of a
# recording perf2bolt knows that they are of no function, else it counts them as mismatching
without_stubs() {
	python3 -c '
import re, subprocess, sys
stubs = []
for line in subprocess.run(["readelf", "-SW", sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines():
    found = re.search(r" \.plt\S* +PROGBITS +(\S+) \S+ (\S+)", line)
    if found:
        stubs.append((int(found[1], 16), int(found[1], 16) + int(found[2], 16)))
for line in sys.stdin:
    kind, start, *_ = line.split()
    if kind == "B" or not any(first <= int(start, 16) < end for first, end in stubs):
        print(line, end="")' "$1"
}

# branches PROGRAM ARGUMENT...: taken branches of its own code
branches() {
	local program=$1
	shift
	"$branchgen/branchgen" -o "$tmp/count.data" -e branches:2 -N 2 -- "$tmp/$program" "$@" || return 1
	"$perf" script -i "$tmp/count.data" --show-mmap-events -F ip,brstack 2> /dev/null |
		python3 -c '
import re, sys
maps, taken = [], 0
for line in sys.stdin:
    found = re.search(r"MMAP2 .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\).*/(\S+)$", line)
    if found:
        if found[3] == sys.argv[1]:
            maps.append((int(found[1], 16), int(found[1], 16) + int(found[2], 16)))
        continue
    for source in re.findall(r"(0x[0-9a-f]+)/0x[0-9a-f]+/", line):
        taken += any(start <= int(source, 16) < end for start, end in maps)
print(taken)' "$program"
}

while read -r perf2bolt; do
	[ "$perf2bolt" ] || { echo "not tried: no llvm-bolt"; continue; }
	name="perf2bolt$(version "${perf2bolt%/*}/llvm-bolt" | sed 's/.* / /')"
	for program in pie fixed; do
		export_as bolt $program $program
		"$perf2bolt" -p "$tmp/$program.data" -o "$tmp/direct" "$tmp/$program" > "$tmp/err" 2>&1 ||
			fail "$name: $program.data: $(tail -n 3 "$tmp/err")"
		"$perf2bolt" -pa -p "$tmp/$program.bolt" -o "$tmp/$program.fdata" "$tmp/$program" > "$tmp/err" 2>&1 ||
			fail "$name: $program.bolt: $(tail -n 3 "$tmp/err")"
		sort "$tmp/direct" > "$tmp/direct.sorted"
		sort "$tmp/$program.fdata" > "$tmp/exported.sorted"
		[ "$(wc -l < "$tmp/direct.sorted")" -gt 15 ] || fail "$name: nearly nothing in the profile of $program"
		if diff "$tmp/direct.sorted" "$tmp/exported.sorted"; then
			echo "$name: $program: $(wc -l < "$tmp/direct.sorted") lines of profile, all the same"
		else
			fail "$name: $program: the profile of the recording (<) and of the export (>) differ"
		fi

		"${perf2bolt%/*}/llvm-bolt" "$tmp/$program" -o "$tmp/$program.bolted" -data "$tmp/$program.fdata" \
			-reorder-blocks=ext-tsp -reorder-functions=hfsort > "$tmp/err" 2>&1 ||
			{ fail "llvm-bolt: $(tail -n 3 "$tmp/err")"; continue; }
		[ "$("$tmp/$program" 30)" = "$("$tmp/$program.bolted" 30)" ] || fail "$name: $program does something else"
		before=$(branches $program 30) after=$(branches $program.bolted 30)
		echo "$name: $program: $before taken branches of the program before, $after after llvm-bolt"
		{ [ "${after:-0}" -gt 0 ] && [ "$after" -lt "$before" ]; } || fail "$name: $program: they are not fewer"
	done
	for recording in signals:signals lost:pie; do
		program=${recording#*:} recording=${recording%:*}
		export_as bolt "$recording" "$program"
		grep -o "its code can have run.*" "$tmp/err" | sed "s/^/$recording: /; s/ ]$//"
		"$perf2bolt" -p "$tmp/$recording.data" -o "$tmp/direct" "$tmp/$program" > "$tmp/err" 2>&1
		direct=$(mismatching)
		without_stubs "$tmp/$program" < "$tmp/$recording.bolt" > "$tmp/functions"
		"$perf2bolt" -pa -p "$tmp/functions" -o "$tmp/exported" "$tmp/$program" > "$tmp/err" 2>&1
		exported=$(mismatching)
		echo "$name: $recording: $direct ranges of the recording do not go through the code, $exported of the export"
		{ [ "${direct:-0}" -gt 0 ] && [ "$exported" = 0 ]; } ||
			fail "$name: $recording: ranges are exported that do not go through the code"
	done
	tried=$((tried + 1))
done <<< "$perf2bolts"

"$perf" script -i "$tmp/pie.data" --show-mmap-events -F ip,brstack > "$tmp/script" 2> /dev/null
export_as profgen pie pie
while read -r profgen; do
	[ "$profgen" ] || { echo "not tried: no llvm-profgen"; continue; }
	name=$(version "$profgen")
	"$profgen" --unsymbolized-profile="$tmp/pie.profgen" --binary="$tmp/pie" --format=text \
		--output="$tmp/exported" > "$tmp/err" 2>&1 || fail "$name: $(tail -n 3 "$tmp/err")"
	"$profgen" --perfscript="$tmp/script" --binary="$tmp/pie" --format=text \
		--output="$tmp/direct" > "$tmp/err" 2>&1 || fail "$name: $(tail -n 3 "$tmp/err")"
	tried=$((tried + 1))
	case $name in
	*\ 1[4-6].*)
		# They count no calls from elsewhere, and what follows a return from there
		grep -q "^main:" "$tmp/exported" || fail "$name: no main in the profile"
		echo "$name: read, $(wc -l < "$tmp/exported") lines"
		continue ;;
	esac
	if diff "$tmp/direct" "$tmp/exported"; then
		echo "$name: $(wc -l < "$tmp/exported") lines of profile, all the same"
	else
		fail "$name: the profile of perf script (<) and of the export (>) differ"
	fi
done <<< "$profgens"

# Of AutoFDO what it counts at lines is known: how often the program does it
while read -r gcov; do
	[ "$gcov" ] || { echo "not tried: no create_gcov"; continue; }
	for program in pie fixed; do
		export_as autofdo $program $program
		"$gcov" --binary="$tmp/$program" --profiler=text --profile="$tmp/$program.autofdo" --gcov="$tmp/gcov" \
			> "$tmp/err" 2>&1 || fail "create_gcov: $(tail -n 3 "$tmp/err")"
		"${gcov%/*}/dump_gcov" "$tmp/gcov" > "$tmp/text" 2> /dev/null
		for function in main choose step compare; do
			grep -q "^$function total:[1-9]" "$tmp/text" || fail "create_gcov: $program: nothing of $function"
		done
		echo "create_gcov: $program: $(grep -c . "$tmp/text") lines of profile"
	done
	tried=$((tried + 1))
done <<< "$gcovs"

echo "$tried tools tried"
[ $failed = 0 ] || exit 1
[ $tried -gt 0 ] || skip "no llvm-bolt, llvm-profgen or create_gcov: apt-get install bolt-16 llvm autofdo"
