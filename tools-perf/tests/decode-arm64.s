// SPDX-License-Identifier: GPL-2.0
// Every kind of arm64 instruction that the decoder tells apart: for decode-diff.py, since
// compilers use few of them. By the classes of the manual, with edge values of fields.
	.arch	armv8.8-a+sve2+sme+memtag+ls64+lse+rcpc+pauth+flagm+crypto+bf16+i8mm+fp16+mops+rng+hbc+cssc
	.text
	.macro	loads_stores reg, width, name
	ldr\name	\reg, [x1]
	ldr\name	\reg, [x1, #\width]
	ldr\name	\reg, [sp, #4095 * \width]
	ldr\name	\reg, [x1], #-256
	ldr\name	\reg, [x2, #255]!
	ldr\name	\reg, [x1, x2]
	ldr\name	\reg, [x1, w2, uxtw]
	ldr\name	\reg, [sp, w2, sxtw]
	ldr\name	\reg, [x1, xzr]
	ldur\name	\reg, [x1, #-1]
	str\name	\reg, [x1, #2 * \width]
	str\name	\reg, [sp], #16
	str\name	\reg, [sp, #-16]!
	str\name	\reg, [x1, x2, sxtx]
	stur\name	\reg, [x30, #-255]
	.endm
	.irp	reg, w0, wzr
	loads_stores	\reg, 1, b
	loads_stores	\reg, 2, h
	.endr
	.irp	reg, w3, wzr, s4
	loads_stores	\reg, 4,
	.endr
	.irp	reg, x5, xzr, d6
	loads_stores	\reg, 8,
	.endr
	loads_stores	b7, 1,
	loads_stores	h8, 2,
	loads_stores	q9, 16,
	.irp	reg, x3, x30, d31, q17
	ldr	\reg, [x1, x2, lsl #0]
	.endr
	ldr	w0, [x1, x2, lsl #2]
	ldr	x0, [x1, w2, sxtw #3]
	str	q0, [x1, x2, lsl #4]
	ldrb	w0, [x1, x2, lsl #0]
	strh	w0, [x1, w2, uxtw #1]
	.irp	name, ldrsb, ldrsh
	\name	w1, [x2, #2]
	\name	x1, [x2, #2]
	\name	x1, [x2], #3
	\name	w1, [x2, #3]!
	\name	w1, [x2, w3, sxtw]
	.endr
	ldrsw	x1, [x2, #4]
	ldrsw	x1, [x2, x3, lsl #2]
	ldrsw	x1, [x2], #4
	ldursb	w1, [x2, #-1]
	ldursh	x1, [x2, #-1]
	ldursw	x1, [x2, #-1]
	.irp	name, ldtr, sttr
	\name	w1, [x2, #1]
	\name	x1, [x2, #-1]
	\name\()b	w1, [x2]
	\name\()h	w1, [x2]
	.endr
	ldtrsb	x1, [x2]
	ldtrsh	w1, [x2]
	ldtrsw	x1, [x2]
1:	ldr	w0, 1b
	ldr	x0, 2f
	ldrsw	x0, 1b
	ldr	s0, 1b
	ldr	d0, 2f
	ldr	q0, 1b
	prfm	pldl1keep, 2f
	prfm	pstl2strm, [x0, #64]
	prfm	pldl3keep, [x0, x1, lsl #3]
	prfum	pldl1keep, [x0, #-8]
2:
	.irp	name, ldp, stp
	\name	w1, w2, [x3, #-256]
	\name	x1, x2, [x3, #504]
	\name	x29, x30, [sp], #16
	\name	w1, wzr, [x3], #-4
	\name	xzr, x2, [x3, #8]!
	\name	s1, s2, [x3]
	\name	d8, d9, [sp, #-64]!
	\name	q1, q2, [x3], #32
	.endr
	.irp	name, ldnp, stnp
	\name	w1, w2, [x3, #4]
	\name	x1, x2, [x3, #8]
	\name	q1, q2, [x3, #16]
	.endr
	ldpsw	x1, x2, [x3, #8]
	ldpsw	x1, x2, [x3], #8
	ldpsw	x1, x2, [x3, #-8]!
	stgp	x1, x2, [x3, #16]
	stgp	x1, x2, [x3], #16
	stgp	x1, x2, [x3, #-16]!
	.irp	name, ldxr, ldaxr, ldar, ldlar, ldapr
	\name	w1, [x2]
	\name	x1, [sp]
	\name\()b	w1, [x2]
	\name\()h	w1, [x2]
	.endr
	.irp	name, stlr, stllr
	\name	w1, [x2]
	\name	xzr, [sp]
	\name\()b	w1, [x2]
	\name\()h	w1, [x2]
	.endr
	.irp	name, stxr, stlxr
	\name	w0, w1, [x2]
	\name	w0, x1, [sp]
	\name\()b	w0, w1, [x2]
	\name\()h	w7, wzr, [x2]
	.endr
	ldxp	w1, w2, [x3]
	ldaxp	x1, x2, [x3]
	stxp	w0, w1, w2, [x3]
	stlxp	w0, x1, x2, [x3]
	ldapur	w1, [x2, #-5]
	ldapur	x1, [x2, #5]
	ldapurb	w1, [x2]
	ldapursb	x1, [x2]
	ldapursh	w1, [x2]
	ldapursw	x1, [x2]
	stlur	w1, [x2, #7]
	stlurb	w1, [x2]
	stlurh	w1, [x2]
	stlur	xzr, [x2, #-256]
	.irp	order, , a, l, al
	.irp	size, , b, h
	cas\order\size	w1, w2, [x3]
	swp\order\size	w1, w2, [x3]
	ldadd\order\size	w1, w2, [x3]
	ldclr\order\size	w1, w2, [x3]
	ldeor\order\size	w1, w2, [x3]
	ldset\order\size	w1, w2, [x3]
	ldsmax\order\size	w1, w2, [x3]
	ldsmin\order\size	w1, w2, [x3]
	ldumax\order\size	w1, w2, [x3]
	ldumin\order\size	w1, w2, [x3]
	.endr
	cas\order	x1, x2, [sp]
	casp\order	w0, w1, w2, w3, [x4]
	casp\order	x0, x1, x2, x3, [x4]
	swp\order	x1, x2, [sp]
	ldadd\order	x1, x2, [x3]
	.endr
	stadd	w1, [x2]
	stadd	xzr, [x2]
	stclr	x1, [x2]
	steorb	w1, [x2]
	stset	x1, [x2]
	stsmax	x1, [x2]
	ldraa	x0, [x1, #-8]
	ldraa	x0, [x1, #4088]
	ldrab	x0, [x1, #-4096]!
	stg	x0, [x1, #16]
	st2g	x0, [x1], #-16
	stzg	x0, [x1, #16]!
	stz2g	sp, [sp], #32
	ldg	x0, [x1, #16]
	irg	x0, x1, x2
	irg	sp, sp
	gmi	x0, x1, x2
	subp	x0, x1, x2
	subps	xzr, x1, x2
	addg	x0, x1, #16, #1
	subg	sp, sp, #32, #2
	cpyfp	[x0]!, [x1]!, x2!
	cpyfm	[x0]!, [x1]!, x2!
	cpyfe	[x0]!, [x1]!, x2!
	cpyp	[x3]!, [x4]!, x5!
	cpym	[x3]!, [x4]!, x5!
	cpye	[x3]!, [x4]!, x5!
	setp	[x0]!, x1!, x2
	setm	[x0]!, x1!, x2
	sete	[x0]!, x1!, x2
	.irp	size, 8b, 16b, 4h, 8h, 2s, 4s, 2d
	ld1	{v0.\size}, [x1]
	ld1	{v30.\size, v31.\size, v0.\size, v1.\size}, [x1]
	st1	{v0.\size, v1.\size}, [x1]
	st1	{v0.\size - v2.\size}, [sp], x3
	ld2	{v0.\size, v1.\size}, [x1]
	st3	{v0.\size - v2.\size}, [x1]
	ld4	{v0.\size - v3.\size}, [x1]
	ld1r	{v0.\size}, [x1]
	ld2r	{v0.\size, v1.\size}, [x1]
	ld4r	{v0.\size - v3.\size}, [x1]
	.endr
	ld1	{v0.16b}, [x1], #16
	st1	{v0.2d - v3.2d}, [x1], #64
	ld1	{v0.1d}, [x1], x2
	.irp	size, b, h, s, d
	ld1	{v5.\size}[1], [x1]
	st1	{v5.\size}[0], [x1]
	ld2	{v5.\size, v6.\size}[1], [x1]
	st3	{v5.\size - v7.\size}[1], [x1]
	ld4	{v5.\size - v8.\size}[1], [x1]
	.endr
	ld1	{v5.b}[15], [x1], #1
	st4	{v5.s - v8.s}[3], [x1], #16
	// data processing, immediate
3:	adr	x0, 3b
	adr	x30, 3b + 0xffff
	adrp	x0, 3b
	adrp	xzr, 3b + 0x1000
	.irp	name, add, sub
	\name	x0, x1, #0
	\name	x0, sp, #4095
	\name	sp, sp, #1, lsl #12
	\name	w0, w1, #7
	\name\()s	x0, x1, #4095, lsl #12
	\name\()s	wzr, wsp, #1
	.endr
	mov	x29, sp
	mov	sp, x29
	mov	wsp, w0
	.irp	name, and, orr, eor, ands
	\name	x0, x1, #0xfffffffffffffff8
	\name	w0, w1, #0xff
	\name	x0, x1, #0x5555555555555555
	\name	w0, w1, #0x80000001
	.endr
	and	sp, x1, #0xfffffffffffffff0
	orr	x0, xzr, #0x00ff00ff00ff00ff
	orr	wsp, wzr, #0xe0
	tst	x1, #1
	tst	wzr, #1
	movz	x0, #0xffff, lsl #48
	movn	x0, #0
	movn	w0, #1, lsl #16
	movk	x0, #0x1234, lsl #32
	movk	wzr, #1
	.irp	reg, x, w
	lsl	\reg\()0, \reg\()1, #3
	lsr	\reg\()0, \reg\()1, #31
	asr	\reg\()0, \reg\()1, #1
	ubfx	\reg\()0, \reg\()1, #4, #5
	ubfiz	\reg\()0, \reg\()1, #4, #5
	sbfx	\reg\()0, \reg\()1, #4, #5
	bfi	\reg\()0, \reg\()1, #4, #5
	bfxil	\reg\()0, \reg\()1, #4, #5
	ror	\reg\()0, \reg\()1, #5
	extr	\reg\()0, \reg\()1, \reg\()2, #5
	.endr
	sxtb	w0, w1
	sxth	x0, w1
	sxtw	x0, w1
	uxtb	w0, w1
	uxth	w0, wzr
	ubfx	x0, x1, #0, #32
	// data processing, register
	.irp	name, and, orr, eor, bic, orn, eon, ands, bics
	\name	x0, x1, x2
	\name	w0, w1, w2, lsl #3
	\name	x0, xzr, x2, ror #3
	\name	xzr, x1, xzr
	.endr
	mov	x0, x1
	mov	w0, wzr
	mvn	x0, x1
	mvn	w0, w1, lsl #4
	.irp	name, add, sub, adds, subs
	\name	x0, x1, x2
	\name	w0, w1, w2, lsl #31
	\name	x0, x1, x2, lsr #3
	\name	x0, x1, x2, asr #3
	\name	xzr, x1, x2
	\name	x0, xzr, x2
	\name	x0, x1, w2, uxtb
	\name	x0, x1, w2, sxth #2
	\name	x0, x1, w2, sxtw #4
	\name	w0, w1, w2, sxtb
	.endr
	add	sp, sp, x1
	sub	sp, x0, w1, uxtw #3
	cmp	x0, x1
	cmn	w0, w1
	cmp	x0, w1, sxtw
	neg	x0, x1
	negs	x0, x1
	adc	x0, x1, x2
	sbcs	w0, w1, w2
	.irp	name, csel, csinc, csinv, csneg
	\name	x0, x1, x2, eq
	\name	w0, w1, wzr, hi
	\name	x0, xzr, xzr, lt
	\name	x0, x1, x1, vs
	.endr
	ccmp	x0, #3, #4, ne
	ccmn	w0, w1, #0, ge
	udiv	x0, x1, x2
	sdiv	w0, w1, w2
	lsl	x0, x1, x2
	lsr	w0, w1, w2
	asr	x0, x1, x2
	ror	x0, x1, x2
	crc32b	w0, w1, w2
	crc32cx	w0, w1, x2
	pacga	x0, x1, x2
	.irp	name, rbit, rev16, rev, clz, cls
	\name	x0, x1
	\name	w0, w1
	.endr
	rev32	x0, x1
	.irp	name, pacia, pacda, autib, autdb
	\name	x0, sp
	.endr
	paciza	x0
	xpaci	x0
	xpacd	x0
	madd	x0, x1, x2, x3
	msub	w0, w1, w2, w3
	mul	x0, x1, x2
	mneg	x0, x1, x2
	smaddl	x0, w1, w2, x3
	umaddl	x0, w1, w2, x3
	umsubl	x0, w1, w2, x3
	smull	x0, w1, w2
	smulh	x0, x1, x2
	umulh	x0, x1, x2
	rmif	x1, #1, #2
	setf8	w1
	// branches and system
4:	b	4b
	bl	4b + 0x7fffffc
	b.eq	4b
	b.hs	4b
	b.hi	4b + 0xffffc
	b.lt	4b
	b.vs	4b
	b.al	4b
	bc.ne	4b
	cbz	x0, 4b
	cbnz	wzr, 4b
	tbz	x0, #63, 4b
	tbnz	w0, #0, 4b
	br	x16
	blr	x1
	ret
	ret	x1
	braa	x0, sp
	brabz	x1
	blraaz	x1
	blrab	x1, x2
	retaa
	retab
	eret
	eretaa
	drps
	svc	#0
	hvc	#1
	smc	#2
	brk	#0x3e8
	hlt	#3
	udf	#0
	nop
	yield
	wfi
	bti	jc
	paciaz
	paciasp
	autiasp
	autibz
	pacia1716
	autib1716
	xpaclri
	esb
	csdb
	hint	#127
	dmb	ish
	dsb	sy
	isb
	sb
	clrex
	wfet	x0
	cfinv
	axflag
	msr	daifset, #2
	msr	spsel, #1
	msr	tpidr_el0, x0
	mrs	x0, tpidr_el0
	mrs	x1, tpidr_el1
	mrs	x2, tpidr_el2
	mrs	x3, sp_el0
	mrs	x4, tpidrro_el0
	mrs	xzr, tpidr_el0
	mrs	x5, cntvct_el0
	dc	zva, x1
	dc	gva, x1
	dc	gzva, x1
	dc	civac, x1
	ic	iallu
	at	s1e1r, x0
	tlbi	vae1, x0
	// scalar floating point and vectors
	fmov	x0, d1
	fmov	d0, x1
	fmov	w0, s1
	fmov	s0, wzr
	fmov	x0, v1.d[1]
	fmov	v0.d[1], x1
	fmov	d0, d1
	fmov	s0, s1
	fmov	d0, #1.0
	fcvtzs	x0, d1
	fcvtzu	w0, s1, #3
	fcvtas	x0, s1
	fcvtmu	w0, d1
	scvtf	d0, x1
	ucvtf	s0, w1, #3
	fjcvtzs	w0, d1
	fcmp	d0, d1
	fcmpe	s0, #0.0
	fccmp	d0, d1, #0, eq
	fcsel	d0, d1, d2, eq
	fmadd	d0, d1, d2, d3
	fadd	d0, d1, d2
	fsqrt	d0, d1
	fcvt	s0, d1
	frintm	d0, d1
	smov	x0, v1.s[1]
	smov	w0, v1.b[3]
	umov	w0, v1.h[1]
	umov	x0, v1.d[1]
	dup	v0.4s, w1
	dup	v0.2d, v1.d[0]
	ins	v0.d[1], x1
	mov	v0.16b, v1.16b
	mov	v0.8b, v1.8b
	movi	v0.2d, #0
	movi	d0, #0
	movi	v0.4s, #0
	movi	v0.16b, #1
	mvni	v0.4s, #0
	orr	v0.16b, v1.16b, v2.16b
	eor	v0.16b, v1.16b, v1.16b
	add	v0.4s, v1.4s, v2.4s
	addv	s0, v1.4s
	fmla	v0.2d, v1.2d, v2.d[1]
	tbl	v0.16b, {v1.16b - v4.16b}, v5.16b
	aese	v0.16b, v1.16b
	sha256h	q0, q1, v2.4s
	bfdot	v0.4s, v1.8h, v2.8h
	// scalable vectors
	ptrue	p0.b
	cntd	x0
	incb	x1
	addvl	sp, sp, #-1
	addpl	x0, x1, #1
	rdvl	x2, #1
	whilelo	p0.b, x0, x1
	lastb	x0, p0, z1.d
	lastb	d0, p0, z1.d
	add	z0.d, z1.d, z2.d
	mov	z0.d, x1
	ld1d	{z0.d}, p0/z, [x1]
	ld1b	{z0.h}, p0/z, [x1, x2]
	ld1w	{z0.s}, p0/z, [x1, x2, lsl #2]
	ld1d	{z0.d}, p0/z, [x1, #1, mul vl]
	ld1d	{z0.d}, p0/z, [x1, z2.d]
	ld2d	{z0.d, z1.d}, p0/z, [x1]
	ldr	z0, [sp, #1, mul vl]
	str	p0, [x1]
	st1d	{z0.d}, p0, [x1]
	st1w	{z0.s}, p0, [x1, x2, lsl #2]
	st4b	{z0.b - z3.b}, p0, [x1]
	prfb	pldl1keep, p0, [x1]
	smstart
