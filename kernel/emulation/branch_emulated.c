// SPDX-License-Identifier: GPL-2.0
/*
 * An event source with branch stacks, for guests whose processor has none, and a
 * source of them for the events of other pmus.
 *
 * scripts/guest-branch puts this file into kernel/events of the kernel that it
 * builds; it is in no patch. Whoever writes a number to
 * /sys/kernel/debug/branch_emulated/fire makes that many samples of each event of
 * the PMU branch_emulated that runs on his processor: all of them get the same
 * branch stack, filled with random branches of the user and of the kernel, as
 * a CPU has one stack for all events. What an event shows of it is the
 * core's task, which is what is tested.
 *
 * Whoever writes a number to /sys/kernel/debug/branch_emulated/record runs through
 * that many random branches. They are recorded as by hardware: only while some
 * software event has them recorded on this processor, only those whose target
 * is at a level of its filter, the newest of them; and they stay until there is
 * something to forget them. The cycles of an entry tell who recorded it: the
 * lower bits of the number of his thread.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#define NR_ENTRIES	32
#define NR_EVENTS	8

struct emulated_cpu {
	/* for the events of other pmus: how many, and with which filter */
	int				users;
	u64				filter;
	unsigned int			nr_recorded;
	struct perf_branch_entry	recorded[NR_ENTRIES];

	struct perf_event		*events[NR_EVENTS];
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[NR_ENTRIES];
};

static DEFINE_PER_CPU(struct emulated_cpu, emulated_cpu);
static struct rnd_state emulated_random;
static struct pmu emulated_pmu;

static int emulated_event_init(struct perf_event *event)
{
	if (event->attr.type != emulated_pmu.type)
		return -ENOENT;
	if (!has_branch_stack(event))
		return -EINVAL;
	return perf_branch_check_mispred(event, true);
}

static void emulated_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void emulated_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int emulated_add(struct perf_event *event, int flags)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		if (cpu->events[i])
			continue;
		cpu->events[i] = event;
		event->hw.idx = i;
		event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
		return 0;
	}
	return -EAGAIN;
}

static void emulated_del(struct perf_event *event, int flags)
{
	this_cpu_ptr(&emulated_cpu)->events[event->hw.idx] = NULL;
	emulated_stop(event, flags);
}

static void emulated_read(struct perf_event *event)
{
}

/* An address of the user or, every other time, of the kernel; some at the edge. */
static u64 emulated_address(void)
{
	u32 r = prandom_u32_state(&emulated_random);
	u64 addr = 0x400000 + (r & 0xffff);

	if (!((r >> 16) & 31))
		return (r >> 31) ? TASK_SIZE_MAX : TASK_SIZE_MAX - 1;
	return (r >> 31) ? addr | 0xffffffff80000000ULL : addr;
}

static void emulated_entry(struct perf_branch_entry *entry)
{
	u32 r = prandom_u32_state(&emulated_random);

	perf_clear_branch_entry_bitfields(entry);
	entry->from = emulated_address();
	entry->to = emulated_address();
	entry->mispred = r & 1;
	entry->predicted = !entry->mispred;
	entry->cycles = r >> 16;
}

static void emulated_record(void)
{
	struct perf_branch_entry entry;
	struct emulated_cpu *cpu;
	unsigned long flags;
	u64 level;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&emulated_cpu);
	emulated_entry(&entry);
	entry.cycles = current->pid;
	level = entry.to < TASK_SIZE_MAX ? PERF_SAMPLE_BRANCH_USER : PERF_SAMPLE_BRANCH_KERNEL;
	if (cpu->users && cpu->filter & level) {
		memmove(cpu->recorded + 1, cpu->recorded, (NR_ENTRIES - 1) * sizeof(entry));
		cpu->recorded[0] = entry;
		cpu->nr_recorded = min_t(unsigned int, cpu->nr_recorded + 1, NR_ENTRIES);
	}
	local_irq_restore(flags);
}

static void emulated_sched_task(struct perf_event_context *ctx, bool sched_in)
{
	if (sched_in)
		this_cpu_ptr(&emulated_cpu)->nr_recorded = 0;
}

static int emulated_source_init(struct perf_event *event)
{
	event->hw.branch_reg.config = event->attr.branch_sample_type & (PERF_SAMPLE_BRANCH_MAX - 1);
	return perf_branch_check_mispred(event, true);
}

static int emulated_source_add(struct perf_event *event)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);

	if (cpu->users && cpu->filter != event->hw.branch_reg.config)
		return -EAGAIN;

	cpu->filter = event->hw.branch_reg.config;
	if (!cpu->users++)
		cpu->nr_recorded = 0;
	return 0;
}

static void emulated_source_read(struct perf_branch_stack *stack)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);

	stack->nr = min_t(u64, PERF_BRANCH_SOURCE_NR, cpu->nr_recorded);
	memcpy(stack->entries, cpu->recorded, stack->nr * sizeof(*stack->entries));
}

static int emulated_source(struct perf_event *event, enum perf_branch_source_op op,
			   struct perf_branch_stack *stack)
{
	switch (op) {
	case PERF_BRANCH_SOURCE_INIT:
		return emulated_source_init(event);
	case PERF_BRANCH_SOURCE_EXIT:
		return 0;
	case PERF_BRANCH_SOURCE_ADD:
		return emulated_source_add(event);
	case PERF_BRANCH_SOURCE_DEL:
		this_cpu_ptr(&emulated_cpu)->users--;
		return 0;
	case PERF_BRANCH_SOURCE_READ:
		emulated_source_read(stack);
		return 0;
	}
	return -EOPNOTSUPP;
}

static void emulated_fire(void)
{
	struct emulated_cpu *cpu;
	struct perf_sample_data data;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&emulated_cpu);
	cpu->stack.nr = NR_ENTRIES;
	cpu->stack.hw_idx = 0;
	for (i = 0; i < NR_ENTRIES; i++)
		emulated_entry(cpu->entries + i);

	for (i = 0; i < NR_EVENTS; i++) {
		struct perf_event *event = cpu->events[i];

		if (!event || event->hw.state & PERF_HES_STOPPED)
			continue;
		perf_sample_data_init(&data, 0, 1);
		data.br_stack = &cpu->stack;
		data.sample_flags |= PERF_SAMPLE_BRANCH_STACK;
		perf_event_overflow(event, &data, task_pt_regs(current));
	}
	local_irq_restore(flags);
}

static ssize_t emulated_write(struct file *file, const char __user *buf, size_t count,
			      loff_t *pos)
{
	void (*action)(void) = file_inode(file)->i_private;
	unsigned long n;
	int ret = kstrtoul_from_user(buf, count, 0, &n);

	if (ret)
		return ret;
	while (n--) {
		action();
		cond_resched();
	}
	return count;
}

static const struct file_operations emulated_fops = {
	.owner	= THIS_MODULE,
	.write	= emulated_write,
};

static struct pmu emulated_pmu = {
	.task_ctx_nr	= perf_hw_context,
	.event_init	= emulated_event_init,
	.add		= emulated_add,
	.del		= emulated_del,
	.start		= emulated_start,
	.stop		= emulated_stop,
	.read		= emulated_read,
	.sched_task	= emulated_sched_task,
	.branch_source	= emulated_source,
};

static int __init emulated_init(void)
{
	struct dentry *dir;
	int ret;

	prandom_seed_state(&emulated_random, 62);
	ret = perf_pmu_register(&emulated_pmu, "branch_emulated", -1);
	if (ret)
		return ret;
	dir = debugfs_create_dir("branch_emulated", NULL);
	debugfs_create_file("fire", 0200, dir, emulated_fire, &emulated_fops);
	debugfs_create_file("record", 0200, dir, emulated_record, &emulated_fops);
	add_taint(TAINT_TEST, LOCKDEP_STILL_OK);
	return 0;
}
late_initcall(emulated_init);
