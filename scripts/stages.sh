# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Stages of a long task: sourced, never run.
#
# A stage is a command that prints one line with its result and time, whose output goes
# to build/logs/NAME.log, and that is skipped when nothing it depends on has changed. What
# it depends on is told by content (hashes), never by file times.

# shellcheck source=lib.sh
[ -n "${top-}" ] || . "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

passed=0 failed=0 skipped=0
stages_begun=$SECONDS
mkdir -p "$build/logs" "$build/stamps"

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

# stage NAME KEY OUTPUT -- COMMAND...: run COMMAND unless the last run with this KEY passed
# and OUTPUT (a path, or - for none) is still there. Status 0 is pass, 2 is skip (the last
# line of its output is the reason), all else is fail. Returns 1 after a failure.
stage() {
	local name=$1 key=$2 output=$3 log=$build/logs/$1.log stamp=$build/stamps/$1 begun=$EPOCHREALTIME status=0 took
	shift 4
	key=$(printf '%s\n' "$key" "$*" | sha256sum)
	if [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && { [ "$output" = - ] || [ -e "$output" ]; }; then
		printf '%-32s up to date\n' "$name"
		passed=$((passed + 1))
		return 0
	fi
	rm -f "$stamp"
	[ ! -t 1 ] || printf '%-32s ...\r' "$name"
	"$@" > "$log" 2>&1 < /dev/null || status=$?
	took=$(((${EPOCHREALTIME/./} - ${begun/./}) / 100000))
	took=$((took / 10)).$((took % 10))
	case $status in
	0)
		printf '%-32s ok       %8s s\n' "$name" "$took"
		echo "$key" > "$stamp"
		passed=$((passed + 1))
		;;
	2)
		printf '%-32s skipped  %8s s  %s\n' "$name" "$took" "$(tail -n 1 "$log")"
		skipped=$((skipped + 1))
		;;
	*)
		printf '%-32s FAILED   %8s s  (log: %s)\n' "$name" "$took" "${log#"$top"/}"
		tail -n 30 "$log" | sed 's/^/    /'
		failed=$((failed + 1))
		return 1
		;;
	esac
}

# tree_stage: the kernel tree with the series applied, by whatever it takes.
tree_stage() {
	[ "$(git -C "$linux" rev-parse -q --verify HEAD 2>&1)" = "$(git -C "$linux" rev-parse -q --verify refs/queue/exported 2>&1)" ] ||
		rm -f "$build/stamps/tree"
	stage tree "$(files_id patches kernel)" "$linux" -- "$top/scripts/tree"
}

# perf_stage VARIANT PERF: one build of perf (scripts/build-perf).
perf_stage() {
	stage "perf-$1" "$(tree_id) $("$top/scripts/build-perf" --key "$1")" "$2" -- "$top/scripts/build-perf" "$1"
}

# summary: the closing line, and the status for the script to exit with.
summary() {
	printf 'total time %d s\n' $((SECONDS - stages_begun))
	printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
	[ $failed = 0 ]
}
