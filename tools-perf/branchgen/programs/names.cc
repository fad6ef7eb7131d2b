// SPDX-License-Identifier: GPL-2.0
/*
 * Functions whose names have template arguments, operators, lambdas and namespaces in them, of
 * which some are one function for several of the compiler's symbols.
 *
 * usage: names [ITERATIONS]
 */
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Shape {
	virtual ~Shape() = default;
	virtual unsigned long area(unsigned long scale) const = 0;
};

template <typename Side, unsigned long Corners>
struct Polygon : Shape {
	explicit Polygon(Side side) : side(side) {}
	unsigned long area(unsigned long scale) const override
	{
		unsigned long sum = 0;

		for (unsigned long corner = 0; corner < Corners; corner++)
			sum += side * scale + (corner & 1 ? sum : corner);
		return sum;
	}
	Side side;
};

template <typename Key, typename Value>
class Table {
public:
	Table &operator<<(const std::pair<Key, Value> &entry)
	{
		entries.push_back(entry);
		return *this;
	}
	Value operator()(const Key &key) const
	{
		for (const auto &entry : entries)
			if (entry.first == key)
				return entry.second;
		return Value();
	}

private:
	std::vector<std::pair<Key, Value>> entries;
};

} // namespace

static unsigned long round_of(unsigned long number)
{
	std::vector<std::unique_ptr<Shape>> shapes;
	std::map<std::string, unsigned long> sums;
	Table<std::string, unsigned long> table;
	std::function<unsigned long(unsigned long)> twice = [](unsigned long n) { return 2 * n; };

	for (unsigned long i = 0; i < 4; i++) {
		if ((number + i) % 3)
			shapes.emplace_back(new Polygon<unsigned long, 3>(i + number));
		else
			shapes.emplace_back(new Polygon<unsigned char, 7>(i));
	}
	for (const auto &shape : shapes)
		sums["area" + std::to_string(shapes.size() % 3)] += shape->area(twice(number));
	for (const auto &sum : sums)
		table << sum;
	return table("area1");
}

int main(int argc, char *argv[])
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], nullptr, 10) : 100, sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
		sum += round_of(i);
	printf("%lu\n", sum);
	return 0;
}
