// SPDX-License-Identifier: GPL-2.0
/*
 * arch/x86/events/amd/lbr.c with the registers of ../pmc_emulated.h, and what is in the branch records: TEST CODE, see
 * there.
 *
 * QEMU records no branches. So the records are made up, from the code around: real branch instructions, with the targets
 * that they have, on a way that goes on from the interrupted instruction, at conditional branches in turns. Where
 * nothing tells the target of one (a return, an indirect call) it is the beginning of the way. Each recording has a way
 * in the user's code of the task and one in the kernel, with the call and the return between both, so that a kernel
 * address is always at hand for whoever must not see it. Types and levels of all are right, which is what filters look at.
 */
#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/proto.h>
#include <asm/msr.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>

#include "../pmc_emulated.h"

/* The bits of LBR_SELECT, by the description of the hardware: each keeps branches out. */
enum { OUT_KERNEL, OUT_USER, OUT_JCC, OUT_CALL, OUT_CALL_IND, OUT_RET, OUT_JMP_IND, OUT_JMP, OUT_FAR };

struct way {
	u64		select;
	u64		*records;
	unsigned int	nr;
	unsigned int	turn;
};

static bool of_kernel(u64 ip)
{
	return ip >> 63;
}

static void way_add(struct way *way, int type, u64 from, u64 to)
{
	int i;

	if (way->select >> type & 1 || way->select >> (of_kernel(to) ? OUT_KERNEL : OUT_USER) & 1)
		return;
	for (i = LBR_EMULATED_NR - 1; i > 0; i--) {
		way->records[2 * i] = way->records[2 * (i - 1)];
		way->records[2 * i + 1] = way->records[2 * (i - 1) + 1];
	}
	/* bit 63 of from: mispredicted, of to: valid; bits 62 and 61 of to: speculative, not for use */
	way->records[0] = (from & GENMASK_ULL(62, 0)) | (way->turn++ % 8 ? 0 : BIT_ULL(63));
	way->records[1] = (to & GENMASK_ULL(60, 0)) | BIT_ULL(63);
	way->nr++;
}

static bool way_insn(u64 ip, struct insn *insn)
{
	u8 bytes[MAX_INSN_SIZE];
	int size = sizeof(bytes);

	if (of_kernel(ip) ? copy_from_kernel_nofault(bytes, (void *)ip, size) :
	    (size -= copy_from_user_nmi(bytes, (void __user *)ip, size)) <= 0)
		return false;

	return !insn_decode(insn, bytes, size, INSN_MODE_64);
}

/* Go on from @begin until @wanted branches are recorded. */
static void way_go(struct way *way, u64 begin, unsigned int wanted)
{
	u64 ip = begin, next, to, returns[8];
	unsigned int steps, depth = 0;
	struct insn insn;

	for (wanted += way->nr, steps = 0; steps < 200 && way->nr < wanted; steps++, ip = next) {
		int type = -1, reg;

		if (!way_insn(ip, &insn)) {
			next = begin;
			continue;
		}
		next = ip + insn.length;
		to = next + insn.immediate.value;
		reg = X86_MODRM_REG(insn.modrm.value);
		switch (insn.opcode.bytes[0]) {
		case 0x70 ... 0x7f:
		case 0xe0 ... 0xe3:
			type = OUT_JCC;
			break;
		case 0x0f:
			if ((insn.opcode.bytes[1] & 0xf0) == 0x80)
				type = OUT_JCC;
			break;
		case 0xe8:
			type = OUT_CALL;
			returns[depth++ % ARRAY_SIZE(returns)] = next;
			break;
		case 0xe9:
		case 0xeb:
			type = OUT_JMP;
			break;
		case 0xc2:
		case 0xc3:
			type = OUT_RET;
			to = depth ? returns[--depth % ARRAY_SIZE(returns)] : begin;
			break;
		case 0xff:
			if (reg == 2 || reg == 4) {
				type = reg == 2 ? OUT_CALL_IND : OUT_JMP_IND;
				to = begin;
			}
			break;
		case 0xcc:	/* what is behind a function */
			next = begin;
			break;
		}
		if (type < 0 || (type == OUT_JCC && way->turn++ & 1))
			continue;
		/* Not out of the level: only the call and the return between both are that. */
		if (of_kernel(to) != of_kernel(ip)) {
			next = begin;
			continue;
		}
		way_add(way, type, ip, to);
		next = to;
	}
}

/* The instruction that returns to the user: the first sysretq behind the entry. */
static u64 kernel_exit(void)
{
	static u64 found;
	const u8 *code = (u8 *)entry_SYSCALL_64;
	int i;

	for (i = 0; !found && i < 2048; i++) {
		if (code[i] == 0x48 && code[i + 1] == 0x0f && code[i + 2] == 0x07)
			found = (u64)code + i;
	}

	return found ?: (u64)code;
}

/**
 * lbr_emulated_record - fill the branch records of this processor
 * @regs: what is interrupted; NULL: the caller's code, in the kernel
 * @select: what is in LBR_SELECT
 * @records: LBR_EMULATED_NR pairs of registers, the newest first
 */
void lbr_emulated_record(const struct pt_regs *regs, u64 select, u64 *records)
{
	u64 kernel = regs && !user_mode(regs) ? regs->ip : (u64)__builtin_return_address(0);
	u64 user = current->mm && !(current->flags & PF_KTHREAD) ? task_pt_regs(current)->ip : 0;
	u64 entry = (u64)entry_SYSCALL_64;
	struct way way = { .select = select, .records = records, .turn = kernel >> 4 };

	memset(records, 0, 2 * LBR_EMULATED_NR * sizeof(*records));
	if (regs && user_mode(regs)) {
		way_add(&way, OUT_FAR, regs->ip, entry);
		way_go(&way, entry, 6);
		way_add(&way, OUT_FAR, kernel_exit(), regs->ip);
		way_go(&way, regs->ip, 8);
		return;
	}
	if (user) {
		way_add(&way, OUT_FAR, kernel_exit(), user);
		way_go(&way, user, 6);
		way_add(&way, OUT_FAR, user, entry);
	}
	way_go(&way, kernel, 8);
}

/* The records freeze when a counter overflows. */
#undef cpu_feature_enabled
#define cpu_feature_enabled(bit) ((bit) == X86_FEATURE_AMD_LBR_PMC_FREEZE)

#include "lbr.c"
