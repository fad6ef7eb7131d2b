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
 *   /sys/kernel/debug/ibs_emulated/newer     read whether the processor is a newer one, see below
 *   /sys/kernel/debug/ibs_emulated/left_out  read how many samples of ibs_fetch and ibs_op the hardware has left out
 *   /sys/kernel/debug/ibs_emulated/registers read IbsFetchCtl, IbsFetchCtl2, IbsOpCtl and IbsOpCtl2, a line a processor
 *   /sys/kernel/debug/ibs_emulated/blind     write 1: the filters of the hardware let everything pass
 *   /sys/kernel/debug/ibs_emulated/race      write when a sample is complete that nobody waits for, see enum emulated_race
 *   /sys/kernel/debug/ibs_emulated/unhandled read how many NMIs of samples the driver did not know
 *   /sys/kernel/debug/ibs_emulated/forget    write a processor: what is in its second registers is lost, as when it is
 *                                            switched off or suspended, and the driver told that it is there again
 *   /sys/kernel/debug/ibs_emulated/handler   read what the driver's handler has cost so far, see emulated_handler_read()
 *
 * The MSRs are as <asm/amd-ibs.h> describes them. MaxCnt events have always passed when a sample is written.
 *
 * With ibs_emulated.newer=1 on the kernel's command line the processor is a Zen 5: it has the second control
 * registers, with the bits that stop a counter, and the filters of bit 63 of the address, of latencies and of streaming
 * stores (here: write combining ones). A sample that they exclude is left out: the counter begins again at 0. An address
 * that is not valid is never excluded. Without the bit for L3 misses the filter of load latencies lets everything pass
 * (erratum 1606); that bit does nothing else. What the driver knows of those registers is not used here: the numbers
 * below are from the description of the hardware.
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
#include <asm/processor.h>

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
#define EMULATED_OPCTL2		0xc001103e
#define EMULATED_FETCHCTL2	0xc001103f
#define EMULATED_LAST	EMULATED_FETCHCTL2

#define EMULATED_DIS		0x1
#define EMULATED_OP_NO_USER	0x2
#define EMULATED_OP_NO_KERNEL	0x4
#define EMULATED_OP_STREAMING	0x8
#define EMULATED_FETCH_NO_KERNEL 0x20
#define EMULATED_FETCH_NO_USER	0x40

static bool newer;
module_param(newer, bool, 0444);
MODULE_PARM_DESC(newer, "emulate a processor that has the second control registers");

/* When an event is stopped or started by its second register. */
enum emulated_race {
	RACE_BEFORE_STOP	= 1,	/* a sample is complete and its NMI comes before the write */
	RACE_BEHIND_STOP	= 2,	/* it was complete then, and the NMI comes behind the write */
	RACE_BEFORE_START	= 4,	/* somebody else's NMI before each of the writes */
	RACE_LATE		= 8,	/* the NMI comes when the driver has taken note that the event is stopped */
	RACE_BEHIND_START	= 16,	/* a sample is complete as soon as the counter runs */
};

struct emulated_cpu {
	u64		msr[EMULATED_LAST - EMULATED_FIRST + 1];
	u64		enabled_at[2];	/* ns; ibs_fetch, ibs_op */
	u64		begun[2];	/* what was counted then */
	u64		left_out[2];
	u64		unhandled;
	bool		handling;
	bool		racing, foreign;
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
static u32 emulated_race;
static bool emulated_blind;

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

static u64 *emulated_msr(struct emulated_cpu *cpu, u32 msr)
{
	return &cpu->msr[msr - EMULATED_FIRST];
}

static bool emulated_disabled(struct emulated_cpu *cpu, int op)
{
	return READ_ONCE(*emulated_msr(cpu, op ? EMULATED_OPCTL2 : EMULATED_FETCHCTL2)) & EMULATED_DIS;
}

/* Does the counter run? @ctl: its control register */
static bool emulated_runs(struct emulated_cpu *cpu, int op, u64 ctl)
{
	u64 enable = op ? 1ULL << 17 : 1ULL << 48, valid = enable << 1;

	return (ctl & (enable | valid)) == enable && !emulated_disabled(cpu, op);
}

static u64 emulated_passed(struct emulated_cpu *cpu, int op)
{
	return cpu->begun[op] + (local_clock() - cpu->enabled_at[op]) * emulated_rate / 1000;
}

static u64 emulated_set_count(u64 ctl, int op, u64 count)
{
	if (op)
		return (ctl & ~(0x7ffffffULL << 32)) | (count & 0x7ffffff) << 32;

	return (ctl & ~0xffff0000ULL) | (count >> 4 & 0xffff) << 16;
}

/* The counter goes on from what is in the control register, or from 0. */
static void emulated_begin(struct emulated_cpu *cpu, int op, u64 ctl)
{
	cpu->enabled_at[op] = local_clock();
	cpu->begun[op] = op ? ctl >> 32 & 0x7ffffff : (ctl >> 16 & 0xffff) << 4;
}

/* What the counter of an enabled event shows while samples come by themselves. */
static u64 emulated_count(struct emulated_cpu *cpu, u32 msr, u64 value)
{
	int op = msr == MSR_AMD64_IBSOPCTL;

	if ((op || msr == MSR_AMD64_IBSFETCHCTL) && emulated_runs(cpu, op, value))
		value = emulated_set_count(value, op, emulated_passed(cpu, op));
	return value;
}

/* Is a sample left out? @regs: as in struct ibs_emulated_sample */
static bool emulated_left_out(struct emulated_cpu *cpu, int op, const u64 *regs)
{
	u64 ctl2 = READ_ONCE(*emulated_msr(cpu, op ? EMULATED_OPCTL2 : EMULATED_FETCHCTL2));
	u64 ctl = READ_ONCE(*emulated_msr(cpu, op ? MSR_AMD64_IBSOPCTL : MSR_AMD64_IBSFETCHCTL));
	bool kernel = regs[0] >> 63;
	u64 latency;

	if (emulated_blind)
		return false;
	if (!op) {
		latency = regs[3] >> 32 & 0xffff;
		return ctl2 & (kernel ? EMULATED_FETCH_NO_KERNEL : EMULATED_FETCH_NO_USER) ||
		       latency < (ctl2 >> 1 & 0xf) * 128;
	}

	latency = regs[3] >> 32 & 0xffff;	/* of IbsOpData3: a load (bit 0), DcMissLat */
	if (ctl >> 63 && ctl >> 16 & 1 && (!(regs[3] & 1) || latency < ((ctl >> 59 & 0xf) + 1) * 128))
		return true;
	/* a store (bit 1), write combining (bit 13) */
	if (ctl2 & EMULATED_OP_STREAMING && (regs[3] & 0x2002) != 0x2002)
		return true;
	return ctl2 & (kernel ? EMULATED_OP_NO_KERNEL : EMULATED_OP_NO_USER) && !(regs[1] & IBS_RIP_INVALID);
}

static void emulated_race_nmi(struct emulated_cpu *cpu, int op, bool complete);
static bool emulated_races(struct emulated_cpu *cpu, int race);

/* Out of line, so that each access costs the same and can be left out of what the driver costs. */
static noinline u64 emulated_read(u32 msr)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);
	u64 value;

	if (!emulated(msr)) {
		rdmsrl(msr, value);
		return value;
	}

	WARN_ON_ONCE(msr >= EMULATED_OPCTL2 && !newer);
	if (unlikely(emulated_races(cpu, RACE_LATE))) {
		int op = msr == MSR_AMD64_IBSOPCTL;

		if ((op || msr == MSR_AMD64_IBSFETCHCTL) && emulated_disabled(cpu, op))
			emulated_race_nmi(cpu, op, true);
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

/* An NMI here and now; with @complete, of a sample that has the address 0x123 of a user. */
static void emulated_race_nmi(struct emulated_cpu *cpu, int op, bool complete)
{
	u64 calls = cpu->calls, *ctl = emulated_msr(cpu, op ? MSR_AMD64_IBSOPCTL : MSR_AMD64_IBSFETCHCTL);
	u64 enable = op ? 1ULL << 17 : 1ULL << 48;

	if (complete && (*ctl & (enable | enable << 1)) != enable)
		return;
	cpu->racing = true;
	cpu->foreign = !complete;
	if (complete) {
		*emulated_msr(cpu, op ? MSR_AMD64_IBSOPRIP : MSR_AMD64_IBSFETCHLINAD) = 0x123;
		*emulated_msr(cpu, op ? MSR_AMD64_IBSOPDATA : MSR_AMD64_IBSFETCHPHYSAD) = 0;
		if (op)
			*emulated_msr(cpu, MSR_AMD64_IBSOPDATA3) = 0;
		*ctl = emulated_set_count(*ctl, op, emulated_period(*ctl, op)) | enable << 1;
	}
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	while (READ_ONCE(cpu->calls) == calls)
		cpu_relax();
	cpu->racing = false;
}
NOKPROBE_SYMBOL(emulated_race_nmi);

/* Is one of these moments to be used? Not by what the NMI itself writes. */
static bool emulated_races(struct emulated_cpu *cpu, int race)
{
	return newer && emulated_race & race && !cpu->handling && !cpu->racing;
}

static void emulated_write_ctl2(struct emulated_cpu *cpu, u32 msr, u64 value)
{
	int op = msr == EMULATED_OPCTL2;
	u64 *ctl = emulated_msr(cpu, op ? MSR_AMD64_IBSOPCTL : MSR_AMD64_IBSFETCHCTL);
	bool stop = value & EMULATED_DIS && !emulated_disabled(cpu, op);

	/* Reserved bits are a fault of the hardware, as is the register where there is none. */
	WARN_ON_ONCE(!newer || value & (op ? ~0xfULL : ~0x7fULL));
	if (stop && emulated_races(cpu, RACE_BEFORE_STOP))
		emulated_race_nmi(cpu, op, true);
	else if (!(value & EMULATED_DIS) && emulated_races(cpu, RACE_BEFORE_START))
		emulated_race_nmi(cpu, op, false);
	if (emulated_runs(cpu, op, *ctl)) {
		if (emulated_rate)
			*ctl = emulated_set_count(*ctl, op, emulated_passed(cpu, op));
	}
	WRITE_ONCE(*emulated_msr(cpu, msr), value);
	emulated_begin(cpu, op, *ctl);
	cpu->stops[op] += cpu->handling && value & EMULATED_DIS;
	if (emulated_races(cpu, stop ? RACE_BEHIND_STOP : value & EMULATED_DIS ? 0 : RACE_BEHIND_START))
		emulated_race_nmi(cpu, op, true);
}
NOKPROBE_SYMBOL(emulated_write_ctl2);

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

		if (emulated_disabled(cpu, op) && emulated_races(cpu, RACE_BEFORE_START))
			emulated_race_nmi(cpu, op, false);
		emulated_begin(cpu, op, value);
		cpu->stops[op] += cpu->handling && !(value & (op ? IBS_OP_ENABLE : IBS_FETCH_ENABLE));
	}
	if (msr >= EMULATED_OPCTL2) {
		emulated_write_ctl2(cpu, msr, value);
		return;
	}
	WRITE_ONCE(cpu->msr[msr - EMULATED_FIRST], value);
}
NOKPROBE_SYMBOL(emulated_write);

/* What the driver finds in boot_cpu_data. */
static struct cpuinfo_x86 emulated_cpu_data;

static u32 emulated_cpuid_eax(u32 leaf)
{
	emulated_cpu_data = boot_cpu_data;
	if (newer) {
		emulated_cpu_data.x86 = 0x1a;
		emulated_cpu_data.x86_model = 2;
	}
	if (leaf == 0x80000000)
		return IBS_CPUID_FEATURES;
	if (leaf == IBS_CPUID_FEATURES)
		return IBS_CAPS_DEFAULT | IBS_CAPS_RDWROPCNT | IBS_CAPS_OPCNT | IBS_CAPS_BRNTRGT |
		       IBS_CAPS_OPCNTEXT | IBS_CAPS_RIPINVALIDCHK | IBS_CAPS_FETCHCTLEXTD |
		       (newer ? IBS_CAPS_ZEN4 | 0x1f << 12 : 0);

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
	cpu->unhandled += !handled && !(cpu->racing && cpu->foreign);
	WRITE_ONCE(cpu->calls, cpu->calls + 1);

	return handled || cpu->racing;
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
#define boot_cpu_has(bit) ((bit) == X86_FEATURE_IBS || test_cpu_cap(&emulated_cpu_data, bit))
#define boot_cpu_data emulated_cpu_data
#define cpuid_eax(leaf) emulated_cpuid_eax(leaf)
#define setup_APIC_eilvt(offset, vector, type, mask) emulated_eilvt(offset, vector, type, mask)
#define register_nmi_handler(type, handler, flags, name) emulated_register(handler)

/* What the driver does after it was suspended, whether or not this kernel can be. */
#ifndef CONFIG_PM
#define CONFIG_PM 1
#endif

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

static u64 emulated_valid(const struct ibs_emulated_sample *sample)
{
	return sample->op ? IBS_OP_VAL : IBS_FETCH_VAL;
}

/* Wait until the event is enabled (@want) or has taken its sample. */
static int emulated_wait(const struct ibs_emulated_sample *sample, bool want, u64 *seen)
{
	unsigned long end = jiffies + 5 * HZ;
	u64 valid = emulated_valid(sample);

	for (;;) {
		*seen = READ_ONCE(*emulated_ctl(sample));
		if (want ? emulated_runs(&per_cpu(emulated_cpu, sample->cpu), sample->op, *seen) : !(*seen & valid))
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
	struct emulated_cpu *cpu = &per_cpu(emulated_cpu, sample->cpu);
	u64 valid = emulated_valid(sample), ctl, new;
	bool left_out;
	int ret;

	do {
		ret = emulated_wait(sample, true, &ctl);
		if (ret)
			return ret;

		left_out = emulated_left_out(cpu, sample->op, sample->regs);
		if (left_out) {
			new = emulated_set_count(ctl, sample->op, 0);
		} else if (sample->op) {
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
	if (left_out) {
		cpu->left_out[sample->op]++;
		return 0;
	}
	emulated_note_period(cpu, ctl, sample->op);

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

/* What a pair of counters of each processor, at @member of it, adds up to. */
static ssize_t emulated_read_sums(size_t member, char __user *to, size_t size, loff_t *pos)
{
	u64 sums[2] = {};
	int cpu, op;

	for_each_possible_cpu(cpu) {
		const u64 *pair = (void *)&per_cpu(emulated_cpu, cpu) + member;

		for (op = 0; op < 2; op++)
			sums[op] += pair[op];
	}

	return emulated_read_pair(sums, to, size, pos);
}

static ssize_t emulated_stops_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	return emulated_read_sums(offsetof(struct emulated_cpu, stops), to, size, pos);
}

static ssize_t emulated_left_out_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	return emulated_read_sums(offsetof(struct emulated_cpu, left_out), to, size, pos);
}

static const struct file_operations emulated_left_out_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= emulated_left_out_read,
};

static ssize_t emulated_registers_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	char text[512];
	int cpu, len = 0;

	for_each_online_cpu(cpu) {
		struct emulated_cpu *c = &per_cpu(emulated_cpu, cpu);

		len += scnprintf(text + len, sizeof(text) - len, "%llx %llx %llx %llx\n",
				 *emulated_msr(c, MSR_AMD64_IBSFETCHCTL), *emulated_msr(c, EMULATED_FETCHCTL2),
				 *emulated_msr(c, MSR_AMD64_IBSOPCTL), *emulated_msr(c, EMULATED_OPCTL2));
	}

	return simple_read_from_buffer(to, size, pos, text, len);
}

static const struct file_operations emulated_registers_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= emulated_registers_read,
};

static int emulated_unhandled_get(void *data, u64 *unhandled)
{
	int cpu;

	*unhandled = 0;
	for_each_possible_cpu(cpu)
		*unhandled += per_cpu(emulated_cpu, cpu).unhandled;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(emulated_unhandled_fops, emulated_unhandled_get, NULL, "%llu\n");

static void emulated_forget(void *resume)
{
	struct emulated_cpu *cpu = this_cpu_ptr(&emulated_cpu);

	*emulated_msr(cpu, EMULATED_OPCTL2) = 0xe;
	*emulated_msr(cpu, EMULATED_FETCHCTL2) = 0x7e;
	if (resume)
		perf_ibs_resume();
	else
		x86_pmu_amd_ibs_starting_cpu(smp_processor_id());
}

/* Processor 0 is suspended, another one switched off. */
static int emulated_forget_set(void *data, u64 cpu)
{
	if (!newer)
		return -EOPNOTSUPP;
	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	return smp_call_function_single(cpu, emulated_forget, cpu ? NULL : &emulated_cpu, 1);
}
DEFINE_DEBUGFS_ATTRIBUTE(emulated_forget_fops, NULL, emulated_forget_set, "%llu\n");

static const struct file_operations emulated_stops_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= emulated_stops_read,
};

/* Has a counter that samples by itself come to its end, with a sample that is not left out? */
static bool emulated_due(struct emulated_cpu *cpu, int op, const u64 *regs)
{
	u64 *ctl = emulated_msr(cpu, op ? MSR_AMD64_IBSOPCTL : MSR_AMD64_IBSFETCHCTL);

	if (!emulated_runs(cpu, op, *ctl) || emulated_passed(cpu, op) < emulated_period(*ctl, op))
		return false;
	if (emulated_left_out(cpu, op, regs)) {
		cpu->left_out[op]++;
		*ctl = emulated_set_count(*ctl, op, 0);
		emulated_begin(cpu, op, *ctl);
		return false;
	}
	emulated_note_period(cpu, *ctl, op);
	return true;
}

/* One sample of each event that is due, of the interrupted instruction. */
static enum hrtimer_restart emulated_tick(struct hrtimer *timer)
{
	struct emulated_cpu *cpu = container_of(timer, struct emulated_cpu, timer);
	u64 *msr = cpu->msr - EMULATED_FIRST, *ctl;
	struct pt_regs *regs = get_irq_regs();
	u64 kind = cpu->fired % 4;	/* load, store, both, neither */
	u64 sample[7] = {
		regs->ip, 0, IBS_DATA_SRC_DRAM,
		kind == 3 ? 0 :
			(kind != 1) | (kind != 0) << 1 |	/* LdOp, StOp */
			(kind != 1) << 7 |			/* DcMiss */
			(kind != 1) << 20 |			/* L2Miss */
			1 << 17 | (100ULL + kind) << 32,	/* DcLinAddrValid, DcMissLat */
		regs->sp, 0, 0,
	};
	bool due = false;

	hrtimer_forward_now(timer, ns_to_ktime(EMULATED_TIMER_NS));

	ctl = &msr[MSR_AMD64_IBSOPCTL];
	if (emulated_due(cpu, 1, sample)) {
		cpu->fired++;
		msr[MSR_AMD64_IBSOPRIP] = sample[0];
		msr[MSR_AMD64_IBSOPDATA] = sample[1];
		msr[MSR_AMD64_IBSOPDATA2] = sample[2];
		msr[MSR_AMD64_IBSOPDATA3] = sample[3];
		msr[MSR_AMD64_IBSDCLINAD] = sample[4];
		msr[MSR_AMD64_IBSDCPHYSAD] = sample[5];
		msr[MSR_AMD64_IBSBRTARGET] = sample[6];
		*ctl |= IBS_OP_VAL;
		due = true;
	}

	ctl = &msr[MSR_AMD64_IBSFETCHCTL];
	if (emulated_due(cpu, 0, sample)) {
		msr[MSR_AMD64_IBSFETCHLINAD] = sample[0];
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
	debugfs_create_u32("race", 0600, dir, &emulated_race);
	debugfs_create_bool("blind", 0600, dir, &emulated_blind);
	debugfs_create_bool("newer", 0400, dir, &newer);
	debugfs_create_file("left_out", 0400, dir, NULL, &emulated_left_out_fops);
	debugfs_create_file("registers", 0400, dir, NULL, &emulated_registers_fops);
	debugfs_create_file("unhandled", 0400, dir, NULL, &emulated_unhandled_fops);
	debugfs_create_file("forget", 0200, dir, NULL, &emulated_forget_fops);
	debugfs_create_file("handler", 0400, dir, NULL, &emulated_handler_fops);
	pr_warn("IBS is emulated: this kernel is for tests only\n");
	add_taint(TAINT_TEST, LOCKDEP_STILL_OK);

	return 0;
}
late_initcall(emulated_debugfs);
