// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU plugin: every memory access of a program's own code, by type and offset.
 *
 * usage: qemu-ARCH -plugin tracer.so,out=FILE PROGRAM
 *
 * The program keeps a table of its arenas and variables at a fixed address (truth.h). The
 * program's memory is in the plugin's own address space, at a distance that the address of an
 * instruction in both tells. FILE has a line of a head and
 * one for each instruction and place in its data that it accessed:
 *
 *   code START                     where the first executable segment is loaded
 *   IP r|w SIZE TYPE OFFSET COUNT ADDRESS
 *
 * TYPE is the number in the program's table, -1 for memory that it did not announce; OFFSET
 * is that in an element of the type; ADDRESS is the data address of the first such access.
 *
 * The interface of version 1 is declared here: Debian's qemu-user has it, but no header.
 */
#include "truth.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum { NO_REGISTERS = 0, READ_AND_WRITE = 3 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*callback)(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data),
	int flags, int which, void *data);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
	void (*callback)(qemu_plugin_id_t id, void *data), void *data);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t nr);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
extern unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
extern void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
extern bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
extern uint64_t qemu_plugin_start_code(void);
extern uint64_t qemu_plugin_end_code(void);

EXPORT int qemu_plugin_version = 1;

struct access {
	uint64_t ip;
	uint64_t offset;
	uint64_t address;
	uint64_t count;
	int32_t type;
	uint8_t size, store;
};

static struct access *accesses;
static size_t nr_accesses, nr_slots;
static const char *out;
static uint64_t guest_base;
static const volatile struct truth_table *table;

static uint64_t hash(const struct access *access)
{
	uint64_t h = access->ip * 0x9e3779b97f4a7c15ul;

	h = (h ^ access->offset ^ (uint64_t)access->type << 40) * 0xff51afd7ed558ccdul;
	return (h ^ access->size ^ access->store << 8) * 0xc4ceb9fe1a85ec53ul >> 20;
}

static bool same(const struct access *a, const struct access *b)
{
	return a->ip == b->ip && a->offset == b->offset && a->type == b->type &&
	       a->size == b->size && a->store == b->store;
}

static struct access *slot_of(const struct access *access)
{
	size_t slot = hash(access) & (nr_slots - 1);

	while (accesses[slot].count && !same(&accesses[slot], access))
		slot = (slot + 1) & (nr_slots - 1);
	return &accesses[slot];
}

static void grow(void)
{
	struct access *old = accesses;
	size_t nr = nr_slots, i;

	nr_slots = nr ? nr * 2 : 4096;
	accesses = calloc(nr_slots, sizeof(*accesses));
	if (!accesses) {
		fprintf(stderr, "tracer: out of memory\n");
		exit(3);
	}
	for (i = 0; i < nr; i++) {
		if (old[i].count)
			*slot_of(&old[i]) = old[i];
	}
	free(old);
}

/* Sets type and offset from the data address. */
static void classify(struct access *access)
{
	uint64_t address = access->address, nr, arena;

	access->type = -1;
	if (!table)
		return;
	if (address >= TRUTH_TABLE + TRUTH_SPAN &&
	    address < TRUTH_TABLE + TRUTH_SPAN * (TRUTH_TYPES + 1)) {
		arena = (address - TRUTH_TABLE) / TRUTH_SPAN - 1;
		if (arena < table->nr_types && address % TRUTH_SPAN < table->used[arena]) {
			access->type = arena;
			access->offset = address % TRUTH_SPAN % table->size[arena];
		}
		return;
	}
	for (nr = table->nr_regions; nr-- > 0; ) {
		if (address - table->regions[nr].start < table->regions[nr].size) {
			access->type = table->regions[nr].type;
			access->offset = (address - table->regions[nr].start) %
					 table->size[access->type];
			return;
		}
	}
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct access access = {
		.ip = (uint64_t)data,
		.address = address,
		.size = 1u << qemu_plugin_mem_size_shift(info),
		.store = qemu_plugin_mem_is_store(info),
	};
	struct access *slot;

	(void)cpu;
	classify(&access);
	if (nr_accesses * 2 >= nr_slots)
		grow();
	slot = slot_of(&access);
	if (!slot->count) {
		*slot = access;
		nr_accesses++;
	}
	slot->count++;
}

/*
 * Memory accesses of library code. QEMU counts those of its helpers for the instruction that
 * set callbacks last, so an instruction without any would pass its own on to the program's.
 */
static void on_other(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	(void)cpu;
	(void)info;
	(void)data;
	/* The first store to the table says that it is there. */
	if (!table && address == TRUTH_TABLE)
		table = (const struct truth_table *)(address + guest_base);
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t ip = qemu_plugin_insn_vaddr(insn);

		guest_base = (uint64_t)qemu_plugin_insn_haddr(insn) - ip;
		if (ip >= qemu_plugin_start_code() && ip < qemu_plugin_end_code())
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, NO_REGISTERS,
							 READ_AND_WRITE, (void *)ip);
		else
			qemu_plugin_register_vcpu_mem_cb(insn, on_other, NO_REGISTERS,
							 READ_AND_WRITE, NULL);
	}
}

static void on_exit_(qemu_plugin_id_t id, void *data)
{
	FILE *file = fopen(out, "w");
	size_t i;

	(void)id;
	(void)data;
	if (!file) {
		fprintf(stderr, "tracer: cannot write %s\n", out);
		return;
	}
	fprintf(file, "code %" PRIx64 "\n", qemu_plugin_start_code());
	for (i = 0; i < nr_slots; i++) {
		const struct access *access = &accesses[i];

		if (access->count)
			fprintf(file, "%" PRIx64 " %c %u %d %" PRIu64 " %" PRIu64 " %" PRIx64 "\n",
				access->ip, access->store ? 'w' : 'r', access->size, access->type,
				access->offset, access->count, access->address);
	}
	if (fclose(file))
		fprintf(stderr, "tracer: cannot write %s\n", out);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
			       char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = argv[i] + 4;
	}
	if (!out) {
		fprintf(stderr, "tracer: say out=FILE\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
	qemu_plugin_register_atexit_cb(id, on_exit_, NULL);
	return 0;
}
