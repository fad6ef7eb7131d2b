// SPDX-License-Identifier: GPL-2.0
/*
 * The shared library behind truth.h. It keeps the arenas and writes what the program says of
 * its types to the file that TRUTH_MAP names, a record a line with tabs in between:
 *
 *   type NUMBER SIZE FLAGS NAME
 *   alias NUMBER NAME
 *   member NUMBER OFFSET SIZE ELEMENT CLASS NESTED-NUMBER-OR--1 MEMBER
 *   end
 */
#define _GNU_SOURCE
#include "truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static struct truth_table *table;
static const char *names[TRUTH_TYPES];
static void *unused[TRUTH_TYPES];
static FILE *map;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "truth: %s %s\n", what, which);
	exit(3);
}

static void finish(void)
{
	fprintf(map, "end\n");
	fclose(map);
}

static void start(void)
{
	const char *path = getenv("TRUTH_MAP");

	if (table)
		return;
	table = mmap((void *)TRUTH_TABLE, TRUTH_SPAN * (TRUTH_TYPES + 1), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (table != (void *)TRUTH_TABLE)
		die("cannot map", "the arenas");
	map = fopen(path ?: "/dev/null", "w");
	if (!map)
		die("cannot write", path);
	atexit(finish);
	table->magic = TRUTH_MAGIC;
}

static int find(const char *name)
{
	uint64_t nr;

	start();
	for (nr = 0; nr < table->nr_types; nr++) {
		if (!strcmp(names[nr], name))
			return nr;
	}
	return -1;
}

static int need(const char *name)
{
	int nr = find(name);

	if (nr < 0)
		die("nobody announced the type", name);
	return nr;
}

void truth_type(const char *name, size_t size, int flags)
{
	int nr = find(name);

	if (nr >= 0)
		return;
	nr = table->nr_types;
	if (nr == TRUTH_TYPES)
		die("too many types at", name);
	names[nr] = strdup(name);
	table->size[nr] = size;
	table->nr_types++;
	fprintf(map, "type\t%d\t%zu\t%d\t%s\n", nr, size, flags, name);
}

void truth_alias(const char *name, const char *alias)
{
	fprintf(map, "alias\t%d\t%s\n", need(name), alias);
}

void truth_member(const char *name, const char *member, size_t offset, size_t size,
		  size_t element, int class_, const char *nested)
{
	int inner = nested[0] ? need(nested) : -1;

	fprintf(map, "member\t%d\t%zu\t%zu\t%zu\t%d\t%d\t%s\n", need(name), offset, size, element,
		class_, inner, member);
}

void truth_bits(const char *name, const char *member, const void *ones, size_t size)
{
	const unsigned char *bytes = ones;
	size_t first = 0;

	while (size && !bytes[size - 1])
		size--;
	while (first < size && !bytes[first])
		first++;
	truth_member(name, member, first, size - first, size - first, 0, "");
}

void *truth_alloc(const char *name, size_t count)
{
	int nr = need(name);
	char *object;

	if (count == 1 && unused[nr]) {
		object = unused[nr];
		memcpy(&unused[nr], object, sizeof(void *));
		memset(object, 0, table->size[nr]);
		return object;
	}
	object = (char *)TRUTH_TABLE + (nr + 1) * TRUTH_SPAN + table->used[nr];
	table->used[nr] += count * table->size[nr];
	if (table->used[nr] > TRUTH_SPAN)
		die("the arena is full of", name);
	return object;
}

void truth_free(void *object, const char *name)
{
	int nr = need(name);

	if (!object || table->size[nr] < sizeof(void *))
		return;
	memcpy(object, &unused[nr], sizeof(void *));
	unused[nr] = object;
}

void truth_region(const void *place, size_t size, const char *name)
{
	struct truth_region *region;

	need(name);
	if (table->nr_regions == TRUTH_REGIONS)
		die("too many variables at", name);
	region = &table->regions[table->nr_regions];
	region->start = (uint64_t)place;
	region->size = size;
	region->type = need(name);
	table->nr_regions++;
}

void truth_drop(const void *place)
{
	uint64_t nr = table->nr_regions;

	while (nr-- > 0) {
		if (table->regions[nr].start == (uint64_t)place) {
			memmove(&table->regions[nr], &table->regions[nr + 1],
				(table->nr_regions - nr - 1) * sizeof(table->regions[0]));
			table->nr_regions--;
			return;
		}
	}
	die("dropped, but nobody announced", "a variable");
}

void truth_sink(long value)
{
	static volatile long sum;

	sum += value;
}

long truth_hide(long value)
{
	static volatile long same;

	same = value;
	return same;
}
