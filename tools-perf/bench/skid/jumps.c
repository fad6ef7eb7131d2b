// SPDX-License-Identifier: GPL-2.0
/*
 * Compares of memory and the jumps behind them: programs that wait for what they
 * compare, that wait for what they compare it with, and decoys.
 */
#include "programs.h"

#define MEMORY	asm volatile("" ::: "memory")

/* a list is searched for a key: waits for the key */
NOINLINE void wait_list_key(ulong_t n, struct warm *w)
{
	struct cold *p = cold;

	for (; p && n--; p = p->next)
		if (p->key == 12345678901ul)
			break;
	sink = (ulong_t)p;
}

NOINLINE struct cold *wait_list_find(struct cold *p, ulong_t key)
{
	while (p && p->key != key)
		p = p->next;
	return p;
}

NOINLINE void wait_list_found(ulong_t n, struct warm *w)
{
	/* the list ends nowhere: the key is that of the element a quarter of the way */
	struct cold *p = cold;
	ulong_t i;

	for (i = 0; i < n / 2; i++)
		p = p->next;
	p->key = 77777777777ul;
	MEMORY;
	sink = (ulong_t)wait_list_find(cold, 77777777777ul);
}

/* independent elements, one in two goes each way: mispredicted, and waits for the value that is compared */
NOINLINE void wait_compare_branch(ulong_t n, struct warm *w)
{
	ulong_t x = 88172645463325252ul, a = 0, b = 0;

	while (n--) {
		x = next_random(x);
		if (AT(x).value < NR_COLD / 2 * 7) {
			a += x; MEMORY;
		} else {
			b ^= x; MEMORY;
		}
	}
	sink = a + b;
}

/* the value is loaded and compared with a limit in the cache: mispredicted, waits for the value */
NOINLINE void wait_hot_limit(ulong_t n, struct warm *w)
{
	ulong_t x = 88172645463325252ul, a = 0, b = 0;

	w->limit = NR_COLD / 2 * 7;
	while (n--) {
		ulong_t v;

		x = next_random(x);
		MEMORY;
		v = AT(x).value;
		if (v < w->limit) {
			a += v; MEMORY;
		} else {
			b ^= v; MEMORY;
		}
	}
	sink = a + b;
}

/* the same, and the branch goes always one way */
NOINLINE void wait_hot_limit_same(ulong_t n, struct warm *w)
{
	ulong_t x = 88172645463325252ul, a = 0, b = 0;

	w->limit = ~0ul;
	while (n--) {
		ulong_t v;

		x = next_random(x);
		MEMORY;
		v = AT(x).value;
		if (v < w->limit) {
			a += v; MEMORY;
		} else {
			b ^= v; MEMORY;
		}
	}
	sink = a + b;
}

/* the loop's end is a compare with memory, behind a load that waits and no dependence */
NOINLINE void wait_loop_end(ulong_t n, struct warm *w)
{
	ulong_t x = 88172645463325252ul, i, sum = 0;

	w->limit = n;
	for (i = 0; i < w->limit; i++) {
		MEMORY;
		x = next_random(x);
		sum += AT(x + sum).value;
	}
	sink = sum;
}

/* a call in between: nothing waits behind the compare */
NOINLINE void wait_decoy_hot_compare(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567, a = 0, b = 0, i;

	for (i = 0; i < 64; i++)
		w->table[i] = (x = next_random(x));
	while (n--) {
		x = next_random(x);
		if (w->table[x & 63] < x) {
			a += x; MEMORY;
		} else {
			b ^= x; MEMORY;
		}
	}
	sink = a + b;
}

NOINLINE void wait_decoy_hot_compare_same(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567, a = 0, b = 0, i;

	for (i = 0; i < 64; i++)
		w->table[i] = 0;
	while (n--) {
		x = next_random(x);
		if (w->table[x & 63] < x) {
			a += x; MEMORY;
		} else {
			b ^= x; MEMORY;
		}
	}
	sink = a + b;
}

/* the table is in the cache, which of its elements is compared comes from where none is */
NOINLINE void wait_hot_table(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567, a = 0, b = 0, i;

	for (i = 0; i < 64; i++)
		w->table[i] = i & 1;
	while (n--) {
		x = next_random(x);
		if (w->table[AT(x).value & 63]) {
			a += x; MEMORY;
		} else {
			b ^= x; MEMORY;
		}
	}
	sink = a + b;
}

/* flags in the cache, at random */
NOINLINE void wait_decoy_hot_flag(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567, a = 0, b = 0, i;

	for (i = 0; i < 64; i++)
		w->table[i] = i & 1;
	while (n--) {
		x = next_random(x);
		if (w->table[x & 63]) {
			a += x; MEMORY;
		} else {
			b ^= x; MEMORY;
		}
	}
	sink = a + b;
}

/* a flag in the cache behind a load that waits */
NOINLINE void wait_flag_behind(ulong_t n, struct warm *w)
{
	ulong_t x = 88172645463325252ul, sum = 0;

	w->limit = 0;
	while (n--) {
		x = next_random(x);
		sum += AT(x + sum).value;
		MEMORY;
		if (w->limit)
			break;
	}
	sink = sum;
}
