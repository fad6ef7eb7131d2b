// SPDX-License-Identifier: GPL-2.0
/* The shared library of shapes.c. */

unsigned long mix(unsigned long value, unsigned int rounds);
void mix_fill(unsigned char *buffer, unsigned long size, unsigned char value);

unsigned long mix(unsigned long value, unsigned int rounds)
{
	while (rounds--) {
		if (value & 1)
			value = value >> 1 ^ 0xd800000000000000ul;
		else
			value >>= 1;
		if (value % 11 == 0)
			value += rounds;
	}
	return value;
}

/* One string instruction: many steps, no branch. */
void mix_fill(unsigned char *buffer, unsigned long size, unsigned char value)
{
	asm volatile("rep stosb" : "+D"(buffer), "+c"(size) : "a"(value) : "memory");
}
