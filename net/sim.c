/*
 * sim.c -- all ranks are fibers of this process
 *
 * A send and its receive meet: the one that is posted second copies the bytes.
 * The one that is posted first queues at its own rank, where the peer looks for
 * it; a queue is no longer than the messages that one rank has in flight.
 *
 * Where there is no data, a send that nobody waits for yet leaves a letter, and
 * its rank goes on: ranks that pass messages around a ring then take several
 * steps each time that they run, while what they touch is in the cache.
 *
 * A rank that must wait switches to the rank woken last, or if no rank is awake to
 * one that has not begun: ranks that talk to each other stay in the cache.
 * Neither time nor chance decides, so every run is the same.  If no rank is awake
 * and all have begun, the run is deadlocked, and says so.
 *
 * makecontext puts a fiber on its stack, once; from then on _setjmp and
 * _longjmp switch, because swapcontext makes two system calls each time.
 */

/* The checked longjmp refuses to jump to a higher stack. */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "net/provider.h"

/* Sanitizers: frames carry red zones, so that a stack holds less. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>

#define STACK_FACTOR 4

/* Before a longjmp the sanitizer would clear all it knows of the stack: slow. */
#define ASAN_JUMPS __attribute__((no_sanitize_address))

static inline void asan_leave(void **fake, const void *to, size_t to_bytes)
{
	__sanitizer_start_switch_fiber(fake, to, to_bytes);
}

static inline void asan_arrive(void *fake, const void **from,
			       size_t *from_bytes)
{
	__sanitizer_finish_switch_fiber(fake, from, from_bytes);
}

#else

#define STACK_FACTOR 1
#define ASAN_JUMPS

static inline void asan_leave(void **fake, const void *to, size_t to_bytes)
{
	(void)fake, (void)to, (void)to_bytes;
}

static inline void asan_arrive(void *fake, const void **from,
			       size_t *from_bytes)
{
	(void)fake, (void)from, (void)from_bytes;
}

#endif

/* ThreadSanitizer keeps what it knows of a stack for each fiber. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define TSAN_NEW() __tsan_create_fiber(0)
#define TSAN_FREE(known) __tsan_destroy_fiber(known)
#define TSAN_CURRENT() __tsan_get_current_fiber()
#define TSAN_SWITCH(known) __tsan_switch_to_fiber(known, 0)
#else
#define TSAN_NEW() NULL
#define TSAN_FREE(known) ((void)(known))
#define TSAN_CURRENT() NULL
#define TSAN_SWITCH(known) ((void)(known))
#endif

/* Else valgrind takes a switch of stacks for a frame of many megabytes. */
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) ((void)(low), (void)(high), 0U)
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

/* Each guard page splits a mapping in two, and a process may have 65530. */
#define GUARDED_MAX 20000
#define MARGIN_WORDS 64

#define STACK_BYTES ((size_t)64 << 10)
#define DATA_STACK_BYTES ((size_t)256 << 10) /* BLAS runs on it */
#define SPARE_STACK_BYTES 4096

/* ---- Fibers ---- */

/*
 * A fiber runs until it switches to another by name.  The thread's own stack is
 * a fiber, too: one of zeros, passed as `from` when it first leaves.
 */
struct fiber {
	jmp_buf at;
	const void *stack; /* its lowest address */
	size_t stack_bytes;
	void *fake;  /* AddressSanitizer's */
	void *known; /* ThreadSanitizer's */
};

/* Room for `count` stacks, of which only the pages used take memory. */
struct stacks {
	char *base;
	size_t each_bytes;
	int count;
	bool guarded;	   /* an overflow is a SIGSEGV at once */
	unsigned first_id; /* valgrind's number of the first; others follow */
};

/* The fiber that was left last; on arrival the sanitizer fills in its stack. */
static struct fiber *left, nobody;

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The lowest usable address of stack i. */
static char *bottom(const struct stacks *s, int i)
{
	char *at = s->base + (size_t)i * s->each_bytes;

	return s->guarded ? at + page_bytes() : at;
}

static int guard_all(struct stacks *s)
{
	for (int i = 0; i < s->count; i++)
		if (mprotect(s->base + (size_t)i * s->each_bytes, page_bytes(),
			     PROT_NONE))
			return -errno;
	return 0;
}

static void introduce_all(struct stacks *s)
{
	for (int i = 0; i < s->count; i++) {
		const char *end = s->base + (size_t)(i + 1) * s->each_bytes;
		unsigned id = VALGRIND_STACK_REGISTER(bottom(s, i), end - 1);

		if (i == 0)
			s->first_id = id;
	}
}

static void stacks_close(struct stacks *s)
{
	for (int i = 0; i < s->count; i++)
		VALGRIND_STACK_DEREGISTER(s->first_id + (unsigned)i);
	munmap(s->base, (size_t)s->count * s->each_bytes);
}

static int stacks_open(struct stacks *s, int count, size_t each_bytes)
{
	int err = 0;

	*s = (struct stacks){
		.each_bytes = each_bytes * STACK_FACTOR,
		.count = count,
		.guarded = count <= GUARDED_MAX,
	};
	s->base = mmap(
		NULL, (size_t)count * s->each_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (s->base == MAP_FAILED)
		return -errno;
	/* The first touch of a huge page would allocate many stacks in full. */
	(void)madvise(s->base, (size_t)count * s->each_bytes, MADV_NOHUGEPAGE);
	if (s->guarded)
		err = guard_all(s);
	introduce_all(s);
	if (err)
		stacks_close(s);
	return err;
}

/* Fresh memory reads as zeros; another mark would allocate every page. */
static bool stacks_intact(const struct stacks *s, int i)
{
	const uint64_t *margin = (const void *)bottom(s, i);

	if (s->guarded)
		return true;
	for (int k = 0; k < MARGIN_WORDS; k++)
		if (margin[k])
			return false;
	return true;
}

static void fiber_begin(struct fiber *from, struct fiber *to,
			const struct stacks *s, int i, void (*entry)(void))
{
	static ucontext_t first; /* a kilobyte that no stack need hold */
	char *low = bottom(s, i),
	     *end = s->base + (size_t)(i + 1) * s->each_bytes;

	to->stack = low;
	to->stack_bytes = (size_t)(end - low);
	getcontext(&first);
	first.uc_stack.ss_sp = low;
	/*
	 * Stacks are a power of two apart: without a shift the same variable of
	 * all ranks would compete for the same few cache lines.
	 */
	first.uc_stack.ss_size = to->stack_bytes - (size_t)(i % 16) * 64;
	first.uc_link = NULL;
	makecontext(&first, entry, 0);
	left = from;
	from->known = TSAN_CURRENT();
	to->known = TSAN_NEW();
	asan_leave(&from->fake, to->stack, to->stack_bytes);
	if (!_setjmp(from->at)) {
		TSAN_SWITCH(to->known);
		setcontext(&first);
	}
	asan_arrive(from->fake, &left->stack, &left->stack_bytes);
}

static ASAN_JUMPS void fiber_switch(struct fiber *from, struct fiber *to)
{
	left = from;
	asan_leave(&from->fake, to->stack, to->stack_bytes);
	if (!_setjmp(from->at)) {
		TSAN_SWITCH(to->known);
		_longjmp(to->at, 1);
	}
	asan_arrive(from->fake, &left->stack, &left->stack_bytes);
}

static _Noreturn void fiber_end(struct fiber *to)
{
	left = &nobody;
	asan_leave(NULL, to->stack, to->stack_bytes);
	TSAN_SWITCH(to->known);
	_longjmp(to->at, 1);
}

/* ---- Ranks ---- */

enum side { OUT, IN };

struct queue {
	struct asl_net_op *first, *last;
};

/* A message that was sent, from the oldest on; few, so that none runs far ahead. */
enum { LETTERS = 8 };

struct letter {
	int to;
	bool has_text;
	size_t bytes;
	union {
		double at[ASL_NET_CLOCKS];
		unsigned char text[16]; /* sets up a run, outside all clocks */
	};
};

struct rank {
	struct asl_net net;
	struct asl_net_op *waits;
	struct rank *next;     /* among those awake */
	struct queue queue[2]; /* by side */
	int letters;
	struct letter letter[LETTERS];
	struct fiber fiber;
};

static struct sim {
	struct rank *ranks, *current, *awake;
	int size, begun, live;
	bool data;
	int broken;	/* the error of every further step */
	char why[1024]; /* and its message */
	int result;	/* of the first body that failed */
	bool aborted;
	int faulty; /* the rank that aborted the run */
	int code;   /* its exit code */
	int (*body)(struct asl_net *net, void *arg);
	void *arg;
	struct stacks stacks;
	struct fiber home;
} sim;

static struct rank *rank_of(struct asl_net *net)
{
	return (struct rank *)net;
}

/* ---- Scheduling ---- */

static void overflow(const struct rank *r)
{
	fprintf(stderr, "aslant: rank %d: its stack of %zu bytes overflowed\n",
		r->net.rank, r->fiber.stack_bytes);
	abort();
}

static void wake(struct rank *r)
{
	r->waits = NULL;
	r->next = sim.awake;
	sim.awake = r;
}

/* The last first, so that rank 0 runs first. */
static void wake_all(void)
{
	for (int i = sim.begun - 1; i >= 0; i--)
		if (sim.ranks[i].waits)
			wake(&sim.ranks[i]);
}

static void live_and_end(void)
{
	struct rank *r = sim.current;
	int err;

	asan_arrive(NULL, &left->stack, &left->stack_bytes);
	err = sim.body(&r->net, sim.arg);
	if (err && !sim.result)
		sim.result = err;
	if (!stacks_intact(&sim.stacks, r->net.rank))
		overflow(r);
	sim.live--;
	fiber_end(&sim.home);
}

static size_t describe(char *at, size_t room, const struct rank *r)
{
	const struct asl_net_op *op = r->waits;
	int n;

	if (op->pending == 1 << OUT)
		n = snprintf(at, room, "; rank %d sends to %d", r->net.rank,
			     op->to);
	else if (op->pending == 1 << IN)
		n = snprintf(at, room, "; rank %d waits for %d", r->net.rank,
			     op->from);
	else
		n = snprintf(at, room, "; rank %d sends to %d, waits for %d",
			     r->net.rank, op->to, op->from);
	return n > 0 ? (size_t)n : 0;
}

static void deadlock(void)
{
	char list[256] = "";
	size_t used = 0;
	int named = 0;

	for (int i = 0; i < sim.size && named < 4; i++)
		if (sim.ranks[i].waits && used < sizeof list) {
			used += describe(list + used, sizeof list - used,
					 &sim.ranks[i]);
			named++;
		}
	snprintf(sim.why, sizeof sim.why,
		 "deadlock: %d ranks wait and %d have ended%s%s", sim.live,
		 sim.size - sim.live, list, named < sim.live ? "; ..." : "");
	sim.broken = -EDEADLK;
	wake_all();
}

/* Other ranks may have replaced the message in the meantime. */
static int broken(void)
{
	return sim.broken ? asl_fail(sim.broken, "%s", sim.why) : 0;
}

/* Run the next rank; returns when `from` is switched to again. */
static void go_on(struct fiber *from)
{
	struct rank *r = sim.awake;

	if (!r && sim.begun < sim.size) {
		sim.current = &sim.ranks[sim.begun++];
		fiber_begin(from, &sim.current->fiber, &sim.stacks,
			    sim.current->net.rank, live_and_end);
		return;
	}
	if (!r)
		deadlock();
	r = sim.awake;
	sim.awake = r->next;
	sim.current = r;
	if (&r->fiber != from)
		fiber_switch(from, &r->fiber);
}

/* ---- Messages ---- */

static int peer_of(const struct asl_net_op *op, enum side side)
{
	return side == OUT ? op->to : op->from;
}

static void queue_add(struct queue *q, struct asl_net_op *op, enum side side)
{
	op->handle[side] = NULL;
	if (q->last)
		q->last->handle[side] = op;
	else
		q->first = op;
	q->last = op;
}

/* Remove `op`, or if that is NULL the first operation with this peer. */
static struct asl_net_op *queue_take(struct queue *q, enum side side,
				     const struct asl_net_op *op, int peer)
{
	struct asl_net_op *before = NULL, *at = q->first;

	while (at && (op ? at != op : peer_of(at, side) != peer)) {
		before = at;
		at = at->handle[side];
	}
	if (!at)
		return NULL;
	if (before)
		before->handle[side] = at->handle[side];
	else
		q->first = at->handle[side];
	if (q->last == at)
		q->last = before;
	return at;
}

static void finish(struct asl_net_op *op)
{
	struct rank *r = rank_of(op->owner);

	if (!op->pending && r->waits == op)
		wake(r);
}

/* If one side fails, the other must leave its queue, too. */
static void finish_badly(struct asl_net_op *op, int err)
{
	struct rank *r = rank_of(op->owner);

	for (enum side side = OUT; side <= IN; side++)
		if (op->pending & 1 << side)
			queue_take(&r->queue[side], side, op, 0);
	op->pending = 0;
	op->err = err;
	finish(op);
}

static int unequal(int from, size_t out_bytes, const struct asl_net_op *in)
{
	return asl_fail(-EMSGSIZE,
			"rank %d sends %zu bytes, but rank %d expects %zu of "
			"it",
			from, out_bytes, in->owner->rank, in->in_bytes);
}

static void meet(struct asl_net_op *out, struct asl_net_op *in)
{
	out->pending &= ~(1 << OUT);
	in->pending &= ~(1 << IN);
	if (out->out_bytes != in->in_bytes) {
		int err = unequal(out->owner->rank, out->out_bytes, in);

		finish_badly(out, err);
		finish_badly(in, err);
		return;
	}
	if (out->out && in->in && out->out_bytes)
		memcpy(in->in, out->out, out->out_bytes);
	in->got = out->sent;
	finish(out);
	if (in != out)
		finish(in);
}

/* Messages that are posted later must not arrive before one in the queue. */
static bool leave_letter(struct rank *me, const struct asl_net_op *op)
{
	struct letter *x = &me->letter[me->letters];
	bool fits = !op->out || op->out_bytes <= sizeof x->text;

	if (sim.data || !fits || me->letters == LETTERS || me->queue[OUT].first)
		return false;
	x->to = op->to;
	x->bytes = op->out_bytes;
	x->has_text = op->out;
	if (op->out)
		memcpy(x->text, op->out, op->out_bytes);
	else
		memcpy(x->at, op->sent.at, sizeof x->at);
	me->letters++;
	return true;
}

/* Take the first letter to this rank, if there is one. */
static bool open_letter(struct asl_net_op *in)
{
	struct rank *from = &sim.ranks[in->from];
	struct letter *x = from->letter, *end = x + from->letters;

	while (x < end && x->to != in->owner->rank)
		x++;
	if (x == end)
		return false;
	if (x->bytes != in->in_bytes)
		finish_badly(in, unequal(in->from, x->bytes, in));
	else if (x->has_text && in->in)
		memcpy(in->in, x->text, x->bytes);
	else
		memcpy(in->got.at, x->at, sizeof x->at);
	memmove(x, x + 1, (size_t)(end - x - 1) * sizeof *x);
	from->letters--;
	return true;
}

static void post(struct rank *me, struct asl_net_op *op, enum side side)
{
	enum side facing = side == OUT ? IN : OUT;
	struct rank *there = &sim.ranks[peer_of(op, side)];
	struct asl_net_op *other;

	if (side == IN && there->letters && open_letter(op))
		return;
	other = queue_take(&there->queue[facing], facing, NULL, me->net.rank);
	if (!other && side == OUT && leave_letter(me, op))
		return;
	op->pending |= 1 << side;
	if (!other)
		queue_add(&me->queue[side], op, side);
	else if (side == OUT)
		meet(op, other);
	else
		meet(other, op);
}

static int sim_start(struct asl_net *net, struct asl_net_op *op)
{
	if (sim.broken)
		return op->err = broken();
	if (op->to != ASL_NET_NONE)
		post(rank_of(net), op, OUT);
	if (op->from != ASL_NET_NONE && !op->err)
		post(rank_of(net), op, IN);
	return op->err;
}

static int sim_wait(struct asl_net *net, struct asl_net_op *op)
{
	struct rank *me = rank_of(net);
	const char *here = __builtin_frame_address(0);

	if (here < (const char *)me->fiber.stack + SPARE_STACK_BYTES)
		overflow(me);
	if (op->pending && !sim.broken) {
		me->waits = op;
		go_on(&me->fiber);
	}
	return op->pending ? broken() : op->err;
}

/* The other side comes when this rank waits. */
static bool sim_ended(struct asl_net *net, struct asl_net_op *op)
{
	(void)net;
	return !op->pending || sim.broken;
}

static void sim_abort(struct asl_net *net, int exit_code, const char *why)
{
	if (sim.aborted)
		return;
	sim.aborted = true;
	sim.code = exit_code;
	sim.faulty = net->rank;
	sim.broken = -ECONNABORTED;
	snprintf(sim.why, sizeof sim.why, "%s", why);
	wake_all();
}

/* ---- A run ---- */

static int sim_open(const struct asl_net_want *want)
{
	int err;

	if (sim.ranks)
		return asl_fail(-EBUSY, "sim: a run inside a run");
	if (want->ranks < 1)
		return asl_fail(-EINVAL,
				"sim: %d ranks, but at least 1 is needed",
				want->ranks);
	sim = (struct sim){
		.size = want->ranks, .live = want->ranks, .data = want->data};
	err = stacks_open(&sim.stacks, want->ranks,
			  want->data ? DATA_STACK_BYTES : STACK_BYTES);
	if (err)
		return asl_fail(err, "sim: no room for %d stacks: %s",
				want->ranks, strerror(-err));
	sim.ranks = calloc((size_t)want->ranks, sizeof *sim.ranks);
	if (!sim.ranks) {
		stacks_close(&sim.stacks);
		return asl_fail(-ENOMEM, "sim: no room for %d ranks",
				want->ranks);
	}
	for (int i = 0; i < want->ranks; i++)
		sim.ranks[i].net = (struct asl_net){
			.ops = &asl_net_sim,
			.rank = i,
			.core = 1,
			.size = want->ranks,
			.host_rank = i,
			.mates = 1,
		};
	return 0;
}

static void sim_close(void)
{
	for (int i = 0; i < sim.begun; i++)
		TSAN_FREE(sim.ranks[i].fiber.known);
	free(sim.ranks);
	stacks_close(&sim.stacks);
	sim = (struct sim){0};
}

/* A letter that nobody opened was sent to a rank that ended without it. */
static int check_letters(void)
{
	for (int i = 0; i < sim.size; i++)
		if (sim.ranks[i].letters)
			return asl_fail(-EDEADLK,
					"deadlock: rank %d sends to %d, which "
					"has ended",
					i, sim.ranks[i].letter->to);
	return 0;
}

static int sim_run(const struct asl_net_want *want,
		   int (*body)(struct asl_net *net, void *arg), void *arg)
{
	int err = sim_open(want);

	if (err)
		return err;
	sim.body = body;
	sim.arg = arg;
	while (sim.live)
		go_on(&sim.home);
	if (sim.aborted && sim.code != asl_exit_code(-EINTR))
		fprintf(stderr, "aslant: rank %d: %s\n", sim.faulty, sim.why);
	broken();
	err = sim.result ? sim.result : sim.aborted ? -ECONNABORTED : 0;
	if (!err)
		err = check_letters();
	sim_close();
	return err;
}

const struct asl_net_ops asl_net_sim = {
	.name = "sim",
	.summary = "every rank a fiber of this one process, deterministic",
	.can = {.simulated = true, .carries_null = true},
	.run = sim_run,
	.start = sim_start,
	.wait = sim_wait,
	.ended = sim_ended,
	.abort = sim_abort,
};
