// SPDX-License-Identifier: GPL-2.0
/*
 * The program of the examples in perf's man pages, which is never run: pages/record
 * makes recordings of it. As in golden/prog.c each instruction that is sampled is
 * written out and marked in a table. What the examples show is then the same for
 * each version of gcc: registers, offsets, and where functions and shared data are.
 */

/* A row of the table: address and name of the instruction at local label 1 */
#define MARK(name)							\
	"\n\t.pushsection .samples,\"\",@progbits"			\
	"\n\t.quad 1b\n\t.asciz \"" name "\"\n\t.popsection"

#define READ(name, place) do {						\
	__typeof__(place) value;					\
	asm volatile("1: mov %1, %0" MARK(name)				\
		     : "=a" (value) : "m" (place) : "memory");		\
} while (0)

#define WRITE(name, place, value)					\
	asm volatile("1: mov %1, %0" MARK(name)				\
		     : "=m" (place) : "r" (value) : "memory")

/* Reads and writes in one instruction */
#define ADD(name, place, value)						\
	asm volatile("1: add %1, %0" MARK(name)				\
		     : "+m" (place) : "r" (value) : "memory")

#define FUNCTION __attribute__((noinline, noclone, used))
#define SHARED(offset) __attribute__((section(".shared." offset)))

struct list {
	struct list *next, *prev;
};

struct place {
	int x, y;
};

struct stamp {
	long begin, end;
};

struct order {
	long id;
	struct list list;
	char kind;
	struct place place;
	char name[28];
	long price;
	int amount;
	long paid;
	char note[24];
	struct order *next;
	struct stamp times[4];
};

struct depot {
	long orders;
	struct list list;
};

struct conf {
	long limit;
	long used;
};

struct stats {
	long hits, misses;
};

int table[4096] = { 1 };
long total = 1;
struct conf conf SHARED("1") = { 1 };
struct stats stats SHARED("2") = { 1 };

FUNCTION void find(struct order *order)
{
	READ("find id", order->id);
	READ("find next", order->next);
}

FUNCTION void sum(struct order *order)
{
	READ("sum price", order->price);
	READ("sum amount", order->amount);
	ADD("sum total", total, 1L);
	READ("sum next", order->next);
}

FUNCTION void move(struct order *order, long both)
{
	WRITE("move place", *(long *)&order->place, both);
	WRITE("move x", order->place.x, (int)both);
	READ("move amount", order->amount);
}

FUNCTION void show(struct order *order, long index)
{
	READ("show name", order->name[3]);
	READ("show times", order->times[index].end);
	READ("show table", table[index]);
}

FUNCTION void copy(struct order *from, char *to, long size)
{
	asm volatile("1: rep movsb" MARK("copy")
		     : "+S" (from), "+D" (to), "+c" (size) : : "memory");
}

FUNCTION void walk(struct list *list)
{
	READ("walk next", list->next);
	READ("walk prev", list->next->prev);
}

/* Knows the type of the member, where add() knows what it is a member of */
static inline __attribute__((always_inline)) void first(struct list *list)
{
	READ("add first", list->next);
}

FUNCTION void add(struct depot *depot, struct list *list)
{
	ADD("add orders", depot->orders, 1L);
	first(&depot->list);
	WRITE("add next", depot->list.next, list);
}

FUNCTION void pushes(long value)
{
	asm volatile("1: push %0" MARK("push") "\n1: pop %0" MARK("pop")
		     : "+r" (value) : : "memory");
	asm volatile("1: nop" MARK("nop"));
}

FUNCTION void unknown(void *pointer)
{
	READ("unknown", *(char *)pointer);
}

FUNCTION void limit(struct conf *c)
{
	READ("limit", c->limit);
}

FUNCTION void use(struct conf *c)
{
	ADD("use", c->used, 1L);
}

FUNCTION void count(struct stats *s)
{
	ADD("count", s->misses, 1L);
}

/* As C libraries have it: in assembler, without debug information */
asm("	.pushsection .text.strlen, \"ax\", @progbits\n"
    "	.globl	strlen\n"
    "	.type	strlen, @function\n"
    "strlen:\n"
    "1:	mov	(%rdi), %rax" MARK("strlen") "\n"
    "	ret\n"
    "	.size	strlen, . - strlen\n"
    "	.popsection\n");

extern unsigned long strlen(const char *text);

FUNCTION unsigned long length(struct order *order)
{
	unsigned long value = strlen(order->name);

	asm volatile("1: nop" MARK("after strlen"));
	return value + 1;
}
