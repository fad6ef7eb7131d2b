// SPDX-License-Identifier: GPL-2.0
/*
 * What a discarded sample of emulated IBS costs, by the privilege filter and by a BPF program. tools-perf/bench/
 * ibs-discard/run starts it in a guest where a tick of the TSC is an instruction; see there.
 *
 * usage: ibs_discard SAMPLES
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EMULATION	"/sys/kernel/debug/ibs_emulated/"
#define KERNEL_IP	0xffffa5c300000000ULL
#define USER_IP		0x00005ac300000000ULL
#define BATCH		256
#define IP_OFFSET	128	/* of struct pt_regs */

struct emulated_sample {
	uint32_t	cpu;
	uint32_t	op;
	uint64_t	regs[7];
};

/* ibs_emulated/handler */
struct cost {
	unsigned long long calls, ticks, decisions, decided, accesses, access, nothing;
};

enum how { BY_FILTER, BY_BPF, FOR_NOTHING, NOT_AT_ALL };

static int injector;

static void fail(const char *what)
{
	fprintf(stderr, "ibs_discard: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_number(const char *path, long number)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%ld\n", number) < 0 || fclose(file))
		fail(path);
}

static struct cost read_cost(void)
{
	FILE *file = fopen(EMULATION "handler", "r");
	struct cost c;

	if (!file || fscanf(file, "%llu %llu %llu %llu %llu %llu %llu", &c.calls, &c.ticks, &c.decisions,
			    &c.decided, &c.accesses, &c.access, &c.nothing) != 7)
		fail(EMULATION "handler");
	fclose(file);
	return c;
}

/* if ((s64)regs->ip < 0) return 0; return 1; */
static int load_filter(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1, .off = IP_OFFSET },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_JSLT | BPF_K, .dst_reg = BPF_REG_2, .imm = 0, .off = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t)"GPL";
	fd = syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		fail("loading the BPF program");
	return fd;
}

static void inject(bool op, uint64_t ip, unsigned int count)
{
	struct emulated_sample samples[BATCH];
	unsigned int i;

	for (i = 0; i < count; i++)
		samples[i] = (struct emulated_sample){
			.op = op, .regs = { ip },
		};
	if (write(injector, samples, count * sizeof(samples[0])) != (ssize_t)(count * sizeof(samples[0])))
		fail("injecting samples");
}

static void measure(bool op, uint64_t sample_type, bool freq, enum how how, unsigned int total,
		    double result[2])
{
	const uint64_t ip = how == NOT_AT_ALL ? USER_IP : how == FOR_NOTHING ? 0 : KERNEL_IP;
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.sample_type	= sample_type,
		.read_format	= PERF_FORMAT_LOST | PERF_FORMAT_DISCARDED,
		.exclude_kernel	= how == BY_FILTER,
	};
	uint64_t values[3];
	struct cost before, after;
	unsigned int done, n, taken;
	FILE *type;
	void *ring;
	int fd;

	type = fopen(op ? "/sys/bus/event_source/devices/ibs_op/type" : "/sys/bus/event_source/devices/ibs_fetch/type", "r");
	if (!type || fscanf(type, "%u", &attr.type) != 1)
		fail("no IBS");
	fclose(type);
	attr.freq = freq;
	attr.sample_period = freq ? 1000 : 0x10000;
	fd = syscall(__NR_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		fail("perf_event_open");
	ring = mmap(NULL, 2049 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		fail("mmap");
	if (how == BY_BPF && ioctl(fd, PERF_EVENT_IOC_SET_BPF, load_filter()))
		fail("attaching the BPF program");

	write_number(EMULATION "drop_zero", how == FOR_NOTHING);
	inject(op, ip, BATCH);
	before = read_cost();
	for (done = 0; done < total; done += n) {
		n = total - done < BATCH ? total - done : BATCH;
		inject(op, ip, n);
	}
	after = read_cost();

	if (read(fd, values, sizeof(values)) != sizeof(values))
		fail("read");
	taken = after.decisions - before.decisions;
	/* with a frequency a sample can take several interrupts */
	if (taken > total || (!freq && taken != total) || taken < total / 10)
		fail("not all samples were taken");
	if (how == BY_FILTER && (values[2] < taken || values[2] > taken + BATCH))
		fail("not all samples were discarded");
	if ((how == BY_BPF || how == FOR_NOTHING) && ((struct perf_event_mmap_page *)ring)->data_head)
		fail("a sample was delivered");
	munmap(ring, 2049 * 4096);
	close(fd);

	/* an access is one instruction on the hardware */
	result[0] = (double)(after.decided - before.decided) / taken - after.nothing -
		    (double)(after.accesses - before.accesses) / taken * (after.access - 1);
	result[1] = (double)(after.ticks - before.ticks) / (after.calls - before.calls);
}

int main(int argc, char **argv)
{
	const uint64_t plain = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const uint64_t mem = plain | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT;
	const struct {
		const char	*name;
		bool		op, freq;
		uint64_t	sample_type;
	} cases[] = {
		{ "ibs_op -c 65536",		true,  false, plain },
		{ "ibs_op -c 65536 -d -W",	true,  false, mem },
		{ "ibs_op -c 65536 -d -W -g",	true,  false, mem | PERF_SAMPLE_CALLCHAIN },
		{ "ibs_op -c 65536 -d -W --raw", true, false, mem | PERF_SAMPLE_RAW },
		{ "ibs_fetch -c 65536",		false, false, plain },
		{ "ibs_fetch -c 65536 -g",	false, false, plain | PERF_SAMPLE_CALLCHAIN },
	};
	unsigned int i, total = argc > 1 ? strtoul(argv[1], NULL, 0) : 2000;
	double filter[2], bpf[2], nothing[2], kept[2];

	injector = open(EMULATION "samples", O_WRONLY);
	if (injector < 0)
		fail(EMULATION "samples");
	write_number("/proc/sys/kernel/perf_cpu_time_max_percent", 25);
	write_number("/proc/sys/kernel/perf_event_max_sample_rate", 100000000);
	write_number("/proc/sys/kernel/perf_cpu_time_max_percent", 100);
	if (!access("/proc/sys/net/core/bpf_jit_enable", W_OK))
		write_number("/proc/sys/net/core/bpf_jit_enable", 1);

	printf("%-28s %35s   %27s\n", "", "from the decision on", "whole handler");
	printf("%-28s %7s %8s %8s %9s   %8s %8s %8s\n", "event", "shared", "filter", "BPF", "ratio", "filter", "BPF", "kept");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		measure(cases[i].op, cases[i].sample_type, cases[i].freq, FOR_NOTHING, total, nothing);
		measure(cases[i].op, cases[i].sample_type, cases[i].freq, BY_FILTER, total, filter);
		measure(cases[i].op, cases[i].sample_type, cases[i].freq, BY_BPF, total, bpf);
		measure(cases[i].op, cases[i].sample_type, cases[i].freq, NOT_AT_ALL, total, kept);
		printf("%-28s %7.1f %8.1f %8.1f %8.1fx   %8.1f %8.1f %8.1f\n", cases[i].name, nothing[0],
		       filter[0] - nothing[0], bpf[0] - nothing[0], (bpf[0] - nothing[0]) / (filter[0] - nothing[0]),
		       filter[1], bpf[1], kept[1]);
	}
	return 0;
}
