/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core PMU of AMD for guests without it: TEST CODE, which no patch of the series contains.
 *
 * core_emulated.c, amd_core_emulated.c and amd_lbr_emulated.c take the place of arch/x86/events/core.o, amd/core.o and
 * amd/lbr.o in the kernel of a guest whose IBS is emulated, so that events go the way they go on a processor that has
 * all of them. The drivers are the unmodified sources. Their registers are kept in core_emulated.c.
 *
 * There are two processors. As it comes, one with six counters: they count nanoseconds while they are enabled, and none
 * ever interrupts. An event of the core delivers no samples therefore, and whoever gets samples of cycles got them from
 * IBS. With core_emulated.whole=1 on the kernel's command line it is one with PerfMonV2 and LbrExtV2: a counter that
 * overflows interrupts, and the branch records are filled, see core_emulated.c and amd_lbr_emulated.c.
 *
 * Include after all headers but perf_event.h of the drivers.
 */
#define PMC_EMULATED_NR		6
#define LBR_EMULATED_NR		16

/* One word a feature, so that the drivers' tests of features that are not emulated stay what they are. */
bool pmc_emulated_has(unsigned int bit);
u64 pmc_emulated_read(u32 msr);
int pmc_emulated_write(u32 msr, u64 value);

struct pt_regs;
void lbr_emulated_record(const struct pt_regs *regs, u64 select, u64 *records);

#undef rdmsrl
#undef wrmsrl
#undef rdpmcl
#undef rdmsrl_safe
#undef wrmsrl_safe
#undef boot_cpu_has
#define rdmsrl(msr, value) ((value) = pmc_emulated_read(msr))
#define wrmsrl(msr, value) ((void)pmc_emulated_write(msr, value))
#define rdpmcl(counter, value) ((value) = pmc_emulated_read(MSR_F15H_PERF_CTR + 2 * (counter)))
#define rdmsrl_safe(msr, value) ({ *(value) = pmc_emulated_read(msr); 0; })
#define wrmsrl_safe(msr, value) pmc_emulated_write(msr, value)
#define boot_cpu_has(bit) (pmc_emulated_has(bit) || test_cpu_cap(&boot_cpu_data, bit))
/* Of leaf 0x80000022, which the drivers ask for the sizes. */
#define cpuid_ebx(leaf) (PMC_EMULATED_NR | LBR_EMULATED_NR << 4)
