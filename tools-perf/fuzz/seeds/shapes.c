// SPDX-License-Identifier: GPL-2.0
/* A little of everything that C's debug information has. */
typedef unsigned long word;
enum mood { calm, wild = 9 };

struct list {
	struct list *next, *prev;
};

union value {
	long number;
	double real;
	struct {
		short low, high;
	};
};

struct item {
	int id;
	unsigned int flag:3, rest:9;
	struct list list;
	union value values[3][2];
	enum mood mood;
	const struct ops *ops;
	char tail[];
};

struct ops {
	int (*get)(struct item *item, int index);
	void (*put)(struct item *item);
};

extern struct item *lookup(int id);
static struct item *table[4];
__thread word calls;
struct item first;

__attribute__((noreturn)) void stop(int code);

int get(struct item *item, int index)
{
	calls++;
	return item->values[index][1].low + item->tail[index] + item->flag;
}

static inline long sum(struct list *head)
{
	long total = 0;
	struct list *pos;

	for (pos = head->next; pos != head; pos = pos->next)
		total += ((struct item *)((char *)pos - __builtin_offsetof(struct item, list)))->id;
	return total;
}

long walk(struct item *item, int what)
{
	long numbers[6] = { what };
	struct item copy;
	int i;

	switch (what) {
	case 0: return item->id;
	case 1: item->mood = wild; break;
	case 2: item->rest++; break;
	case 3: return sum(&item->list);
	case 4: copy = *item; lookup((long)&copy); return copy.id;
	case 5: return table[what & 3]->values[0][0].real;
	case 6: item->ops->put(item); break;
	default: stop(first.id);
	}
	for (i = 0; i < 6; i++)
		numbers[i] += item->ops->get(item, i) + lookup(i)->values[i & 1][0].number;
	return numbers[what & 3] + numbers[5];
}
