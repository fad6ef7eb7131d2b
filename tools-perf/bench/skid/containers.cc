// SPDX-License-Identifier: GPL-2.0
/* The same for containers of C++: what they wait for is in their nodes */
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>
#include "skid.h"

struct Item {
	unsigned long key;
	unsigned long fill[5];
};

static volatile unsigned long sink;

static __attribute__((noinline)) void wait_list(const std::list<Item> &items)
{
	unsigned long sum = 0;

	for (int i = 0; i < 3; i++)
		for (const Item &item : items)
			sum += item.key;
	sink = sum;
}

static __attribute__((noinline)) void wait_map(const std::map<unsigned long, Item> &items)
{
	unsigned long x = 1234567, sum = 0;

	for (int i = 0; i < 500000; i++) {
		x = next_random(x);
		sum += items.find(x % items.size()) != items.end();
	}
	sink = sum;
}

static __attribute__((noinline)) void wait_hash(const std::unordered_map<unsigned long, Item> &items)
{
	unsigned long x = 1234567, sum = 0;

	for (int i = 0; i < 4000000; i++) {
		x = next_random(x);
		sum += items.find(x % items.size()) != items.end();
	}
	sink = sum;
}

int main(int argc, char **argv)
{
	const unsigned long nr = 2000000;
	unsigned long x = 1234567;

	if (argc != 2)
		return 1;
	if (!strcmp(argv[1], "list")) {
		puts("cpp_list|array|_List_node|Item");
		puts("cpp_map|array|_Rb_tree_node");
		puts("cpp_hash|array|_Hash_node");
	} else if (!strcmp(argv[1], "cpp_list")) {
		std::list<Item> items;

		for (unsigned long i = 0; i < nr; i++) {
			x = next_random(x);
			items.push_back(Item{x, {}});
		}
		items.sort([](const Item &a, const Item &b) { return a.key < b.key; });
		wait_list(items);
	} else if (!strcmp(argv[1], "cpp_map")) {
		std::map<unsigned long, Item> items;

		for (unsigned long i = 0; i < nr; i++)
			items[i * 7919 % nr].key = i;
		wait_map(items);
	} else if (!strcmp(argv[1], "cpp_hash")) {
		std::unordered_map<unsigned long, Item> items;

		for (unsigned long i = 0; i < nr; i++)
			items[i].key = i;
		wait_hash(items);
	} else {
		return 1;
	}
	return 0;
}
