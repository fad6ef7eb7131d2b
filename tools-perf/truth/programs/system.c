// SPDX-License-Identifier: GPL-2.0
/*
 * What systems code does with memory: private data behind void *, error pointers, pools and
 * rings, byte cursors over packed messages, indexes instead of pointers, values on the stack.
 */
#include "truth.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#define likely_not(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))

enum state { IDLE, READY, RUNNING = 7 };

struct pair {
	long first, second;
};

struct big {
	long part[5];
	int id;
	float ratio;
};

struct device;

struct driver {
	const char *name;
	int (*start)(struct device *device, void *context);
	void (*stop)(struct device *device);
	unsigned long flags;
};

struct device {
	int id;
	enum state state;
	const struct driver *driver;
	void *private;
	struct device *parent, *children[3];
	bool online;
	_Alignas(64) unsigned long counters[4];
	__int128 wide;
};

struct disk {
	unsigned long sectors;
	struct device *device;
	unsigned char label[6];
	unsigned short heads;
};

struct tty {
	int speed, row;
	struct pair cursor;
	struct device *device;
};

struct __attribute__((packed)) header {
	unsigned char kind, flags;
	unsigned short length;
	unsigned int serial;
	unsigned long stamp;
	unsigned char options[3];
	unsigned int crc;
};

struct attribute {
	unsigned short length, type;
};

struct slot {
	struct slot *free;
	int used;
	long payload[3];
};

struct pool {
	struct slot *free, *slots;
	int nr, left;
};

struct event {
	int type;
	union {
		struct { int x, y; } move;
		struct { long code; char text[8]; } key;
		struct device *device;
		void *context;
	};
};

struct ring {
	unsigned int head, tail, mask;
	struct event events[16];
};

struct node {
	int key, left, right;
	short height;
	double weight;
};

struct forest {
	struct node *nodes;
	int root, used;
	int *order;
};

enum op { NUMBER, ADD, MULTIPLY, NEGATE, LOAD };

struct expr {
	enum op op;
	union {
		long number;
		struct { struct expr *left, *right; } both;
		struct expr *one;
		int index;
	} u;
};

struct vector {
	float x, y, z, w;
};

struct body {
	struct vector place, speed;
	float mass;
	int group;
};

struct arrays {
	int nr;
	float *x, *y;
	struct vector *vectors;
	long **rows;
	int (*fours)[4];
};

struct shard {
	long hits, misses;
	struct pair last;
};

static struct shard shards[4];
static unsigned long shard_offset[4];
static const struct driver *drivers[2];
static struct device *devices;

static inline void *error_pointer(long error)
{
	return (void *)error;
}

static inline bool is_error(const void *pointer)
{
	return (unsigned long)pointer >= (unsigned long)-4095;
}

KIND int kind_private_data__disk_start(struct device *device, void *context)
{
	struct disk *disk = device->private;
	struct ring *ring = context;

	disk->sectors += disk->heads;
	device->counters[1]++;
	return disk->label[2] + ring->head;
}

KIND int kind_private_data__tty_start(struct device *device, void *context)
{
	struct tty *tty = device->private;

	tty->cursor.second++;
	tty->row += tty->speed;
	((struct ring *)context)->tail++;
	return tty->device->id;
}

KIND void kind_private_data__disk_stop(struct device *device)
{
	((struct disk *)device->private)->device->state = IDLE;
	device->online = false;
}

static void tty_stop(struct device *device)
{
	struct tty *tty = device->private;

	tty->speed = 0;
	device->online = true;
}

static const struct driver disk_driver = {
	"disk", kind_private_data__disk_start, kind_private_data__disk_stop, 1
};
static const struct driver tty_driver = { "tty", kind_private_data__tty_start, tty_stop, 2 };

KIND long kind_private_data__run(struct device *device, struct ring *ring)
{
	long sum = device->driver->start(device, ring);

	if (device->driver->flags & 2)
		device->driver->stop(device);
	return sum + device->driver->name[0];
}

KIND struct device *kind_error_pointer__find(int id)
{
	struct device *device = devices;

	if (likely_not(id > 100))
		return error_pointer(-22);
	for (; device; device = device->parent) {
		if (device->id == id)
			return device;
	}
	return error_pointer(-2);
}

KIND long kind_error_pointer__use(int id)
{
	struct device *device = kind_error_pointer__find(id);

	if (is_error(device))
		return (long)device;
	device->state = RUNNING;
	return device->counters[0] + device->online;
}

KIND long kind_wide__counters(struct device *device, int by)
{
	int i;

	device->wide += (__int128)by << 60;
	for (i = 0; i < 4; i++)
		device->counters[i] += by;
	device->state = by & 1 ? READY : IDLE;
	return (long)(device->wide >> 64) + device->children[by % 3]->id;
}

KIND long kind_volatile__once(struct device *device)
{
	long sum = READ_ONCE(device->counters[2]);

	WRITE_ONCE(device->online, sum & 1);
	while (READ_ONCE(device->id) < 0)
		sum++;
	return sum + READ_ONCE(device->parent)->id;
}

KIND long kind_packed__header(struct header *header)
{
	header->serial++;
	header->stamp += header->length;
	header->options[1] = header->kind;
	return header->crc + header->flags;
}

KIND long kind_byte_cursor__attributes(const unsigned char *at, const unsigned char *end)
{
	long sum = 0;

	while (at + sizeof(struct attribute) <= end) {
		const struct attribute *attribute = (const struct attribute *)at;

		if (attribute->length < sizeof(*attribute))
			break;
		sum += attribute->type;
		at += attribute->length;
	}
	return sum;
}

KIND long kind_byte_cursor__checksum(const void *data, int size)
{
	const unsigned char *bytes = data;
	long sum = 0;

	while (size--)
		sum = sum * 31 + *bytes++;
	return sum;
}

KIND struct slot *kind_pool__get(struct pool *pool)
{
	struct slot *slot = pool->free;

	if (!slot)
		return NULL;
	pool->free = slot->free;
	pool->left--;
	slot->used = 1;
	return slot;
}

KIND void kind_pool__put(struct pool *pool, struct slot *slot)
{
	slot->used = 0;
	slot->payload[1]++;
	slot->free = pool->free;
	pool->free = slot;
	pool->left++;
}

KIND void kind_pool__init(struct pool *pool, struct slot *slots, int nr)
{
	int i;

	pool->slots = slots;
	pool->nr = pool->left = nr;
	pool->free = NULL;
	for (i = nr - 1; i >= 0; i--) {
		slots[i].free = pool->free;
		pool->free = &slots[i];
	}
}

KIND int kind_ring__push(struct ring *ring, const struct event *event)
{
	if (ring->head - ring->tail > ring->mask)
		return 0;
	ring->events[ring->head++ & ring->mask] = *event;
	return 1;
}

KIND long kind_ring__pop(struct ring *ring)
{
	const struct event *event;

	if (ring->head == ring->tail)
		return 0;
	event = &ring->events[ring->tail++ & ring->mask];
	switch (event->type) {
	case 0:
		return event->move.x - event->move.y;
	case 1:
		return event->key.code + event->key.text[2];
	case 2:
		return event->device->id;
	default:
		return ((struct pair *)event->context)->second;
	}
}

KIND int kind_index_links__find(const struct forest *forest, int key)
{
	int at = forest->root;

	while (at >= 0 && forest->nodes[at].key != key)
		at = key < forest->nodes[at].key ? forest->nodes[at].left : forest->nodes[at].right;
	return at;
}

KIND void kind_index_links__insert(struct forest *forest, int key)
{
	int at = forest->used++, *place = &forest->root;

	forest->nodes[at].key = key;
	forest->nodes[at].left = forest->nodes[at].right = -1;
	while (*place >= 0) {
		struct node *node = &forest->nodes[*place];

		node->height++;
		node->weight += key;
		place = key < node->key ? &node->left : &node->right;
	}
	*place = at;
	forest->order[at] = key;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct node *one = a, *other = b;

	return one->key < other->key ? -1 : one->key > other->key;
}

KIND int kind_sort_callback__compare(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;

	return one->first != other->first ? (one->first < other->first ? -1 : 1) : one->second - other->second;
}

KIND void kind_sort_callback__insertion(struct pair *pairs, int nr)
{
	int i, k;

	for (i = 1; i < nr; i++) {
		struct pair key = pairs[i];

		for (k = i - 1; k >= 0 && pairs[k].first > key.first; k--)
			pairs[k + 1] = pairs[k];
		pairs[k + 1] = key;
	}
}

KIND long kind_expression__value(const struct expr *expr, const long *values)
{
	switch (expr->op) {
	case NUMBER:
		return expr->u.number;
	case ADD:
		return kind_expression__value(expr->u.both.left, values) +
		       kind_expression__value(expr->u.both.right, values);
	case MULTIPLY:
		return kind_expression__value(expr->u.both.left, values) *
		       kind_expression__value(expr->u.both.right, values);
	case NEGATE:
		return -kind_expression__value(expr->u.one, values);
	case LOAD:
		return values[expr->u.index];
	}
	return 0;
}

KIND struct pair kind_by_value__make(long first)
{
	return (struct pair) { first, first + 1 };
}

KIND long kind_by_value__argument(struct pair pair, struct big big, const struct big *other)
{
	return pair.first + big.part[2] + big.id + other->part[pair.second & 3] + (long)other->ratio;
}

KIND struct big kind_by_value__result(const struct big *from, int id)
{
	struct big big = *from;

	big.id = id;
	big.part[id & 3]++;
	return big;
}

KIND void kind_by_value__stored(struct big *to, struct pair *pair, int id)
{
	*to = kind_by_value__result(to, id);
	*pair = kind_by_value__make(to->part[1]);
}

KIND void kind_floats__step(struct body *body, int nr, float by)
{
	int i;

	for (i = 0; i < nr; i++) {
		body[i].place.x += body[i].speed.x * by;
		body[i].place.y += body[i].speed.y * by;
		body[i].place.z += body[i].speed.z * by;
	}
}

KIND float kind_floats__energy(const struct body *body, const struct body *end)
{
	float sum = 0;

	for (; body != end; body++)
		sum += body->mass * (body->speed.x * body->speed.x + body->speed.y * body->speed.y);
	return sum;
}

KIND void kind_floats__scale(struct arrays *arrays, float by)
{
	int i;

	for (i = 0; i < arrays->nr; i++)
		arrays->y[i] += arrays->x[i] * by;
}

KIND void kind_floats__vectors(struct vector *to, const struct vector *from, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		to[i].x += from[i].x;
		to[i].y += from[i].y;
		to[i].z += from[i].z;
		to[i].w += from[i].w;
	}
}

KIND long kind_rows__sum(const struct arrays *arrays)
{
	long sum = 0;
	int i, k;

	for (i = 0; i < 4; i++) {
		for (k = 0; k < 6; k++)
			sum += arrays->rows[i][k];
	}
	return sum;
}

KIND int kind_rows__fours(struct arrays *arrays, int i)
{
	arrays->fours[i][2]++;
	return arrays->fours[i][i & 3] + arrays->fours[0][1];
}

KIND long kind_per_cpu__add(int cpu, int by)
{
	struct shard *shard = (struct shard *)((char *)shards + shard_offset[cpu]);

	shard->hits += by;
	shard->last.second = by;
	return shard->misses;
}

KIND long kind_per_cpu__sum(void)
{
	long sum = 0;
	int cpu;

	for (cpu = 0; cpu < 4; cpu++)
		sum += ((struct shard *)((char *)shards + shard_offset[cpu]))->hits;
	return sum;
}

KIND long kind_byte_offset__member(struct device *device, unsigned long offset)
{
	return *(unsigned long *)((char *)device + offset);
}

KIND long kind_varargs__sum(int nr, ...)
{
	va_list list;
	long sum = 0;

	va_start(list, nr);
	while (nr--) {
		struct pair *pair = va_arg(list, struct pair *);

		sum += pair->first;
		pair->second++;
	}
	va_end(list);
	return sum;
}

KIND long kind_computed_goto__run(const unsigned char *code, struct pair *pair)
{
	static const void *const targets[] = { &&stop, &&first, &&second, &&swap };
	long sum = 0;

	goto *targets[*code & 3];
first:
	pair->first++;
	goto *targets[*++code & 3];
second:
	sum += pair->second;
	goto *targets[*++code & 3];
swap:
	sum ^= pair->first;
	pair->second = sum;
	goto *targets[*++code & 3];
stop:
	return sum;
}

KIND long kind_unwinding__steps(struct device *device, struct disk *disk, int fail)
{
	long error = -1;

	device->state = READY;
	if (fail == 1)
		goto out;
	disk->sectors++;
	error = disk->device->id;
	if (fail == 2)
		goto undo;
	device->counters[3]++;
	return error;
undo:
	disk->sectors--;
out:
	device->state = IDLE;
	return error;
}

KIND int kind_inline_compare__label(const struct disk *disk, const struct disk *other)
{
	if (!memcmp(disk->label, other->label, sizeof(disk->label)))
		return disk->heads;
	return !memcmp(&disk->sectors, &other->sectors, 8);
}

KIND long kind_member_address__pass(struct tty *tty)
{
	struct pair *cursor = &tty->cursor;
	long *place = &cursor->second;

	truth_hide((long)place);
	*place += 2;
	return cursor->first + tty->row;
}

KIND struct pair *kind_member_address__result(struct tty *tty)
{
	return tty->row & 1 ? &tty->cursor : (struct pair *)&shards[1].last;
}

KIND long kind_member_address__use(struct tty *tty)
{
	struct pair *pair = kind_member_address__result(tty);

	pair->first++;
	return pair->second;
}

DESCRIBE
{
	TYPE(int);
	TYPE(long);
	TYPE(float);
	TYPE(void *);
	TYPE(unsigned long);
	TYPE(unsigned char);
	TYPE_FLAGS(struct pair, TRUTH_VALUE);
	FIELD(struct pair, first);
	FIELD(struct pair, second);
	TYPE_FLAGS(struct big, TRUTH_VALUE);
	ARRAY(struct big, part, part[0]);
	FIELD(struct big, id);
	FIELD(struct big, ratio);
	TYPE(struct driver);
	FIELD(struct driver, name);
	FIELD(struct driver, start);
	FIELD(struct driver, stop);
	FIELD(struct driver, flags);
	TYPE(struct device);
	FIELD(struct device, id);
	FIELD(struct device, state);
	FIELD(struct device, driver);
	FIELD(struct device, private);
	FIELD(struct device, parent);
	ARRAY(struct device, children, children[0]);
	FIELD(struct device, online);
	ARRAY(struct device, counters, counters[0]);
	FIELD(struct device, wide);
	TYPE(struct disk);
	FIELD(struct disk, sectors);
	FIELD(struct disk, device);
	ARRAY(struct disk, label, label[0]);
	FIELD(struct disk, heads);
	TYPE(struct tty);
	FIELD(struct tty, speed);
	FIELD(struct tty, row);
	NESTED(struct tty, cursor, struct pair);
	FIELD(struct tty, device);
	TYPE(struct header);
	FIELD(struct header, kind);
	FIELD(struct header, flags);
	FIELD(struct header, length);
	FIELD(struct header, serial);
	FIELD(struct header, stamp);
	ARRAY(struct header, options, options[0]);
	FIELD(struct header, crc);
	TYPE(struct attribute);
	FIELD(struct attribute, length);
	FIELD(struct attribute, type);
	TYPE(struct slot);
	FIELD(struct slot, free);
	FIELD(struct slot, used);
	ARRAY(struct slot, payload, payload[0]);
	TYPE(struct pool);
	FIELD(struct pool, free);
	FIELD(struct pool, slots);
	FIELD(struct pool, nr);
	FIELD(struct pool, left);
	TYPE_FLAGS(struct event, TRUTH_VALUE);
	FIELD(struct event, type);
	FIELD(struct event, move.x);
	FIELD(struct event, move.y);
	FIELD(struct event, key.code);
	ARRAY(struct event, key.text, key.text[0]);
	FIELD(struct event, device);
	FIELD(struct event, context);
	TYPE(struct ring);
	FIELD(struct ring, head);
	FIELD(struct ring, tail);
	FIELD(struct ring, mask);
	NESTED_ARRAY(struct ring, events, events[0], struct event);
	TYPE(struct node);
	FIELD(struct node, key);
	FIELD(struct node, left);
	FIELD(struct node, right);
	FIELD(struct node, height);
	FIELD(struct node, weight);
	TYPE(struct forest);
	FIELD(struct forest, nodes);
	FIELD(struct forest, root);
	FIELD(struct forest, used);
	FIELD(struct forest, order);
	TYPE(struct expr);
	FIELD(struct expr, op);
	FIELD(struct expr, u.number);
	FIELD(struct expr, u.both.left);
	FIELD(struct expr, u.both.right);
	FIELD(struct expr, u.one);
	FIELD(struct expr, u.index);
	TYPE(struct vector);
	FIELD(struct vector, x);
	FIELD(struct vector, y);
	FIELD(struct vector, z);
	FIELD(struct vector, w);
	TYPE(struct body);
	NESTED(struct body, place, struct vector);
	NESTED(struct body, speed, struct vector);
	FIELD(struct body, mass);
	FIELD(struct body, group);
	TYPE(struct arrays);
	FIELD(struct arrays, nr);
	FIELD(struct arrays, x);
	FIELD(struct arrays, y);
	FIELD(struct arrays, vectors);
	FIELD(struct arrays, rows);
	FIELD(struct arrays, fours);
	TYPE(struct shard);
	FIELD(struct shard, hits);
	FIELD(struct shard, misses);
	NESTED(struct shard, last, struct pair);
	PLACED(shards, struct shard);
	PLACED(shard_offset, unsigned long);
	PLACED(disk_driver, struct driver);
	PLACED(tty_driver, struct driver);
	PLACED(drivers, void *);
	PLACED(devices, void *);
}

static struct expr *expression(enum op op, struct expr *left, struct expr *right, long number)
{
	struct expr *expr = NEW(struct expr);

	expr->op = op;
	if (op == NUMBER)
		expr->u.number = number;
	else if (op == LOAD)
		expr->u.index = number;
	else if (op == NEGATE)
		expr->u.one = left;
	else
		expr->u.both.left = left, expr->u.both.right = right;
	return expr;
}

int main(void)
{
	enum { NR = 18 };
	static const unsigned char program[] = { 1, 2, 3, 1, 1, 2, 0 };
	struct device *all[NR];
	struct forest *forest;
	struct arrays *arrays;
	struct header *headers;
	struct expr *expr;
	struct event event;
	struct vector *vectors;
	struct pair *pairs;
	struct disk *disks;
	struct body *bodies;
	struct pool *pool;
	struct ring *ring;
	struct tty *tty;
	struct big *big;
	unsigned char *code;
	struct attribute *attributes;
	long sum = 0, *values;
	int i, k;

	describe();
	forest = NEW(struct forest);
	forest->nodes = NEW_ARRAY(struct node, NR);
	forest->order = NEW_ARRAY(int, NR);
	forest->root = -1;
	arrays = NEW(struct arrays);
	arrays->nr = NR;
	arrays->x = NEW_ARRAY(float, NR);
	arrays->y = NEW_ARRAY(float, NR);
	arrays->vectors = vectors = NEW_ARRAY(struct vector, NR);
	arrays->rows = NEW_ARRAY(void *, 4);
	arrays->fours = (int (*)[4])NEW_ARRAY(int, 4 * NR);
	for (i = 0; i < 4; i++) {
		arrays->rows[i] = NEW_ARRAY(long, 6);
		shard_offset[i] = i * sizeof(struct shard);
	}
	headers = NEW_ARRAY(struct header, 2);
	pairs = NEW_ARRAY(struct pair, NR);
	disks = NEW_ARRAY(struct disk, NR);
	bodies = NEW_ARRAY(struct body, NR);
	pool = NEW(struct pool);
	kind_pool__init(pool, NEW_ARRAY(struct slot, 9), 9);
	ring = NEW(struct ring);
	ring->mask = 15;
	tty = NEW(struct tty);
	big = NEW_ARRAY(struct big, 2);
	values = NEW_ARRAY(long, NR);
	code = NEW_ARRAY(unsigned char, sizeof(program));
	memcpy(code, program, sizeof(program));
	attributes = NEW_ARRAY(struct attribute, 8);
	expr = expression(ADD, expression(MULTIPLY, expression(LOAD, NULL, NULL, 3),
					  expression(NUMBER, NULL, NULL, 4), 0),
			  expression(NEGATE, expression(LOAD, NULL, NULL, 1), NULL, 0), 0);
	drivers[0] = &disk_driver;
	drivers[1] = &tty_driver;

	for (i = 0; i < NR; i++) {
		struct device *device = NEW(struct device);

		all[i] = device;
		device->id = i;
		device->parent = devices;
		for (k = 0; k < 3; k++)
			device->children[k] = all[i * k / 3];
		device->driver = drivers[i & 1];
		device->private = i & 1 ? (void *)tty : &disks[i];
		disks[i].device = device;
		disks[i].heads = i;
		devices = device;
		pairs[i].first = i * 7 % NR;
		values[i] = i;
	}
	devices->parent = all[0];
	all[0]->parent = NULL;
	tty->device = devices;
	for (i = 0; i < 8; i++) {
		attributes[i].length = 4;
		attributes[i].type = i;
	}

	for (i = 1; i < NR; i++) {
		struct device *device = all[i];
		struct slot *slot;

		sum += kind_private_data__run(device, ring);
		sum += kind_error_pointer__use(i * 9);
		sum += kind_wide__counters(device, i) + kind_volatile__once(device);
		sum += kind_packed__header(headers);
		sum += kind_byte_cursor__attributes((unsigned char *)attributes, (unsigned char *)(attributes + 8));
		sum += kind_byte_cursor__checksum(headers, sizeof(*headers));
		slot = kind_pool__get(pool);
		if (slot && i % 3)
			kind_pool__put(pool, slot);
		memset(&event, 0, sizeof(event));
		event.type = i & 3;
		if (event.type == 2)
			event.device = device;
		else if (event.type == 3)
			event.context = &pairs[i];
		ring->head = ring->tail = i;
		kind_ring__push(ring, &event);
		sum += kind_ring__pop(ring);
		kind_index_links__insert(forest, i * 11 % NR);
		sum += kind_index_links__find(forest, i);
		sum += kind_sort_callback__compare(&pairs[i], &pairs[i - 1]);
		kind_sort_callback__insertion(pairs, NR);
		pairs[i].first = i * 5 % 7;
		sum += kind_expression__value(expr, values);
		sum += kind_by_value__argument(pairs[i], big[0], &big[1]);
		kind_by_value__stored(big, &pairs[i], i);
		kind_floats__step(bodies, NR, 0.5f);
		sum += kind_floats__energy(bodies, bodies + NR);
		kind_floats__scale(arrays, 2);
		kind_floats__vectors(vectors, vectors + NR / 2, NR / 2);
		sum += kind_rows__sum(arrays) + kind_rows__fours(arrays, i);
		sum += kind_per_cpu__add(i & 3, i) + kind_per_cpu__sum();
		sum += kind_byte_offset__member(device, i & 1 ? offsetof(struct device, counters)
								: offsetof(struct device, private));
		sum += kind_varargs__sum(2, &pairs[i], &pairs[0]);
		sum += kind_computed_goto__run(code, &pairs[i]);
		sum += kind_unwinding__steps(device, &disks[i], i % 3);
		sum += kind_inline_compare__label(&disks[i], &disks[i / 2]);
		sum += kind_member_address__pass(tty) + kind_member_address__use(tty);
	}
	qsort(forest->nodes, NR, sizeof(forest->nodes[0]), compare_nodes);
	qsort(pairs, NR, sizeof(pairs[0]), kind_sort_callback__compare);
	truth_sink(sum);
	return 0;
}
