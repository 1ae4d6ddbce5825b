/*
 * fiber.c -- many stacks in one thread, and the step from one to another
 *
 * makecontext puts a fiber on its stack, once; from then on _setjmp and
 * _longjmp switch, because swapcontext makes two system calls each time.
 */

/* The checked longjmp takes every jump to a higher stack for an error. */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "net/asan.h"
#include "net/fiber.h"
#include "net/valgrind.h"

/* Each guard page splits a mapping in two, and a process may have 65530. */
#define GUARDED_MAX 20000
#define MARGIN_WORDS 64

/* Whoever left last: the sanitizer says on arrival where that one's stack is. */
static struct asl_fiber *left, nobody;

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The lowest usable address of stack i. */
static char *bottom(const struct asl_stacks *s, int i)
{
	char *at = s->base + (size_t)i * s->each_bytes;

	return s->guarded ? at + page_bytes() : at;
}

static int guard_all(struct asl_stacks *s)
{
	for (int i = 0; i < s->count; i++)
		if (mprotect(s->base + (size_t)i * s->each_bytes, page_bytes(),
			     PROT_NONE))
			return -errno;
	return 0;
}

/* Its numbers follow each other. */
static void introduce_all(struct asl_stacks *s)
{
	for (int i = 0; i < s->count; i++) {
		const char *end = s->base + (size_t)(i + 1) * s->each_bytes;
		unsigned id = VALGRIND_STACK_REGISTER(bottom(s, i), end - 1);

		if (i == 0)
			s->first_id = id;
	}
}

int asl_stacks_open(struct asl_stacks *s, int count, size_t each_bytes)
{
	int err = 0;

	*s = (struct asl_stacks){
		.each_bytes = each_bytes * ASL_STACK_FACTOR,
		.count = count,
		.guarded = count <= GUARDED_MAX,
	};
	s->base = mmap(
		NULL, (size_t)count * s->each_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (s->base == MAP_FAILED) {
		err = -errno;
		s->base = NULL;
		return err;
	}
	/* A huge page would make all of many stacks real at the first touch. */
	(void)madvise(s->base, (size_t)count * s->each_bytes, MADV_NOHUGEPAGE);
	if (s->guarded)
		err = guard_all(s);
	introduce_all(s);
	if (err)
		asl_stacks_close(s);
	return err;
}

void asl_stacks_close(struct asl_stacks *s)
{
	if (!s->base)
		return;
	for (int i = 0; i < s->count; i++)
		VALGRIND_STACK_DEREGISTER(s->first_id + (unsigned)i);
	munmap(s->base, (size_t)s->count * s->each_bytes);
	s->base = NULL;
}

/*
 * Fresh memory reads as zeros, and reading it takes no memory, which writing
 * another mark would: a page for each of 100,000 ranks.
 */
bool asl_stacks_intact(const struct asl_stacks *s, int i)
{
	const uint64_t *margin = (const void *)bottom(s, i);

	if (s->guarded)
		return true;
	for (int k = 0; k < MARGIN_WORDS; k++)
		if (margin[k])
			return false;
	return true;
}

/*
 * Stacks are a power of two apart, so that without a shift the same variable
 * of all ranks would compete for the same few cache lines.
 */
static size_t shift_bytes(int i)
{
	return (size_t)(i % 16) * 64;
}

void asl_fiber_begin(struct asl_fiber *from, struct asl_fiber *to,
		     const struct asl_stacks *s, int i, void (*entry)(void))
{
	static ucontext_t first; /* a kilobyte that no stack need hold */
	char *low = bottom(s, i),
	     *end = s->base + (size_t)(i + 1) * s->each_bytes;

	to->stack = low;
	to->stack_bytes = (size_t)(end - low);
	getcontext(&first);
	first.uc_stack.ss_sp = low;
	first.uc_stack.ss_size = to->stack_bytes - shift_bytes(i);
	first.uc_link = NULL;
	makecontext(&first, entry, 0);
	left = from;
	asan_leave(&from->fake, to->stack, to->stack_bytes);
	if (!_setjmp(from->at))
		setcontext(&first);
	asan_arrive(from->fake, &left->stack, &left->stack_bytes);
}

void asl_fiber_arrived(void)
{
	asan_arrive(NULL, &left->stack, &left->stack_bytes);
}

ASAN_JUMPS void asl_fiber_switch(struct asl_fiber *from, struct asl_fiber *to)
{
	left = from;
	asan_leave(&from->fake, to->stack, to->stack_bytes);
	if (!_setjmp(from->at))
		_longjmp(to->at, 1);
	asan_arrive(from->fake, &left->stack, &left->stack_bytes);
}

_Noreturn void asl_fiber_end(struct asl_fiber *to)
{
	left = &nobody;
	asan_leave(NULL, to->stack, to->stack_bytes);
	_longjmp(to->at, 1);
}
