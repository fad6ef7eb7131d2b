// SPDX-License-Identifier: GPL-2.0
/* Members of structs behind pointers: fields, chains, arrays, unions, bit-fields, copies. */
#include "shop.h"

KIND long kind_pointer_field__sum(struct order *order)
{
	return order->nr + order->state + order->total;
}

KIND void kind_pointer_field__set(struct order *order, int state)
{
	order->state = state;
	order->nr++;
	order->total += order->nr;
	if (state & 1)
		order->copy_of = order;
}

KIND long kind_pointer_field__customer(struct customer *customer)
{
	long sum = customer->id;

	if (customer->home.number > 3)
		sum += customer->work.number;
	customer->balance.cents = sum;
	return sum + customer->home.street[3];
}

KIND long kind_chain__deep(struct order *order)
{
	return order->customer->friend->friend->balance.whole + order->next->customer->orders->nr;
}

KIND int kind_chain__store(struct customer *customer, int value)
{
	customer->friend->orders->customer->work.number = value;
	customer->orders->next->lines[2].price.cents = value;
	return customer->orders->customer->home.number;
}

KIND long kind_chain__walk(struct order *order)
{
	long sum = 0;

	for (; order; order = order->next)
		sum += order->total - order->customer->balance.whole;
	return sum;
}

KIND long kind_struct_array__lines(struct order *order)
{
	long sum = 0;
	int i;

	for (i = 0; i < 4; i++)
		sum += order->lines[i].count * order->lines[i].price.whole;
	return sum;
}

KIND long kind_struct_array__index(struct order *order, int i)
{
	order->lines[i].article = i;
	return order->lines[i].price.currency[1] + order->lines[3 - i].count;
}

KIND long kind_struct_array__offset_index(struct order *order, int i)
{
	return order->lines[i + 1].article - order->lines[i - 1].price.cents;
}

KIND long kind_struct_array__objects(struct order *orders, int nr)
{
	long sum = 0;
	int i;

	for (i = 0; i < nr; i++) {
		sum += orders[i].total;
		orders[i].state++;
		sum -= orders[i].lines[i & 3].article;
	}
	return sum;
}

KIND long kind_pointer_step__forward(struct order *order, struct order *end)
{
	long sum = 0;

	for (; order < end; order++)
		sum += order->nr * 3 + order->total;
	return sum;
}

KIND long kind_pointer_step__backward(struct order *first, struct order *order)
{
	long sum = 0;

	while (order-- > first)
		sum = sum * 2 + order->lines[1].count;
	return sum;
}

KIND long kind_pointer_step__inner(struct order *order)
{
	struct line *line, *end = order->lines + 4;
	long sum = 0;

	for (line = order->lines; line < end; line++) {
		sum += line->price.whole;
		line->price.cents += 3;
	}
	return sum;
}

KIND long kind_pointer_step__post(struct money **place, int nr)
{
	struct money *money = *place;
	long sum = 0;

	while (nr--)
		sum += money++->cents;
	*place = money;
	return sum;
}

KIND long kind_pointer_step__ints(const int *number, const int *end)
{
	long sum = 0;

	while (number < end)
		sum += *number++;
	return sum;
}

KIND long kind_nested__address(struct customer *customer)
{
	struct address *address = &customer->work;

	address->number++;
	return address->street[2] + customer->home.street[5] + customer->work.next->number;
}

KIND long kind_nested__argument(struct customer *customer)
{
	peer_bump(&customer->balance, 2);
	return customer->balance.whole;
}

KIND long kind_union__read(struct tagged *tagged)
{
	switch (tagged->kind) {
	case 0:
		return tagged->value.number;
	case 1:
		return tagged->value.real;
	case 2:
		return tagged->value.high + tagged->value.rest;
	case 3:
		return tagged->value.bytes[5];
	default:
		return tagged->value.order->total + tagged->answer;
	}
}

KIND void kind_union__write(struct tagged *tagged, int i)
{
	tagged->kind = i;
	if (i == 1)
		tagged->value.real = i;
	else if (i == 2)
		tagged->value.low = i;
	else
		tagged->answer = i;
	tagged->ratio += 1;
}

KIND long kind_union__pointer(union value *value)
{
	value->low++;
	return value->bytes[1] + value->rest;
}

KIND int kind_bit_field__read(struct flags *flags)
{
	return flags->ready + flags->level + flags->code + flags->sign;
}

KIND void kind_bit_field__write(struct flags *flags, int i)
{
	flags->busy = i;
	flags->level = i;
	flags->code += i;
	flags->wide = flags->rest + i;
	flags->sign = i;
	flags->plain = i;
}

KIND int kind_flexible__sum(struct packet *packet)
{
	int sum = 0, i;

	for (i = 0; i < packet->len; i++)
		sum += packet->body[i].whole - packet->body[i].cents;
	packet->sum = sum;
	return sum;
}

KIND int kind_flexible__last(struct packet *packet)
{
	return packet->next->body[packet->len - 1].cents;
}

KIND int kind_matrix__cells(struct grid *grid)
{
	int x, y, sum = 0;

	for (y = 0; y < 6; y++) {
		for (x = 0; x < 5; x++)
			sum += grid->cell[y][x] * grid->width;
	}
	return sum;
}

KIND int kind_matrix__one(struct grid *grid, int y, int x)
{
	grid->wallet[y][x].cents++;
	grid->weight[y] += grid->cell[y + 1][x];
	return grid->wallet[y][1].whole;
}

KIND double kind_matrix__weights(struct grid *grid, double by)
{
	double sum = 0;
	int i;

	for (i = 0; i < 4; i++) {
		grid->weight[i] *= by;
		sum += grid->weight[i];
	}
	return sum;
}

KIND void kind_struct_copy__line(struct order *to, const struct order *from, int i)
{
	to->lines[i] = from->lines[3 - i];
}

KIND void kind_struct_copy__small(struct customer *to, const struct line *from)
{
	to->balance = from->price;
}

KIND void kind_struct_copy__big(struct customer *to, const struct customer *from)
{
	*to = *from;
}

KIND void kind_struct_copy__memcpy(struct order *to, const struct order *from)
{
	memcpy(to, from, sizeof(*to));
}

KIND void kind_struct_copy__clear(struct line *line)
{
	memset(line, 0, sizeof(*line));
}

KIND struct money kind_struct_copy__result(const struct order *order)
{
	return order->lines[1].price;
}

KIND long kind_returned__newest(struct customer *customer)
{
	return peer_newest(customer)->total;
}

KIND long kind_returned__twice(struct customer *customer)
{
	struct order *order = peer_newest(customer);

	return order->nr + peer_total(order) + peer_customer_of(order)->id + order->state;
}

KIND long kind_cast__void_argument(void *pointer)
{
	struct order *order = pointer;

	return order->total + order->lines[0].count;
}

KIND long kind_cast__void_late(void *pointer, int which)
{
	if (which)
		return ((struct customer *)pointer)->balance.whole;
	return ((struct order *)pointer)->lines[2].price.whole;
}

KIND long kind_cast__integer(unsigned long number)
{
	return ((struct order *)number)->nr + ((struct order *)number)->next->total;
}

KIND long kind_cast__slots(void **slots, int nr)
{
	long sum = 0;
	int i;

	for (i = 0; i < nr; i++) {
		struct customer *customer = slots[i];

		sum += customer->id;
	}
	return sum;
}

KIND long kind_tag_bits__low(unsigned long word)
{
	struct order *order = (struct order *)(word & ~3ul);

	return word & 1 ? order->total : order->nr;
}

KIND unsigned long kind_tag_bits__set(struct order *order)
{
	unsigned long word = (unsigned long)order | 1;

	((struct order *)(word - 1))->total++;
	return word;
}

KIND long kind_spilled__many(struct order *a, struct order *b, struct customer *c, struct line *d,
			     struct tagged *e, struct grid *f, long g, long h)
{
	long i = a->total + g, j = b->total + h, k = c->id, l = d->count, m = e->kind, n = f->width;

	truth_hide(i + j);
	i += a->nr * k;
	j += b->nr * l;
	truth_hide(k);
	k += c->balance.whole + m;
	l += d->article + n;
	truth_hide(l);
	a->total = i & 0xff;
	b->total = j & 0xff;
	m += e->answer;
	n += f->cell[1][1];
	return i + j + k + l + m + n + d->price.whole;
}

KIND long kind_spilled__loop(struct order *order, struct customer *customer, int nr)
{
	long sum = 0;
	int i;

	for (i = 0; i < nr; i++) {
		sum += truth_hide(order->lines[i & 3].count);
		customer->balance.whole += sum;
		sum ^= truth_hide(customer->id) + order->total;
	}
	return sum;
}

KIND long kind_selected__two(struct order *a, struct order *b, int which)
{
	struct order *order = which ? a : b;

	return order->total + order->nr;
}

KIND long kind_selected__field(struct customer *customer, int which)
{
	struct address *address = which ? &customer->home : &customer->work;

	address->number++;
	return address->street[1];
}

KIND long kind_selected__max(struct order *order)
{
	struct order *best = order;

	for (; order; order = order->next) {
		if (order->total > best->total)
			best = order;
	}
	return best->nr;
}

KIND long kind_double_pointer__insert(struct order **place, struct order *new)
{
	while (*place && (*place)->nr < new->nr)
		place = &(*place)->next;
	new->next = *place;
	*place = new;
	return new->next ? new->next->nr : 0;
}

KIND int kind_string__length(const struct address *address)
{
	const char *c = address->street;

	while (*c)
		c++;
	return c - address->street;
}

KIND void kind_string__fill(char *to, const char *from)
{
	while ((*to++ = *from++))
		;
}

KIND long kind_atomic__add(struct order *order)
{
	__atomic_fetch_add(&order->total, 3, __ATOMIC_SEQ_CST);
	if (__sync_bool_compare_and_swap(&order->nr, 5, 6))
		return 1;
	return __atomic_exchange_n(&order->state, 4, __ATOMIC_ACQ_REL);
}

DESCRIBE
{
	TYPE(int);
	TYPE(char);
	TYPE(void *);
	TYPE_FLAGS(struct money, TRUTH_VALUE);
	FIELD(struct money, whole);
	FIELD(struct money, cents);
	ARRAY(struct money, currency, currency[0]);
	TYPE(struct address);
	ARRAY(struct address, street, street[0]);
	FIELD(struct address, number);
	FIELD(struct address, next);
	TYPE(struct customer);
	FIELD(struct customer, id);
	NESTED(struct customer, home, struct address);
	NESTED(struct customer, work, struct address);
	FIELD(struct customer, friend);
	FIELD(struct customer, orders);
	NESTED(struct customer, balance, struct money);
	TYPE_FLAGS(struct line, TRUTH_VALUE);
	FIELD(struct line, article);
	FIELD(struct line, count);
	NESTED(struct line, price, struct money);
	TYPE(struct order);
	FIELD(struct order, nr);
	FIELD(struct order, state);
	FIELD(struct order, customer);
	NESTED_ARRAY(struct order, lines, lines[0], struct line);
	FIELD(struct order, next);
	FIELD(struct order, total);
	FIELD(struct order, copy_of);
	TYPE(union value);
	FIELD(union value, number);
	FIELD(union value, real);
	FIELD(union value, low);
	FIELD(union value, high);
	FIELD(union value, rest);
	ARRAY(union value, bytes, bytes[0]);
	FIELD(union value, order);
	TYPE(struct tagged);
	FIELD(struct tagged, kind);
	NESTED(struct tagged, value, union value);
	FIELD(struct tagged, answer);
	FIELD(struct tagged, ratio);
	TYPE(struct flags);
	BITS(struct flags, ready);
	BITS(struct flags, busy);
	BITS(struct flags, level);
	BITS(struct flags, code);
	BITS(struct flags, wide);
	BITS(struct flags, rest);
	BITS(struct flags, sign);
	FIELD(struct flags, plain);
	truth_type("struct packet", sizeof(struct packet) + 4 * sizeof(struct money), 0);
	FIELD(struct packet, len);
	FIELD(struct packet, sum);
	FIELD(struct packet, next);
	truth_member("struct packet", "body", offsetof(struct packet, body),
		     4 * sizeof(struct money), sizeof(struct money), 12, "struct money");
	TYPE(struct grid);
	FIELD(struct grid, width);
	ARRAY(struct grid, cell, cell[0][0]);
	NESTED_ARRAY(struct grid, wallet, wallet[0][0], struct money);
	ARRAY(struct grid, weight, weight[0]);
}

static struct order *orders;
static struct customer *customers;

static void fill(int nr)
{
	int i, k;

	for (i = 0; i < nr; i++) {
		struct order *order = &orders[i];
		struct customer *customer = &customers[i];

		customer->id = i;
		customer->home.number = i % 7;
		strcpy(customer->home.street, "Long Way");
		customer->work.next = &customers[(i + 1) % nr].home;
		customer->friend = &customers[(i + 3) % nr];
		customer->orders = order;
		customer->balance.whole = i * 2;
		order->nr = i;
		order->customer = &customers[(i * 5) % nr];
		order->next = i + 1 < nr ? &orders[i + 1] : NULL;
		order->total = i * i % 31;
		for (k = 0; k < 4; k++) {
			order->lines[k].count = i + k;
			order->lines[k].price.whole = k;
		}
	}
}

int main(void)
{
	enum { NR = 24 };
	struct order *list = NULL, *spare, *list2;
	struct customer *copies;
	struct money *money, *moving;
	struct tagged *tagged;
	union value *value;
	struct flags *flags;
	struct packet *packet;
	struct line *line;
	struct grid *grid;
	void **slots;
	int *ints, i;
	char *text;
	long sum = 0;

	describe();
	orders = NEW_ARRAY(struct order, NR);
	spare = NEW_ARRAY(struct order, NR);
	customers = NEW_ARRAY(struct customer, NR);
	copies = NEW_ARRAY(struct customer, 2);
	money = NEW_ARRAY(struct money, NR);
	tagged = NEW(struct tagged);
	value = NEW(union value);
	flags = NEW(struct flags);
	packet = NEW_ARRAY(struct packet, 2);
	line = NEW_ARRAY(struct line, 2);
	grid = NEW(struct grid);
	slots = NEW_ARRAY(void *, NR);
	ints = NEW_ARRAY(int, NR);
	text = NEW_ARRAY(char, 64);
	fill(NR);
	for (i = 0; i < NR; i++) {
		slots[i] = &customers[i];
		ints[i] = i;
	}
	packet->len = 4;
	packet->next = truth_alloc("struct packet", 1);
	grid->width = 3;
	tagged->value.order = orders;

	for (i = 1; i < NR - 2; i++) {
		struct order *order = &orders[i];
		struct customer *customer = &customers[i];

		sum += kind_pointer_field__sum(order);
		kind_pointer_field__set(order, i);
		sum += kind_pointer_field__customer(customer);
		sum += kind_chain__deep(order) + kind_chain__store(customer, i);
		sum += kind_chain__walk(order);
		sum += kind_struct_array__lines(order) + kind_struct_array__index(order, i & 3);
		sum += kind_struct_array__offset_index(order, 1 + (i & 1));
		sum += kind_struct_array__objects(orders, NR);
		sum += kind_pointer_step__forward(orders, orders + NR);
		sum += kind_pointer_step__backward(orders, orders + NR);
		sum += kind_pointer_step__inner(order);
		moving = money;
		sum += kind_pointer_step__post(&moving, i);
		sum += kind_pointer_step__ints(ints, ints + NR);
		sum += kind_nested__address(customer) + kind_nested__argument(customer);
		kind_union__write(tagged, i % 5);
		if (tagged->kind > 3)
			tagged->value.order = orders;
		sum += kind_union__read(tagged) + kind_union__pointer(value);
		kind_bit_field__write(flags, i);
		sum += kind_bit_field__read(flags);
		sum += kind_flexible__sum(packet) + kind_flexible__last(packet);
		sum += kind_matrix__cells(grid) + kind_matrix__one(grid, i % 3, i % 2);
		sum += kind_matrix__weights(grid, i);
		kind_struct_copy__line(&spare[i], order, i & 3);
		kind_struct_copy__small(copies, line);
		kind_struct_copy__big(copies, customer);
		kind_struct_copy__memcpy(&spare[i], order);
		kind_struct_copy__clear(line);
		sum += kind_struct_copy__result(order).whole;
		sum += kind_returned__newest(customer) + kind_returned__twice(customer);
		sum += kind_cast__void_argument(order);
		sum += kind_cast__void_late(i & 1 ? (void *)customer : order, i & 1);
		sum += kind_cast__integer((unsigned long)order);
		sum += kind_cast__slots(slots, NR);
		sum += kind_tag_bits__low((unsigned long)order | (i & 1));
		sum += kind_tag_bits__set(order) & 1;
		sum += kind_spilled__many(order, spare, customer, line, tagged, grid, i, sum);
		sum += kind_spilled__loop(order, customer, i);
		sum += kind_selected__two(order, spare, i & 1) + kind_selected__field(customer, i & 1);
		sum += kind_selected__max(order);
		sum += kind_string__length(&customer->home);
		kind_string__fill(text, customer->home.street);
		sum += kind_atomic__add(order);
	}
	for (i = 0; i < NR; i++) {
		list2 = &spare[(i * 7) % NR];
		list2->nr = (i * 7) % NR;
		sum += kind_double_pointer__insert(&list, list2);
	}
	truth_sink(sum);
	return 0;
}
