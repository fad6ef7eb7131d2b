// SPDX-License-Identifier: GPL-2.0
/* Where objects live: global, static, thread-local and stack variables, tables of functions. */
#include "places.h"
#include <pthread.h>

struct counter counter;
static struct counter counters[8];
static struct point board[5][7];
static const struct row *row_of[6];
static struct shape *shapes;
static __thread struct counter mine;
static __thread struct point trail[4];
static long sums[16];
static int nr_calls;

KIND long kind_global__fields(int by)
{
	counter.hits += by;
	if (by & 1)
		counter.misses++;
	counter.last.x = by;
	nr_calls++;
	return counter.hits + counter.last.y + nr_calls;
}

KIND long kind_global__other_unit(int by)
{
	peer_counter.misses += by;
	peer_counter.last.y++;
	return peer_counter.hits;
}

KIND long kind_global__pointer(void)
{
	return shapes->color + shapes->next->corner[1].y;
}

KIND long kind_global_array__index(int i)
{
	counters[i].hits++;
	counters[i].last.y = i;
	return counters[7 - i].misses;
}

KIND long kind_global_array__loop(void)
{
	long sum = 0;
	int i;

	for (i = 0; i < 8; i++) {
		sum += counters[i].hits;
		counters[i].misses += i;
	}
	return sum;
}

KIND long kind_global_array__rows(int code)
{
	int i;

	for (i = 0; i < 6; i++) {
		if (peer_rows[i].code == code)
			return peer_rows[i].value + peer_rows[i].text[1];
	}
	return 0;
}

KIND long kind_global_array__two_dimensions(int y, int x)
{
	int i;
	long sum = 0;

	board[y][x].x++;
	for (i = 0; i < 7; i++)
		sum += board[y][i].y;
	for (i = 0; i < 5; i++)
		board[i][x].y = i;
	return sum;
}

KIND long kind_global_array__pointers(int i)
{
	return row_of[i]->value + row_of[5 - i]->flags;
}

KIND long kind_global_array__longs(int i)
{
	int k;

	sums[i & 15] += i;
	for (k = 1; k < 16; k++)
		sums[k] += sums[k - 1] & 7;
	return sums[15];
}

KIND long kind_static__local(int i)
{
	static struct counter calls;
	static struct point last[3];
	static int announced;

	if (!announced++) {
		PLACED(calls, struct counter);
		PLACED(last, struct point);
	}
	calls.hits++;
	last[i % 3].y = i;
	return calls.hits + last[(i + 1) % 3].x;
}

KIND long kind_tls__fields(int by)
{
	mine.hits += by;
	mine.last.y = by;
	trail[by & 3].x++;
	return mine.misses + trail[1].y;
}

KIND long kind_tls__other_unit(int by)
{
	peer_thread_counter.misses += by;
	return peer_thread_counter.last.x + peer_thread_counter.hits;
}

KIND long kind_tls__loop(void)
{
	struct counter *counter = &mine;
	long sum = 0;
	int i;

	for (i = 0; i < 4; i++) {
		sum += trail[i].y;
		counter->hits += sum;
	}
	return sum;
}

KIND long kind_stack__struct(int nr)
{
	struct local local = { .nr = nr };
	long sum;

	ON_STACK(local, struct local);
	peer_fill(&local, nr);
	local.totals[nr % 3] = nr;
	local.best = shapes;
	truth_hide((long)&local);
	sum = local.points[nr & 3].x + local.totals[1] + local.best->color + local.nr;
	OFF_STACK(local);
	return sum;
}

KIND long kind_stack__array(int nr)
{
	struct point points[6];
	long sum = 0;
	int i;

	ON_STACK(points, struct point);
	for (i = 0; i < 6; i++) {
		points[i].x = i * nr;
		points[i].y = nr;
	}
	truth_hide((long)points);
	for (i = 0; i < 6; i++)
		sum += points[i].x - points[5 - i].y;
	OFF_STACK(points);
	return sum;
}

KIND long kind_stack__scalars(int nr)
{
	long total = nr;
	int left = nr;

	ON_STACK(total, long);
	ON_STACK(left, int);
	while (left-- > 0) {
		truth_hide((long)&left);
		truth_hide((long)&total);
		total += left * 2;
	}
	OFF_STACK(left);
	OFF_STACK(total);
	return total;
}

KIND long kind_stack__big(int nr)
{
	struct local locals[3];
	struct local *local = &locals[nr % 3];

	ON_STACK(locals, struct local);
	memset(locals, 0, sizeof(locals));
	peer_fill(&locals[0], nr);
	peer_fill(local, nr + 1);
	local->totals[2] += locals[0].points[3].x;
	nr += locals[1].nr + local->totals[2];
	OFF_STACK(locals);
	return nr;
}

KIND long kind_stack__variable_size(int nr)
{
	struct counter list[nr];
	long sum = 0;
	int i;

	ON_STACK(list, struct counter);
	memset(list, 0, sizeof(list));
	for (i = 0; i < nr; i++)
		list[i].hits = i;
	truth_hide((long)list);
	for (i = 0; i < nr; i++)
		sum += list[i].hits + list[i].last.y;
	OFF_STACK(list);
	return sum;
}

KIND long kind_function_table__area(const struct shape *shape)
{
	return shape->ops->area(shape);
}

KIND long kind_function_table__all(struct shape *shape, int by)
{
	long sum = 0;

	for (; shape; shape = shape->next) {
		shape->ops->move(shape, by);
		sum += shape->ops->area(shape) + shape->ops->extra.weight(shape->ops->extra.scale);
		sum += shape->color;
	}
	return sum;
}

KIND long kind_function_table__index(int i, const struct shape *shape)
{
	return peer_ops[i].area(shape) + peer_ops[i].name[0] + peer_ops[2 - i].extra.scale;
}

KIND long kind_jump_table__switch(struct shape *shape, int what)
{
	switch (what) {
	case 0:
		return shape->color;
	case 1:
		return shape->corner[0].x;
	case 2:
		return shape->corner[1].y * 2;
	case 3:
		shape->color = 2;
		return 5;
	case 4:
		return shape->next->color;
	case 5:
		return shape->ops->extra.scale;
	case 6:
		shape->corner[0].y++;
		return 9;
	case 7:
		return counter.hits;
	case 8:
		return counters[shape->color & 7].misses;
	default:
		return shape->next->corner[0].y;
	}
}

KIND long kind_jump_table__machine(const unsigned char *code, struct local *local)
{
	struct point *point = local->points;
	long sum = 0;

	for (;; code++) {
		switch (*code) {
		case 0:
			return sum;
		case 1:
			point->x++;
			break;
		case 2:
			point->y += point->x;
			break;
		case 3:
			point = &local->points[local->nr & 3];
			break;
		case 4:
			local->nr++;
			break;
		case 5:
			sum += local->totals[1];
			break;
		case 6:
			local->totals[2] = sum;
			break;
		case 7:
			sum += local->best->color;
			break;
		case 8:
			sum ^= point->y;
			break;
		}
	}
}

static long gcd_step(struct point *point, int depth)
{
	if (!depth || !point->y)
		return point->x;
	point->x %= point->y;
	if (point->x < point->y) {
		int x = point->x;

		point->x = point->y;
		point->y = x;
	}
	return gcd_step(point, depth - 1);
}

KIND long kind_recursion__tail(struct point *point, int x, int y)
{
	point->x = x;
	point->y = y;
	return gcd_step(point, 30);
}

KIND long kind_recursion__tree(struct shape *shape, int depth)
{
	if (!shape || !depth)
		return 1;
	shape->color += depth;
	return kind_recursion__tree(shape->next, depth - 1) +
	       kind_recursion__tree(shape->next, depth - 2 > 0 ? depth - 2 : 0) + shape->corner[0].x;
}

static __attribute__((noinline, cold)) void complain(struct shape *shape)
{
	shape->color = -1;
	counter.misses++;
	truth_hide(shape->corner[0].x);
}

KIND long kind_cold_part__check(struct shape *shape, int i)
{
	if (__builtin_expect(i == 9, 0)) {
		shape->corner[1].x = 4;
		complain(shape);
		counter.last.x = shape->corner[1].y;
	}
	return shape->color;
}

DESCRIBE
{
	TYPE(long);
	TYPE(int);
	TYPE(void *);
	TYPE(unsigned char);
	TYPE_FLAGS(struct point, TRUTH_VALUE);
	FIELD(struct point, x);
	FIELD(struct point, y);
	TYPE(struct counter);
	FIELD(struct counter, hits);
	FIELD(struct counter, misses);
	NESTED(struct counter, last, struct point);
	TYPE(struct shape_ops);
	FIELD(struct shape_ops, name);
	FIELD(struct shape_ops, area);
	FIELD(struct shape_ops, move);
	FIELD(struct shape_ops, extra.weight);
	FIELD(struct shape_ops, extra.scale);
	TYPE(struct shape);
	FIELD(struct shape, ops);
	NESTED_ARRAY(struct shape, corner, corner[0], struct point);
	FIELD(struct shape, next);
	FIELD(struct shape, color);
	TYPE(struct row);
	FIELD(struct row, code);
	FIELD(struct row, flags);
	FIELD(struct row, text);
	FIELD(struct row, value);
	TYPE_FLAGS(struct local, TRUTH_VALUE);
	NESTED_ARRAY(struct local, points, points[0], struct point);
	FIELD(struct local, best);
	ARRAY(struct local, totals, totals[0]);
	FIELD(struct local, nr);
	PLACED(counter, struct counter);
	PLACED(counters, struct counter);
	PLACED(board, struct point);
	PLACED(row_of, void *);
	PLACED(shapes, void *);
	PLACED(sums, long);
	PLACED(nr_calls, int);
	PLACED(mine, struct counter);
	PLACED(trail, struct point);
	peer_places();
}

static void *other_thread(void *arg)
{
	long sum = 0;
	int i;

	PLACED(mine, struct counter);
	PLACED(trail, struct point);
	PLACED(peer_thread_counter, struct counter);
	for (i = 0; i < 10; i++)
		sum += kind_tls__fields(i) + kind_tls__other_unit(i) + kind_tls__loop();
	truth_sink(sum);
	return arg;
}

int main(void)
{
	enum { NR = 20 };
	unsigned char *code;
	struct local *local;
	struct point *point;
	pthread_t thread;
	long sum = 0;
	int i;

	describe();
	shapes = NEW_ARRAY(struct shape, NR);
	local = NEW(struct local);
	point = NEW(struct point);
	code = NEW_ARRAY(unsigned char, 32);
	for (i = 0; i < NR; i++) {
		shapes[i].ops = &peer_ops[i % 3];
		shapes[i].corner[1].x = shapes[i].corner[1].y = i;
		shapes[i].next = i + 1 < NR ? &shapes[i + 1] : NULL;
		shapes[i].color = i;
		code[i] = 1 + i % 8;
	}
	for (i = 0; i < 6; i++)
		row_of[i] = &peer_rows[i];
	local->best = shapes;

	for (i = 0; i < NR - 1; i++) {
		struct shape *shape = &shapes[i];

		sum += kind_global__fields(i) + kind_global__other_unit(i) + kind_global__pointer();
		sum += kind_global_array__index(i & 7) + kind_global_array__loop();
		sum += kind_global_array__rows(i % 7) + kind_global_array__pointers(i % 6);
		sum += kind_global_array__two_dimensions(i % 5, i % 7) + kind_global_array__longs(i);
		sum += kind_static__local(i);
		sum += kind_tls__fields(i) + kind_tls__other_unit(i) + kind_tls__loop();
		sum += kind_stack__struct(i) + kind_stack__array(i) + kind_stack__scalars(i & 7);
		sum += kind_stack__big(i) + kind_stack__variable_size(1 + (i & 7));
		sum += kind_function_table__area(shape) + kind_function_table__all(shape, i);
		sum += kind_function_table__index(i % 3, shape);
		sum += kind_jump_table__switch(shape, i % 10);
		sum += kind_jump_table__machine(code + i % 4, local);
		sum += kind_recursion__tail(point, i * 31, i * 7 + 1) + kind_recursion__tree(shape, 5);
		sum += kind_cold_part__check(shape, i);
	}
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	truth_sink(sum);
	return 0;
}
