// SPDX-License-Identifier: GPL-2.0
/*
 * A program for arm64 whose memory accesses have known types. Each function has
 * one or few of them, at offsets that tell them apart in the machine code:
 * tools-perf/tests/arm64-types.py has what each accesses. The assertions are the
 * layout that it counts on.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "lib.h"

/* Nothing about a function is to be concluded from its callers */
#ifdef __clang__
#define NOINLINE __attribute__((noinline, used))
#else
#define NOINLINE __attribute__((noipa))
#endif

struct leaf {
	char		pad[40];
	int		weight;			/* 40 */
	int		height;			/* 44 */
};

struct item {
	struct item	*next;			/* 0 */
	struct item	*prev;			/* 8 */
	struct leaf	*leaf;			/* 16 */
	long		counter;		/* 24 */
	struct leaf	inner[3];		/* 32 */
	int		(*hook)(struct leaf *leaf, int n);	/* 176 */
	short		kind;			/* 184 */
};

struct holder {
	long		header;
	struct item	item;			/* 8 */
	long		trailer;		/* 200 */
};

struct result {
	long		words[8];
	struct item	*best;			/* 64 */
};

static_assert(offsetof(struct leaf, weight) == 40 && sizeof(struct leaf) == 48, "leaf");
static_assert(offsetof(struct item, inner) == 32 && offsetof(struct item, hook) == 176 &&
	      offsetof(struct item, kind) == 184, "item");
static_assert(offsetof(struct holder, item) == 8 && offsetof(struct holder, trailer) == 200,
	      "holder");

struct item table[16];
struct item *head;
__thread struct item *current_item;
__thread struct leaf own_leaf;

NOINLINE int chain(struct item *item)
{
	return item->next->prev->leaf->weight;
}

NOINLINE void pair(struct item *item, struct item *next, struct item *prev)
{
	item->next = next;
	item->prev = prev;
}

NOINLINE int indexed(struct item *item, long n)
{
	return item->inner[n].height;
}

NOINLINE long walk(struct item *from, struct item *to)
{
	long sum = 0;

	for (; from != to; from++)
		sum += from->counter;
	return sum;
}

NOINLINE int element(unsigned int n)
{
	return table[n].kind;
}

NOINLINE struct item *global(void)
{
	return head->prev;
}

NOINLINE long add(struct item *item, long n)
{
	return __atomic_fetch_add(&item->counter, n, __ATOMIC_RELAXED);
}

NOINLINE short thread_local_pointer(void)
{
	return current_item->kind;
}

NOINLINE void thread_local_struct(int n)
{
	own_leaf.height = n;
}

NOINLINE long container(struct item *item)
{
	struct holder *holder = (struct holder *)((char *)item - offsetof(struct holder, item));

	return holder->trailer;
}

NOINLINE int kept_over_call(struct item *item)
{
	int n = lib_touch(&item->counter);

	return n + item->leaf->height;
}

/* All registers are used up between: what was read waits in the frame, above the frame record */
NOINLINE long temporary(struct item *item)
{
	return item->counter * 3 + ({
		asm volatile("" : : : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
			     "x13", "x14", "x15", "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25",
			     "x26", "x27", "x28", "x30", "memory");
		lib_touch(&item->counter);
	});
}

NOINLINE int result_of_call(void)
{
	return lib_find(3)->number;
}

NOINLINE int hook(struct item *item)
{
	return item->hook(item->leaf, 1);
}

NOINLINE struct result big(struct item *item)
{
	struct result r;

	memset(&r, 0, sizeof(r));
	r.best = item;
	return r;
}

NOINLINE int cases(struct item *item, int n)
{
	switch (n) {
	case 0: return item->kind;
	case 1: return item->leaf->weight + 3;
	case 2: return item->next->prev->kind;
	case 3: return item->hook(item->leaf, 7);
	case 4: return item->prev->leaf->height;
	case 5: return item->counter * 3;
	case 6: return item->inner[1].weight - n;
	default: return -1;
	}
}

NOINLINE long canary(struct item *item, int n)
{
	char text[64];

	lib_fill(text, n);
	return text[n] + item->counter;
}

int main(int argc, char **argv)
{
	struct holder holder = { .item = { .next = table, .prev = table + 1 } };
	struct result r;

	(void)argv;
	head = table;
	current_item = &holder.item;
	pair(table, table + 1, table + 2);
	table[1].prev = table;
	table[0].leaf = table[0].inner;
	thread_local_struct(argc);
	r = big(table);
	return chain(table) + indexed(table, argc) + (int)walk(table, table + argc) + element(argc) +
	       (global() != NULL) + (int)add(table, 1) + thread_local_pointer() +
	       (int)container(&holder.item) + kept_over_call(table) + result_of_call() + (int)temporary(table) +
	       (table[0].hook ? hook(table) : 0) + cases(table, argc) + (r.best != NULL) +
	       (int)canary(table, argc) + own_leaf.height;
}
