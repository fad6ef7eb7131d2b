// SPDX-License-Identifier: GPL-2.0
/*
 * Single-step a program and write every branch it takes.
 *
 * usage: tracer [-n BRANCHES] [-r] [-s ADDRESS] OUTPUT -- PROGRAM [ARG]...
 *   -n BRANCHES  stop (and kill the program) after that many taken branches
 *   -s ADDRESS   let the program run until this address of its ELF file is reached, say that
 *                of main(), and step only from there: the dynamic linker takes its time
 *   -r           randomise addresses (without it every run has the same ones)
 *
 * All threads and child processes are followed. What a branch is comes from the opcode at
 * the instruction pointer, that it was taken from the next instruction pointer, so the trace
 * is exact: there is no hardware, no sampling and no disassembler in it.
 *
 * OUTPUT is a sequence of records in host byte order. Each starts with
 *   u8 type, u8 kind, u8 mispredicted, u8 0, u32 tid
 * and goes on with, for type
 *   'B' a taken branch:   u64 from, u64 to, u32 insns, u32 cycles; kind as in enum kind;
 *                         both counts are of what ran since the branch before it
 *   'K' the kernel was entered: u64 ip, u64 return ip, u32 insns, u32 cycles; kind is
 *                         KIND_SYSCALL or KIND_IRQ (a signal was delivered)
 *   'M' an executable mapping: u32 length, then u32 pid, u32 0, u64 start, u64 length,
 *                         u64 file offset, path
 *   'X' exec:             u32 length, then u32 pid, comm
 *   'F' fork or clone:    u32 length, then u32 pid, u32 parent pid, u32 parent tid
 *   'E' exit:             u32 length, then u32 pid
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the tracer knows x86-64 instructions only"
#endif

/* Values of perf's PERF_BR_* */
enum kind {
	KIND_NONE, KIND_COND, KIND_JUMP, KIND_IND, KIND_CALL, KIND_IND_CALL, KIND_RET,
	KIND_SYSCALL, KIND_IRQ = 12,
};

#define MAX_INSN	15
#define CODE_CACHE	65536
#define PREDICTORS	4096
#define RAS		16

/* The cost model, in quarters of a cycle: four simple instructions a cycle. */
#define COST_INSN	1
#define COST_MUL	12
#define COST_DIV	80
#define COST_TAKEN	4
#define COST_MISPREDICT	60

struct insn {
	uint64_t ip;
	uint32_t generation;
	uint8_t kind;		/* enum kind */
	uint8_t len;		/* of branches and syscall only */
	uint8_t cost;
};

struct mapping {
	uint64_t start, end;
	char path[256];
};

struct process {
	int pid;
	uint32_t generation;	/* changes when the code may have changed */
	struct mapping *maps;
	size_t nr_maps;
	struct insn code[CODE_CACHE];
	struct process *next;
};

struct task {
	int tid;
	struct process *process;
	int stepping;		/* @ip is the instruction that runs */
	uint64_t ip;
	uint32_t insns, cost;
	/* branch predictor: two-bit counters, last targets and a return address stack */
	uint8_t counter[PREDICTORS];
	uint64_t target[PREDICTORS];
	uint64_t ras[RAS];
	unsigned int ras_top;
	struct task *next;
};

static struct process *processes;
static struct task *tasks;
static uint32_t generation;
static FILE *out;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "tracer: %s%s%s: %s\n", what, which ? " " : "", which ?: "", strerror(errno));
	exit(2);
}

static void put(const void *data, size_t size)
{
	if (fwrite(data, 1, size, out) != size)
		die("cannot write the trace", NULL);
}

static void put_head(char type, int kind, int mispredicted, int tid)
{
	uint8_t head[4] = { type, kind, mispredicted, 0 };
	uint32_t id = tid;

	put(head, 4);
	put(&id, 4);
}

static void put_branch(char type, int kind, int mispredicted, struct task *task,
		       uint64_t from, uint64_t to)
{
	uint64_t addr[2] = { from, to };
	uint32_t count[2] = { task->insns, (task->cost + 3) / 4 };

	put_head(type, kind, mispredicted, task->tid);
	put(addr, sizeof(addr));
	put(count, sizeof(count));
	task->insns = task->cost = 0;
}

static void put_ids(char type, int tid, uint32_t a, uint32_t b, uint32_t c, int nr,
		    const char *text)
{
	uint32_t id[4] = { 0, a, b, c };

	id[0] = nr * 4 + (text ? strlen(text) : 0);
	put_head(type, 0, 0, tid);
	put(id, 4 + nr * 4);
	if (text)
		put(text, strlen(text));
}

/* Write the executable mappings of @process that were not there before. */
static void put_maps(struct process *process)
{
	char name[64], line[512];
	FILE *maps;

	process->generation = ++generation;
	snprintf(name, sizeof(name), "/proc/%d/maps", process->pid);
	maps = fopen(name, "r");
	if (!maps)
		return;		/* the last thread is gone */

	while (fgets(line, sizeof(line), maps)) {
		uint64_t start, end, pgoff, map[3];
		char perm[5], path[256] = "";
		struct mapping *m;
		uint32_t id[3];
		size_t i;

		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %255[^\n]", &start, &end, perm,
			   &pgoff, path) < 4 || perm[2] != 'x' || !path[0] ||
		    !strcmp(path, "[vsyscall]"))
			continue;
		for (i = 0; i < process->nr_maps; i++) {
			m = &process->maps[i];
			if (m->start == start && m->end == end && !strcmp(m->path, path))
				break;
		}
		if (i < process->nr_maps)
			continue;
		process->maps = realloc(process->maps, (i + 1) * sizeof(*m));
		if (!process->maps)
			die("out of memory", NULL);
		m = &process->maps[process->nr_maps++];
		m->start = start;
		m->end = end;
		strcpy(m->path, path);

		map[0] = start;
		map[1] = end - start;
		map[2] = pgoff;
		id[0] = 8 + sizeof(map) + strlen(path);
		id[1] = process->pid;
		id[2] = 0;
		put_head('M', 0, 0, process->pid);
		put(id, sizeof(id));
		put(map, sizeof(map));
		put(path, strlen(path));
	}
	fclose(maps);
}

static int read_tgid(int tid)
{
	char name[64], line[256];
	int pid = tid;
	FILE *status;

	snprintf(name, sizeof(name), "/proc/%d/status", tid);
	status = fopen(name, "r");
	if (!status)
		return tid;
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	}
	fclose(status);
	return pid;
}

static void put_exec(struct task *task)
{
	char name[64], comm[32] = "?";
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/comm", task->process->pid);
	file = fopen(name, "r");
	if (file) {
		if (fgets(comm, sizeof(comm), file))
			comm[strcspn(comm, "\n")] = '\0';
		fclose(file);
	}
	put_ids('X', task->tid, task->process->pid, 0, 0, 1, comm);
	task->process->nr_maps = 0;
	put_maps(task->process);
}

static struct task *find_task(int tid)
{
	struct task *task;

	for (task = tasks; task; task = task->next) {
		if (task->tid == tid)
			return task;
	}
	return NULL;
}

static struct task *new_task(int tid, struct task *parent)
{
	int pid = parent ? read_tgid(tid) : tid;
	struct task *task = calloc(1, sizeof(*task));
	struct process *process;

	for (process = processes; process && process->pid != pid; process = process->next)
		;
	if (!process) {
		process = calloc(1, sizeof(*process));
		if (process) {
			process->pid = pid;
			process->generation = ++generation;
			process->next = processes;
			processes = process;
		}
	}
	if (!task || !process)
		die("out of memory", NULL);
	if (parent && process != parent->process && !process->nr_maps) {
		/* perf copies the mappings of the parent at a fork */
		size_t size = parent->process->nr_maps * sizeof(struct mapping);

		process->maps = malloc(size);
		if (!process->maps)
			die("out of memory", NULL);
		memcpy(process->maps, parent->process->maps, size);
		process->nr_maps = parent->process->nr_maps;
	}
	task->tid = tid;
	task->process = process;
	task->next = tasks;
	tasks = task;
	if (parent)
		put_ids('F', tid, pid, parent->process->pid, parent->tid, 3, NULL);
	return task;
}

static void delete_task(struct task *task)
{
	struct task **p = &tasks;

	put_ids('E', task->tid, task->process->pid, 0, 0, 1, NULL);
	while (*p != task)
		p = &(*p)->next;
	*p = task->next;
	free(task);
}

/* Length of a ModRM operand: the byte itself, SIB and displacement. */
static int modrm_len(const uint8_t *p)
{
	int mod = p[0] >> 6, rm = p[0] & 7, len = 1;

	if (mod != 3 && rm == 4) {
		if (mod == 0 && (p[1] & 7) == 5)
			len += 4;
		len++;
	} else if (mod == 0 && rm == 5) {
		len += 4;
	}
	return len + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static void decode(struct insn *insn, const uint8_t *code)
{
	const uint8_t *p = code;
	int reg;

	insn->kind = KIND_NONE;
	insn->cost = COST_INSN;

	while (*p == 0x66 || *p == 0x67 || *p == 0xf2 || *p == 0xf3 || *p == 0x2e ||
	       *p == 0x36 || *p == 0x3e || *p == 0x26 || *p == 0x64 || *p == 0x65)
		p++;
	if ((*p & 0xf0) == 0x40)
		p++;

	reg = p[1] >> 3 & 7;
	switch (*p++) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		insn->kind = KIND_COND;
		p++;
		break;
	case 0xeb:
		insn->kind = KIND_JUMP;
		p++;
		break;
	case 0xe9:
		insn->kind = KIND_JUMP;
		p += 4;
		break;
	case 0xe8:
		insn->kind = KIND_CALL;
		p += 4;
		break;
	case 0xc2:
	case 0xc3:
		insn->kind = KIND_RET;
		break;
	case 0xff:
		if (reg == 2 || reg == 3)
			insn->kind = KIND_IND_CALL;
		else if (reg == 4 || reg == 5)
			insn->kind = KIND_IND;
		p += modrm_len(p);
		break;
	case 0xf6:
	case 0xf7:
		if (reg >= 6)
			insn->cost = COST_DIV;
		else if (reg >= 4)
			insn->cost = COST_MUL;
		break;
	case 0x69:
	case 0x6b:
		insn->cost = COST_MUL;
		break;
	case 0x0f:
		if (*p >= 0x80 && *p <= 0x8f) {
			insn->kind = KIND_COND;
			p += 5;
		} else if (*p == 0x05) {
			insn->kind = KIND_SYSCALL;
			p++;
		} else if (*p == 0xaf) {
			insn->cost = COST_MUL;
		}
		break;
	}
	insn->len = p - code;
}

static struct insn *fetch(struct task *task, uint64_t ip)
{
	struct process *process = task->process;
	struct insn *insn = &process->code[(ip ^ ip >> 16) % CODE_CACHE];
	uint8_t code[32] = { 0 };
	struct iovec local = { code, MAX_INSN };
	struct iovec remote = { (void *)ip, MAX_INSN };

	if (insn->ip == ip && insn->generation == process->generation)
		return insn;
	/* Near the end of a mapping only a part can be read. */
	while (process_vm_readv(task->tid, &local, 1, &remote, 1, 0) <= 0) {
		if (!--local.iov_len)
			return NULL;
		remote.iov_len = local.iov_len;
	}
	insn->ip = ip;
	insn->generation = process->generation;
	decode(insn, code);
	return insn;
}

/* Returns whether the branch was mispredicted, and learns from it. */
static int predict(struct task *task, struct insn *insn, uint64_t to)
{
	unsigned int slot = (insn->ip ^ insn->ip >> 12) % PREDICTORS;
	int taken = to != insn->ip + insn->len, wrong = 0;

	switch (insn->kind) {
	case KIND_COND:
		wrong = taken != (task->counter[slot] >= 2);
		if (taken && task->counter[slot] < 3)
			task->counter[slot]++;
		else if (!taken && task->counter[slot] > 0)
			task->counter[slot]--;
		break;
	case KIND_IND_CALL:
		task->ras[task->ras_top++ % RAS] = insn->ip + insn->len;
		/* fall through */
	case KIND_IND:
		wrong = task->target[slot] != to;
		task->target[slot] = to;
		break;
	case KIND_CALL:
		task->ras[task->ras_top++ % RAS] = insn->ip + insn->len;
		break;
	case KIND_RET:
		wrong = task->ras[--task->ras_top % RAS] != to;
		break;
	}
	return wrong;
}

/*
 * The instruction at task->ip ran, the next one is at @ip. Returns the number of taken
 * branches written: 0 or 1.
 */
static int account(struct task *task, uint64_t ip, long last_syscall)
{
	struct insn *insn = fetch(task, task->ip);
	int wrong, nr = 0;

	if (!insn)
		return 0;
	if (insn->kind == KIND_NONE) {
		if (ip >= task->ip && ip - task->ip <= MAX_INSN) {
			/* One step a repetition: a string instruction counts once. */
			task->insns += ip != task->ip;
			task->cost += insn->cost;
		} else {
			/* A signal arrived: the instruction did not run. */
			put_branch('K', KIND_IRQ, 0, task, task->ip, ip);
		}
		return 0;
	}

	task->insns++;
	task->cost += insn->cost;
	if (insn->kind == KIND_SYSCALL) {
		put_branch('K', KIND_SYSCALL, 0, task, task->ip, ip);
		switch (last_syscall) {
		case SYS_mmap:
		case SYS_mprotect:
		case SYS_munmap:
		case SYS_mremap:
		case SYS_pkey_mprotect:
			put_maps(task->process);
		}
		return 0;
	}
	wrong = predict(task, insn, ip);
	if (wrong)
		task->cost += COST_MISPREDICT;
	if (insn->kind != KIND_COND || ip != insn->ip + insn->len) {
		task->cost += COST_TAKEN;
		put_branch('B', insn->kind, wrong, task, task->ip, ip);
		nr = 1;
	}
	return nr;
}

static uint64_t peek_user(int tid, size_t offset)
{
	errno = 0;
	return ptrace(PTRACE_PEEKUSER, tid, offset, 0);
}

/* What the address of the ELF file of @pid became when it was loaded. */
static uint64_t load_address(int pid, uint64_t address)
{
	uint64_t auxv[2], entry = 0;
	char name[64];
	Elf64_Ehdr ehdr;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/auxv", pid);
	file = fopen(name, "r");
	if (!file)
		die("cannot read", name);
	while (fread(auxv, sizeof(auxv), 1, file) == 1 && auxv[0] != AT_NULL) {
		if (auxv[0] == AT_ENTRY)
			entry = auxv[1];
	}
	fclose(file);
	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	file = fopen(name, "r");
	if (!file || fread(&ehdr, sizeof(ehdr), 1, file) != 1)
		die("cannot read", name);
	fclose(file);
	return entry - ehdr.e_entry + address;
}

/* Run until @ip by a breakpoint there. */
static void run_until(int pid, uint64_t ip)
{
	int status, sig = 0;
	long code;

	errno = 0;
	code = ptrace(PTRACE_PEEKTEXT, pid, ip, 0);
	if (errno || ptrace(PTRACE_POKETEXT, pid, ip, (code & ~0xffl) | 0xcc) < 0)
		die("cannot stop the program at its start", NULL);
	do {
		if (ptrace(PTRACE_CONT, pid, 0, sig) < 0 || waitpid(pid, &status, __WALL) != pid ||
		    !WIFSTOPPED(status)) {
			fprintf(stderr, "tracer: the program ended before its start was reached\n");
			exit(1);
		}
		sig = WSTOPSIG(status);
	} while (sig != SIGTRAP || status >> 16);
	ptrace(PTRACE_POKETEXT, pid, ip, code);
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.rip), ip);
}

static uint64_t trace(int child, uint64_t limit, uint64_t start)
{
	const long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			     PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	uint64_t branches = 0;
	int status, tid;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		die("cannot start the program", NULL);
	if (ptrace(PTRACE_SETOPTIONS, child, 0, options) < 0)
		die("cannot trace the program", NULL);
	new_task(child, NULL);
	ptrace(PTRACE_CONT, child, 0, 0);

	while (tasks && (tid = waitpid(-1, &status, __WALL)) > 0) {
		struct task *task = find_task(tid);
		int event = status >> 16, sig = 0;
		uint64_t ip;

		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (task)
				delete_task(task);
			continue;
		}
		if (!task) {
			/* The first stop of a child can be seen before its parent's event. */
			task = new_task(tid, tasks);
			goto step;
		}
		if (event == PTRACE_EVENT_EXEC) {
			if (start)
				run_until(tid, load_address(tid, start));
			start = 0;
			put_exec(task);
			task->stepping = 0;
			task->insns = task->cost = 0;
			goto step;
		}
		if (event) {
			unsigned long new;

			ptrace(PTRACE_GETEVENTMSG, tid, 0, &new);
			if (event != PTRACE_EVENT_EXIT && !find_task(new))
				new_task(new, task);
			goto step;
		}
		ip = peek_user(tid, offsetof(struct user, regs.rip));
		if (errno)
			continue;
		if (WSTOPSIG(status) != SIGTRAP) {
			sig = WSTOPSIG(status) == SIGSTOP && !task->stepping ? 0 : WSTOPSIG(status);
			goto step;
		}
		if (task->stepping) {
			long nr = peek_user(tid, offsetof(struct user, regs.orig_rax));

			/* orig_rax outlives the system call, the opcode says whether it is one */
			branches += account(task, ip, nr);
		}
		task->stepping = 1;
		task->ip = ip;
		if (limit && branches >= limit) {
			kill(task->process->pid, SIGKILL);
			break;
		}
step:
		if (!task->stepping && !sig) {
			ip = peek_user(tid, offsetof(struct user, regs.rip));
			if (!errno) {
				task->ip = ip;
				task->stepping = event != PTRACE_EVENT_EXEC;
			}
		}
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, sig) < 0 && errno != ESRCH)
			die("cannot step the program", NULL);
	}
	return branches;
}

int main(int argc, char *argv[])
{
	uint64_t limit = 0, start = 0, branches;
	int opt, random = 0;
	pid_t child;

	while ((opt = getopt(argc, argv, "+n:rs:")) != -1) {
		if (opt == 'n') {
			limit = strtoull(optarg, NULL, 0);
		} else if (opt == 'r') {
			random = 1;
		} else if (opt == 's') {
			start = strtoull(optarg, NULL, 0);
		} else {
			optind = argc;
			break;
		}
	}
	if (argc - optind < 2) {
		fprintf(stderr, "usage: tracer [-n BRANCHES] [-r] [-s ADDRESS] OUTPUT -- PROGRAM [ARG]...\n");
		return 2;
	}
	out = fopen(argv[optind], "w");
	if (!out)
		die("cannot write", argv[optind]);
	optind++;
	if (!strcmp(argv[optind], "--"))
		optind++;

	child = fork();
	if (child < 0)
		die("cannot fork", NULL);
	if (!child) {
		if (!random)
			personality(ADDR_NO_RANDOMIZE);
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			die("cannot be traced", NULL);
		raise(SIGSTOP);
		execvp(argv[optind], argv + optind);
		die("cannot run", argv[optind]);
	}
	branches = trace(child, limit, start);
	if (fclose(out))
		die("cannot write the trace", NULL);
	if (!branches) {
		fprintf(stderr, "tracer: %s took no branch: did it start?\n", argv[optind]);
		return 1;
	}
	return 0;
}
