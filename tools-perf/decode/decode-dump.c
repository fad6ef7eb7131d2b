// SPDX-License-Identifier: GPL-2.0
/*
 * What the instruction decoder of the data type profile makes of a program.
 *
 * usage: decode-dump FILE < ADDRESSES		decode at each address (hex, one a line)
 *        decode-dump --sweep FILE...		all code, one instruction after the other
 *        decode-dump --bench FILE...		the same without output, with figures
 *        decode-dump --bytes [x86|arm64] < LINES	decode each line of hex bytes
 *        decode-dump --fuzz SECONDS|Nx [SEED]	random bytes, for a build with sanitizers (Nx: N inputs)
 *
 * With addresses the output is for programs, one line each:
 *   ADDRESS LENGTH OP COND FLAGS TARGET DEFS DEFS OPERANDS MEM...
 * OPERANDS are dst,dst2,src,src2, each r<register>.<width>[h], i<value>.<width>, m<n>,
 * s<segment>, p<reg>*<reg>.<width>, n.<width> (a number; with =r<register>&<mask> those bits of it) or -;
 * a register or such bits may be sign-extended (s), and register or value shifted left (<<bits). Each MEM is
 * base:index:scale:disp:width:access:seg:writeback:flags, with the flags p (pcrel),
 * i (implicit), v (vector index), n (32-bit index), a (32-bit address), x (inexact).
 * Length 0 means that the bytes are no instruction. The other forms print text for people.
 *
 * Links the decoder of the kernel tree as it is; "build" beside this file does that.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/dtype/insn.h"

#define MAX_SECTIONS 4096

struct section {
	uint64_t	addr;
	size_t		size;
	const uint8_t	*data;
};

struct program {
	const char		*path;
	int			fd;
	Elf			*elf;
	const struct dt_arch	*arch;
	struct section		*sections;
	unsigned int		nr_sections;
};

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("decode-dump: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

static void program__open(struct program *prog, const char *path)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;

	memset(prog, 0, sizeof(*prog));
	prog->path = path;
	prog->fd = open(path, O_RDONLY);
	if (prog->fd < 0)
		fail("%s: %s", path, strerror(errno));
	prog->elf = elf_begin(prog->fd, ELF_C_READ_MMAP, NULL);
	if (!prog->elf || !gelf_getehdr(prog->elf, &ehdr))
		fail("%s: not an ELF file: %s", path, elf_errmsg(-1));
	prog->arch = dt_arch__find(ehdr.e_machine);
	if (!prog->arch)
		fail("%s: no decoder for ELF machine %u", path, ehdr.e_machine);
	prog->sections = calloc(MAX_SECTIONS, sizeof(*prog->sections));
	if (!prog->sections)
		fail("out of memory");

	while ((scn = elf_nextscn(prog->elf, scn)) != NULL) {
		struct section *s = &prog->sections[prog->nr_sections];
		GElf_Shdr shdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
		    !(shdr.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf || !data->d_size)
			continue;
		if (prog->nr_sections == MAX_SECTIONS)
			fail("%s: more than %d code sections", path, MAX_SECTIONS);
		s->addr = shdr.sh_addr;
		s->size = data->d_size;
		s->data = data->d_buf;
		prog->nr_sections++;
	}
}

static void program__close(struct program *prog)
{
	free(prog->sections);
	elf_end(prog->elf);
	close(prog->fd);
}

static void print_opnd(const struct dt_opnd *opnd, char end)
{
	switch (opnd->kind) {
	case DT_OPND_REG:
		printf("r%u.%u%s%s", opnd->reg, opnd->width, opnd->high ? "h" : "",
		       opnd->sext ? "s" : "");
		break;
	case DT_OPND_IMM:
		printf("i%" PRId64 ".%u", (int64_t)opnd->imm, opnd->width);
		break;
	case DT_OPND_MEM:
		printf("m%u", opnd->mem);
		break;
	case DT_OPND_SEG:
		printf("s%" PRId64, (int64_t)opnd->imm);
		break;
	case DT_OPND_PRODUCT:
		printf("p%u*%u.%u", opnd->reg, opnd->reg2, opnd->width);
		break;
	case DT_OPND_NUMBER:
		printf("n.%u", opnd->width);
		if (opnd->imm)
			printf("=r%u&%" PRIx64 "%s", opnd->reg, (uint64_t)opnd->imm,
			       opnd->sext ? "s" : "");
		break;
	default:
		putchar('-');
		break;
	}
	if (opnd->shift)
		printf("<<%u", opnd->shift);
	putchar(end);
}

static void print_insn(uint64_t addr, int len, const struct dt_insn *insn)
{
	unsigned int i;

	if (len <= 0) {
		printf("%" PRIx64 " 0\n", addr);
		return;
	}
	printf("%" PRIx64 " %d %u %u %x %" PRIx64 " %" PRIx64 " %" PRIx64 " ", addr, len,
	       insn->op, insn->cond, insn->flags, (uint64_t)insn->target,
	       (uint64_t)insn->defs[0], (uint64_t)insn->defs[1]);
	print_opnd(&insn->dst, ',');
	print_opnd(&insn->dst2, ',');
	print_opnd(&insn->src, ',');
	print_opnd(&insn->src2, ' ');
	for (i = 0; i < insn->nr_mem; i++) {
		const struct dt_mem *m = &insn->mem[i];

		printf("%u:%u:%u:%" PRId64 ":%u:%u:%u:%u:%s%s%s%s%s%s ", m->base, m->index,
		       m->scale, (int64_t)m->disp, m->width, m->access, m->seg, m->writeback,
		       m->pcrel ? "p" : "", m->implicit ? "i" : "", m->index_vector ? "v" : "",
		       m->index_narrow ? "n" : "", m->addr32 ? "a" : "", m->inexact ? "x" : "");
	}
	putchar('\n');
}

static void at_addresses(const char *path)
{
	struct program prog;
	struct section *s = NULL;
	char line[64];

	program__open(&prog, path);
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t addr = strtoull(line, NULL, 16);
		struct dt_insn insn;
		unsigned int i;
		int len;

		if (!s || addr < s->addr || addr - s->addr >= s->size) {
			s = NULL;
			for (i = 0; i < prog.nr_sections && !s; i++) {
				if (addr >= prog.sections[i].addr &&
				    addr - prog.sections[i].addr < prog.sections[i].size)
					s = &prog.sections[i];
			}
			if (!s)
				fail("%s: no code at %" PRIx64, path, addr);
		}
		len = prog.arch->decode(s->data + (addr - s->addr), s->size - (addr - s->addr),
					addr, &insn);
		print_insn(addr, len, &insn);
	}
	program__close(&prog);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void sweep(const char *path, bool print)
{
	unsigned long good = 0, bad = 0, bytes = 0;
	struct program prog;
	double begun;
	unsigned int i;

	program__open(&prog, path);
	begun = cpu_seconds();
	for (i = 0; i < prog.nr_sections; i++) {
		struct section *s = &prog.sections[i];
		size_t at = 0;

		bytes += s->size;
		while (at < s->size) {
			struct dt_insn insn;
			char text[256];
			int len = prog.arch->decode(s->data + at, s->size - at, s->addr + at, &insn);

			if (len > 0)
				good++;
			else
				bad += prog.arch->insn_unit;
			if (print && len > 0) {
				dt_insn__scnprintf(&insn, prog.arch, text, sizeof(text));
				printf("%" PRIx64 ": %s\n", s->addr + at, text);
			} else if (print) {
				printf("%" PRIx64 ": (bad)\n", s->addr + at);
			}
			at += len > 0 ? len : prog.arch->insn_unit;
		}
	}
	if (!print) {
		double seconds = cpu_seconds() - begun;

		printf("%s: %lu instructions, %lu bad bytes, %.3f s, %.1f million instructions/s, %.0f MB/s\n",
		       path, good, bad, seconds, (good + bad) / seconds / 1e6, bytes / seconds / 1e6);
	}
	program__close(&prog);
}

static void lines_of_bytes(const struct dt_arch *arch)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t buf[32], *exact;
		char *pos = line, *end, text[256];
		struct dt_insn insn;
		size_t n;
		int len;

		for (n = 0; n < sizeof(buf); n++) {
			buf[n] = strtoul(pos, &end, 16);
			if (end == pos)
				break;
			pos = end;
		}
		/* of exactly this size, so that a sanitizer sees a byte too much */
		exact = malloc(n ?: 1);
		if (!exact)
			fail("out of memory");
		memcpy(exact, buf, n);
		len = arch->decode(exact, n, 0x1000, &insn);
		if (len > 0)
			dt_insn__scnprintf(&insn, arch, text, sizeof(text));
		printf("%d\t%s\n", len > 0 ? len : 0, len > 0 ? text : "(bad)");
		free(exact);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	/* xorshift64 (Marsaglia 2003) */
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Random bytes, with what starts many encodings more often than chance has it */
static void fuzz_bytes(const struct dt_arch *arch, unsigned long n, uint8_t *buf, size_t size,
		       uint64_t *seed)
{
	static const uint8_t x86_starts[] = { 0x0f, 0x62, 0x66, 0x8f, 0xc4, 0xc5, 0xf2, 0xf3, 0x48 };
	/* the byte that has the class: loads and stores, system, branches by register */
	static const uint8_t arm64_ends[] = { 0x08, 0x0c, 0x19, 0x38, 0x78, 0xa9, 0xb8, 0xd5, 0xd6, 0xd9, 0xf8 };
	size_t k;

	for (k = 0; k < size; k++)
		buf[k] = next_random(seed) >> 32;
	if (arch->insn_unit == 4) {
		if (size == 4 && n % 3)
			buf[3] = arm64_ends[buf[3] % sizeof(arm64_ends)];
		return;
	}
	if (size && n % 3)
		buf[0] = x86_starts[buf[0] % sizeof(x86_starts)];
	if (size > 1 && n % 9 == 1)
		buf[1] = x86_starts[buf[1] % sizeof(x86_starts)];
}

/* How long: "10" for seconds of processor time, "10000x" for inputs, half of it for each architecture */
static void fuzz(const struct dt_arch *arch, const char *how_long, uint64_t seed)
{
	unsigned long n, valid = 0, inputs = 0;
	double begun = cpu_seconds(), seconds;
	char *end;

	seconds = strtod(how_long, &end) / 2;
	if (!strcmp(end, "x"))
		inputs = seconds;
	else if (*end)
		fail("--fuzz %s: neither seconds nor a number of inputs (10000x)", how_long);

	for (n = 0; inputs ? n < inputs : n % 4096 || cpu_seconds() - begun < seconds; n++) {
		struct dt_insn insn;
		char text[256];
		size_t size = arch->insn_unit == 4 ? (n % 8 ? 4 : n / 8 % 8) : n % 18, k;
		uint8_t *buf = malloc(size ?: 1);
		int len;

		if (!buf)
			fail("out of memory");
		fuzz_bytes(arch, n, buf, size, &seed);
		len = arch->decode(buf, size, seed, &insn);
		if (len > 0) {
			valid++;
			if ((size_t)len > size || len > arch->max_insn || insn.nr_mem > DT_MAX_MEM) {
				fprintf(stderr, "length %d of", len);
				for (k = 0; k < size; k++)
					fprintf(stderr, " %02x", buf[k]);
				fail(": wrong length or number of memory operands");
			}
			dt_insn__scnprintf(&insn, arch, text, sizeof(text));
			if (strchr(text, '?')) {
				for (k = 0; k < size; k++)
					fprintf(stderr, "%02x ", buf[k]);
				fail("a register without name: %s", text);
			}
		}
		free(buf);
	}
	printf("%s: %lu inputs, %lu valid instructions, no error\n", arch->name, n, valid);
}

static const struct dt_arch *arch_by_name(const char *name)
{
	if (!strcmp(name, "x86"))
		return dt_arch__find(EM_X86_64);
	if (!strcmp(name, "arm64"))
		return dt_arch__find(EM_AARCH64);
	fail("%s: only x86 and arm64 are known", name);
}

int main(int argc, char **argv)
{
	int i;

	elf_version(EV_CURRENT);
	if ((argc == 2 || argc == 3) && !strcmp(argv[1], "--bytes")) {
		lines_of_bytes(arch_by_name(argc == 3 ? argv[2] : "x86"));
	} else if (argc >= 3 && (!strcmp(argv[1], "--sweep") || !strcmp(argv[1], "--bench"))) {
		for (i = 2; i < argc; i++)
			sweep(argv[i], argv[1][2] == 's');
	} else if ((argc == 3 || argc == 4) && !strcmp(argv[1], "--fuzz")) {
		uint64_t seed = argc == 4 ? strtoull(argv[3], NULL, 0) | 1 : 88172645463325252ULL;

		fuzz(dt_arch__find(EM_X86_64), argv[2], seed);
		fuzz(dt_arch__find(EM_AARCH64), argv[2], seed);
	} else if (argc == 2 && argv[1][0] != '-') {
		at_addresses(argv[1]);
	} else {
		fputs("usage: decode-dump FILE < ADDRESSES | --sweep FILE... | --bench FILE... | --bytes [x86|arm64] | --fuzz SECONDS|Nx [SEED]\n",
		      stderr);
		return argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) ? 0 : 2;
	}
	if (fflush(stdout) || ferror(stdout))
		fail("cannot write the output: %s", strerror(errno));
	return 0;
}
