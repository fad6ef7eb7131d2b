#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What people type on AMD, in a guest with core counters, branch records and IBS; scripts/guest-amd runs this there, with /rows.
# Prints one line a row: its number, and what came of it.

emulation=/sys/kernel/debug
tmp=/tmp/amd
mkdir -p $tmp && chmod 777 $tmp && cd $tmp || exit 1
grep -q '^tester:' /etc/passwd || echo 'tester:x:1000:1000::/tmp:/bin/sh' >> /etc/passwd
# The emulated registers cost more than real ones: no event is to be held for that.
echo 1000 > /proc/sys/kernel/perf_event_max_sample_rate
echo 100 > /proc/sys/kernel/perf_cpu_time_max_percent
echo 2 > /proc/sys/kernel/perf_event_paranoid

# No symbol is asked for, so none need be read.
head -n 3 /proc/kallsyms > kallsyms

cat > work <<'WORK'
i=0
while [ $i -lt 3000 ]; do
	i=$((i + 1))
	[ $((i % 10)) != 0 ] || read -r line < /proc/stat
done
WORK
# Somebody else, now and then, who is in no recording of a task.
sh -c "printf other > /proc/\$\$/comm; while :; do
	i=0; while [ \$i -lt 200 ]; do i=\$((i + 1)); done
	usleep 20000
done" &
other=$!

# counters ON: the timers of the emulation are on only while something is recorded, for they cost time.
counters() {
	echo $(($1 * 1000)) > $emulation/ibs_emulated/rate && echo "$1" > $emulation/pmc_emulated/run
}

# typed WHO COMMAND: run it.
typed() {
	if [ "$1" = root ]; then
		sh -c "$2"
	else
		su tester -c "$2"
	fi
}

# samples FILE WHAT: what is in a recording, in words
samples() {
	fields=comm,event,ip
	case $2 in *\ -b*|*\ -j*) fields=$fields,brstack ;; esac
	perf script -f -i "$1" --kallsyms ../kallsyms -F $fields 2> /dev/null > samples
	# With a callchain the addresses are on lines of their own.
	awk -v typed="$2" '
		function level(address) { return length(address) >= 16 && address ~ /^(0x)?ffff/ ? "k" : "u" }
		function both(set) { return ("u" in set ? "u" : "") ("k" in set ? "k" : "") }
		/:/ {
			samples++
			if ($1 == "other")
				others++
			for (i = 1; i < NF && $i !~ /:$/; i++)
				;
			# A task has samples in the kernel before it has its first branch in a program.
			ran = level($(i + 1)) == "u"
			ran_samples += ran
			stack = 0
		}
		{
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^[0-9a-f]+$/ && length($i) >= 6)
					ips[level($i)]
				if ($i ~ /^0x.*\/.*\//) {
					split($i, entry, "/")
					ends[level(entry[1])]
					ends[level(entry[2])]
					if ($i ~ /\/(COND|CALL|RET|UNCOND)/)
						types = 1
					if (!stack++) {
						stacks++
						ran_stacks += ran
					}
				}
				if ($i ~ /:$/)
					seen[$i]
			}
		}
		END {
			printf "samples of %s", samples ? both(ips) : "nobody"
			if (typed ~ / -[bj]/ && samples) {
				if (!ran_samples)
					printf ", nothing of a program"
				if (ran_stacks * 10 < ran_samples * 9)
					printf ", stacks are empty (%d of %d)", ran_samples - ran_stacks, ran_samples
				if (stacks)
					printf ", branches of %s", both(ends)
				if (types)
					printf " with types"
			}
			if (typed ~ / -a/ ? !others : others)
				printf ", %s of others", others ? "some" : "none"
			for (event in seen)
				events++
			print events + 0 > "count"
		}' samples
	# Each event of several has some.
	perf evlist -f -i "$1" 2> /dev/null | grep -v '^#\|^dummy' | sort -u > events
	[ "$(wc -l < events)" -le "$(cat count)" ] || printf ', not of all events'
}

# said FILE: the reason: behind "Error:", where that is
said() {
	sed -n '/^Error:/,$p' "$1" > reason
	[ -s reason ] || cp "$1" reason
	grep -vE '^(Error:|[Ww]arning:|WARNING|Lowering|Please consider|couldn|Cannot)|^ *$|woken up|Woken up|Captured' reason | head -n 1 | cut -c 1-100
}

# result STATUS FILE WHAT: of a recording: refused, or what is in it
result() {
	if [ "$1" = 0 ]; then
		samples "$2" "$3"
	else
		printf 'refused: %s' "$(said out)"
	fi
}

number=0
while IFS='|' read -r who what _; do
	case $who in ''|\#*) continue ;; esac
	who=${who# } what=${what# }
	rm -rf run && mkdir run && chmod 777 run && cd run && cp ../work . || exit 1
	number=$((number + 1))
	printf '%s|' $number
	counters 1 || exit 1
	case $what in
	'two '*)
		# Two sessions beside each other, of one command or of two: both get some.
		what=${what#two }
		typed "$who" "perf ${what%% beside *} -o first sh work" > first.out 2>&1 &
		what=${what#* beside }
		typed "$who" "perf $what -o data sh work" > out 2>&1
		status=$?
		wait $!
		other_status=$?
		counters 0
		result $status data " $what"
		[ $other_status = 0 ] || [ $status != 0 ] || printf ', the other one is refused'
		if [ $status = 0 ] && [ $other_status = 0 ]; then
			first=$(perf script -f -i first --kallsyms ../kallsyms -F event 2> /dev/null | wc -l) second=$(wc -l < samples)
			[ $((first * 5)) -ge "$second" ] && [ $((second * 5)) -ge "$first" ] || printf ', one has %s, the other %s' "$first" "$second"
		fi
		;;
	'top'*)
		sleep 3 | timeout -s INT 2 su "$([ "$who" = root ] && echo root || echo tester)" -c "perf $what --stdio -d 1" > out 2>&1
		counters 0
		if grep -q '%' out; then
			found=$(grep '%' out | grep -o '\[[k.]\]' | sort -u | tr -d '[].\n')
			printf 'samples of %s' "$(grep -q '%.*\[\.\]' out && printf u)$found"
		else
			printf 'refused: %s' "$(said out)"
		fi
		;;
	'stat '*)
		# Counters beside a recording: both work.
		typed "$who" "perf ${what%% beside *} -o counts sh work" > stat.out 2>&1 &
		typed "$who" "perf ${what#* beside } -o data sh work" > out 2>&1
		status=$?
		wait $!
		counters 0
		result $status data "$what"
		grep -qE '^ +[1-9][0-9,.]* ' counts && printf ', counted' || printf ', not counted'
		;;
	*)
		typed "$who" "perf $what -o data sh work" > out 2>&1
		status=$?
		counters 0
		result $status data " ${what#* }"
		;;
	esac
	echo
	[ -z "$SHOW" ] || sed 's/^/# /' out
	cd ..
done < /rows
kill $other
