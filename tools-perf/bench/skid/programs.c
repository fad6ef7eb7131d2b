// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that wait for one field by construction, and decoys that wait for
 * none. Which one runs is the argument; "list" prints their names, what kind
 * they are and the fields of struct cold that the program may wait for.
 *
 * Only samples in functions whose name begins with wait_ count.
 */
#include "programs.h"

struct cold *cold;
volatile ulong_t sink;
static struct warm warm = { .limit = NR_COLD * 3, .step = 1 };

NOINLINE void wait_chase(ulong_t n)
{
	struct cold *p = cold;

	while (n--)
		p = p->next;
	sink = (ulong_t)p;
}

NOINLINE void wait_unrolled(ulong_t n)
{
	struct cold *p = cold;

	for (n /= 8; n--; ) {
		p = p->next->next->next->next;
		p = p->next->next->next->next;
	}
	sink = (ulong_t)p;
}

/* A field that is always in the cache is read right behind the one that misses */
NOINLINE void wait_search(ulong_t n, volatile struct warm *w)
{
	ulong_t x = 1234567, hits = 0;

	while (n--) {
		x = next_random(x);
		if (AT(x).value <= w->limit)
			hits++;
	}
	sink = hits;
}

NOINLINE void wait_search_branch(ulong_t n, volatile struct warm *w)
{
	ulong_t x = 1234567, v;

	while (n--) {
		x = next_random(x);
		v = *(volatile ulong_t *)&AT(x).value;
		if (__builtin_expect(v <= w->limit * 100, 1))
			sink = v;
		else
			asm volatile("nop");
	}
}

NOINLINE void wait_index(ulong_t n)
{
	ulong_t x = 1234567, sum = 0;

	while (n--) {
		x = next_random(x);
		sum += AT(x).value;
	}
	sink = sum;
}

NOINLINE void wait_float(ulong_t n)
{
	ulong_t x = 1234567;
	double sum = 0;

	while (n--) {
		x = next_random(x);
		sum += AT(x).weight;
	}
	sink = sum;
}

NOINLINE void wait_beside(ulong_t n)
{
	ulong_t x = 1234567, sum = 0;

	for (n /= 4; n--; ) {
		x = next_random(x);
		sum += AT(x).value ^ AT(x >> 8).value ^ AT(x >> 16).value ^ AT(x >> 24).value;
	}
	sink = sum;
}

NOINLINE void wait_hash_chain(ulong_t n)
{
	struct cold *p = cold;

	for (; n--; p = p->next) {
		if (p->key == 1)
			warm.count++;
	}
	sink = (ulong_t)p;
}

/*
 * A binary tree that lies in the array like a heap; its root is in the cache. Another
 * bit of the random number decides at each level, else all descents go one of two ways.
 */
NOINLINE void wait_tree(ulong_t n)
{
	ulong_t x = 1234567, bits, i;

	for (n /= 8; n--; ) {
		x = next_random(x);
		bits = x;
		for (i = 1; i < NR_COLD; bits >>= 1)
			i = 2 * i + ((AT(i).value ^ bits) & 1);
		sink = i;
	}
}

NOINLINE void wait_two_levels(ulong_t n)
{
	struct cold *p = cold;
	ulong_t sum = 0;

	for (n /= 2; n--; p = p->next)
		sum += AT(p->value * 0x9e3779b97f4a7c15ul >> 20).key;
	sink = sum;
}

NOINLINE void wait_far_use(ulong_t n)
{
	ulong_t x = 1234567, v, y = 1;

	while (n--) {
		x = next_random(x);
		v = *(volatile ulong_t *)&AT(x).value;
		asm volatile(".rept 25\n\tlea 1(%0),%0\n\t.endr" : "+r" (y));
		x += v & 1;
	}
	sink = x + y;
}

NOINLINE void wait_block_end(ulong_t n)
{
	ulong_t x = 1234567;

	while (n--) {
		x = next_random(x);
		if (AT(x).value == 3)
			asm volatile("nop");
		asm volatile("nop");
	}
}

NOINLINE void wait_arms(ulong_t n, struct warm *w)
{
	ulong_t x = 1234567, v;

	while (n--) {
		x = next_random(x);
		if (w->table[n & 63] == 0)
			v = *(volatile ulong_t *)&AT(x).value;
		else
			v = *(volatile ulong_t *)&w->limit;
		asm volatile("" : : "r" (v));
	}
}

NOINLINE void wait_cmov(ulong_t n)
{
	ulong_t x = 1234567, max = 0;

	while (n--) {
		x = next_random(x);
		max = AT(x).value > max ? AT(x).value : max;
	}
	sink = max;
}

NOINLINE ulong_t wait_before_call_callee(ulong_t v, struct warm *w)
{
	return v + w->step;
}

NOINLINE void wait_before_call(ulong_t n)
{
	ulong_t x = 1234567, sum = 0;

	while (n--) {
		x = next_random(x);
		sum += wait_before_call_callee(AT(x).value, &warm);
	}
	sink = sum;
}

NOINLINE void wait_behind_call(ulong_t n)
{
	ulong_t x = 1234567, sum = 0;

	while (n--) {
		x = next_random(x);
		sum += wait_before_call_callee(x, &warm) & 1;
		sum += AT(x).value;
	}
	sink = sum;
}

NOINLINE void wait_add(ulong_t n)
{
	ulong_t x = 1234567;

	while (n--) {
		x = next_random(x);
		AT(x).value += n;
	}
}

NOINLINE void wait_atomic(ulong_t n)
{
	ulong_t x = 1234567;

	while (n--) {
		x = next_random(x);
		__atomic_fetch_add(&AT(x).value, 1, __ATOMIC_SEQ_CST);
	}
}

NOINLINE void wait_exchange(ulong_t n)
{
	ulong_t x = 1234567;

	while (n--) {
		x = next_random(x);
		__atomic_exchange_n(&AT(x).value, n, __ATOMIC_SEQ_CST);
	}
}

NOINLINE void wait_rep_stos(ulong_t n)
{
	ulong_t x = 1234567;

	while (n--) {
		struct cold *p;
		ulong_t nr = 8;

		x = next_random(x);
		p = &AT(x);
		asm volatile("rep stosq" : "+D" (p), "+c" (nr) : "a" (0) : "memory");
	}
}

NOINLINE void wait_store(ulong_t n, volatile struct warm *w)
{
	ulong_t x = 1234567;

	while (n--) {
		x = next_random(x);
		AT(x).value = n;
		w->count = n;
	}
}

NOINLINE ulong_t wait_call_memory_callee(ulong_t v)
{
	return v + warm.step;
}

NOINLINE void wait_call_memory(ulong_t n)
{
	ulong_t x = 1234567;

	while (n--) {
		x = next_random(x);
		x += AT(x).fn(x) & 1;
	}
}

/* --- decoys: cold is read before the loop, and never in it ------------------------------ */

NOINLINE void wait_decoy_division(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567;

	while (n--) {
		x = next_random(x);
		w->count += x / (n | 12345);
	}
}

NOINLINE void wait_decoy_alu(ulong_t n)
{
	ulong_t x = cold->value + 1234567;

	for (n *= 4; n--; )
		x = next_random(x);
	sink = x;
}

NOINLINE void wait_decoy_branches(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567;

	while (n--) {
		x = next_random(x);
		if (x & 1)
			w->count++;
		else if (x & 2)
			w->step++;
		else
			asm volatile("nop");
	}
}

NOINLINE void wait_decoy_cache(ulong_t n, struct warm *w)
{
	ulong_t x = cold->value + 1234567, sum = 0;

	for (n *= 2; n--; ) {
		x += x >> 3;
		sum += w->table[(x + n) & 63];
	}
	sink = sum;
}

static const struct {
	const char	*name;
	const char	*kind;
	const char	*fields;	/* regular expression */
	ulong_t		nr;		/* millions of steps */
	void		(*run)(ulong_t n, struct warm *w);
} programs[] = {
#define PROGRAM(name, kind, fields, nr)	\
	{ #name, kind, fields, nr, (void (*)(ulong_t, struct warm *))wait_##name }
	PROGRAM(chase, "ring", "next", 4),
	PROGRAM(unrolled, "ring", "next", 4),
	PROGRAM(search, "array", "value", 20),
	PROGRAM(search_branch, "array", "value", 20),
	PROGRAM(index, "array", "value", 40),
	PROGRAM(float, "array", "weight", 40),
	PROGRAM(beside, "array", "value", 40),
	PROGRAM(hash_chain, "ring", "key|next", 4),
	PROGRAM(tree, "array", "value", 15),
	PROGRAM(two_levels, "ring", "next|value|key", 6),
	PROGRAM(far_use, "array", "value", 5),
	PROGRAM(block_end, "array", "value", 40),
	PROGRAM(arms, "array", "value", 40),
	PROGRAM(cmov, "array", "value", 40),
	PROGRAM(before_call, "array", "value", 30),
	PROGRAM(behind_call, "array", "value", 30),
	PROGRAM(add, "array", "value", 20),
	PROGRAM(atomic, "array", "value", 10),
	PROGRAM(exchange, "array", "value", 10),
	PROGRAM(rep_stos, "array", "next|any", 10),
	PROGRAM(store, "array-hard", "value", 60),
	PROGRAM(call_memory, "array-hard", "fn", 8),
	PROGRAM(decoy_division, "decoy", "", 100),
	PROGRAM(decoy_alu, "decoy", "", 100),
	PROGRAM(decoy_branches, "decoy", "", 100),
	PROGRAM(decoy_cache, "decoy", "", 200),
	PROGRAM(list_key, "ring", "key", 4),
	PROGRAM(list_found, "ring", "key|next", 8),
	PROGRAM(compare_branch, "array", "value", 20),
	PROGRAM(hot_limit, "array", "value", 20),
	PROGRAM(hot_limit_same, "array", "value", 20),
	PROGRAM(loop_end, "array", "value", 10),
	PROGRAM(hot_table, "array", "value", 20),
	PROGRAM(flag_behind, "array", "value", 8),
	PROGRAM(decoy_hot_flag, "decoy", "", 50),
	PROGRAM(decoy_hot_compare, "decoy", "", 50),
	PROGRAM(decoy_hot_compare_same, "decoy", "", 100),
};

int main(int argc, char **argv)
{
	unsigned int i;
	ulong_t j;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]) && argc > 1; i++) {
		if (!strcmp(argv[1], "list"))
			printf("%s|%s|struct cold .*\\((%s)\\)\n", programs[i].name,
			       programs[i].kind, programs[i].fields);
		if (strcmp(argv[1], programs[i].name))
			continue;
		cold = programs[i].kind[0] == 'r' ? new_ring() : new_cold();
		for (j = 0; j < NR_COLD; j++)
			cold[j].fn = wait_call_memory_callee;
		programs[i].run(programs[i].nr * 1000000, &warm);
		return 0;
	}
	return argc != 2 || strcmp(argv[1], "list");
}
