/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What C++ adds to truth.h: base classes, objects of classes that have an arena of their own,
 * and an allocator for the nodes of standard containers.
 */
#ifndef TRUTH_HH
#define TRUTH_HH

#include "truth.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

/* A base class that is not virtual: its members are members of the class. */
#define BASE(type, base) \
	truth_member(#type, "", (char *)static_cast<base *>(reinterpret_cast<type *>(0x1000)) - \
		     (char *)0x1000, sizeof(base), sizeof(base), 12, #base)
/* A virtual base class: where it is, an object tells. */
#define VIRTUAL_BASE(object, type, base) \
	truth_member(#type, "", (char *)static_cast<base *>(object) - (char *)(object), \
		     sizeof(base), sizeof(base), 12, #base)
/* The pointer to the virtual functions, at the begin of a class or base. */
#define VIRTUALS(type) \
	truth_member(#type, "_vptr", 0, sizeof(void *), sizeof(void *), 5, "")

/* Puts the objects of a class in its arena. */
#define IN_ARENA(type) \
	static void *operator new(std::size_t) { return truth_alloc(#type, 1); } \
	static void operator delete(void *object) { truth_free(object, #type); }

namespace truth {

/* The name of a type as the compiler spells it. */
template <class T> std::string name()
{
	std::string text = __PRETTY_FUNCTION__;
	std::size_t start = text.find("T = ") + 4;

	return text.substr(start, text.find_first_of(";]", start) - start);
}

/*
 * Announces a type, whose objects are also passed and returned by value; specialised where
 * there is more to say of it.
 */
template <class T> struct Describe {
	static void go() {}
};

template <class T> const char *announce()
{
	static std::string known;

	if (known.empty()) {
		known = name<T>();
		truth_type(known.c_str(), sizeof(T), TRUTH_VALUE);
		Describe<T>::go();
	}
	return known.c_str();
}

/* Allocates what a container asks for: its elements, or nodes that hold one. */
template <class T> struct Allocator {
	using value_type = T;

	Allocator() = default;
	template <class U> Allocator(const Allocator<U> &) {}
	T *allocate(std::size_t nr) { return static_cast<T *>(truth_alloc(announce<T>(), nr)); }
	void deallocate(T *object, std::size_t nr)
	{
		if (nr == 1)
			truth_free(object, announce<T>());
	}
	template <class U> bool operator==(const Allocator<U> &) const { return true; }
	template <class U> bool operator!=(const Allocator<U> &) const { return false; }
};

}

#endif
