// SPDX-License-Identifier: GPL-2.0
/* The other translation unit of shop.c: calls that cross units. */
#include "shop.h"

KIND struct order *peer_newest(struct customer *customer)
{
	struct order *order = customer->orders;

	while (order->next)
		order = order->next;
	return order;
}

KIND struct customer *peer_customer_of(void *order)
{
	return ((struct order *)order)->customer;
}

KIND long peer_total(const struct order *order)
{
	long total = 0;
	int i;

	for (i = 0; i < 4; i++)
		total += order->lines[i].count * (long)order->lines[i].price.whole;
	return total + order->total;
}

KIND void peer_bump(struct money *money, int by)
{
	money->whole += by;
	money->cents++;
}
