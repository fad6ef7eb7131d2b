/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What div.c takes from the C library, for a build without it (-include bare.h -nostdlib): what
 * runs then depends on the compiler alone, not on loader, libc, environment and processor.
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned int draw_state = 7;
static volatile unsigned long sink;

static int draw(void)
{
	draw_state = draw_state * 1103515245 + 12345;
	return draw_state >> 8 & 0x7fffff;
}

#define srand(seed)			(draw_state = (seed))
#define rand()				draw()
#define strtoul(text, end, base)	0
#define printf(format, value)		(sink = (value))

__asm__(".globl _start\n"
	"_start:\n"
	"	mov	$1, %edi\n"
	"	xor	%esi, %esi\n"
	"	call	main\n"
	"	xor	%edi, %edi\n"
	"	mov	$60, %eax\n"	/* exit */
	"	syscall\n");
