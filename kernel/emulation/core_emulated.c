// SPDX-License-Identifier: GPL-2.0
/*
 * arch/x86/events/core.c with the registers of pmc_emulated.h: TEST CODE, see there.
 *
 *   /sys/kernel/debug/pmc_emulated/run    write 1: the counters of the whole processor count and interrupt, 0: not any more
 *
 * All events count nanoseconds. Every 50 us a timer gives those since the last time to the level that it interrupts, user
 * or kernel, and counters that overflow by it interrupt there: the driver gets a real NMI, with the registers of what the
 * timer has interrupted. Where the driver has asked for it, the branch records freeze then; else they are filled when
 * the driver stops them. What is read between two ticks is the kernel's.
 */
#include <linux/perf_event.h>
#include <linux/capability.h>
#include <linux/notifier.h>
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/sched/mm.h>
#include <linux/sched/clock.h>
#include <linux/uaccess.h>
#include <linux/slab.h>
#include <linux/cpu.h>
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/nospec.h>
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/moduleparam.h>
#include <linux/static_call.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/stacktrace.h>
#include <asm/nmi.h>
#include <asm/smp.h>
#include <asm/alternative.h>
#include <asm/mmu_context.h>
#include <asm/tlbflush.h>
#include <asm/timer.h>
#include <asm/desc.h>
#include <asm/ldt.h>
#include <asm/unwind.h>
#include <asm/uprobes.h>
#include <asm/ibt.h>
#include <asm/msr.h>
#include <asm/cpufeature.h>

static u64 pmc_emulated_real_read(u32 msr)
{
	u64 value;

	rdmsrl(msr, value);
	return value;
}

static void pmc_emulated_real_write(u32 msr, u64 value)
{
	wrmsrl(msr, value);
}

#include "pmc_emulated.h"

static bool whole;
module_param(whole, bool, 0444);
MODULE_PARM_DESC(whole, "emulate PerfMonV2 and LbrExtV2, with counters that interrupt");

#define PMC_EMULATED_TICK_NS	50000
#define PMC_EMULATED_MASK	GENMASK_ULL(47, 0)
#define PMC_EMULATED_FIRST	MSR_F15H_PERF_CTL
#define PMC_EMULATED_LAST	MSR_F15H_PERF_CTR5

struct pmc_emulated_cpu {
	u64		control[PMC_EMULATED_NR], counter[PMC_EMULATED_NR];
	u64		since[PMC_EMULATED_NR];	/* ns; when a counter was last up to date */
	u64		global_ctl, global_status;
	u64		lbr_select, lbr_config, debugctl;
	u64		lbr[2 * LBR_EMULATED_NR];
	struct pt_regs	*regs;			/* of what the NMI that is due interrupts */
	struct hrtimer	timer;
};
static DEFINE_PER_CPU(struct pmc_emulated_cpu, pmc_emulated_cpu);

bool pmc_emulated_has(unsigned int bit)
{
	return bit == X86_FEATURE_PERFCTR_CORE ||
	       (whole && (bit == X86_FEATURE_PERFMON_V2 || bit == X86_FEATURE_AMD_LBR_V2));
}

static bool pmc_emulated_runs(struct pmc_emulated_cpu *cpu, int i)
{
	return cpu->control[i] & (1ULL << 22) && (!whole || cpu->global_ctl >> i & 1);
}

/*
 * Bring a counter up to date, with @level, one of the bits of its control register for user and kernel, as what ran since.
 * Only at a tick it overflows: between them it waits.
 */
static bool pmc_emulated_count(struct pmc_emulated_cpu *cpu, int i, u64 level, bool tick)
{
	u64 now = local_clock(), value = cpu->counter[i];
	bool overflow = false;

	if (pmc_emulated_runs(cpu, i) && (!whole || cpu->control[i] & level)) {
		value += now - cpu->since[i];
		overflow = value > PMC_EMULATED_MASK;
		if (whole && overflow)
			value = tick ? 0 : PMC_EMULATED_MASK;
	}
	cpu->counter[i] = value & PMC_EMULATED_MASK;
	cpu->since[i] = now;

	return overflow && tick;
}

/* The register of an MSR; NULL: it is not emulated. */
static u64 *pmc_emulated_msr(struct pmc_emulated_cpu *cpu, u32 msr)
{
	unsigned int i = msr - PMC_EMULATED_FIRST;

	if (msr >= PMC_EMULATED_FIRST && msr <= PMC_EMULATED_LAST) {
		pmc_emulated_count(cpu, i / 2, 1ULL << 17, false);
		return i & 1 ? &cpu->counter[i / 2] : &cpu->control[i / 2];
	}
	if (!whole)
		return NULL;
	if (msr >= MSR_AMD_SAMP_BR_FROM && msr < MSR_AMD_SAMP_BR_FROM + 2 * LBR_EMULATED_NR)
		return &cpu->lbr[msr - MSR_AMD_SAMP_BR_FROM];

	switch (msr) {
	case MSR_AMD64_PERF_CNTR_GLOBAL_CTL:	return &cpu->global_ctl;
	case MSR_AMD64_PERF_CNTR_GLOBAL_STATUS:
	case MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR: return &cpu->global_status;
	case MSR_AMD64_LBR_SELECT:		return &cpu->lbr_select;
	case MSR_AMD_DBG_EXTN_CFG:		return &cpu->lbr_config;
	case MSR_IA32_DEBUGCTLMSR:		return &cpu->debugctl;
	default:				return NULL;
	}
}

/* Are branches recorded now? */
static bool pmc_emulated_records(struct pmc_emulated_cpu *cpu)
{
	return cpu->lbr_config & DBG_EXTN_CFG_LBRV2EN && !(cpu->global_status & GLOBAL_STATUS_LBRS_FROZEN);
}

u64 pmc_emulated_read(u32 msr)
{
	struct pmc_emulated_cpu *cpu = this_cpu_ptr(&pmc_emulated_cpu);
	unsigned long flags;
	u64 value, *reg;

	local_irq_save(flags);
	reg = pmc_emulated_msr(cpu, msr);
	value = reg ? *reg : pmc_emulated_real_read(msr);
	local_irq_restore(flags);

	return value;
}
NOKPROBE_SYMBOL(pmc_emulated_read);

int pmc_emulated_write(u32 msr, u64 value)
{
	struct pmc_emulated_cpu *cpu;
	unsigned long flags;
	u64 *reg;
	int i;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&pmc_emulated_cpu);
	if (msr == MSR_AMD64_PERF_CNTR_GLOBAL_CTL) {
		for (i = 0; i < PMC_EMULATED_NR; i++)
			pmc_emulated_count(cpu, i, 1ULL << 17, false);
	}
	reg = pmc_emulated_msr(cpu, msr);
	if (!reg) {
		pmc_emulated_real_write(msr, value);
	} else if (msr == MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR) {
		*reg &= ~value;
	} else if (msr >= PMC_EMULATED_FIRST && msr <= PMC_EMULATED_LAST) {
		*reg = (msr - PMC_EMULATED_FIRST) & 1 ? value & PMC_EMULATED_MASK : value;
	} else {
		if (msr == MSR_AMD_DBG_EXTN_CFG && !(value & DBG_EXTN_CFG_LBRV2EN) && pmc_emulated_records(cpu))
			lbr_emulated_record(cpu->regs ?: get_irq_regs(), cpu->lbr_select, cpu->lbr);
		*reg = value;
	}
	local_irq_restore(flags);

	return 0;
}
NOKPROBE_SYMBOL(pmc_emulated_write);

static nmi_handler_t pmc_emulated_driver;

/* An NMI of the timer is one of what the timer has interrupted. */
static int pmc_emulated_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct pmc_emulated_cpu *cpu = this_cpu_ptr(&pmc_emulated_cpu);
	int handled = pmc_emulated_driver(cmd, READ_ONCE(cpu->regs) ?: regs);

	WRITE_ONCE(cpu->regs, NULL);
	return handled;
}
NOKPROBE_SYMBOL(pmc_emulated_nmi);

static int pmc_emulated_register(nmi_handler_t handler)
{
	pmc_emulated_driver = handler;

	return register_nmi_handler(NMI_LOCAL, pmc_emulated_nmi, 0, "PMI");
}

static enum hrtimer_restart pmc_emulated_tick(struct hrtimer *timer)
{
	struct pmc_emulated_cpu *cpu = container_of(timer, struct pmc_emulated_cpu, timer);
	struct pt_regs *regs = get_irq_regs();
	u64 level = user_mode(regs) ? 1ULL << 16 : 1ULL << 17;
	bool due = false;
	int i;

	hrtimer_forward_now(timer, ns_to_ktime(PMC_EMULATED_TICK_NS));

	for (i = 0; i < PMC_EMULATED_NR; i++) {
		if (!pmc_emulated_count(cpu, i, level, true))
			continue;
		cpu->global_status |= BIT_ULL(i);
		due |= cpu->control[i] >> 20 & 1;
	}
	if (!due)
		return HRTIMER_RESTART;

	if (cpu->debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI && pmc_emulated_records(cpu)) {
		lbr_emulated_record(regs, cpu->lbr_select, cpu->lbr);
		cpu->global_status |= GLOBAL_STATUS_LBRS_FROZEN;
	}
	WRITE_ONCE(cpu->regs, regs);
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	/* It comes behind one of the next instructions. */
	for (i = 0; i < 1000000 && READ_ONCE(cpu->regs); i++)
		cpu_relax();
	WARN_ON_ONCE(READ_ONCE(cpu->regs));
	WRITE_ONCE(cpu->regs, NULL);

	return HRTIMER_RESTART;
}

static void pmc_emulated_start(void *unused)
{
	struct hrtimer *timer = &this_cpu_ptr(&pmc_emulated_cpu)->timer;

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = pmc_emulated_tick;
	hrtimer_start(timer, ns_to_ktime(PMC_EMULATED_TICK_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static bool pmc_emulated_running;

static int pmc_emulated_run_set(void *data, u64 run)
{
	int cpu;

	if (!whole)
		return -EOPNOTSUPP;
	if (run > 1)
		return -EINVAL;
	if (run && !pmc_emulated_running) {
		on_each_cpu(pmc_emulated_start, NULL, 1);
	} else if (!run && pmc_emulated_running) {
		for_each_online_cpu(cpu)
			hrtimer_cancel(&per_cpu(pmc_emulated_cpu, cpu).timer);
	}
	pmc_emulated_running = run;

	return 0;
}

static int pmc_emulated_run_get(void *data, u64 *run)
{
	*run = pmc_emulated_running;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(pmc_emulated_run_fops, pmc_emulated_run_get, pmc_emulated_run_set, "%llu\n");

static int __init pmc_emulated_debugfs(void)
{
	struct dentry *dir = debugfs_create_dir("pmc_emulated", NULL);

	debugfs_create_file("run", 0600, dir, NULL, &pmc_emulated_run_fops);
	return 0;
}
late_initcall(pmc_emulated_debugfs);

#undef register_nmi_handler
#define register_nmi_handler(type, handler, flags, name) pmc_emulated_register(handler)

#include "core.c"
