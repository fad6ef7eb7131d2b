// SPDX-License-Identifier: GPL-2.0
/*
 * A program that is never run: golden/generate makes recordings of it. Each
 * instruction that is sampled is written out and marked in a table, so that
 * neither the place nor what it accesses depends on the compiler.
 */
#include <stddef.h>

/* A row of the table: address and name of the instruction at local label 1 */
#define MARK(name)							\
	"\n\t.pushsection .samples,\"\",@progbits"			\
	"\n\t.quad 1b\n\t.asciz \"" name "\"\n\t.popsection"

#define READ(name, place) do {						\
	__typeof__(place) value;					\
	asm volatile("1: mov %1, %0" MARK(name)				\
		     : "=r" (value) : "m" (place) : "memory");		\
} while (0)

#define WRITE(name, place, value)					\
	asm volatile("1: mov %1, %0" MARK(name)				\
		     : "=m" (place) : "r" (value) : "memory")

/* Reads and writes in one instruction */
#define ADD(name, place, value)						\
	asm volatile("1: add %1, %0" MARK(name)				\
		     : "+m" (place) : "r" (value) : "memory")

#define FUNCTION __attribute__((noinline, noclone, used))

enum color { RED, GREEN };

struct list {
	struct list *next, *prev;
};

struct lid {
	long weight;
	union {
		int whole;
		short half[2];
		struct {
			unsigned char low, high;
		};
	};
};

struct box {
	long id;
	struct lid lid;
	struct list list;
	enum color color;
	unsigned int open : 1, locked : 1, level : 12;
	char label[16];
	struct lid lids[4];
	int (*weigh)(struct box *box);
	struct {
		struct box *parent;
		double value;
	};
};

typedef struct {
	int x, y;
} point_t;

struct box first_box;
static struct lid first_lid;
long counter;

FUNCTION void parameter(struct box *box, int n)
{
	READ("id", box->id);
	READ("weight", box->lid.weight);
	WRITE("weight store", box->lid.weight, 1L);
	READ("whole", box->lid.whole);
	READ("half", box->lid.half[0]);
	READ("high", box->lid.high);
	ADD("color", box->color, n);
	READ("label", box->label[7]);
	READ("array", box->lids[2].weight);
	READ("function pointer", box->weigh);
	WRITE("parent", box->parent, box);
	/* the byte that has 'locked' and the first bits of 'level' */
	READ("bits", *((unsigned char *)&box->color + sizeof(box->color)));
}

FUNCTION void chain(struct box **boxes)
{
	struct box *box, *parent;

	READ("pointer", boxes[0]);
	box = boxes[0];
	READ("chain 1", box->parent);
	parent = box->parent;
	READ("chain 2", parent->list.next);
	READ("chain 3", parent->list.next->prev);
}

FUNCTION void globals(void)
{
	READ("global", first_box.lid.weight);
	READ("static", first_lid.whole);
	ADD("counter", counter, 1L);
}

FUNCTION long locals(long n)
{
	struct lid lid = { n, { 2 } };
	point_t points[3] = { { 1, 2 } };

	asm volatile("" : : "r" (&lid), "r" (points) : "memory");
	READ("local", lid.weight);
	WRITE("local array", points[1].y, (int)n);
	asm volatile("" : : "r" (&lid), "r" (points) : "memory");
	return lid.weight;
}

FUNCTION void stack(long n)
{
	asm volatile("1: push %0" MARK("push") "\n1: pop %0" MARK("pop") : "+r" (n) : : "memory");
	asm volatile("1: nop" MARK("nop"));
}

FUNCTION void nothing_known(void *pointer)
{
	asm volatile("1: mov (%0), %%rax" MARK("void") : : "r" (pointer) : "rax", "memory");
}

int main(void)
{
	struct box *box = &first_box;

	parameter(box, 1);
	chain(&box);
	globals();
	stack(locals(1));
	nothing_known(box);
	return 0;
}

/* Where variables are, in the same table */
asm(".pushsection .samples,\"\",@progbits\n\t"
    ".quad counter\n\t.asciz \"&counter\"\n\t"
    ".quad first_lid\n\t.asciz \"&first_lid\"\n\t"
    ".popsection");
