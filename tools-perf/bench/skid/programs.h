/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs in C have in common, and those of jumps.c. */
#include "skid.h"

typedef unsigned long ulong_t;

extern struct cold *cold;
extern volatile ulong_t sink;

#define AT(x)	(cold[(x) & (NR_COLD - 1)])

void wait_list_key(ulong_t n, struct warm *w);
void wait_list_found(ulong_t n, struct warm *w);
void wait_compare_branch(ulong_t n, struct warm *w);
void wait_hot_limit(ulong_t n, struct warm *w);
void wait_hot_limit_same(ulong_t n, struct warm *w);
void wait_loop_end(ulong_t n, struct warm *w);
void wait_decoy_hot_compare(ulong_t n, struct warm *w);
void wait_decoy_hot_compare_same(ulong_t n, struct warm *w);
void wait_hot_table(ulong_t n, struct warm *w);
void wait_decoy_hot_flag(ulong_t n, struct warm *w);
void wait_flag_behind(ulong_t n, struct warm *w);
