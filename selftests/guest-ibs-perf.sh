#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What perf does with AMD IBS, in a guest whose IBS is emulated; scripts/guest-ibs --perf runs this there.
# Samples come by themselves, of what is executed, one event a nanosecond.

emulation=/sys/kernel/debug/ibs_emulated
tmp=/tmp/ibs-perf
mkdir -p $tmp && chmod 777 $tmp && cd $tmp || exit 1
grep -q '^tester:' /etc/passwd || echo 'tester:x:1000:1000::/tmp:/bin/sh' >> /etc/passwd
echo 1000 > $emulation/rate || exit 1
number=0
failed=0

# result STATUS NAME
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		sed 's/^/# /' out | head -n 20
		failed=1
	fi
}

cat > work <<'WORK'
i=0
while [ $i -lt 12000 ]; do
	i=$((i + 1))
	[ $((i % 50)) != 0 ] || : < /dev/zero
done
WORK

# addresses: those of the samples of the file, in callchains too, each with k or u before it. A frame of a program without
# frame pointers can be any number, but a short one is none of the kernel; that of this guest is where it was linked to.
addresses() {
	perf script -f -i data -F ip 2> /dev/null |
		awk 'NF { print (length($1) == 16 && $1 ~ /^(ffffffff[89]|ffff[89a-e])/ ? "k" : "u"), $1 }'
}

# sides: what kinds of addresses there are: u or k
sides() {
	addresses | cut -c 1 | sort -u | tr -d '\n'
}

# run_as WHO PERF-ARGUMENTS: the status of that perf with $program, its messages in the file out
program="sh work"
run_as() {
	user=$1
	shift
	rm -f data
	if [ "$user" = root ]; then
		# shellcheck disable=SC2086 # a command and its argument
		perf "$@" -o data $program > out 2>&1
	else
		su tester -c "perf $* -o data $program" > out 2>&1
	fi
}

# records WHO SIDES DISCARDS PERF-ARGUMENTS: succeeds, has samples of these sides, tells (yes, no, any) of discarded ones
records() {
	who=$1 expected=$2 discards=$3
	shift 3
	run_as "$who" "$@"
	status=$?
	seen=$(sides)
	grep -q 'more samples were discarded' out && told=yes || told=no
	echo "sides: $seen, discarded samples: $told" >> out
	[ "$seen" = "$expected" ] || addresses | grep -v "^[$expected]" | sort | uniq -c | head -n 5 >> out
	[ $status = 0 ] && [ "$seen" = "$expected" ] && { [ "$discards" = any ] || [ "$discards" = "$told" ]; }
	result $? "$who: perf $*"
}

# opens WHO PRECISE-IP EXCLUDE-GUEST PERF-ARGUMENTS: succeeds, with these in the attributes of its event
opens() {
	who=$1 precise=$2 guest=$3
	shift 3
	program=true
	run_as "$who" "$@"
	status=$?
	program="sh work"
	perf evlist -f -v -i data >> out 2>&1
	found=$(sed -n 's/.* precise_ip: \([0-9]\).*/\1/p' out) without=$(grep -c ' exclude_guest: 1' out)
	[ $status = 0 ] && [ "${found:-0}" = "$precise" ] && [ "$without" = "$guest" ]
	result $? "$who: perf $* has precise_ip $precise, exclude_guest $guest"
}

# refused WHO MESSAGE PERF-ARGUMENTS
refused() {
	who=$1 message=$2
	shift 2
	run_as "$who" "$@"
	status=$?
	[ $status != 0 ] && grep -q -- "$message" out
	result $? "$who: perf $* is refused"
}

echo 100 > /proc/sys/kernel/perf_cpu_time_max_percent
records root ku no mem record
records root ku no mem record -a
records root k yes mem record -K
records root k yes mem record -a -K
records root u yes mem record -U
records root u yes mem record -a -U
records root u yes mem record --all-user
records root u yes record -e ibs_op//u
records root k yes record -e ibs_op//k
records root u yes record -a -e ibs_fetch//u
records root k yes record -a -e ibs_fetch//k
records root u yes record -a -g -e ibs_op/cnt_ctl=1/u
records root u yes c2c record -u

# Nothing that works has been switched off in search of a reason for EINVAL.
perf mem record -o data sh work > out 2>&1
perf evlist -v -i data > out 2>&1
grep -q 'WEIGHT_STRUCT.*read_format: [A-Z|]*LOST|DISCARDED' out && ! grep -q 'exclude_guest: 1' out
result $? "perf mem record keeps weights and counts of lost and discarded samples"

# exclude_idle: the idle task is process 0.
perf record -a -e ibs_op// -o data sleep 0.3 > out 2>&1
with=$(perf script -i data -F pid 2> /dev/null | grep -c '^ *0 *$')
perf record -a -e ibs_op//I -o data sleep 0.3 > out 2>&1
without=$(perf script -i data -F pid 2> /dev/null | grep -c '^ *0 *$')
echo "$with samples of the idle task, $without of an event that excludes it" >> out
[ "$with" -gt 0 ] && [ "$without" = 0 ]
result $? "perf record -a -e ibs_op//I"

refused root 'does not tell guests from the host' record -e ibs_op//G
refused root 'does not tell guests from the host' record -a -e ibs_op//Hu

# A group has at most one event of each counter.
refused root 'AMD IBS has one counter' record -e '{ibs_op//,ibs_op/cnt_ctl=1/}'
refused root 'AMD IBS has one counter' record -e '{ibs_op//,cycles:p}'
refused tester 'AMD IBS has one counter' record -e '{ibs_op//u,ibs_op/cnt_ctl=1/u}'
records root ku no record -e '{ibs_op//,ibs_op/cnt_ctl=1/}:W'
records root ku no record -e '{ibs_op//,ibs_fetch//}'

# Precise events of the core are passed on to ibs_op. Counters of the emulated core never interrupt, so all samples that
# there are come from there.
records root ku no record -e cycles:p
records root u yes record -e cycles:pu
records root k yes record -e cycles:ppk
records root u yes record -a -e cycles:ppu
records root k yes record -a -e cycles:pk
records root u yes record -e r076:pu
records root k yes record -a -e r076:ppk
records root ku no record -a -e r0C1:pp
records root u yes record -e r0C1:pu
records root u yes record -e cpu/event=0x76/ppu
records root u yes record -g --all-user -e cycles:pp
records root u yes record -e '{cycles:pu,instructions:u}:S'
refused root 'does not tell guests from the host' record -e cycles:pG
refused root 'does not tell guests from the host' record -a -e cycles:ppHu
refused root 'not supported' record -e instructions:p

# One precise event does not cost the session what it can do.
perf record -vv -e cycles:pu -o data sh work > out 2>&1
! grep -E 'switching off|decreasing' out > list
status=$?
perf evlist -v -i data >> list 2>&1
cp list out
[ $status = 0 ] && grep -q 'read_format: [A-Z|]*LOST|DISCARDED' out && ! grep -q 'exclude_guest: 1' out
result $? "perf record -e cycles:pu keeps counts of lost and discarded samples"

# What perf takes by itself: of a task the counters of the core, as many as there are; for all CPUs IBS.
records root '' no record
opens root 0 1 record
opens root 0 1 record --all-user
opens root 0 1 record -e cycles:P
opens root 2 0 record -a
opens root 2 0 record -a -e cycles:P
opens root 2 0 record -e cycles:pp
records root k yes record -a --all-kernel
# What IBS does not count is left to the core, without guests as all its events.
opens root 0 1 record -e instructions:P
opens root 0 1 record -a -e instructions:P
opens root 0 0 record -a -e instructions:PGH

# Nobody gets empty branch stacks: this core has no branch records, which samples of IBS could have.
refused root "doesn't support branch stack sampling" record -b
refused root "doesn't support branch stack sampling" record -a -b
refused tester "doesn't support branch stack sampling" record -b
refused root "have stacks of the user's branches only" record -b -e cycles:pp
refused root 'where the processor keeps branch records' record -j any,u -e ibs_op//
refused root "doesn't support branch stack sampling" record --call-graph lbr -a

# -t
perf mem record -t load -o data sh work > out 2>&1
grep -q "samples loads and stores alike: use 'perf mem report -t load'" out
result $? "perf mem record -t load says what it does"
for type in load store; do
	other=store
	[ $type = load ] || other=load
	perf mem report -f -i data -t $type -D 2> /dev/null | grep -v '^#' > list
	perf script -f -i data -F data_src 2> /dev/null | grep -ci "|OP $type|" > wanted
	perf script -f -i data -F data_src 2> /dev/null | grep -ci "|OP $other|" > others
	echo "$(wc -l < list) lines, $(cat wanted) samples of ${type}s, $(cat others) of ${other}s" > out
	[ "$(wc -l < list)" = "$(cat wanted)" ] && [ "$(cat wanted)" -gt 0 ] && [ "$(cat others)" -gt 0 ]
	result $? "perf mem report -t $type"
done

echo 2 > /proc/sys/kernel/perf_event_paranoid
records tester u any mem record
records tester u any mem record -U
records tester u any record -e ibs_op//u
records tester u any record -e ibs_fetch//u
records tester u any record -g -e ibs_op//
refused tester 'Access to performance monitoring' mem record -a
refused tester 'Access to performance monitoring' mem record -K
refused tester 'Access to performance monitoring' record -e ibs_op//k
opens tester 0 1 record
refused tester "doesn't support branch stack sampling" record -j any,u
records tester u any record -e cycles:ppu
records tester u any record -e r0C1:pu
records tester u any record -g -e cycles:pp
refused tester 'Access to performance monitoring' record -a -e cycles:pu
refused tester 'Access to performance monitoring' record -e cycles:pk
rm -f data
su tester -c "perf mem record -o data sh work" > out 2>&1
perf script -f -i data -F addr 2> /dev/null | grep -c '^ *f' > kernel
echo "$(cat kernel) data addresses of the kernel" >> out
[ "$(cat kernel)" = 0 ]
result $? "tester: no data address of the kernel"

echo 0 > $emulation/rate
echo "1..$number"
exit $failed
