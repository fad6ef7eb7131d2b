// SPDX-License-Identifier: GPL-2.0
/*
 * bin/perf of the archive that "make dist" makes: it starts the perf that lies
 * in ../lib/runtime with the libraries beside it, whatever the machine has.
 *
 * A program names its dynamic linker by an absolute path, so the one of the
 * archive has to be started by somebody. Started by execve(), it would be the
 * program of the process: /proc/self/exe, by which perf finds what lies beside
 * it and runs itself again, and the command line would tell of the linker.
 * This program is that of the process instead: it maps the linker as the
 * kernel would do, gives it its arguments, and jumps to it. Nothing is put
 * into the environment, so what perf runs gets the machine's own libraries.
 *
 * It is linked statically and without libc: there is nothing it could lack.
 * LIBRARIES, a string that ends each name by '/', is what has to be there.
 */
#include <asm/unistd.h>
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <stddef.h>

#define PATH_SIZE	4096
#define PAGE		4096UL
/* As many arguments, so that the stack stays aligned: an even number. */
#define NEW_ARGS	8

static char origin[PATH_SIZE], runtime[PATH_SIZE], linker[PATH_SIZE], program[PATH_SIZE];
static char name[PATH_SIZE];

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long ret;

	asm volatile("syscall" : "=a"(ret)
		     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return ret;
}

/* What the compiler may call for the loops below. */
void *memset(void *to, int byte, size_t size)
{
	void *start = to;

	asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return start;
}

static size_t length(const char *text)
{
	size_t len = 0;

	while (text[len])
		len++;
	return len;
}

static void say(const char *text)
{
	call(__NR_write, 2, (long)text, length(text), 0, 0, 0);
}

static void __attribute__((noreturn)) die(const char *what, const char *remedy)
{
	say("perf: ");
	say(what);
	say(remedy);
	say("\n");
	for (;;)
		call(__NR_exit_group, 127, 0, 0, 0, 0, 0);
}

/* Puts DIR and END into a buffer of PATH_SIZE. */
static void join(char *to, const char *dir, const char *end)
{
	size_t len = 0;

	if (length(dir) + length(end) >= PATH_SIZE)
		die(dir, ": this path is too long: unpack the archive elsewhere");
	for (; *dir; dir++)
		to[len++] = *dir;
	for (; *end; end++)
		to[len++] = *end;
	to[len] = '\0';
}

/* The directory that the archive was unpacked to: that above the one of this program. */
static void find_origin(void)
{
	long len = call(__NR_readlink, (long)"/proc/self/exe", (long)origin, PATH_SIZE - 1, 0, 0, 0);
	int level;

	if (len <= 0)
		die("/proc is not mounted", ": perf is not found without it: mount -t proc proc /proc");
	origin[len] = '\0';
	for (level = 0; level < 2; level++) {
		while (len > 0 && origin[--len] != '/')
			;
		origin[len] = '\0';
	}
	for (len = 0; origin[len]; len++) {
		/* What the linker takes for the end of a directory, or for a variable. */
		if (origin[len] == ':' || origin[len] == ';' || origin[len] == '$')
			die(origin, ": libraries are not found below a path with ':', ';' or '$': move it");
	}
}

static void need_file(const char *path)
{
	if (call(__NR_access, (long)path, 4, 0, 0, 0, 0))
		die(path, " is missing or cannot be read: unpack the whole archive again");
}

static void check_libraries(void)
{
	static char file[PATH_SIZE], path[PATH_SIZE];
	const char *list;
	size_t len = 0;

	for (list = LIBRARIES; *list; list++) {
		file[len++] = *list;
		if (*list != '/')
			continue;
		file[len - 1] = '\0';
		join(path, runtime, "/");
		join(path, path, file);
		need_file(path);
		len = 0;
	}
}

/* Maps one segment where it belongs; what is behind the end of its part of the file is zero. */
static void map_segment(long fd, const Elf64_Phdr *phdr, unsigned long base)
{
	unsigned long start = (base + phdr->p_vaddr) & -PAGE;
	unsigned long file_end = base + phdr->p_vaddr + phdr->p_filesz;
	unsigned long end = (base + phdr->p_vaddr + phdr->p_memsz + PAGE - 1) & -PAGE;
	unsigned long next = (file_end + PAGE - 1) & -PAGE;
	int prot = (phdr->p_flags & PF_R ? PROT_READ : 0) | (phdr->p_flags & PF_W ? PROT_WRITE : 0) |
		   (phdr->p_flags & PF_X ? PROT_EXEC : 0);
	long ret = call(__NR_mmap, start, file_end - start, prot, MAP_PRIVATE | MAP_FIXED, fd,
			phdr->p_offset & -PAGE);

	if (ret >= 0 && next < end)
		ret = call(__NR_mmap, next, end - next, prot,
			   MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
	if (ret < 0 && ret >= -4095)
		die(linker, " cannot be mapped: is its file system mounted with noexec?");
	if (phdr->p_memsz > phdr->p_filesz && (prot & PROT_WRITE))
		memset((void *)file_end, 0, next - file_end);
}

/* Maps the dynamic linker; returns its header, which is where it begins. */
static const Elf64_Ehdr *map_linker(void)
{
	static char head[PAGE];
	const Elf64_Ehdr *ehdr = (void *)head;
	const Elf64_Phdr *phdr;
	unsigned long size = 0;
	long base, fd = call(__NR_open, (long)linker, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	int i;

	if (fd < 0)
		need_file(linker);
	if (call(__NR_read, fd, (long)head, sizeof(head), 0, 0, 0) < (long)sizeof(*ehdr) ||
	    ehdr->e_ident[EI_MAG1] != 'E' || ehdr->e_type != ET_DYN ||
	    ehdr->e_phoff + ehdr->e_phnum * sizeof(*phdr) > sizeof(head))
		die(linker, " is not what it was: unpack the whole archive again");
	phdr = (void *)(head + ehdr->e_phoff);
	for (i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type == PT_LOAD)
			size = phdr[i].p_vaddr + phdr[i].p_memsz;
	}
	base = call(__NR_mmap, 0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base < 0 && base >= -4095)
		die(linker, " cannot be mapped: no memory");
	for (i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type == PT_LOAD)
			map_segment(fd, &phdr[i], base);
	}
	call(__NR_close, fd, 0, 0, 0, 0, 0);
	return (void *)base;
}

/* What the kernel tells a program about itself is told about the linker. */
static void set_auxv(Elf64_auxv_t *auxv, const Elf64_Ehdr *ehdr)
{
	unsigned long base = (unsigned long)ehdr;

	for (; auxv->a_type != AT_NULL; auxv++) {
		switch (auxv->a_type) {
		case AT_PHDR:
			auxv->a_un.a_val = base + ehdr->e_phoff;
			break;
		case AT_PHNUM:
			auxv->a_un.a_val = ehdr->e_phnum;
			break;
		case AT_ENTRY:
			auxv->a_un.a_val = base + ehdr->e_entry;
			break;
		case AT_BASE:
			auxv->a_un.a_val = 0;
			break;
		}
	}
}

/* bin/trace is "perf trace"; by any other name it is perf, whatever a link to it is called. */
static void set_name(const char *given)
{
	const char *base = given;

	for (; *given; given++) {
		if (*given == '/')
			base = given + 1;
	}
	if (base[0] == 't' && base[1] == 'r' && base[2] == 'a' && base[3] == 'c' &&
	    base[4] == 'e' && !base[5])
		join(name, origin, "/bin/trace");
	else
		join(name, origin, "/bin/perf");
}

struct start {
	unsigned long entry;
	unsigned long *stack;
};

/*
 * prepare - Everything but the jump
 * @stack: what the kernel left there: count and addresses of arguments, those
 *         of the environment, and the auxiliary vector
 *
 * The linker's arguments are put before it; below is room, which this function
 * does not use. Return: where to jump to, with which stack.
 */
struct start prepare(unsigned long *stack)
{
	unsigned long argc = stack[0], *args = stack - NEW_ARGS + 1, *auxv;
	const Elf64_Ehdr *ehdr;
	struct start start;

	find_origin();
	if (!argc)
		die("started without a name", ": run it by its path");
	join(runtime, origin, "/lib/runtime");
	join(linker, runtime, "/ld-linux-x86-64.so.2");
	join(program, runtime, "/perf");
	set_name((const char *)stack[1]);
	check_libraries();
	ehdr = map_linker();

	auxv = stack + argc + 2;
	while (*auxv)
		auxv++;
	set_auxv((void *)(auxv + 1), ehdr);

	args[0] = (unsigned long)linker;
	args[1] = (unsigned long)"--inhibit-cache";
	args[2] = (unsigned long)"--library-path";
	args[3] = (unsigned long)runtime;
	args[4] = (unsigned long)"--argv0";
	args[5] = (unsigned long)name;
	args[6] = (unsigned long)"--preload";
	args[7] = (unsigned long)"python-home.so";
	/* In place of the name that it was run by. */
	args[8] = (unsigned long)program;
	args[-1] = argc + NEW_ARGS;

	start.entry = (unsigned long)ehdr + ehdr->e_entry;
	start.stack = args - 1;
	return start;
}

asm(".globl _start\n"
    "_start:\n"
    "	mov	%rsp, %rdi\n"
    "	sub	$1024, %rsp\n"
    "	xor	%ebp, %ebp\n"
    "	call	prepare\n"
    "	mov	%rdx, %rsp\n"
    "	xor	%edx, %edx\n"
    "	jmp	*%rax\n");
