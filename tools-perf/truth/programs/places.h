/* SPDX-License-Identifier: GPL-2.0 */
/* Variables of places.c and places-peer.c. */
#ifndef PLACES_H
#define PLACES_H

#include "truth.h"

struct point {
	int x, y;
};

struct counter {
	long hits, misses;
	struct point last;
};

struct shape;

struct shape_ops {
	const char *name;
	long (*area)(const struct shape *shape);
	void (*move)(struct shape *shape, int by);
	struct {
		int (*weight)(int scale);
		int scale;
	} extra;
};

struct shape {
	const struct shape_ops *ops;
	struct point corner[2];
	struct shape *next;
	int color;
};

struct row {
	short code, flags;
	const char *text;
	long value;
};

struct local {
	struct point points[4];
	struct shape *best;
	long totals[3];
	int nr;
};

extern struct counter peer_counter;
extern struct row peer_rows[6];
extern __thread struct counter peer_thread_counter;
extern const struct shape_ops peer_ops[3];

void peer_fill(struct local *local, int nr);
void peer_places(void);

#endif
