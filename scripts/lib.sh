# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Shared by the bash scripts of this directory: sourced, never run.

set -euo pipefail
umask 022
prog=${0##*/}
# The checkout this script belongs to, and the kernel tree in it.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-$top/build}
linux=${LINUX:-$build/linux}
# Downloads are kept here between checkouts, each named by its hash or version.
# shellcheck disable=SC2034 # used by the scripts that source this file
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/perf-types

# The user's git settings (line endings, ignore files, diff and mail options,
# hooks) must not reach the import, the export or the commit ids.
export LC_ALL=C TZ=UTC
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1
export GIT_DEFAULT_HASH=sha1 GIT_TERMINAL_PROMPT=0
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES \
      GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_EXTERNAL_DIFF GIT_DIFF_OPTS \
      GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE \
      GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE CDPATH

# The checkout may belong to somebody else (a volume of a container): git would refuse to read it, at each place in words of its own.
export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$top GIT_CONFIG_KEY_1=safe.directory \
	GIT_CONFIG_VALUE_1=$linux GIT_CONFIG_KEY_2=safe.directory GIT_CONFIG_VALUE_2=$linux/.git

# A python3 that is a script chooses among versions, and takes ten times as long to start as the one that it chooses. Tests
# start python thousands of times: take the distribution's, where there is one.
wrapper=$(command -v python3 || true)
if [ -n "$wrapper" ] && [ -x /usr/bin/python3 ] && [ "$(head -c 2 "$wrapper" | tr -d '\0')" = '#!' ]; then
	PATH=:$PATH:
	PATH=${PATH//:"${wrapper%/*}":/:}
	PATH=${PATH#:} PATH=${PATH%:}
fi
unset wrapper

# die MESSAGE...: one line that says what is wrong and what to do, then stop.
die() { printf '%s: %s\n' "$prog" "$*" >&2; exit 1; }

# note MESSAGE...: progress, kept apart from what the script prints as its result.
note() { printf '%s: %s\n' "$prog" "$*" >&2; }

# help_if_asked ARGS...: print the script's header comment for --help.
help_if_asked() {
	case ${1-} in
	-h|--help) sed -n '3,/^$/{/^$/q;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
	esac
}

# need COMMAND PACKAGE: stop unless COMMAND can be run.
need() { command -v "$1" >/dev/null || die "$1 is not installed: apt-get install $2 (or make deps)"; }

# need_tree: stop unless the kernel tree is there and stands on the pinned base.
need_tree() {
	local id
	# shellcheck source=../kernel/base disable=SC1091
	. "$top/kernel/base"
	id=$(git -C "$linux" rev-parse -q --verify 'base^{commit}' 2>/dev/null) ||
		die "there is no kernel tree at $linux: run make tree"
	[ "$id" = "$BASE_COMMIT" ] ||
		die "tag base of $linux is $id, kernel/base says $BASE_COMMIT: move the tree away and run make tree"
}
