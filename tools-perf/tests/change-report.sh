#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The change report sees each kind of difference between the answers of two builds of perf.
#
# usage: [PERF=FILE] tools-perf/tests/change-report.sh
#
# A program is scanned by perf and by scripts that change known lines of what perf says: one
# answer is taken away, one made up, one moved, one told with another reason, one less sure, one access left
# out. Exit status: 0 all of it is seen and counted, 1 it is not, 2 it cannot be run.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
need gcc python3
perf=${PERF:-${tools%/*}/build/perf/perf}
[ -x "$perf" ] || skip "there is no $perf: make perf"
report=$tools/change-report/change-report
status=0

# expect STATUS COUNTS FROM TO: the exit status and the last line of a report.
expect() {
	local have=0 last
	"$report" "$3" "$4" "$tmp/prog" > "$tmp/report" 2>&1 || have=$?
	last=$(tail -n 1 "$tmp/report")
	[ "$have/$last" = "$1/$2" ] && return
	echo "FAIL: ${4##*/} for ${3##*/}: expected status $1, $2; found status $have, $last"
	cat "$tmp/report"
	status=1
}

cat > "$tmp/prog.c" <<'EOF_C'
struct box { long id, count; struct box *next; };

long first(struct box *box) { return box->id; }
long second(struct box *box) { return box->count; }
struct box *third(struct box *box) { return box->next; }
long fourth(unsigned long number) { return *(long *)(number + 8); }
int main(int argc, char **argv) { return argc > 5; }
EOF_C
gcc -O1 -g -fcf-protection=none -nostdlib -Wl,-e,main -o "$tmp/prog" "$tmp/prog.c"
"$perf" annotate --type-scan "$tmp/prog" --json > "$tmp/scan"
known=$(grep -c '"type": "[^(]' "$tmp/scan")
[ "$known" = 3 ] || { echo "FAIL: three fields are accessed, perf knows $known"; exit 1; }

# fake NAME SCRIPT: a perf whose answers a sed script has changed.
fake() {
	sed -E "$2" "$tmp/scan" > "$tmp/$1.scan"
	cmp -s "$tmp/scan" "$tmp/$1.scan" && { echo "FAIL: $1 changes nothing"; status=1; }
	printf '#!/bin/sh\nexec cat "%s"\n' "$tmp/$1.scan" > "$tmp/$1"
	chmod +x "$tmp/$1"
}
field='/"function": "first"/s/"type": "struct box"'
fake lost "$field/\"type\": \"(unknown)\"/"
fake moved '/"function": "second"/s/"offset": 8/"offset": 16/'
fake renamed '/"function": "second"/s/"field": "count"/"field": "count[0]"/'
fake wider '/"field": "next"/s/"width": 8/"width": 4/'
fake reason '/"field": "next"/s/"reason": "[^"]*"/"reason": "guessed"/'
fake unsure '/"field": "next"/s/"evidence": "certain"/"evidence": "inferred"/'
fake silent 's/, "evidence": "[^"]*"//'
fake fewer '/"function": "third"/{/stack operation/!d}'
fake all "$field/\"type\": \"(unknown)\"/; /\"function\": \"second\"/s/\"offset\": 8/\"offset\": 16/
	  /\"function\": \"fourth\"/s/\"type\": \"\(unknown\)\"/\"type\": \"long int\", \"offset\": 0/"

expect 0 "3 known / 0 gained / 0 lost / 0 changed / 0 other" "$perf" "$perf"
expect 1 "2 known / 0 gained / 1 lost / 0 changed / 0 other" "$perf" "$tmp/lost"
expect 1 "3 known / 1 gained / 0 lost / 0 changed / 0 other" "$tmp/lost" "$perf"
expect 1 "3 known / 0 gained / 0 lost / 1 changed / 0 other" "$perf" "$tmp/moved"
expect 1 "3 known / 0 gained / 0 lost / 1 changed / 0 other" "$perf" "$tmp/wider"
expect 1 "3 known / 0 gained / 0 lost / 0 changed / 1 other" "$perf" "$tmp/reason"
expect 1 "3 known / 0 gained / 0 lost / 0 changed / 1 other" "$perf" "$tmp/unsure"
expect 0 "3 known / 0 gained / 0 lost / 0 changed / 0 other" "$tmp/silent" "$perf"
expect 1 "2 known / 0 gained / 1 lost / 0 changed / 0 other" "$perf" "$tmp/fewer"
expect 1 "3 known / 1 gained / 0 lost / 0 changed / 0 other" "$tmp/fewer" "$perf"
expect 1 "3 known / 1 gained / 1 lost / 1 changed / 0 other" "$perf" "$tmp/all"
grep -q 'lost .* first: r8 struct box +0x0 id .* -> r8 (unknown)' "$tmp/report" ||
	{ echo "FAIL: no sample of what was lost"; cat "$tmp/report"; status=1; }
expect 1 "3 known / 0 gained / 0 lost / 1 changed / 0 other" "$perf" "$tmp/renamed"

# What cannot be told is no "equal".
printf '#!/bin/sh\necho broken >&2\nexit 3\n' > "$tmp/broken"
chmod +x "$tmp/broken"
for to in "$tmp/broken" "$tmp/none"; do
	have=0
	"$report" "$perf" "$to" "$tmp/prog" > "$tmp/report" 2>&1 || have=$?
	[ "$have" = 2 ] || { echo "FAIL: status $have with ${to##*/}"; cat "$tmp/report"; status=1; }
done
exit "$status"
