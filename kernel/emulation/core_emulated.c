// SPDX-License-Identifier: GPL-2.0
/* arch/x86/events/core.c with the counters of pmc_emulated.h: TEST CODE, see there. */
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
#include <linux/static_call.h>
#include <asm/apic.h>
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

struct pmc_emulated_cpu {
	u64	msr[MSR_F15H_PERF_CTR5 - MSR_F15H_PERF_CTL + 1];
	u64	since[MSR_F15H_PERF_CTR5 - MSR_F15H_PERF_CTL + 1];	/* ns; when a counter was last up to date */
};
static DEFINE_PER_CPU(struct pmc_emulated_cpu, pmc_emulated_cpu);

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

/* A control register is followed by its counter. */
static void pmc_emulated_count(struct pmc_emulated_cpu *cpu, unsigned int control)
{
	u64 now = local_clock();

	if (cpu->msr[control] & (1ULL << 22))	/* enabled */
		cpu->msr[control + 1] = (cpu->msr[control + 1] + now - cpu->since[control]) & GENMASK_ULL(47, 0);
	cpu->since[control] = now;
}

u64 pmc_emulated_read(u32 msr)
{
	struct pmc_emulated_cpu *cpu = this_cpu_ptr(&pmc_emulated_cpu);
	unsigned int i = msr - PMC_EMULATED_FIRST;
	unsigned long flags;
	u64 value;

	if (msr < PMC_EMULATED_FIRST || msr > PMC_EMULATED_LAST)
		return pmc_emulated_real_read(msr);

	local_irq_save(flags);
	pmc_emulated_count(cpu, i & ~1);
	value = cpu->msr[i];
	local_irq_restore(flags);

	return value;
}
NOKPROBE_SYMBOL(pmc_emulated_read);

int pmc_emulated_write(u32 msr, u64 value)
{
	struct pmc_emulated_cpu *cpu = this_cpu_ptr(&pmc_emulated_cpu);
	unsigned int i = msr - PMC_EMULATED_FIRST;
	unsigned long flags;

	if (msr < PMC_EMULATED_FIRST || msr > PMC_EMULATED_LAST) {
		pmc_emulated_real_write(msr, value);
		return 0;
	}

	local_irq_save(flags);
	pmc_emulated_count(cpu, i & ~1);
	cpu->msr[i] = i & 1 ? value & GENMASK_ULL(47, 0) : value;
	local_irq_restore(flags);

	return 0;
}
NOKPROBE_SYMBOL(pmc_emulated_write);

#include "core.c"
