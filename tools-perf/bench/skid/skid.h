/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs have in common: memory that no cache holds, numbers that
 * nobody can predict, and the types whose names the judge looks for.
 *
 * struct cold is what a program waits for, struct warm is always in the cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLD_BYTES	(256ul << 20)
#define NOINLINE	__attribute__((noinline))

struct cold {
	struct cold *next;
	unsigned long value;
	unsigned long key;
	double weight;
	unsigned long (*fn)(unsigned long);
	unsigned long fill[3];
};

struct warm {
	unsigned long limit;
	unsigned long count;
	unsigned long step;
	unsigned long table[64];
};

#define NR_COLD		(COLD_BYTES / sizeof(struct cold))

static inline unsigned long next_random(unsigned long x)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static inline __attribute__((unused)) struct cold *new_cold(void)
{
	struct cold *cold = (struct cold *)aligned_alloc(4096, COLD_BYTES);
	unsigned long i;

	if (!cold)
		exit(2);
	memset(cold, 0, COLD_BYTES);
	for (i = 0; i < NR_COLD; i++)
		cold[i].value = cold[i].key = i * 7;
	return cold;
}

/* All elements in one ring, in an order that is a random permutation */
static inline __attribute__((unused)) struct cold *new_ring(void)
{
	struct cold *cold = new_cold();
	unsigned long i, j, x = 88172645463325252ul;
	unsigned int *order = (unsigned int *)malloc(NR_COLD * sizeof(*order)), swap;

	if (!order)
		exit(2);
	for (i = 0; i < NR_COLD; i++)
		order[i] = i;
	for (i = NR_COLD - 1; i > 0; i--) {
		x = next_random(x);
		j = x % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < NR_COLD; i++)
		cold[order[i]].next = &cold[order[(i + 1) % NR_COLD]];
	free(order);
	return cold;
}
