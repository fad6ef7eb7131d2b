// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz targets for the type engine of the kernel tree, linked as it is.
 *
 * Built with -DTARGET_CODE the input is machine code: it replaces the code of a small object
 * that has debug information (FUZZ_OBJECT in the environment), so that registers and stack
 * slots have types while any instructions run over them. Otherwise the input is an ELF file:
 * its index is made, every function analysed and every answer named, as perf annotate
 * --type-scan does.
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/dtype/reason.h"
#include "util/dtype/resolve.h"

#define MAX_INPUT	(256 << 10)
/* Every byte may be an instruction, and a broken file may claim that it has the same code often. */
#define MAX_FUNCTIONS	2000

/* What the engine and perf's own string helpers want of the rest of perf */
int verbose;
int debug_type_profile;
int eprintf(int level, int var, const char *fmt, ...);

int eprintf(int level, int var, const char *fmt, ...)
{
	(void)level;
	(void)var;
	(void)fmt;
	return 0;
}

static unsigned int functions;

static void check(bool fine, const char *what)
{
	if (!fine) {
		fprintf(stderr, "fuzz: %s\n", what);
		abort();
	}
}

static void visit_type(const struct dt_type *type, unsigned int depth)
{
	unsigned int i, nr;
	const struct dt_member *members;

	check(type && type->name, "a type without a name");
	members = dt_type__members(type, &nr);
	check(!nr == !members, "members without a number");
	for (i = 0; i < nr && i < 64; i++) {
		check(members[i].type && members[i].type->name, "a member without a type");
		if (depth < 3)
			visit_type(members[i].type, depth + 1);
	}
}

static void visit_spot(const struct dt_spot *spot)
{
	char field[256];
	u64 first;

	memset(field, 'x', sizeof(field));
	dt_spot__field(spot, &first, field, sizeof(field));
	check(memchr(field, '\0', sizeof(field)), "a field without an end");
	check(first <= spot->offset, "the first element is behind the field");
	if (dt_spot__last_field(spot, field, sizeof(field)))
		check(memchr(field, '\0', sizeof(field)), "a last field without an end");
}

/* What the object is in, and what is in it */
static void visit_levels(const struct dt_place *place)
{
	const struct dt_type *via = place->outer ? place->type : NULL, *type;
	struct dt_level levels[DT_MAX_LEVELS];
	unsigned int nr;
	s64 off;

	type = dt_place__outermost(place, &off);
	if (via)
		visit_type(type, 0);
	visit_spot(&(struct dt_spot){
		.type = type, .offset = off, .width = place->width,
		.via = via, .via_off = place->off, .step = place->step,
	});
	nr = dt_type__levels(type, off, place->width, via, place->off, levels);
	check(nr && nr <= DT_MAX_LEVELS && levels[0].type == type, "levels without a type");
}

static void visit_place(const struct dt_place *place)
{
	char field[256];

	check(place->reason < DT_REASON_MAX && dt_reason__name(place->reason), "no reason");
	visit_type(place->type, 0);
	if (place->type->kind != DT_KIND_PSEUDO) {
		memset(field, 'x', sizeof(field));
		dt_type__field(place->type, place->off, place->width, field, sizeof(field));
		check(memchr(field, '\0', sizeof(field)), "a field without an end");
		visit_levels(place);
	}
}

static void visit_code(struct dt_file *file, struct dt_func *func, const struct dt_range *range)
{
	struct dt_table table;
	unsigned int i, j;

	if (dt_flow__analyse(file, func, range, &table))
		return;
	for (i = 0; i < table.nr; i++) {
		check(table.entries[i].nr <= DT_MAX_MEM, "too many operands");
		check(!i || table.entries[i - 1].addr < table.entries[i].addr, "entries out of order");
		for (j = 0; j < table.entries[i].nr; j++)
			visit_place(&table.entries[i].place[j]);
	}
	dt_table__exit(&table);
}

static int visit_function(struct dt_file *file, struct dt_func *func, void *ctx)
{
	(void)ctx;
	dt_func__name(func);
	visit_code(file, func, NULL);
	dt_func__unload(func);
	return ++functions > MAX_FUNCTIONS;
}

static void visit_object(const char *path)
{
	struct dt_resolver resolver;
	struct dt_place place;
	unsigned int i;
	struct dt_file *file = dt_file__open(path, NULL);

	if (!file)
		return;
	functions = 0;
	if (file->status == DT_FILE_OK)
		dt_file__visit_funcs(file, visit_function, NULL);
	for (i = 0; i < file->nr_sections && i < 64 && file->arch; i++) {
		struct dt_range range = { .lo = file->sections[i].addr };
		u64 size = file->sections[i].size, off;

		range.hi = range.lo + size;
		if (file->status == DT_FILE_OK)
			dt_file__global(file, range.lo, &off, NULL);
		if (!file->sections[i].exec)
			continue;
		visit_code(file, NULL, &range);
	}

	dt_resolver__init(&resolver, file);
	for (i = 0; i < file->nr_sections && i < 64 && file->arch; i++) {
		struct dt_range range = { .lo = file->sections[i].addr };
		u64 at;

		range.hi = range.lo + file->sections[i].size;
		for (at = 0; file->sections[i].exec && at < file->sections[i].size && at < 64; at += 7) {
			dt_resolver__find(&resolver, range.lo + at, &range, DT_ACCESS_READ, &place);
			visit_place(&place);
		}
	}
	dt_resolver__exit(&resolver);
}

/* The engine opens files by name, and finds split debug information beside them. */
static void visit_bytes(const uint8_t *data, size_t size)
{
	const char *directory = getenv("FUZZ_DIRECTORY");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/input.o", directory ?: ".");
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		fprintf(stderr, "fuzz: cannot write %s: %s\n", path, strerror(errno));
		exit(2);
	}
	visit_object(path);
}

#ifdef TARGET_CODE
static uint8_t *object;
static size_t object_size;
static uint8_t *text;
static size_t text_size;

static void read_object(void)
{
	const char *path = getenv("FUZZ_OBJECT");
	FILE *file = path ? fopen(path, "r") : NULL;
	Elf64_Ehdr *ehdr;
	Elf64_Shdr *sections;
	const char *names;
	int i;

	object = malloc(MAX_INPUT);
	if (!file || !object) {
		fprintf(stderr, "fuzz: cannot read the object %s: set FUZZ_OBJECT\n", path ?: "");
		exit(2);
	}
	object_size = fread(object, 1, MAX_INPUT, file);
	fclose(file);
	ehdr = (Elf64_Ehdr *)object;
	sections = (Elf64_Shdr *)(object + ehdr->e_shoff);
	names = (const char *)object + sections[ehdr->e_shstrndx].sh_offset;
	for (i = 0; i < ehdr->e_shnum; i++) {
		if (!strcmp(names + sections[i].sh_name, ".text")) {
			text = object + sections[i].sh_offset;
			text_size = sections[i].sh_size;
		}
	}
	if (!text) {
		fprintf(stderr, "fuzz: %s has no .text\n", path);
		exit(2);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!object)
		read_object();
	if (!size)
		return 0;
	if (size > text_size)
		size = text_size;
	/* What the input leaves is filled with it again: no code of the object stays. */
	for (size_t at = 0; at < text_size; at += size)
		memcpy(text + at, data, at + size > text_size ? text_size - at : size);
	visit_bytes(object, object_size);
	return 0;
}
#else
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Elf64_Shdr *section_headers(uint8_t *data, size_t size, unsigned int *nr)
{
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)data;

	if (size < sizeof(*ehdr) || ehdr->e_shoff > size || ehdr->e_shoff % 8)
		return NULL;
	*nr = ehdr->e_shnum;
	if (!*nr || *nr > (size - ehdr->e_shoff) / sizeof(Elf64_Shdr))
		return NULL;
	return (Elf64_Shdr *)(data + ehdr->e_shoff);
}

/*
 * Changes in one section leave the rest of the file what it was, so that what reads the
 * change is reached: a number or an offset off by a little, a piece of the section in
 * another place, a section that is cut short, gone, or has the content of another.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	unsigned int nr, tries, i, rest = seed / 16;
	Elf64_Shdr *sections = section_headers(data, size, &nr), *section;
	uint64_t at, other, length;
	uint8_t *bytes;
	uint32_t word;

	if (!sections || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (tries = 1 + rest % 3; tries--; ) {
		rest = rest * 1103515245 + 12345;
		section = &sections[(rest >> 8) % nr];
		length = section->sh_size;
		if (section->sh_type == SHT_NOBITS || section->sh_offset > size ||
		    length > size - section->sh_offset || length < 8)
			continue;
		bytes = data + section->sh_offset;
		rest = rest * 1103515245 + 12345;
		at = (rest >> 8) % (length - 4);
		rest = rest * 1103515245 + 12345;
		other = (rest >> 8) % (length - 4);
		rest = rest * 1103515245 + 12345;
		switch ((rest >> 16) % 10) {
		case 0:
			bytes[at] ^= 1 << (rest & 7);
			break;
		case 1:
			bytes[at] += (rest & 7) - 4;
			break;
		case 2:
			bytes[at] = "\0\1\177\200\377"[rest % 5];
			break;
		case 3:		/* a reference, a size or an offset */
			memcpy(&word, bytes + at, 4);
			word += (rest & 63) - 32;
			memcpy(bytes + at, &word, 4);
			break;
		case 4:
			word = rest & 1 ? rest % length : rest & 2 ? UINT32_MAX : rest;
			memcpy(bytes + at, &word, 4);
			break;
		case 5:
			i = rest % 32;
			if (at + i < length && other + i < length)
				memmove(bytes + at, bytes + other, i);
			break;
		case 6:
			LLVMFuzzerMutate(bytes + at, (rest % 16) + 1 < length - at ? (rest % 16) + 1 : 1,
					 length - at);
			break;
		case 7:
			section->sh_size = rest & 1 ? at : 0;
			break;
		case 8:
			section->sh_type = rest & 1 ? SHT_NULL : SHT_NOBITS;
			break;
		case 9:
			section->sh_offset = sections[rest % nr].sh_offset;
			break;
		}
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= MAX_INPUT)
		visit_bytes(data, size);
	return 0;
}
#endif
