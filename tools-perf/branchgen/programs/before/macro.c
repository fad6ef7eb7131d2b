// SPDX-License-Identifier: GPL-2.0
/*
 * A macro of which after/macro.c has another body: the lines that use it are the same, their code is
 * not. The functions after it only move, and their data does.
 *
 * usage: macro [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>

#define STEP(value)	((value) * 3 + 1)

static unsigned long table[64];

/* What the macro does decides no branch. */
static unsigned long scramble(unsigned long value)
{
	unsigned long hash = value, i;

	for (i = 0; i < value % 7; i++) {
		if (i % 3)
			hash = STEP(hash);
		else
			hash ^= value;
	}
	return hash;
}

static unsigned long count(unsigned long value)
{
	unsigned long sum = 0, i;

	for (i = value % 5; i < 9; i++) {
		if (table[i] % 2)
			sum += table[i];
		table[i] += value;
	}
	return sum;
}

static unsigned long mix(unsigned long value)
{
	if (value % 3)
		return scramble(value);
	return count(value);
}

int main(int argc, char *argv[])
{
	unsigned long turns = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long number, sum = 0;

	for (number = 0; number < turns; number++)
		sum += mix(number) + count(number);
	printf("%lu\n", sum);
	return 0;
}
