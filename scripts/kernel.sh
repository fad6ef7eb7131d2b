# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Shared by the scripts that build kernels (guest-kernel, deb-kernel): sourced after lib.sh, never run.

# source_tree CHECKOUT INDEX [REV]: the tree object of what is to be built, less what no kernel is made from: of the checkout with
# changes that are not committed, or of its commit REV. INDEX is a file to work with.
source_tree() (
	GIT_DIR=$(git -C "$1" rev-parse --absolute-git-dir)
	export GIT_DIR GIT_INDEX_FILE=$2
	if [ -n "${3-}" ]; then
		git read-tree "$3" || die "$1 has no commit $3"
	else
		cp "$GIT_DIR/index" "$2"
		git --work-tree="$1" add -A
	fi
	git ls-files -z -- 'Documentation/*' 'tools/perf/*' 'tools/testing/*' ':!Documentation/Kconfig' |
		git update-index -z --force-remove --stdin
	git write-tree
)

# options_of FILE...: the options of configurations as one text, so that comments and their places do not count.
options_of() { cat "$@" | grep -E '^(CONFIG_|# CONFIG_.* is not set)'; }

# lost_options SOURCE ARCH CONFIG: of the options that stdin asks for, where the last one of a name wins, those that CONFIG does not have, but
# for what only another architecture knows.
lost_options() {
	local known line option
	known=$(mktemp)
	find "$1"/{arch/Kconfig,"arch/$2",block,certs,crypto,drivers,fs,init,kernel,lib,mm,net,security,usr,virt} \
		-name 'Kconfig*' -exec sed -nE 's/^[[:space:]]*(menu)?config ([A-Z0-9_]+).*/CONFIG_\2/p' {} + | sort -u > "$known"
	awk '{ name = $0; sub(/^# /, "", name); sub(/[= ].*/, "", name); last[name] = $0 }
		END { for (name in last) print name, last[name] }' | sort | while read -r option line; do
		grep -qxF "$option" "$known" || continue
		case $line in
		'#'*) ! grep -q "^$option=" "$3" ;;
		*) grep -qxF "$line" "$3" ;;
		esac || echo "$line"
	done
	rm -f "$known"
}
