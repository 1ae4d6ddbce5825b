/*
 * fiber.h -- many stacks in one thread, and the step from one to another
 *
 * A fiber runs until it switches to another by name; who is next is for the
 * caller to say.  The thread's own stack is a fiber too: an asl_fiber of
 * zeros, to be passed as `from` when it first leaves.
 */
#ifndef ASL_NET_FIBER_H
#define ASL_NET_FIBER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct asl_fiber {
	jmp_buf at;
	const void *stack; /* its lowest address */
	size_t stack_bytes;
	void *fake; /* AddressSanitizer's */
};

/* Room for `count` stacks, of which only the pages used take memory. */
struct asl_stacks {
	char *base;
	size_t each_bytes;
	int count;
	bool guarded;	   /* an overflow is a SIGSEGV at once */
	unsigned first_id; /* valgrind's, of the first */
};

int asl_stacks_open(struct asl_stacks *stacks, int count, size_t each_bytes);
void asl_stacks_close(struct asl_stacks *stacks);

/* Has nothing been written at the end of stack i?  For unguarded stacks. */
bool asl_stacks_intact(const struct asl_stacks *stacks, int i);

/* Leave `from`, and begin `to` on stack i with entry(), which never returns. */
void asl_fiber_begin(struct asl_fiber *from, struct asl_fiber *to,
		     const struct asl_stacks *stacks, int i,
		     void (*entry)(void));

/* To be called first by entry(). */
void asl_fiber_arrived(void);

/* Leave `from`, and go on with `to` where it left. */
void asl_fiber_switch(struct asl_fiber *from, struct asl_fiber *to);

/* Leave a fiber for good. */
_Noreturn void asl_fiber_end(struct asl_fiber *to);

#endif
