# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What is passed on, as a package or as an archive: its version, and what it is built from. Sourced, never run.

# shellcheck source=stages.sh
[ -n "${stages_begun-}" ] || . "$(dirname "${BASH_SOURCE[0]}")/stages.sh"

# release_version: that of the base and the time of the last commit of this repository in UTC; "+dirty" where anything is not
# committed and exported. Sets version, tree (what is built) and SOURCE_DATE_EPOCH.
release_version() {
	[ -e "$linux" ] || "$top/scripts/tree"
	need_tree
	tree=$(tree_id)
	# shellcheck disable=SC2153 # need_tree reads it from kernel/base
	version=$VERSION+types.$(git -C "$top" log -1 --format=%cd --date=format-local:%Y%m%d.%H%M%S) ||
		die "the version is the time of the last commit: run this in a git clone of this repository"
	if [ -n "$(git -C "$top" status --porcelain)" ] || [ "$tree" != "$(git -C "$linux" rev-parse 'refs/queue/exported^{tree}')" ]; then
		version+=+dirty
	fi
	SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
	export SOURCE_DATE_EPOCH
}

# foreign_libraries ARCH: the folder with the libraries that packaging/debian/control builds with, for that architecture. Not Perl's, whose flags
# only a perl of that architecture tells. On standard output.
foreign_libraries() {
	local packages
	packages=$(sed -n '/^Build-Depends:/,/^$/p' "$top/packaging/debian/control" | grep -oE '(lib|zlib|systemtap)[a-z0-9-]+-dev' | grep -v perl)
	# shellcheck disable=SC2086 # names of packages, one a word
	"$top/scripts/apt-foreign" --database "$1" libc6-dev $packages
}

# release_source DIR: what perf is built from, as the tree itself lists it, with that version.
release_source() {
	git -C "$linux" show "$tree:tools/perf/MANIFEST" | sort -u > "$1.manifest"
	xargs git -C "$linux" archive --format=tar "$tree" -- < "$1.manifest" | tar -x -C "$1"
	rm "$1.manifest"
	echo "#define PERF_VERSION \"$version\"" > "$1/PERF-VERSION-FILE"
}
