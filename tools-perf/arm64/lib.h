/* SPDX-License-Identifier: GPL-2.0 */
/* A shared library: what the dynamic linker fills in is reached through tables */

struct record {
	char	pad[20];
	int	number;		/* 20 */
	long	total;		/* 24 */
};

int lib_touch(long *p);
struct record *lib_find(int n);
void lib_fill(char *text, int n);
