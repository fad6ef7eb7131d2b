/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a program of the truth set says about its own data.
 *
 * Every type has an arena, an address range of its own, and tells where its members are with
 * offsetof(): so the address that an instruction accesses tells type and field, whatever the
 * debug information and the code look like. Objects that are not allocated (globals, stack and
 * thread-local variables) are announced with their address.
 *
 * All of it is behind calls into a shared library, which look like malloc() to the compiler
 * and the profiler, and which is no part of the program's own code.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Shared with the tracer, which reads it in the memory of the program. */
#define TRUTH_MAGIC	0x7472757468303176ul
#define TRUTH_TABLE	0x200000000000ul
#define TRUTH_TYPES	128
#define TRUTH_REGIONS	1024
/* The arena of type N is at TRUTH_TABLE + (N + 1) * TRUTH_SPAN. */
#define TRUTH_SPAN	(16ul << 20)

struct truth_region {
	uint64_t start, size;
	uint64_t type;
};

struct truth_table {
	uint64_t magic;
	uint64_t nr_types, nr_regions;
	uint64_t size[TRUTH_TYPES];	/* of an element of the type's arena */
	uint64_t used[TRUTH_TYPES];	/* bytes of its arena that were given away */
	struct truth_region regions[TRUTH_REGIONS];
};

#ifdef __cplusplus
extern "C" {
#define TRUTH_OFFSET(type, member) __builtin_offsetof(type, member)
#else
#define TRUTH_OFFSET(type, member) offsetof(type, member)
#endif

/* What a type is beside its name. */
enum {
	TRUTH_LINK = 1,		/* made to be embedded: code names its container */
	TRUTH_VALUE = 2,	/* also lives where nobody announces it: returned, passed by value */
	TRUTH_OPAQUE = 4,	/* of the standard library, which names what is in it */
};

/* Announce a type. Without it the other calls complain about its name. */
void truth_type(const char *name, size_t size, int flags);
/* Another name for it, such as a typedef. */
void truth_alias(const char *name, const char *alias);
/*
 * A member: @element is its size or that of the elements of an array, @class what
 * __builtin_classify_type() says, @nested the announced type of the member or its elements or
 * "". @member is the path without indexes, "" for a base class or an anonymous member.
 */
void truth_member(const char *name, const char *member, size_t offset, size_t size,
		  size_t element, int class_, const char *nested);
/* The bit-field @member: those bits of the object at @ones that are set. */
void truth_bits(const char *name, const char *member, const void *ones, size_t size);

/* Zeroed objects in the arena of a type; memory is used again only after truth_free(). */
void *truth_alloc(const char *name, size_t count);
void truth_free(void *object, const char *name);
/* The object (or array of objects) at this place is of that type, until truth_drop(). */
void truth_region(const void *start, size_t size, const char *name);
void truth_drop(const void *start);
/* Uses a value, and hides from the compiler what it is. */
void truth_sink(long value);
long truth_hide(long value);

#ifdef __cplusplus
}
#endif

/*
 * A function of the truth set: kind_KIND__NAME is of the kind of access KIND. It is kept out
 * of line so that its instructions are its own.
 */
#define KIND __attribute__((noinline))

/* Heads the function that announces types: its own accesses are not judged. */
#define DESCRIBE static __attribute__((noinline)) void describe(void)

#define TRUTH_REF(type)		((type *)0)
#define TYPE(type)		truth_type(#type, sizeof(type), 0)
#define TYPE_FLAGS(type, flags)	truth_type(#type, sizeof(type), flags)
#define FIELD(type, member) \
	truth_member(#type, #member, TRUTH_OFFSET(type, member), sizeof(TRUTH_REF(type)->member), \
		     sizeof(TRUTH_REF(type)->member), \
		     __builtin_classify_type(TRUTH_REF(type)->member), "")
/* @element: the innermost element, as in ARRAY(struct game, board, board[0][0]) */
#define ARRAY(type, member, element) \
	truth_member(#type, #member, TRUTH_OFFSET(type, member), sizeof(TRUTH_REF(type)->member), \
		     sizeof(TRUTH_REF(type)->element), \
		     __builtin_classify_type(TRUTH_REF(type)->element), "")
/* A flexible array member; room for that many elements is allocated. */
#define FLEXIBLE(type, member, nr) \
	truth_member(#type, #member, TRUTH_OFFSET(type, member), \
		     (nr) * sizeof(TRUTH_REF(type)->member[0]), sizeof(TRUTH_REF(type)->member[0]), \
		     __builtin_classify_type(TRUTH_REF(type)->member[0]), "")
#define NESTED(type, member, nested) \
	truth_member(#type, #member, TRUTH_OFFSET(type, member), sizeof(TRUTH_REF(type)->member), \
		     sizeof(TRUTH_REF(type)->member), 12, #nested)
/* A member whose own members the standard library names. */
#define OPAQUE(type, member, library) do { \
	truth_type(library, sizeof(TRUTH_REF(type)->member), TRUTH_OPAQUE | TRUTH_VALUE); \
	truth_member(#type, #member, TRUTH_OFFSET(type, member), sizeof(TRUTH_REF(type)->member), \
		     sizeof(TRUTH_REF(type)->member), 12, library); \
} while (0)
#define NESTED_ARRAY(type, member, element, nested) \
	truth_member(#type, #member, TRUTH_OFFSET(type, member), sizeof(TRUTH_REF(type)->member), \
		     sizeof(TRUTH_REF(type)->element), 12, #nested)
#define BITS(type, member) do { \
	type truth_ones; \
	memset((void *)&truth_ones, 0, sizeof(truth_ones)); \
	truth_ones.member = ~truth_ones.member; \
	truth_bits(#type, #member, &truth_ones, sizeof(truth_ones)); \
} while (0)

#define NEW(type)		((type *)truth_alloc(#type, 1))
#define NEW_ARRAY(type, nr)	((type *)truth_alloc(#type, nr))
#define DELETE(type, object)	truth_free(object, #type)
/* A variable that stays: global, static or thread-local. */
#define PLACED(variable, type)	truth_region(&(variable), sizeof(variable), #type)

/* A variable in the stack frame: between these two, in one scope. */
#define ON_STACK(variable, type)	truth_region(&(variable), sizeof(variable), #type)
#define OFF_STACK(variable)		truth_drop(&(variable))

#endif
