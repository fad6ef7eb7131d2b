// SPDX-License-Identifier: GPL-2.0
/* The other translation unit of places.c: variables and functions behind pointers. */
#include "places.h"

struct counter peer_counter;
struct row peer_rows[6] = {
	{ 1, 0, "one", 10 }, { 2, 0, "two", 20 }, { 3, 1, "three", 30 },
	{ 4, 0, "four", 40 }, { 5, 1, "five", 50 }, { 6, 0, "six", 60 },
};
__thread struct counter peer_thread_counter;
static struct point origin;

static long box_area(const struct shape *shape)
{
	return (shape->corner[1].x - shape->corner[0].x) * (shape->corner[1].y - shape->corner[0].y);
}

static long line_area(const struct shape *shape)
{
	return shape->color & 1;
}

static void box_move(struct shape *shape, int by)
{
	shape->corner[0].x += by;
	shape->corner[1].x += by;
	origin.x++;
}

static void line_move(struct shape *shape, int by)
{
	shape->corner[1].y += by;
	origin.y += by;
}

static int heavy(int scale)
{
	return scale * 3;
}

static int light(int scale)
{
	return scale + 1;
}

const struct shape_ops peer_ops[3] = {
	{ "box", box_area, box_move, { heavy, 2 } },
	{ "line", line_area, line_move, { light, 3 } },
	{ "both", box_area, line_move, { light, 4 } },
};

KIND void peer_fill(struct local *local, int nr)
{
	int i;

	for (i = 0; i < 4; i++)
		local->points[i].x = i * nr;
	local->nr = nr;
}

void peer_places(void)
{
	PLACED(peer_counter, struct counter);
	PLACED(peer_rows, struct row);
	PLACED(peer_thread_counter, struct counter);
	PLACED(peer_ops, struct shape_ops);
	PLACED(origin, struct point);
}
