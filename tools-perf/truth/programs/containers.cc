// SPDX-License-Identifier: GPL-2.0
/* Standard containers: elements and the nodes that hold them, iterators, smart pointers. */
#include "truth.hh"

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace bank {

struct Money {
	long amount;
	int currency;
};

struct Account {
	int id;
	short kind;
	Money money;
	Account *parent;
	std::array<int, 4> history;
	long total() const { return money.amount + history[1]; }
};

struct Customer {
	long id = 0;
	std::vector<Account, truth::Allocator<Account>> accounts;
	std::shared_ptr<Money> shared;
	std::unique_ptr<Account> main;
	std::optional<Money> limit;
	int visits = 0;
};

}

namespace truth {

template <> struct Describe<bank::Money> {
	static void go()
	{
		FIELD(bank::Money, amount);
		FIELD(bank::Money, currency);
	}
};

template <> struct Describe<bank::Account> {
	static void go()
	{
		announce<bank::Money>();
		announce<std::array<int, 4>>();
		FIELD(bank::Account, id);
		FIELD(bank::Account, kind);
		NESTED(bank::Account, money, bank::Money);
		FIELD(bank::Account, parent);
		truth_member("bank::Account", "history._M_elems", offsetof(bank::Account, history), 16, 4, 1, "");
		/* Also an object of its own, whose methods are called. */
		truth_member("bank::Account", "history", offsetof(bank::Account, history), 16, 16, 12,
			     announce<std::array<int, 4>>());
	}
};

template <std::size_t N> struct Describe<std::array<int, N>> {
	static void go()
	{
		truth_member(announce<std::array<int, N>>(), "_M_elems", 0, N * 4, 4, 1, "");
	}
};

template <class K, class V> struct Describe<std::pair<const K, V>> {
	static void go()
	{
		using Pair = std::pair<const K, V>;
		std::string key = name<K>(), value = name<V>();

		announce<K>();
		announce<V>();
		truth_member(name<Pair>().c_str(), "first", 0, sizeof(K), sizeof(K),
			     std::is_class<K>() ? 12 : 1, std::is_class<K>() ? key.c_str() : "");
		truth_member(name<Pair>().c_str(), "second", offsetof(Pair, second), sizeof(V), sizeof(V),
			     std::is_class<V>() ? 12 : 1, std::is_class<V>() ? value.c_str() : "");
	}
};

/* A node is what links it, and room for the element behind it. */
template <class Node, class Links, class T> static void node(const char *links)
{
	std::size_t offset = (sizeof(Links) + alignof(T) - 1) & ~(alignof(T) - 1);
	std::string room = "__gnu_cxx::__aligned_membuf<" + name<T>() + ">";

	truth_type(links, sizeof(Links), TRUTH_LINK | TRUTH_VALUE);
	truth_type(room.c_str(), sizeof(T), TRUTH_VALUE);
	announce<T>();
	truth_member(room.c_str(), "_M_storage", 0, sizeof(T), sizeof(T), 12, announce<T>());
	truth_member(name<Node>().c_str(), "", 0, sizeof(Links), sizeof(Links), 12, links);
	truth_member(name<Node>().c_str(), "_M_storage", offset, sizeof(T), sizeof(T), 12, room.c_str());
	truth_member(name<Node>().c_str(), "", offset, sizeof(T), sizeof(T), 12, announce<T>());
}

template <class T> struct Describe<std::_List_node<T>> {
	static void go()
	{
		node<std::_List_node<T>, std::__detail::_List_node_base, T>("std::__detail::_List_node_base");
	}
};

template <class T> struct Describe<std::_Rb_tree_node<T>> {
	static void go()
	{
		node<std::_Rb_tree_node<T>, std::_Rb_tree_node_base, T>("std::_Rb_tree_node_base");
	}
};

template <class T> struct Describe<std::__detail::_Hash_node<T, false>> {
	static void go()
	{
		node<std::__detail::_Hash_node<T, false>, std::__detail::_Hash_node_base, T>
			("std::__detail::_Hash_node_base");
		/* Its element has bases of its own around it. */
		for (std::string part : {"_Hash_node_value_base<" + name<T>() + ">",
					 "_Hash_node_value<" + name<T>() + ", false>"}) {
			part = "std::__detail::" + part;
			truth_type(part.c_str(), sizeof(T), TRUTH_VALUE);
			truth_member(part.c_str(), "_M_storage", 0, sizeof(T), sizeof(T), 12, announce<T>());
			truth_member(name<std::__detail::_Hash_node<T, false>>().c_str(), "", 8, sizeof(T),
				     sizeof(T), 12, part.c_str());
		}
	}
};

}

using namespace bank;

template <class T> using Vector = std::vector<T, truth::Allocator<T>>;
template <class T> using List = std::list<T, truth::Allocator<T>>;
using Tree = std::map<int, Account, std::less<int>, truth::Allocator<std::pair<const int, Account>>>;
using Sums = std::map<long, long, std::less<long>, truth::Allocator<std::pair<const long, long>>>;
using Hash = std::unordered_map<int, Account, std::hash<int>, std::equal_to<int>,
				truth::Allocator<std::pair<const int, Account>>>;

KIND long kind_vector__range_for(const Vector<Account> &accounts)
{
	long sum = 0;

	for (const Account &account : accounts)
		sum += account.money.amount + account.kind;
	return sum;
}

KIND long kind_vector__index(Vector<Account> &accounts)
{
	long sum = 0;

	for (std::size_t i = 0; i < accounts.size(); i++) {
		accounts[i].kind++;
		sum += accounts[i].total() + accounts[i].history[i & 3];
	}
	return sum;
}

KIND long kind_vector__ends(Vector<Account> &accounts)
{
	accounts.back().money.amount++;
	return accounts.front().id + (accounts.end() - 2)->id + accounts.begin()->money.currency;
}

KIND void kind_vector__push(Vector<Account> &accounts, int id)
{
	accounts.push_back(Account{id, 1, {id * 3, 2}, nullptr, {1, 2, 3, id}});
}

KIND long kind_vector__pointers(const Vector<Account *> &pointers)
{
	long sum = 0;

	for (Account *account : pointers)
		sum += account->id + account->money.amount;
	return sum;
}

KIND long kind_vector__algorithm(Vector<Account> &accounts)
{
	std::sort(accounts.begin(), accounts.end(), [](const Account &a, const Account &b) {
		return a.money.amount % 7 < b.money.amount % 7;
	});
	auto found = std::find_if(accounts.begin(), accounts.end(),
				  [](const Account &account) { return account.id == 3; });

	return found != accounts.end() ? found->money.currency : 0;
}

KIND long kind_tree_node__walk(const Tree &tree)
{
	long sum = 0;

	for (const auto &[key, account] : tree)
		sum += key + account.money.amount;
	return sum;
}

KIND long kind_tree_node__find(Tree &tree, int key)
{
	auto found = tree.find(key);

	if (found == tree.end())
		return 0;
	found->second.kind++;
	return found->second.id + found->first;
}

KIND long kind_tree_node__insert(Tree &tree, int key)
{
	Account &account = tree[key];

	account.id = key;
	account.money.amount += key;
	account.parent = &tree.begin()->second;
	return account.parent->id;
}

KIND long kind_tree_node__scalars(Sums &sums, long key)
{
	long sum = 0;

	sums[key] += 3;
	for (auto &entry : sums)
		sum += entry.first * entry.second;
	return sum;
}

KIND long kind_list_node__walk(const List<Account> &list)
{
	long sum = 0;

	for (const Account &account : list)
		sum += account.id + account.history[2];
	return sum;
}

KIND long kind_list_node__change(List<Account> &list, int id)
{
	list.push_back(Account{id, 2, {4, 5}, nullptr, {}});
	list.front().money.amount += 2;
	if (list.size() > 5)
		list.pop_front();
	return list.back().kind;
}

KIND long kind_hash_node__find(Hash &hash, int key)
{
	auto found = hash.find(key);

	if (found == hash.end())
		return 0;
	found->second.money.amount++;
	return found->second.kind;
}

KIND long kind_hash_node__walk(const Hash &hash)
{
	long sum = 0;

	for (const auto &entry : hash)
		sum += entry.first + entry.second.money.currency;
	return sum;
}

KIND void kind_hash_node__insert(Hash &hash, int key)
{
	hash[key].id = key;
	hash[key].kind += 2;
}

KIND long kind_smart_pointer__unique(const Customer &customer)
{
	if (!customer.main)
		return 0;
	customer.main->money.amount += 2;
	return customer.main->id;
}

KIND long kind_smart_pointer__shared(Customer &customer)
{
	std::shared_ptr<Money> money = customer.shared;

	money->amount++;
	return money->currency + money.use_count();
}

KIND long kind_smart_pointer__make(Customer &customer, Money *place)
{
	customer.shared = std::shared_ptr<Money>(place, [](Money *) {});
	customer.visits++;
	return customer.shared->amount;
}

KIND long kind_optional__value(Customer *customer, int by)
{
	if (by & 1)
		customer->limit = Money{by, 2};
	if (customer->limit)
		customer->limit->amount += by;
	return customer->limit.value_or(Money{1, 1}).amount + customer->visits;
}


DESCRIBE
{
	TYPE(void *);
	truth_alias("void *", "bank::Account*");
	truth::announce<Account>();
	truth_type("bank::Customer", sizeof(Customer), TRUTH_VALUE);
	FIELD(bank::Customer, id);
	OPAQUE(bank::Customer, accounts, "std::vector<bank::Account, truth::Allocator<bank::Account> >");
	OPAQUE(bank::Customer, shared, "std::shared_ptr<bank::Money>");
	OPAQUE(bank::Customer, main, "std::unique_ptr<bank::Account, std::default_delete<bank::Account> >");
	OPAQUE(bank::Customer, limit, "std::optional<bank::Money>");
	truth_member("bank::Customer", "limit", offsetof(Customer, limit), sizeof(Money),
		     sizeof(Money), 12, "bank::Money");
	FIELD(bank::Customer, visits);
}

/* Members of the standard library's own classes have names of their own. */
template <> struct truth::Describe<Customer> {
	static void go() {}
};

int main()
{
	enum { NR = 14 };
	long sum = 0;
	Vector<Account> accounts;
	Vector<Account *> pointers;
	List<Account> list;
	Tree tree;
	Sums sums;
	Hash hash;

	describe();
	auto customers = new (truth_alloc("bank::Customer", 1)) Customer;
	auto money = (Money *)truth_alloc("bank::Money", NR);

	customers->accounts.push_back(Account{});
	customers->main.reset(new (truth_alloc("bank::Account", 1)) Account{});
	for (int i = 0; i < NR; i++) {
		kind_vector__push(accounts, i);
		pointers.push_back(new (truth_alloc("bank::Account", 1)) Account{i, 2, {i, 3}, nullptr, {}});
		sum += kind_tree_node__insert(tree, i * 5 % NR) + kind_tree_node__scalars(sums, i);
		sum += kind_list_node__change(list, i);
		kind_hash_node__insert(hash, i * 3);
	}
	for (int i = 0; i < NR; i++) {
		sum += kind_vector__range_for(accounts) + kind_vector__index(accounts);
		sum += kind_vector__ends(accounts) + kind_vector__pointers(pointers);
		sum += kind_vector__algorithm(accounts);
		sum += kind_tree_node__walk(tree) + kind_tree_node__find(tree, i);
		sum += kind_list_node__walk(list) + kind_hash_node__find(hash, i);
		sum += kind_hash_node__walk(hash) + kind_smart_pointer__unique(*customers);
		sum += kind_smart_pointer__make(*customers, &money[i]);
		sum += kind_smart_pointer__shared(*customers) + kind_optional__value(customers, i);
	}
	customers->main.release();
	truth_sink(sum);
}
