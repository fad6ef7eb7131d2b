// SPDX-License-Identifier: GPL-2.0
/* As prog.c, but built without debug information */
#define MARK(name)							\
	"\n\t.pushsection .samples,\"\",@progbits"			\
	"\n\t.quad 1b\n\t.asciz \"" name "\"\n\t.popsection"

void lib_read(long *value)
{
	long sum;

	asm volatile("1: mov %1, %0" MARK("lib load") : "=r" (sum) : "m" (*value));
	asm volatile("1: push %0" MARK("lib push") "\n\tpop %0" : "+r" (sum) : : "memory");
}
