// SPDX-License-Identifier: GPL-2.0
/*
 * Where paths meet themselves: helpers that one caller calls twice, with and without a loop of
 * their own, a table of functions, functions that call themselves and each other.
 *
 * usage: calls [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned int seed = 1;

static unsigned int toss(unsigned int sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

/* Called twice by twice(): the second time closes no loop. */
static unsigned long clamp(unsigned long value)
{
	if (value > 1000)
		value -= 1000;
	return value;
}

static unsigned long twice(unsigned long value)
{
	value = clamp(value + 600);
	value += 3;
	return clamp(value + 500);
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

static unsigned long pair(unsigned long value)
{
	return digits(value) * digits(value + 7);
}

/* Calls itself once, which is as good as a loop, and twice, which is not. */
static unsigned long chain(unsigned long value)
{
	return value ? chain(value - 1) + 1 : 0;
}

static unsigned long tree(unsigned long value)
{
	if (value < 2)
		return value;
	return tree(value - 1) + tree(value - 2);
}

static unsigned long odd(unsigned long value);

static unsigned long even(unsigned long value)
{
	return value ? odd(value - 1) : 1;
}

static unsigned long odd(unsigned long value)
{
	return value ? even(value - 1) + 1 : 0;
}

static unsigned long (* const steps[])(unsigned long) = {
	twice, pair, clamp, digits, chain, tree, even,
};

int main(int argc, char *argv[])
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long number, sum = 0;

	for (number = 0; number < count; number++) {
		sum += twice(number);
		/* A loop that is longer than any of the functions' */
		sum += steps[toss(sizeof(steps) / sizeof(*steps))](number % 9);
		sum += steps[toss(2)](number);
	}
	printf("%lu\n", sum);
	return 0;
}
