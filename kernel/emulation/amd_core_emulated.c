// SPDX-License-Identifier: GPL-2.0
/* arch/x86/events/amd/core.c with the counters of ../pmc_emulated.h: TEST CODE, see there. */
#include <linux/perf_event.h>
#include <linux/jump_label.h>
#include <linux/export.h>
#include <linux/types.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <asm/apicdef.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/msr.h>
#include <asm/cpufeature.h>

#include "../pmc_emulated.h"
#include "core.c"
