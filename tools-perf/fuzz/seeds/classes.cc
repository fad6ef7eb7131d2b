// SPDX-License-Identifier: GPL-2.0
/* A little of everything that C++'s debug information has. */
namespace ns {
struct Base {
	virtual ~Base();
	virtual long get() const;
	long number;
};
struct Other {
	int other;
};
template <class T> struct Derived : virtual Base, Other {
	T value;
	Derived *next;
	long get() const override { return this->number + value; }
	enum class Kind : char { one, two } kind;
};
}

long visit(ns::Derived<int> &derived, ns::Base *base, long ns::Base::*member)
{
	auto add = [&derived](int by) { return derived.value += by; };
	long sum = base->get() + base->*member;

	for (auto *d = &derived; d; d = d->next)
		sum += d->other + d->get() + add(2);
	return sum;
}
