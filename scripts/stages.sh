# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Stages of a long task: sourced, never run.
#
# A stage is a command that prints one line with its result and time, whose output goes
# to build/logs/NAME.log, and that is skipped when nothing it depends on has changed. What
# it depends on is told by content (hashes), never by file times. "define" declares stages, what each needs
# first; "run_stages" runs all of them or some with what these need; "summary" says what failed and why.
# Stages of one lane run one after the other, those of different lanes beside each other.

# shellcheck source=lib.sh
[ -n "${top-}" ] || . "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stage_names=()
declare -A stage_needs stage_lane stage_key stage_output stage_limit stage_command stage_result stage_took
stages_begun=$SECONDS

# tree_id: identifies the content of the kernel tree, changes that are not committed included.
tree_id() {
	local index
	index=$(mktemp)
	cp "$linux/.git/index" "$index"
	GIT_INDEX_FILE=$index git -C "$linux" add -A 2>/dev/null
	GIT_INDEX_FILE=$index git -C "$linux" write-tree
	rm -f "$index"
}

# files_id PATH...: identifies names and content of files and of all files below directories.
files_id() {
	(cd "$top" && find "$@" -type f ! -path '*/__pycache__/*' -print0 2>/dev/null | sort -z | xargs -0r sha256sum | sha256sum)
}

# define NAME [--needs "NAME..."] [--lane LANE] [--key COMMAND] [--output PATH] [--limit SECONDS] -- COMMAND...
# A stage that runs after those it needs, and not beside another of its lane; the lane "any" is whichever of the others is free. The output of the key's COMMAND (a line for the shell) identifies what the
# result depends on: with the key of the last run that passed, and PATH still there, it is up to date. Past the limit it is ended.
define() {
	local name=$1
	shift
	stage_names+=("$name")
	stage_needs[$name]='' stage_lane[$name]=main stage_key[$name]='' stage_output[$name]='' stage_limit[$name]=''
	while [ "$1" != -- ]; do
		case $1 in
		--needs) stage_needs[$name]=$2 ;;
		--lane) stage_lane[$name]=$2 ;;
		--key) stage_key[$name]=$2 ;;
		--output) stage_output[$name]=$2 ;;
		--limit) stage_limit[$name]=$2 ;;
		*) die "define $name: unknown argument $1" ;;
		esac
		shift 2
	done
	shift
	stage_command[$name]=$(printf '%q ' "$@")
}

# first_error LOG: the line in which a failure begins, as far as its words tell.
first_error() {
	grep -anE -m 1 '(^|[^[:alnum:]_-])(not ok|FAIL(ED)?|FAILED!|[Ee]rror:|ERROR|Traceback|fatal:|[Cc]annot|changed: |Killed|differs|No such file|[A-Za-z]*Sanitizer)' "$1"
}

# run_stage NAME: status 0 is pass, 2 is skip (the last line of its output is the reason), all else is fail. Runs in a
# process of its own, and leaves result and time in the stage's .result file.
run_stage() {
	local name=$1 log=$build/logs/$1.log stamp=$build/stamps/$1 limit=${stage_limit[$1]} begun=$EPOCHREALTIME status=0 need key took command
	for need in ${stage_needs[$name]}; do
		case ${stage_result[$need]} in
		FAILED|'not run')
			echo "needs $need, which $([ "${stage_result[$need]}" = FAILED ] && echo failed || echo did not run)" > "$log"
			printf '%-32s not run            %s\n' "$name" "$(< "$log")"
			echo '0 not run' > "$stamp.result"
			return ;;
		esac
	done
	key=$(eval "${stage_key[$name]:-true}"; echo "${stage_command[$name]}")
	key=$(sha256sum <<< "$key")
	if [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && { [ -z "${stage_output[$name]}" ] || [ -e "${stage_output[$name]}" ]; }; then
		printf '%-32s up to date\n' "$name"
		echo '0 up to date' > "$stamp.result"
		return
	fi
	rm -f "$stamp"
	[ ! -t 1 ] || printf '%-32s ...\r' "$name"
	eval "command=(${stage_command[$name]})"
	# A function cannot be run by timeout; those that have one are given no limit.
	[ -z "$limit" ] || command=(timeout -k 30 "$limit" "${command[@]}")
	"${command[@]}" > "$log" 2>&1 < /dev/null &
	# timeout is in a group of its own, and ends what it has begun.
	trap 'kill $! 2>/dev/null; exit 1' TERM
	wait $! || status=$?
	trap - TERM
	took=$(((${EPOCHREALTIME/./} - ${begun/./}) / 100000))
	if [ -n "$limit" ] && [ $took -ge $((limit * 10)) ]; then
		[ $status = 0 ] || echo "the time limit of $limit s is over; above is what it was doing" >> "$log"
	fi
	took=$((took / 10)).$((took % 10))
	case $status in
	0)
		printf '%-32s ok       %8s s%s\n' "$name" "$took" "$(grep -ac '^FLAKY: ' "$log" | sed 's/^0$//; s/..*/  (flaky: &)/')"
		echo "$key" > "$stamp"
		echo "$took" > "$stamp.time"
		echo "$took ok" > "$stamp.result"
		;;
	2)
		printf '%-32s skipped  %8s s  %s\n' "$name" "$took" "$(tail -n 1 "$log")"
		echo "$took skipped" > "$stamp.result"
		;;
	*)
		# In one piece, whatever another lane prints.
		printf '%s\n' "$(printf '%-32s FAILED   %8s s  (log: %s)\n' "$name" "$took" "${log#"$top"/}"
			tail -n 15 "$log" | cut -c1-200 | sed 's/^/    /')"
		echo "$took FAILED" > "$stamp.result"
		;;
	esac
}

# choose NAME: adds a stage and what it needs to the associative array "chosen".
choose() {
	local need
	[ -n "${stage_command[$1]-}" ] || die "there is no stage $1: LIST=1 lists them"
	[ -z "${chosen[$1]-}" ] || return 0
	chosen[$1]=chosen
	for need in ${stage_needs[$1]}; do choose "$need"; done
}

# run_stages [NAME...]: run these and what they need, or all: of each lane the first, in the order in which they are
# defined, that has what it needs.
run_stages() {
	local name need lane pid
	local -A chosen=() running=() busy=() lanes=() in_lane=()
	[ $# != 0 ] || set -- "${stage_names[@]}"
	for name in "$@"; do choose "$name"; done
	for lane in "${stage_lane[@]}"; do lanes[$lane]=y; done
	unset 'lanes[any]'
	[ ${#lanes[@]} != 0 ] || lanes[main]=y
	mkdir -p "$build/logs" "$build/stamps"
	trap 'for pid in "${!running[@]}"; do kill -- "-$pid" 2>/dev/null; done; wait; exit 130' INT TERM
	while :; do
		for name in "${stage_names[@]}"; do
			[ "${chosen[$name]-}" = chosen ] || continue
			lane=${stage_lane[$name]}
			[ "$lane" != any ] || for lane in "${!lanes[@]}"; do [ -n "${busy[$lane]-}" ] || break; done
			[ -z "${busy[$lane]-}" ] || continue
			for need in ${stage_needs[$name]}; do
				[ -n "${stage_result[$need]-}" ] || continue 2
			done
			unset "chosen[$name]"
			rm -f "$build/stamps/$name.result"
			# In a process group of its own, so that functions can be ended, too.
			set -m
			run_stage "$name" &
			set +m
			running[$!]=$name in_lane[$name]=$lane busy[$lane]=busy
		done
		[ ${#running[@]} != 0 ] || break
		wait -n -p pid "${!running[@]}" || true
		name=${running[$pid]}
		unset "running[$pid]" "busy[${in_lane[$name]}]"
		# A stage that was killed has left nothing.
		read -r "stage_took[$name]" "stage_result[$name]" < "$build/stamps/$name.result" 2>/dev/null ||
			stage_took[$name]=0 stage_result[$name]=FAILED
	done
	trap - INT TERM
}

# list_stages: their names, how long each took when it last passed, and what each needs.
list_stages() {
	local name
	for name in "${stage_names[@]}"; do
		printf '%-24s %8s s  %s\n' "$name" "$(cat "$build/stamps/$name.time" 2>/dev/null || echo -)" "${stage_needs[$name]:+needs ${stage_needs[$name]}}"
	done
}

# define_tree: the kernel tree with the series applied, by whatever it takes.
tree_key() {
	[ "$(git -C "$linux" rev-parse -q --verify HEAD 2>&1)" = "$(git -C "$linux" rev-parse -q --verify refs/queue/exported 2>&1)" ] ||
		rm -f "$build/stamps/tree"
	files_id patches kernel
}
define_tree() { define tree --needs deps --key tree_key --output "$linux" -- "$top/scripts/tree"; }

# define_perf VARIANT PERF: one build of perf (scripts/build-perf).
define_perf() {
	define "perf-$1" --needs tree --key "tree_id; $(printf '%q' "$top/scripts/build-perf") --key $1" --output "$2" -- "$top/scripts/build-perf" "$1"
}

# summary: what failed or was skipped and why, the times, the closing line; returns the status for the script to exit with.
summary() {
	local name log passed=0 failed=0 skipped=0 lines=15
	for name in "${!stage_result[@]}"; do
		case ${stage_result[$name]} in
		FAILED) failed=$((failed + 1)) ;;
		skipped|'not run') skipped=$((skipped + 1)) ;;
		*) passed=$((passed + 1)) ;;
		esac
	done
	# As much of each as leaves the whole within what one looks at.
	[ $failed -le 2 ] || lines=$((36 / failed > 3 ? 36 / failed : 3))
	for name in "${stage_names[@]}"; do
		log=$build/logs/$name.log
		case ${stage_result[$name]-} in
		FAILED)
			echo "FAILED: $name (make test ONLY=$name runs it alone; log: ${log#"$top"/})"
			first_error "$log" | cut -c1-200 | sed 's/^/  first error, line /' || true
			tail -n $lines "$log" | cut -c1-200 | sed 's/^/    /'
			;;
		skipped|'not run') echo "${stage_result[$name]}: $name: $(tail -n 1 "$log" | cut -c1-200)" ;;
		ok) grep -a '^FLAKY: ' "$log" | sed "s/^/$name: /" || true ;;
		esac
	done
	echo "times in seconds, longest first:"
	for name in "${!stage_took[@]}"; do
		[ "${stage_took[$name]}" = 0 ] || printf '%s %s\n' "${stage_took[$name]}" "$name"
	done | sort -rn | awk '{ printf "%10s %-22s", $1, $2; if (NR % 4 == 0) print "" } END { if (NR % 4) print "" }'
	printf 'total time %d s\n' $((SECONDS - stages_begun))
	printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
	[ $failed = 0 ]
}
