// SPDX-License-Identifier: GPL-2.0
/*
 * A loop with an instruction that raises a signal, whose handler steps over it. The handler
 * lies above the loop, other functions lie between: in a branch stack of user space the
 * branch before the signal and the first one of the handler are neighbours.
 *
 * usage: signals [ITERATIONS]
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static volatile unsigned long seen;

unsigned long kick(unsigned long value)
{
	if (value & 1)
		value += 3;
	asm volatile("ud2" ::: "memory");
	return value % 5 ? value : value + 1;
}

unsigned long between(unsigned long value)
{
	while (value % 7)
		value++;
	return value;
}

/* ud2 has two bytes */
void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gregs[REG_RIP] += 2;
	if (seen % 3 == 0)
		seen++;
	seen++;
	(void)sig;
	(void)info;
}

int main(int argc, char **argv)
{
	unsigned long i, sum = 0, nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO;
	if (sigaction(SIGILL, &action, NULL)) {
		perror("signals: sigaction");
		return 1;
	}
	for (i = 0; i < nr; i++)
		sum += between(kick(sum + i));
	printf("%lu %lu\n", sum, seen);
	return 0;
}
