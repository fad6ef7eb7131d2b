// SPDX-License-Identifier: GPL-2.0
/*
 * AMD IBS for guests without it: TEST CODE, which no patch of the series contains.
 *
 * Takes the place of ibs.o in the kernel of a guest (scripts/guest-ibs). The driver is the unmodified source; its
 * reads and writes of MSRs come here, and samples come from a file:
 *
 *   /sys/kernel/debug/ibs_emulated/samples   write struct ibs_emulated_sample, one or more: each becomes the register
 *                                            contents of one NMI on the processor it names, once the event there is
 *                                            enabled; what that processor executes then is interrupted, user or kernel
 *   /sys/kernel/debug/ibs_emulated/rate      write the number of events that pass in a microsecond: samples come by
 *                                            themselves then, MaxCnt events after an event was enabled, of the
 *                                            instruction that a timer interrupts; 0 (so it begins): from the file only
 *   /sys/kernel/debug/ibs_emulated/shortest  read the shortest periods, of ibs_fetch and ibs_op, of which a sample was taken
 *   /sys/kernel/debug/ibs_emulated/stops     read how often ibs_fetch and ibs_op were stopped by the driver's handler
 *   /sys/kernel/debug/ibs_emulated/handler   read what the driver's handler has cost so far, see emulated_handler_read()
 *
 * The MSRs are as <asm/amd-ibs.h> describes them. MaxCnt events have always passed when a sample is written.
 */
#include <linux/perf_event.h>
#include <linux/init.h>
#include <linux/export.h>
#include <linux/pci.h>
#include <linux/ptrace.h>
#include <linux/syscore_ops.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/hardirq.h>
#include <linux/uaccess.h>
#include <linux/jiffies.h>
#include <linux/hrtimer.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/nmi.h>
#include <asm/msr.h>
#include <asm/cpufeature.h>

struct ibs_emulated_sample {
	u32	cpu;
	u32	op;	/* 1: ibs_op, 0: ibs_fetch */
	/*
	 * op: IbsOpRip, IbsOpData, IbsOpData2, IbsOpData3, IbsDcLinAd, IbsDcPhysAd, IbsBrTarget;
	 * fetch: IbsFetchLinAd, IbsFetchPhysAd, IcIbsExtdCtl, bits to set in IbsFetchCtl
	 */
	u64	regs[7];
};

#define EMULATED_FIRST	MSR_AMD64_IBSFETCHCTL
#define EMULATED_LAST	MSR_AMD64_IBSOPDATA4

struct emulated_cpu {
	u64		msr[EMULATED_LAST - EMULATED_FIRST + 1];
	u64		enabled_at[2];	/* ns; ibs_fetch, ibs_op */
	bool		handling;
	u64		stops[2];
	u64		shortest[2];	/* of the periods that were programmed and had a sample; 0: none */
	struct hrtimer	timer;
	u64		fired;
	/* of the handler: all of it, and from when it can tell whose sample it is to when the event goes on */
	u64		calls, ticks;
	u64		decided_at, decisions, decided_ticks;
	u64		accesses, decided_accesses;
};
static DEFINE_PER_CPU(struct emulated_cpu, emulated_cpu);
static u32 emulated_rate;

#define EMULATED_TIMER_NS	50000

static __always_inline bool emulated(u32 msr)
{
	return msr >= EMULATED_FIRST && msr <= EMULATED_LAST;
}

/* The events that the driver has programmed. */
static u64 emulated_period(u64 ctl, int op)
{
	return op ? ((ctl & IBS_OP_MAX_CNT) << 4) + (ctl & IBS_OP_MAX_CNT_EXT_MASK) : (ctl & IBS_FETCH_MAX_CNT) << 4;
}

static void emulated_note_period(struct emulated_cpu *cpu, u64 ctl, int op)
{
	u64 period = emulated_period(ctl, op);

	if (!cpu->shortest[op] || period < cpu->shortest[op])
		cpu->shortest[op] = period;
}

static u64 emulated_passed(struct emulated_cpu *cpu, int op)
{
	return (local_clock() - cpu->enabled_at[op]) * emulated_rate / 1000;
}

/* What the counter of an enabled event shows while samples come by themselves. */
static u64 emulated_count(struct emulated_cpu *cpu, u32 msr, u64 value)
{
	if (msr == MSR_AMD64_IBSOPCTL && (value & (1ULL << 17)) && !(value & (1ULL << 18)))
		value = (value & 0xffffffffULL) | (emulated_passed(cpu, 1) & 0x7ffffff) << 32;
	else if (msr == MSR_AMD64_IBSFETCHCTL && (value & (1ULL << 48)) && !(value & (1ULL << 49)))
		value = (value & ~0xffff0000ULL) | (emulated_passed(cpu, 0) >> 4 & 0xffff) << 16;
	return value;
}

/* Out of line, so that each access costs the same and can be left out of what the driver costs. */
static noinline u64 emulated_read(u32 msr)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);
	u64 value;

	if (!emulated(msr)) {
		rdmsrl(msr, value);
		return value;
	}

	value = READ_ONCE(cpu->msr[msr - EMULATED_FIRST]);
	if (emulated_rate)
		value = emulated_count(cpu, msr, value);
	cpu->accesses++;
	/* IbsOpData says whether the address, which was read before it, is valid. */
	if (msr == MSR_AMD64_IBSOPDATA || msr == MSR_AMD64_IBSFETCHLINAD) {
		cpu->accesses = 0;
		cpu->decided_at = rdtsc_ordered();
	}
	return value;
}
NOKPROBE_SYMBOL(emulated_read);

static noinline void emulated_write(u32 msr, u64 value)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);

	if (!emulated(msr)) {
		wrmsrl(msr, value);
		return;
	}

	if (cpu->decided_at) {
		cpu->decided_ticks += rdtsc_ordered() - cpu->decided_at;
		cpu->decided_at = 0;
		cpu->decisions++;
		cpu->decided_accesses += cpu->accesses;
	}
	if (msr == MSR_AMD64_IBSOPCTL || msr == MSR_AMD64_IBSFETCHCTL) {
		bool op = msr == MSR_AMD64_IBSOPCTL;

		cpu->enabled_at[op] = local_clock();
		cpu->stops[op] += cpu->handling && !(value & (op ? IBS_OP_ENABLE : IBS_FETCH_ENABLE));
	}
	WRITE_ONCE(cpu->msr[msr - EMULATED_FIRST], value);
}
NOKPROBE_SYMBOL(emulated_write);

static u32 emulated_cpuid_eax(u32 leaf)
{
	if (leaf == 0x80000000)
		return IBS_CPUID_FEATURES;
	if (leaf == IBS_CPUID_FEATURES)
		return IBS_CAPS_DEFAULT | IBS_CAPS_RDWROPCNT | IBS_CAPS_OPCNT | IBS_CAPS_BRNTRGT |
		       IBS_CAPS_OPCNTEXT | IBS_CAPS_RIPINVALIDCHK | IBS_CAPS_FETCHCTLEXTD;

	return cpuid_eax(leaf);
}

static nmi_handler_t emulated_driver;

static int emulated_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);
	u64 begin = rdtsc_ordered();
	int handled;

	cpu->handling = true;
	handled = emulated_driver(cmd, regs);
	cpu->handling = false;
	cpu->ticks += rdtsc_ordered() - begin;
	cpu->calls++;

	return handled;
}
NOKPROBE_SYMBOL(emulated_nmi);

static int emulated_register(nmi_handler_t handler)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(emulated_cpu, cpu).msr[MSR_AMD64_IBSCTL - EMULATED_FIRST] = IBSCTL_LVT_OFFSET_VALID;
	emulated_driver = handler;

	return register_nmi_handler(NMI_LOCAL, emulated_nmi, 0, "perf_ibs");
}

/* The driver looks at IBSCTL before it registers its handler. */
static __always_inline u64 emulated_read_early(u32 msr)
{
	return msr == MSR_AMD64_IBSCTL ? IBSCTL_LVT_OFFSET_VALID : emulated_read(msr);
}

static int emulated_eilvt(int offset, int vector, int type, int mask)
{
	return 0;
}

#undef rdmsrl
#undef wrmsrl
#undef boot_cpu_has
#undef register_nmi_handler
#define rdmsrl(msr, value) ((value) = emulated_read_early(msr))
#define wrmsrl(msr, value) emulated_write(msr, value)
#define boot_cpu_has(bit) ((bit) == X86_FEATURE_IBS || test_cpu_cap(&boot_cpu_data, bit))
#define cpuid_eax(leaf) emulated_cpuid_eax(leaf)
#define setup_APIC_eilvt(offset, vector, type, mask) emulated_eilvt(offset, vector, type, mask)
#define register_nmi_handler(type, handler, flags, name) emulated_register(handler)

#include "ibs.c"

static u64 *emulated_ctl(const struct ibs_emulated_sample *sample)
{
	u32 msr = sample->op ? MSR_AMD64_IBSOPCTL : MSR_AMD64_IBSFETCHCTL;

	return &per_cpu(emulated_cpu, sample->cpu).msr[msr - EMULATED_FIRST];
}

static void emulated_put(const struct ibs_emulated_sample *sample, u32 msr, int reg)
{
	WRITE_ONCE(per_cpu(emulated_cpu, sample->cpu).msr[msr - EMULATED_FIRST], sample->regs[reg]);
}

static u64 emulated_enabled(const struct ibs_emulated_sample *sample, u64 *valid)
{
	*valid = sample->op ? IBS_OP_VAL : IBS_FETCH_VAL;
	return sample->op ? IBS_OP_ENABLE : IBS_FETCH_ENABLE;
}

/* Wait until the event is enabled (@want) or has taken its sample. */
static int emulated_wait(const struct ibs_emulated_sample *sample, bool want, u64 *seen)
{
	unsigned long end = jiffies + 5 * HZ;
	u64 valid, enable = emulated_enabled(sample, &valid);

	for (;;) {
		*seen = READ_ONCE(*emulated_ctl(sample));
		if (want ? (*seen & (enable | valid)) == enable : !(*seen & valid))
			return 0;
		if (signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		cond_resched();
		cpu_relax();
	}
}

static int emulated_inject(const struct ibs_emulated_sample *sample)
{
	u64 valid, ctl, new;
	int ret;

	emulated_enabled(sample, &valid);
	do {
		ret = emulated_wait(sample, true, &ctl);
		if (ret)
			return ret;

		if (sample->op) {
			emulated_put(sample, MSR_AMD64_IBSOPRIP, 0);
			emulated_put(sample, MSR_AMD64_IBSOPDATA, 1);
			emulated_put(sample, MSR_AMD64_IBSOPDATA2, 2);
			emulated_put(sample, MSR_AMD64_IBSOPDATA3, 3);
			emulated_put(sample, MSR_AMD64_IBSDCLINAD, 4);
			emulated_put(sample, MSR_AMD64_IBSDCPHYSAD, 5);
			emulated_put(sample, MSR_AMD64_IBSBRTARGET, 6);
			new = ctl | valid;
		} else {
			emulated_put(sample, MSR_AMD64_IBSFETCHLINAD, 0);
			emulated_put(sample, MSR_AMD64_IBSFETCHPHYSAD, 1);
			emulated_put(sample, MSR_AMD64_ICIBSEXTDCTL, 2);
			new = ctl | valid | sample->regs[3];
			new &= ~IBS_FETCH_CNT;
			new |= (ctl & IBS_FETCH_MAX_CNT) << 16;
		}
	} while (cmpxchg(emulated_ctl(sample), ctl, new) != ctl);
	emulated_note_period(&per_cpu(emulated_cpu, sample->cpu), ctl, sample->op);

	preempt_disable();
	apic->send_IPI(sample->cpu, NMI_VECTOR);
	preempt_enable();

	return emulated_wait(sample, false, &ctl);
}

static ssize_t emulated_samples_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	struct ibs_emulated_sample sample;
	size_t done = 0;
	int ret = 0;

	if (!size || size % sizeof(sample))
		return -EINVAL;

	for (; done < size && !ret; done += ret ? 0 : sizeof(sample)) {
		if (copy_from_user(&sample, from + done, sizeof(sample)))
			ret = -EFAULT;
		else if (sample.cpu >= nr_cpu_ids || !cpu_online(sample.cpu) || sample.op > 1)
			ret = -EINVAL;
		else
			ret = emulated_inject(&sample);
	}

	return done ?: ret;
}

static const struct file_operations emulated_samples_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= emulated_samples_write,
};

/*
 * The ticks that an access to a register takes in the driver (the hardware has one instruction for it), and those
 * between a decision and the next write where there is nothing between them.
 */
static void emulated_calibrate(u64 *access, u64 *nothing)
{
	struct emulated_cpu *cpu, saved;
	const int rounds = 4096;
	unsigned long flags;
	u64 begin, ticks;
	int i;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&emulated_cpu);
	saved.decisions = cpu->decisions;
	saved.decided_ticks = cpu->decided_ticks;
	saved.decided_accesses = cpu->decided_accesses;

	begin = rdtsc_ordered();
	for (i = 0; i < rounds; i++)
		(void)emulated_read(MSR_AMD64_IBSOPDATA2);
	ticks = rdtsc_ordered() - begin;
	*access = DIV_ROUND_CLOSEST(ticks, rounds);

	cpu->decided_ticks = 0;
	for (i = 0; i < rounds; i++) {
		(void)emulated_read(MSR_AMD64_IBSOPDATA);
		emulated_write(MSR_AMD64_IBSOPDATA4, 0);
	}
	*nothing = DIV_ROUND_CLOSEST(cpu->decided_ticks, rounds);

	cpu->decisions = saved.decisions;
	cpu->decided_ticks = saved.decided_ticks;
	cpu->decided_accesses = saved.decided_accesses;
	local_irq_restore(flags);
}

/*
 * NMIs and TSC ticks of the handler, samples of which it had to decide and ticks from there to when the event goes on,
 * accesses to registers in that time, and what emulated_calibrate() says. With QEMU's -icount shift=0 a tick is an
 * instruction.
 */
static ssize_t emulated_handler_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	u64 calls = 0, ticks = 0, decisions = 0, decided_ticks = 0, accesses = 0, access, nothing;
	char text[192];
	int cpu, len;

	if (*pos)
		return 0;
	for_each_possible_cpu(cpu) {
		struct emulated_cpu *c = &per_cpu(emulated_cpu, cpu);

		calls += c->calls;
		ticks += c->ticks;
		decisions += c->decisions;
		decided_ticks += c->decided_ticks;
		accesses += c->decided_accesses;
	}
	emulated_calibrate(&access, &nothing);
	len = scnprintf(text, sizeof(text), "%llu %llu %llu %llu %llu %llu %llu\n", calls, ticks, decisions,
			decided_ticks, accesses, access, nothing);

	return simple_read_from_buffer(to, size, pos, text, len);
}

static const struct file_operations emulated_handler_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= emulated_handler_read,
};

/* Two numbers, for ibs_fetch and ibs_op. */
static ssize_t emulated_read_pair(const u64 *pair, char __user *to, size_t size, loff_t *pos)
{
	char text[64];
	int len = scnprintf(text, sizeof(text), "%llu %llu\n", pair[0], pair[1]);

	return simple_read_from_buffer(to, size, pos, text, len);
}

static ssize_t emulated_shortest_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	u64 shortest[2] = { U64_MAX, U64_MAX };
	int cpu, op;

	for_each_possible_cpu(cpu) {
		for (op = 0; op < 2; op++) {
			u64 period = per_cpu(emulated_cpu, cpu).shortest[op];

			if (period)
				shortest[op] = min(shortest[op], period);
		}
	}

	return emulated_read_pair(shortest, to, size, pos);
}

static const struct file_operations emulated_shortest_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= emulated_shortest_read,
};

static ssize_t emulated_stops_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	u64 stops[2] = {};
	int cpu, op;

	for_each_possible_cpu(cpu)
		for (op = 0; op < 2; op++)
			stops[op] += per_cpu(emulated_cpu, cpu).stops[op];

	return emulated_read_pair(stops, to, size, pos);
}

static const struct file_operations emulated_stops_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= emulated_stops_read,
};

/* One sample of each event that is due, of the interrupted instruction. */
static enum hrtimer_restart emulated_tick(struct hrtimer *timer)
{
	struct emulated_cpu *cpu = container_of(timer, struct emulated_cpu, timer);
	u64 *msr = cpu->msr - EMULATED_FIRST, *ctl;
	struct pt_regs *regs = get_irq_regs();
	bool due = false;

	hrtimer_forward_now(timer, ns_to_ktime(EMULATED_TIMER_NS));

	ctl = &msr[MSR_AMD64_IBSOPCTL];
	if ((*ctl & (IBS_OP_ENABLE | IBS_OP_VAL)) == IBS_OP_ENABLE &&
	    emulated_passed(cpu, 1) >= emulated_period(*ctl, 1)) {
		u64 kind = cpu->fired++ % 4;	/* load, store, both, neither */

		emulated_note_period(cpu, *ctl, 1);
		msr[MSR_AMD64_IBSOPRIP] = regs->ip;
		msr[MSR_AMD64_IBSOPDATA] = 0;
		msr[MSR_AMD64_IBSOPDATA2] = IBS_DATA_SRC_DRAM;
		msr[MSR_AMD64_IBSOPDATA3] = kind == 3 ? 0 :
			(kind != 1) | (kind != 0) << 1 |	/* LdOp, StOp */
			(kind != 1) << 7 |			/* DcMiss */
			(kind != 1) << 20 |			/* L2Miss */
			1 << 17 | (100ULL + kind) << 32;	/* DcLinAddrValid, DcMissLat */
		msr[MSR_AMD64_IBSDCLINAD] = regs->sp;
		msr[MSR_AMD64_IBSDCPHYSAD] = 0;
		msr[MSR_AMD64_IBSBRTARGET] = 0;
		*ctl |= IBS_OP_VAL;
		due = true;
	}

	ctl = &msr[MSR_AMD64_IBSFETCHCTL];
	if ((*ctl & (IBS_FETCH_ENABLE | IBS_FETCH_VAL)) == IBS_FETCH_ENABLE &&
	    emulated_passed(cpu, 0) >= emulated_period(*ctl, 0)) {
		emulated_note_period(cpu, *ctl, 0);
		msr[MSR_AMD64_IBSFETCHLINAD] = regs->ip;
		msr[MSR_AMD64_IBSFETCHPHYSAD] = 0;
		*ctl &= ~IBS_FETCH_CNT;
		*ctl |= IBS_FETCH_VAL | (*ctl & IBS_FETCH_MAX_CNT) << 16;
		due = true;
	}

	/* One NMI for both: the driver looks at both, and a second one would be nobody's. */
	if (due)
		apic->send_IPI(smp_processor_id(), NMI_VECTOR);

	return HRTIMER_RESTART;
}

static void emulated_run(void *unused)
{
	struct hrtimer *timer = &this_cpu_ptr(&emulated_cpu)->timer;

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = emulated_tick;
	hrtimer_start(timer, ns_to_ktime(EMULATED_TIMER_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static int emulated_rate_set(void *data, u64 rate)
{
	int cpu;

	if (rate > 1000)
		return -EINVAL;
	if (rate && !emulated_rate) {
		emulated_rate = rate;
		on_each_cpu(emulated_run, NULL, 1);
	} else if (!rate && emulated_rate) {
		for_each_online_cpu(cpu)
			hrtimer_cancel(&per_cpu(emulated_cpu, cpu).timer);
	}
	emulated_rate = rate;

	return 0;
}

static int emulated_rate_get(void *data, u64 *rate)
{
	*rate = emulated_rate;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(emulated_rate_fops, emulated_rate_get, emulated_rate_set, "%llu\n");

/*
 * With drop_zero the driver drops samples at address 0, as it does for erratum #1197: at the place where others are
 * discarded, and without doing anything else. What is left is what no way to get rid of a sample can save.
 */
static int emulated_zero_set(void *data, u64 on)
{
	perf_ibs_op.fetch_ignore_if_zero_rip = !!on;
	perf_ibs_fetch.fetch_ignore_if_zero_rip = !!on;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(emulated_zero_fops, NULL, emulated_zero_set, "%llu\n");

static int __init emulated_debugfs(void)
{
	struct dentry *dir = debugfs_create_dir("ibs_emulated", NULL);

	debugfs_create_file("samples", 0200, dir, NULL, &emulated_samples_fops);
	debugfs_create_file("drop_zero", 0600, dir, NULL, &emulated_zero_fops);
	debugfs_create_file("rate", 0600, dir, NULL, &emulated_rate_fops);
	debugfs_create_file("shortest", 0400, dir, NULL, &emulated_shortest_fops);
	debugfs_create_file("stops", 0400, dir, NULL, &emulated_stops_fops);
	debugfs_create_file("handler", 0400, dir, NULL, &emulated_handler_fops);
	pr_warn("IBS is emulated: this kernel is for tests only\n");
	add_taint(TAINT_TEST, LOCKDEP_STILL_OK);

	return 0;
}
late_initcall(emulated_debugfs);
