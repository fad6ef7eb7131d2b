// SPDX-License-Identifier: GPL-2.0
/*
 * A loop whose branch is a coin toss and whose hot block divides: the example of
 * "perf diff --stream". after/div.c is the same program one change later.
 *
 * usage: div [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned int seed = 1;

static unsigned int toss(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 16 & 1;
}

static unsigned long collatz(unsigned long value)
{
	unsigned long steps = 0;

	while (value > 1 && steps < 6) {
		value = value % 2 ? 3 * value + 1 : value / 2;
		steps++;
	}
	return steps;
}

int main(int argc, char *argv[])
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long number = 0, sum = 0;

	srand(1);
	for (number = 0; number < count; number++) {
		if (toss())
			sum += number / (rand() % 7 + 1);
		sum += collatz(number);
	}
	printf("%lu\n", sum);
	return 0;
}
