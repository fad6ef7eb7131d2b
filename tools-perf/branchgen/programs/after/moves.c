// SPDX-License-Identifier: GPL-2.0
/*
 * before/moves.c one change later: weigh() and climb() lie further up, fold() is digits() and lies
 * further down, skip() is gone, and leap() is new with some of the lines of climb().
 *
 * usage: moves [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long climb(unsigned long value);
static unsigned long leap(unsigned long value);
static unsigned long digits(unsigned long value);

static unsigned int seed = 1;

static unsigned long weigh(unsigned long value)
{
	if (value % 3)
		return digits(value);
	if (value % 2)
		return leap(value);
	return climb(value);
}

static unsigned long leap(unsigned long value)
{
	unsigned long steps = 0;

	while (value > 1 && steps < 3) {
		value = value % 2 ? 3 * value + 1 : value / 2;
		steps++;
	}
	return steps + value;
}

static unsigned int toss(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 16 & 1;
}

static unsigned long climb(unsigned long value)
{
	unsigned long steps = 0;

	while (value > 1 && steps < 7) {
		value = value % 2 ? 3 * value + 1 : value / 2;
		steps++;
	}
	return steps + toss();
}

static unsigned long digits(unsigned long value)
{
	unsigned long sum = 0;

	while (value) {
		sum += value % 10;
		value /= 10;
	}
	return sum;
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
