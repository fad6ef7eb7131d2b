// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of which after/moves.c has some elsewhere, one by another name, one no more and one
 * that looks like an old one: what moved has not changed.
 *
 * usage: moves [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned int seed = 1;

static unsigned int toss(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 16 & 1;
}

static unsigned long climb(unsigned long value)
{
	unsigned long steps = 0;

	while (value > 1 && steps < 5) {
		value = value % 2 ? 3 * value + 1 : value / 2;
		steps++;
	}
	return steps;
}

static unsigned long fold(unsigned long value)
{
	unsigned long sum = 0;

	while (value) {
		sum += value % 10;
		value /= 10;
	}
	return sum;
}

static unsigned long skip(unsigned long value)
{
	if (toss())
		value += 3;
	if (toss())
		value ^= 5;
	return value;
}

static unsigned long weigh(unsigned long value)
{
	if (value % 3)
		return fold(value);
	if (value % 2)
		return skip(value);
	return climb(value);
}

int main(int argc, char *argv[])
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long number, sum = 0;

	for (number = 0; number < count; number++)
		sum += weigh(number);
	printf("%lu\n", sum);
	return 0;
}
