#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The line mapping of perf diff --stream against diff, on the files that the series changes.
#
# usage: [LINUX=DIR] tools-perf/tests/line-diff.sh
#
# Each file that a patch of the series changes is compared with its version in the base, by
# tools/perf/util/line-diff.c and by diff --minimal. As many lines must be the same, and each
# pair must be of equal lines in order. Exit status: 0 no difference, 1 one, 2 it cannot be run.

# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
need gcc git diff
linux=${LINUX:-${tools%/*}/build/linux}
source=$linux/tools/perf/util/line-diff.c
[ -e "$source" ] || skip "there is no $source: make tree"
git -C "$linux" rev-parse -q --verify base > /dev/null || skip "$linux has no tag base: make tree"

cat > "$tmp/driver.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "line-diff.h"

static char *read_file(const char *path, size_t *size, char ***lines)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(1 << 26);
	size_t nr = 1;

	*size = file ? fread(text, 1, 1 << 26, file) : 0;
	*lines = malloc((*size + 2) * sizeof(char *));
	(*lines)[nr++] = text;
	for (size_t i = 0; i < *size; i++)
		if (text[i] == '\n')
			(*lines)[nr++] = text + i + 1;
	return text;
}

int main(int argc, char **argv)
{
	char **old_lines, **new_lines, *old, *new;
	size_t old_size, new_size;
	unsigned int line, last = 0, same = 0;
	struct line_diff diff;

	old = read_file(argv[1], &old_size, &old_lines);
	new = read_file(argv[2], &new_size, &new_lines);
	if (argc != 3 || line_diff__init(&diff, old, old_size, new, new_size))
		return 1;
	for (line = 1; line <= diff.nr_new; line++) {
		unsigned int before = line_diff__old_line(&diff, line);

		if (!before)
			continue;
		if (before <= last || strcspn(old_lines[before], "\n") != strcspn(new_lines[line], "\n") ||
		    strncmp(old_lines[before], new_lines[line], strcspn(new_lines[line], "\n")))
			return 1;
		last = before;
		same++;
	}
	printf("%u\n", same);
	line_diff__exit(&diff);
	free(old);
	free(new);
	free(old_lines);
	free(new_lines);
	return 0;
}
EOF
gcc -O1 -g -fsanitize=address,undefined -D_GNU_SOURCE -I"$linux/tools/perf/util" -I"$linux/tools/include" \
	-I"$linux/tools/lib" -o "$tmp/driver" "$tmp/driver.c" "$source" "$linux/tools/lib/zalloc.c" || exit 1

nr=0 changed=0
while read -r file; do
	git -C "$linux" show "base:$file" > "$tmp/old" 2> /dev/null || continue
	git -C "$linux" show "HEAD:$file" > "$tmp/new" 2> /dev/null || continue
	nr=$((nr + 1))
	expected=$(diff --minimal --unchanged-line-format=x --old-line-format= --new-line-format= "$tmp/old" "$tmp/new" | wc -c)
	total=$(grep -c '' "$tmp/new")
	[ "$expected" -eq "$total" ] || changed=$((changed + 1))
	found=$("$tmp/driver" "$tmp/old" "$tmp/new" 2> "$tmp/err") || found="failed: $(head -n 3 "$tmp/err")"
	if [ "$found" != "$expected" ]; then
		echo "line-diff.sh: $file: $found lines are the same, diff says $expected"
		failed=$((failed + 1))
	fi
done < <(git -C "$linux" diff --name-only base HEAD)
[ "$nr" -gt 0 ] || skip "the series changes no file that the base has"
echo "line-diff.sh: $nr files of two versions, $changed with lines of the old one gone or new, $failed differences"
[ "$failed" = 0 ]
