/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core PMU of AMD for guests without it: TEST CODE, which no patch of the series contains.
 *
 * core_emulated.c and amd_core_emulated.c take the place of arch/x86/events/core.o and amd/core.o in the kernel of a
 * guest whose IBS is emulated, so that events go the way they go on a processor that has both: cycles with precise_ip
 * are refused by the core PMU and passed on to IBS. The drivers are the unmodified sources. Their counters come here:
 * they count nanoseconds while they are enabled, and no counter ever interrupts. An event of the core delivers no
 * samples therefore, and whoever gets samples of cycles got them from IBS.
 *
 * Include after all headers but perf_event.h of the drivers.
 */
#define PMC_EMULATED_FIRST	MSR_F15H_PERF_CTL
#define PMC_EMULATED_LAST	MSR_F15H_PERF_CTR5

u64 pmc_emulated_read(u32 msr);
int pmc_emulated_write(u32 msr, u64 value);

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
#define boot_cpu_has(bit) ((bit) == X86_FEATURE_PERFCTR_CORE || test_cpu_cap(&boot_cpu_data, bit))
