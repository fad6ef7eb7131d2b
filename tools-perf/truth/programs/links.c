// SPDX-License-Identifier: GPL-2.0
/* Embedded links: lists, hash chains and trees whose nodes are members of what they link. */
#include "truth.h"

#define container(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

struct list {
	struct list *next, *prev;
};

struct hook {
	struct hook *next, **place;
};

struct bucket {
	struct hook *first;
};

struct branch {
	unsigned long parent_color;
	struct branch *left, *right;
};

struct root {
	struct branch *branch;
};

struct task {
	int pid, state;
	struct list all, children, sibling;
	struct task *parent;
	struct hook hash;
	struct branch by_time;
	unsigned long time;
	char name[12];
	struct list waits;
};

struct wait {
	struct task *task;
	struct list entry;
	int reason;
	struct hook hash;
};

struct machine {
	int nr;
	struct list tasks;
	struct bucket table[8];
	struct root times;
	struct task *current;
};

static void list_init(struct list *list)
{
	list->next = list->prev = list;
}

static void list_add(struct list *new, struct list *head)
{
	new->next = head->next;
	new->prev = head;
	head->next->prev = new;
	head->next = new;
}

static void list_del(struct list *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = entry->prev = entry;
}

#define list_for_each(pos, head, type, member) \
	for (pos = container((head)->next, type, member); &pos->member != (head); \
	     pos = container(pos->member.next, type, member))

static void hook_add(struct hook *hook, struct bucket *bucket)
{
	hook->next = bucket->first;
	if (bucket->first)
		bucket->first->place = &hook->next;
	bucket->first = hook;
	hook->place = &bucket->first;
}

static void hook_del(struct hook *hook)
{
	*hook->place = hook->next;
	if (hook->next)
		hook->next->place = hook->place;
}

KIND long kind_container_of__sum(struct machine *machine)
{
	struct task *task;
	long sum = 0;

	list_for_each(task, &machine->tasks, struct task, all)
		sum += task->pid + task->state;
	return sum;
}

KIND long kind_container_of__nested(struct machine *machine)
{
	struct task *task;
	struct wait *wait;
	long sum = 0;

	list_for_each(task, &machine->tasks, struct task, all) {
		list_for_each(wait, &task->waits, struct wait, entry) {
			sum += wait->reason;
			if (wait->task != task)
				sum += wait->task->pid;
		}
	}
	return sum;
}

KIND long kind_container_of__children(struct task *parent)
{
	struct list *pos;
	long sum = 0;

	for (pos = parent->children.next; pos != &parent->children; pos = pos->next) {
		struct task *child = container(pos, struct task, sibling);

		child->state++;
		sum += child->time;
	}
	return sum;
}

KIND int kind_container_of__single(struct list *entry)
{
	struct wait *wait = container(entry, struct wait, entry);

	wait->reason++;
	return wait->task->state;
}

KIND long kind_container_of__hook(struct hook *hook)
{
	struct task *task = container(hook, struct task, hash);

	return task->pid + task->parent->pid + task->name[3];
}

KIND long kind_list__length(struct list *head)
{
	struct list *pos;
	long nr = 0;

	for (pos = head->next; pos != head; pos = pos->next)
		nr++;
	return nr;
}

KIND void kind_list__move(struct task *task, struct machine *machine)
{
	list_del(&task->all);
	list_add(&task->all, &machine->tasks);
	machine->current = task;
}

KIND void kind_list__rotate(struct list *head)
{
	struct list *first = head->next;

	list_del(first);
	list_add(first, head->prev);
}

KIND struct task *kind_hash_chain__find(struct machine *machine, int pid)
{
	struct hook *hook = machine->table[pid & 7].first;

	for (; hook; hook = hook->next) {
		struct task *task = container(hook, struct task, hash);

		if (task->pid == pid)
			return task;
	}
	return NULL;
}

KIND void kind_hash_chain__again(struct machine *machine, struct task *task)
{
	hook_del(&task->hash);
	hook_add(&task->hash, &machine->table[task->pid & 7]);
}

KIND void kind_hash_chain__count(struct machine *machine)
{
	int i;

	for (i = 0; i < 8; i++) {
		struct hook *hook;

		for (hook = machine->table[i].first; hook; hook = hook->next)
			machine->nr++;
	}
}

KIND void kind_tree__insert(struct root *root, struct task *task)
{
	struct branch **place = &root->branch, *parent = NULL;

	while (*place) {
		struct task *other = container(*place, struct task, by_time);

		parent = *place;
		if (task->time < other->time)
			place = &parent->left;
		else
			place = &parent->right;
	}
	task->by_time.parent_color = (unsigned long)parent | 1;
	task->by_time.left = task->by_time.right = NULL;
	*place = &task->by_time;
}

KIND struct task *kind_tree__find(struct root *root, unsigned long time)
{
	struct branch *branch = root->branch;

	while (branch) {
		struct task *task = container(branch, struct task, by_time);

		if (task->time == time)
			return task;
		branch = task->time > time ? branch->left : branch->right;
	}
	return NULL;
}

KIND struct branch *kind_tree__first(const struct root *root)
{
	struct branch *branch = root->branch;

	while (branch->left)
		branch = branch->left;
	return branch;
}

KIND struct branch *kind_tree__next(struct branch *branch)
{
	struct branch *parent;

	if (branch->right) {
		branch = branch->right;
		while (branch->left)
			branch = branch->left;
		return branch;
	}
	while ((parent = (struct branch *)(branch->parent_color & ~3ul)) && branch == parent->right)
		branch = parent;
	return parent;
}

KIND long kind_tree__walk(struct root *root)
{
	struct branch *branch;
	long sum = 0;

	for (branch = kind_tree__first(root); branch; branch = kind_tree__next(branch))
		sum += container(branch, struct task, by_time)->state;
	return sum;
}

KIND long kind_tree__depth(struct branch *branch)
{
	long left, right;

	if (!branch)
		return 0;
	left = kind_tree__depth(branch->left);
	right = kind_tree__depth(branch->right);
	container(branch, struct task, by_time)->state = left;
	return 1 + (left > right ? left : right);
}

DESCRIBE
{
	TYPE_FLAGS(struct list, TRUTH_LINK);
	FIELD(struct list, next);
	FIELD(struct list, prev);
	TYPE_FLAGS(struct hook, TRUTH_LINK);
	FIELD(struct hook, next);
	FIELD(struct hook, place);
	TYPE_FLAGS(struct bucket, TRUTH_LINK);
	FIELD(struct bucket, first);
	TYPE_FLAGS(struct branch, TRUTH_LINK);
	FIELD(struct branch, parent_color);
	FIELD(struct branch, left);
	FIELD(struct branch, right);
	TYPE_FLAGS(struct root, TRUTH_LINK);
	FIELD(struct root, branch);
	TYPE(struct task);
	FIELD(struct task, pid);
	FIELD(struct task, state);
	NESTED(struct task, all, struct list);
	NESTED(struct task, children, struct list);
	NESTED(struct task, sibling, struct list);
	FIELD(struct task, parent);
	NESTED(struct task, hash, struct hook);
	NESTED(struct task, by_time, struct branch);
	FIELD(struct task, time);
	ARRAY(struct task, name, name[0]);
	NESTED(struct task, waits, struct list);
	TYPE(struct wait);
	FIELD(struct wait, task);
	NESTED(struct wait, entry, struct list);
	FIELD(struct wait, reason);
	NESTED(struct wait, hash, struct hook);
	TYPE(struct machine);
	FIELD(struct machine, nr);
	NESTED(struct machine, tasks, struct list);
	NESTED_ARRAY(struct machine, table, table[0], struct bucket);
	NESTED(struct machine, times, struct root);
	FIELD(struct machine, current);
}

int main(void)
{
	enum { NR = 40 };
	struct machine *machine;
	struct task *tasks[NR];
	long sum = 0;
	int i, k;

	describe();
	machine = NEW(struct machine);
	list_init(&machine->tasks);
	for (i = 0; i < NR; i++) {
		struct task *task = NEW(struct task);

		tasks[i] = task;
		task->pid = i;
		task->time = i * 37 % NR;
		task->parent = i ? tasks[i / 4] : task;
		strcpy(task->name, "worker");
		list_init(&task->children);
		list_init(&task->waits);
		list_init(&task->sibling);
		if (i)
			list_add(&task->sibling, &task->parent->children);
		list_add(&task->all, &machine->tasks);
		hook_add(&task->hash, &machine->table[i & 7]);
		kind_tree__insert(&machine->times, task);
		for (k = 0; k < 3; k++) {
			struct wait *wait = NEW(struct wait);

			wait->task = tasks[i * k / 2];
			wait->reason = k;
			list_add(&wait->entry, &task->waits);
		}
	}
	for (i = 1; i < NR; i++) {
		struct task *task = tasks[i];

		sum += kind_container_of__sum(machine) + kind_container_of__nested(machine);
		sum += kind_container_of__children(task->parent);
		sum += kind_container_of__single(task->waits.next);
		sum += kind_container_of__hook(&task->hash);
		sum += kind_list__length(&machine->tasks) + kind_list__length(&task->waits);
		kind_list__move(task, machine);
		kind_list__rotate(&machine->tasks);
		sum += kind_hash_chain__find(machine, i)->state;
		kind_hash_chain__again(machine, task);
		kind_hash_chain__count(machine);
		sum += kind_tree__find(&machine->times, i % NR)->pid;
		sum += kind_tree__walk(&machine->times) + kind_tree__depth(machine->times.branch);
	}
	truth_sink(sum);
	return 0;
}
