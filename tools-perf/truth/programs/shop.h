/* SPDX-License-Identifier: GPL-2.0 */
/* The data of a small shop: shared by shop.c and shop-peer.c. */
#ifndef SHOP_H
#define SHOP_H

#include "truth.h"

struct money {
	int whole;
	short cents;
	char currency[2];
};

struct address {
	char street[16];
	int number;
	struct address *next;
};

struct customer {
	long id;
	struct address home, work;
	struct customer *friend;
	struct order *orders;
	struct money balance;
};

struct line {
	int article, count;
	struct money price;
};

struct order {
	unsigned int nr;
	unsigned char state;
	struct customer *customer;
	struct line lines[4];
	struct order *next;
	long total;
	struct order *copy_of;
};

union value {
	long number;
	double real;
	struct {
		short low, high;
		int rest;
	};
	unsigned char bytes[8];
	struct order *order;
};

struct tagged {
	int kind;
	union value value;
	union {
		int answer;
		float ratio;
	};
};

struct flags {
	unsigned int ready:1, busy:1, level:6, code:12;
	unsigned long wide:40, rest:24;
	signed char sign:3;
	short plain;
};

struct packet {
	int len, sum;
	struct packet *next;
	struct money body[];
};

struct grid {
	int width;
	int cell[6][5];
	struct money wallet[3][2];
	double weight[4];
};

/* in shop-peer.c */
struct order *peer_newest(struct customer *customer);
struct customer *peer_customer_of(void *order);
long peer_total(const struct order *order);
void peer_bump(struct money *money, int by);

#endif
