// SPDX-License-Identifier: GPL-2.0
/*
 * Make a number of events of one kind with a plain sample period, for tools-perf/bench/overflow.
 *
 * usage: overflow-events EVENT PERIOD COUNT [BLOCKS]
 *
 * EVENT is page-faults, getppid (a tracepoint, the cheapest event there is), cpu-clock or cycles. Makes COUNT of
 * the first two, runs for COUNT samples of the others. With BLOCKS does so as often and prints how many
 * nanoseconds an event took in each. A system call that nothing else makes, sched_get_priority_max(), shows the log
 * of executed functions where a measurement begins and ends. It is built without the fields of the alternating period, which the
 * base kernel does not have. Linked statically.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGES	256

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static uint64_t tracepoint(void)
{
	FILE *file = fopen("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", "r");
	int id;

	if (!file || fscanf(file, "%d", &id) != 1)
		fail("tracepoint of getppid");
	fclose(file);
	return id;
}

static void make_faults(char *pages, size_t size, uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i++) {
		if (!(i % PAGES) && madvise(pages, PAGES * size, MADV_DONTNEED))
			fail("madvise");
		((volatile char *)pages)[i % PAGES * size] = 1;
	}
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size		= 64,
		.sample_type	= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.disabled	= 1,
		.exclude_hv	= 1,
	};
	const char *event = argc > 1 ? argv[1] : "";
	uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	int i, fd, blocks = argc > 4 ? atoi(argv[4]) : 0;
	struct perf_event_mmap_page *page;
	size_t size = sysconf(_SC_PAGESIZE);
	char *pages;

	if (!strcmp(event, "page-faults")) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	} else if (!strcmp(event, "getppid")) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = tracepoint();
	} else if (!strcmp(event, "cpu-clock")) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	} else if (!strcmp(event, "cycles")) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	}
	if (argc < 4 || (!attr.type && strcmp(event, "cycles")) || !count) {
		fprintf(stderr, "usage: overflow-events page-faults|getppid|cpu-clock|cycles PERIOD COUNT [BLOCKS]\n");
		return 2;
	}
	attr.sample_period = strtoull(argv[2], NULL, 10);

	pages = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		fail("mmap");
	/* Each first touch is to be a fault of one page. */
	madvise(pages, PAGES * size, MADV_NOHUGEPAGE);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		fail("perf_event_open");
	/* Not writable: old samples are overwritten, none is lost. */
	page = mmap(NULL, 9 * size, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		fail("mmap of the ring buffer");

	make_faults(pages, size, PAGES);
	for (i = 0; i < (blocks ? blocks : 1); i++) {
		uint64_t begun, j, head = page->data_head;

		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			fail("PERF_EVENT_IOC_ENABLE");
		syscall(SYS_sched_get_priority_max, 0);
		begun = now();
		if (!strcmp(event, "page-faults")) {
			make_faults(pages, size, count);
		} else if (!strcmp(event, "getppid")) {
			for (j = 0; j < count; j++)
				syscall(SYS_getppid);
		} else {
			/* A sample is 32 bytes: header, IP, TID, time. */
			while (((volatile struct perf_event_mmap_page *)page)->data_head - head < count * 32)
				;
		}
		begun = now() - begun;
		syscall(SYS_sched_get_priority_max, 0);
		if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			fail("PERF_EVENT_IOC_DISABLE");
		if (blocks)
			printf("%.1f\n", (double)begun / count);
	}
	return 0;
}
