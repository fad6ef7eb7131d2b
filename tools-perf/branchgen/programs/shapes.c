// SPDX-License-Identifier: GPL-2.0
/*
 * A position independent program with a shared library (mixer.c) and a child process that
 * goes through the same code along other paths. Its blocks come in the shapes that are
 * easy to get wrong: a loop of one instruction, a branch that jumps to itself, one function
 * that falls through into the next, blocks that begin in the middle of others.
 *
 * usage: shapes [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned long mix(unsigned long value, unsigned int rounds);
void mix_fill(unsigned char *buffer, unsigned long size, unsigned char value);
unsigned long falls_into(unsigned long value);
unsigned long lands_in(unsigned long value);

/* falls_into() has no return: it ends where lands_in() begins. */
asm(".pushsection .text\n"
    ".globl falls_into\n"
    ".type falls_into, @function\n"
    "falls_into:\n"
    "	lea 3(%rdi), %rdi\n"
    ".size falls_into, .-falls_into\n"
    ".globl lands_in\n"
    ".type lands_in, @function\n"
    "lands_in:\n"
    "	lea (%rdi,%rdi), %rax\n"
    "	mov $3, %ecx\n"
    "1:	loop 1b\n"
    "	test $4, %al\n"
    "	jz 2f\n"
    "	inc %rax\n"
    "2:	ret\n"
    ".size lands_in, .-lands_in\n"
    ".popsection\n");

/* A switch in a loop: blocks that are entered from several places. */
static unsigned long classify(unsigned long value)
{
	switch (value % 6) {
	case 0:
		value += 7;
		/* fall through */
	case 1:
		value ^= value >> 3;
		break;
	case 2:
		value *= 5;
		/* fall through */
	case 3:
		value--;
		/* fall through */
	case 4:
		value += value >> 1;
		break;
	default:
		return 1;
	}
	return value;
}

int main(int argc, char *argv[])
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 200;
	unsigned long number, sum = 0;
	unsigned char buffer[64];
	pid_t child;
	int status;

	child = fork();
	if (child < 0) {
		perror("shapes: fork");
		return 1;
	}
	for (number = 0; number < count; number++) {
		sum += classify(sum + number);
		if (number % 3 == 0)
			sum += falls_into(number);
		else if (!child)
			sum += lands_in(number);
		sum ^= mix(sum, child ? 2 : 5);
		mix_fill(buffer, number % sizeof(buffer), number);
	}
	if (!child)
		_exit(0);
	if (waitpid(child, &status, 0) != child || status)
		return 1;
	printf("%lu %u\n", sum, buffer[0]);
	return 0;
}
