/*
 * sim.c -- all ranks are fibers of this process
 *
 * A send and its receive meet: the one that is posted second copies the bytes.
 * The one that is posted first queues at its own rank, where the peer looks for
 * it; a queue is no longer than the messages that one rank has in flight.
 *
 * Where there is no data, a send that nobody waits for yet leaves a letter at its
 * receiver, and its rank goes on.
 *
 * Switching is expensive: with many ranks, nothing of the next one is in the cache.
 * So a rank should find many letters when its turn comes, and take many steps.  On
 * a ring, and on a torus of rings, it does if those that it waits for had theirs
 * just before.  Therefore ranks take turns in the order of their numbers, up or
 * down, whichever way most of those that waited lately were waiting.  Neither time
 * nor chance decides, so every run is the same.  If no rank is awake and all have
 * begun, the run is deadlocked, and says so.
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
#include "lib/base/system.h"
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
#define CHECKED_PAGES ((size_t)16 << 10) /* at once */

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

/* One call, since a page found missing costs several times as much. */
static void take_page(char *end)
{
	(void)madvise(end - page_bytes(), page_bytes(), MADV_POPULATE_WRITE);
}

static bool is_zero(const uint64_t *word, int count)
{
	for (int i = 0; i < count; i++)
		if (word[i])
			return false;
	return true;
}

/*
 * The last that overflowed of `count` stacks from `first` on, or -1: it may have written
 * over others below it.  Fresh memory reads as zeros; another mark would allocate every
 * page, and on some kernels reading does, too.
 */
static int find_overflow(const struct stacks *s, int first, int count)
{
	size_t pages = s->each_bytes / page_bytes();
	unsigned char written[CHECKED_PAGES];

	if (mincore(bottom(s, first), (size_t)count * s->each_bytes, written))
		return -1;
	for (int i = count - 1; i >= 0; i--)
		if (written[(size_t)i * pages] & 1 &&
		    !is_zero((const void *)bottom(s, first + i), MARGIN_WORDS))
			return first + i;
	return -1;
}

static void fiber_begin(struct fiber *from, struct fiber *to,
			const struct stacks *s, int i, void (*entry)(void))
{
	static ucontext_t first; /* a kilobyte that no stack need hold */
	char *low = bottom(s, i),
	     *end = s->base + (size_t)(i + 1) * s->each_bytes;

	take_page(end);
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

/* A message that waits at its receiver. */
struct letter {
	struct letter *next;   /* from the same sender; of blank ones, any */
	struct letter *last;   /* from the same sender; the first knows it */
	struct letter *others; /* the first from another sender */
	size_t bytes;
	int from;
	bool has_text;
	union {
		double at[ASL_NET_CLOCKS];
		unsigned char text[16]; /* sets up a run, outside all clocks */
	};
};

/* A rank looks through the senders of its letters, so that they must be few. */
enum { SENDERS = 16 };

/* How many letters there may be: a rank that runs far ahead fills memory. */
enum { LETTERS_A_RANK = 4, LETTERS_MORE = 1 << 16 };

struct sheet {
	struct sheet *next;
	struct letter letter[256];
};

/* Ranks of a group, some of which have come; its list is the first one's, who waits. */
struct meeting {
	struct meeting *next;
	struct asl_group group;
	int came;
	void *brought[];
};

struct rank {
	struct asl_net net;
	struct asl_net_op *waits;
	struct queue queue[2];	/* by side */
	struct letter *letters; /* the first from each sender */
	int senders;
	const char *top;	  /* of its stack, where it waits */
	struct meeting *meetings; /* of groups that begin with it */
	struct fiber fiber;
};

static struct sim {
	struct rank *ranks, *current;
	int size, begun, live;
	uint64_t *awake; /* a bit for each rank */
	bool down;	 /* the order in which ranks take turns */
	int64_t lean;	 /* those that waited for higher ranks, less others */
	struct sheet *sheets;
	struct letter *blank; /* letters that are free */
	int64_t letters_left; /* that may still be made */
	size_t queued;	      /* sends that wait in queues */
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

/* Once, at the end: a question to the kernel for each would take as long as a page. */
static void check_stacks(const struct stacks *s)
{
	int most = (int)(CHECKED_PAGES * page_bytes() / s->each_bytes), count;

	if (s->guarded)
		return;
	for (int end = s->count; end > 0; end -= count) {
		int found;

		count = end < most ? end : most;
		found = find_overflow(s, end - count, count);
		if (found >= 0)
			overflow(&sim.ranks[found]);
	}
}

enum { BITS = 64 };

static void wake(struct rank *r)
{
	r->waits = NULL;
	sim.awake[r->net.rank / BITS] |= UINT64_C(1) << r->net.rank % BITS;
}

static void wake_all(void)
{
	for (int i = 0; i < sim.begun; i++)
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

/* The first rank from `rank` on, or before it, that is awake; -1: none. */
static int awake_from(int rank)
{
	int last = (sim.size - 1) / BITS, i = rank / BITS;
	uint64_t some =
		rank < sim.size ? sim.awake[i] & UINT64_MAX << rank % BITS : 0;

	while (!some && ++i <= last)
		some = sim.awake[i];
	return some ? i * BITS + __builtin_ctzll(some) : -1;
}

static int awake_before(int rank)
{
	int i = rank / BITS;
	uint64_t some =
		rank % BITS ? sim.awake[i] & ~(UINT64_MAX << rank % BITS) : 0;

	while (!some && i-- > 0)
		some = sim.awake[i];
	return some ? i * BITS + BITS - 1 - __builtin_clzll(some) : -1;
}

/* Who is awake and has its turn after this rank, in this round; -1: nobody. */
static int after(int rank)
{
	return sim.down ? awake_before(rank) : awake_from(rank + 1);
}

/* Whose turn it is, or NULL.  At the end of a round the order may change. */
static struct rank *next_awake(void)
{
	int next = after(sim.current->net.rank);

	if (next < 0) {
		sim.down = sim.lean > 0 || (sim.lean == 0 && sim.down);
		sim.lean = 0;
		next = after(sim.down ? sim.size : -1);
	}
	if (next < 0)
		return NULL;
	sim.awake[next / BITS] &= ~(UINT64_C(1) << next % BITS);
	return &sim.ranks[next];
}

enum { LINE_BYTES = 64, STACK_LINES = 12 };

/*
 * Fetch into the cache, while this rank runs, the stack of the next one, and where
 * that of the one behind it is.
 */
static void fetch_ahead(int rank)
{
	int next = after(rank), behind = next < 0 ? -1 : after(next);
	const char *at;

	if (behind < 0)
		return;
	at = sim.ranks[next].top;
	for (int i = 0; i < STACK_LINES; i++)
		__builtin_prefetch(at + (size_t)i * LINE_BYTES, 1);
	at = (const char *)&sim.ranks[behind];
	for (size_t i = 0; i < sizeof *sim.ranks; i += LINE_BYTES)
		__builtin_prefetch(at + i, 1);
}

/* Run the next rank; returns when `from` is switched to again. */
static void go_on(struct fiber *from)
{
	struct rank *r;

	if (sim.begun < sim.size) {
		sim.current = &sim.ranks[sim.begun++];
		fiber_begin(from, &sim.current->fiber, &sim.stacks,
			    sim.current->net.rank, live_and_end);
		return;
	}
	r = next_awake();
	if (!r) {
		deadlock();
		r = next_awake();
	}
	sim.current = r;
	fetch_ahead(r->net.rank);
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
		if (op->pending & 1 << side) {
			queue_take(&r->queue[side], side, op, 0);
			sim.queued -= side == OUT;
		}
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

/* ---- Letters ---- */

static void make_letters(void)
{
	struct sheet *x;
	int count = sizeof x->letter / sizeof *x->letter;

	if (sim.letters_left < count)
		return;
	x = malloc(sizeof *x);
	if (!x)
		return;
	sim.letters_left -= count;
	x->next = sim.sheets;
	sim.sheets = x;
	while (count-- > 0) {
		x->letter[count].next = sim.blank;
		sim.blank = &x->letter[count];
	}
}

/* Where a sender's first letter is linked, or would be. */
static struct letter **find_letter(struct rank *to, int from)
{
	struct letter **at = &to->letters;

	while (*at && (*at)->from != from)
		at = &(*at)->others;
	return at;
}

static void put_letter(struct rank *to, struct letter *x)
{
	struct letter **first = find_letter(to, x->from);

	x->next = x->others = NULL;
	x->last = x;
	if (*first) {
		(*first)->last->next = x;
		(*first)->last = x;
	} else {
		*first = x;
		to->senders++;
	}
}

static void take_letter(struct rank *to, struct letter **first)
{
	struct letter *x = *first;

	if (x->next) {
		x->next->last = x->last;
		x->next->others = x->others;
		*first = x->next;
	} else {
		*first = x->others;
		to->senders--;
	}
	x->next = sim.blank;
	sim.blank = x;
}

/* Messages that are posted later must not arrive before one in the queue. */
static bool leave_letter(const struct rank *me, struct rank *to,
			 const struct asl_net_op *op)
{
	struct letter *x;

	if (sim.data || (op->out && op->out_bytes > sizeof x->text) ||
	    me->queue[OUT].first || to->senders == SENDERS)
		return false;
	if (!sim.blank)
		make_letters();
	x = sim.blank;
	if (!x)
		return false;
	sim.blank = x->next;
	x->from = me->net.rank;
	x->bytes = op->out_bytes;
	x->has_text = op->out;
	if (op->out)
		memcpy(x->text, op->out, op->out_bytes);
	else
		memcpy(x->at, op->sent.at, sizeof x->at);
	put_letter(to, x);
	return true;
}

/* Take the first letter from the peer, if there is one. */
static bool open_letter(struct rank *me, struct asl_net_op *in)
{
	struct letter **first = find_letter(me, in->from), *x = *first;

	if (!x)
		return false;
	if (x->bytes != in->in_bytes)
		finish_badly(in, unequal(in->from, x->bytes, in));
	else if (x->has_text && in->in)
		memcpy(in->in, x->text, x->bytes);
	else
		memcpy(in->got.at, x->at, sizeof x->at);
	take_letter(me, first);
	return true;
}

/* A letter that nobody opened was sent to a rank that ended without it. */
static int check_letters(void)
{
	for (int i = 0; i < sim.size; i++)
		if (sim.ranks[i].letters)
			return asl_fail(-EDEADLK,
					"deadlock: rank %d sends to %d, which "
					"has ended",
					sim.ranks[i].letters->from, i);
	return 0;
}

static void burn_letters(void)
{
	while (sim.sheets) {
		struct sheet *next = sim.sheets->next;

		free(sim.sheets);
		sim.sheets = next;
	}
}

/* ---- Steps ---- */

static void post_out(struct rank *me, struct asl_net_op *op)
{
	struct rank *to = &sim.ranks[op->to];
	struct asl_net_op *in =
		queue_take(&to->queue[IN], IN, NULL, me->net.rank);

	if (!in && leave_letter(me, to, op))
		return;
	op->pending |= 1 << OUT;
	if (in) {
		meet(op, in);
		return;
	}
	queue_add(&me->queue[OUT], op, OUT);
	sim.queued++;
}

/* The sender is not in the cache: it is asked only if some rank has a queue. */
static void post_in(struct rank *me, struct asl_net_op *op)
{
	struct rank *from = &sim.ranks[op->from];
	struct asl_net_op *out = NULL;

	if (open_letter(me, op))
		return;
	if (sim.queued)
		out = queue_take(&from->queue[OUT], OUT, NULL, me->net.rank);
	op->pending |= 1 << IN;
	if (out) {
		sim.queued--;
		meet(out, op);
		return;
	}
	queue_add(&me->queue[IN], op, IN);
}

static int sim_start(struct asl_net *net, struct asl_net_op *op)
{
	if (sim.broken)
		return op->err = broken();
	if (op->to != ASL_NET_NONE)
		post_out(rank_of(net), op);
	if (op->from != ASL_NET_NONE && !op->err)
		post_in(rank_of(net), op);
	return op->err;
}

static int sim_wait(struct asl_net *net, struct asl_net_op *op, int count)
{
	struct rank *me = rank_of(net);
	const char *here = __builtin_frame_address(0);

	(void)count;
	if (here < (const char *)me->fiber.stack + SPARE_STACK_BYTES)
		overflow(me);
	if (op->pending && !sim.broken) {
		me->waits = op;
		me->top = here;
		if (op->pending & 1 << IN)
			sim.lean += op->from > me->net.rank ? 1 : -1;
		go_on(&me->fiber);
	}
	return op->pending ? broken() : op->err;
}

/* ---- Meetings ---- */

static struct meeting *make_meeting(const struct asl_group *group)
{
	size_t size = (size_t)group->size;
	struct meeting *x = calloc(1, sizeof *x + size * sizeof *x->brought);

	if (x)
		x->group = *group;
	return x;
}

static bool are_same(const struct asl_group *a, const struct asl_group *b)
{
	if (a->size != b->size || !a->list != !b->list)
		return false;
	if (!a->list)
		return a->stride == b->stride;
	return a->list == b->list ||
	       !memcmp(a->list, b->list, (size_t)a->size * sizeof *a->list);
}

/* Where the meeting is linked: two groups can begin with one rank. */
static struct meeting **find_meeting(const struct asl_group *group)
{
	struct meeting **at = &sim.ranks[asl_member(group, 0)].meetings;

	while (*at && !are_same(&(*at)->group, group))
		at = &(*at)->next;
	return at;
}

static void wake_others(const struct asl_group *group)
{
	for (int i = 0; i < group->size; i++) {
		struct rank *r = &sim.ranks[asl_member(group, i)];

		if (i == group->me)
			continue;
		r->waits->pending = 0;
		wake(r);
	}
}

/* Waiting for all begins with waiting for the one before. */
static int wait_for_others(struct asl_net *net, const struct asl_group *group)
{
	int before = (group->me + group->size - 1) % group->size;
	struct asl_net_op op = {
		.to = ASL_NET_NONE,
		.from = asl_member(group, before),
		.owner = net,
		.pending = 1 << IN,
	};

	return sim_wait(net, &op, 1);
}

static int sim_meet(struct asl_net *net, const struct asl_group *group,
		    void *mine, void (*all)(void *const brought[], int size))
{
	struct meeting **at, *x;

	/* The rank that waited has returned by then, and its list is gone with it. */
	if (sim.broken)
		return broken();
	at = find_meeting(group);
	x = *at;
	if (!x)
		x = *at = make_meeting(group);
	if (!x)
		return asl_fail(-ENOMEM, "sim: no memory for a meeting");
	x->brought[group->me] = mine;
	if (++x->came < group->size)
		return wait_for_others(net, group);
	*at = x->next;
	all(x->brought, group->size);
	wake_others(group);
	free(x);
	return 0;
}

/* Those of a run that was aborted. */
static void cancel_meetings(struct rank *r)
{
	while (r->meetings) {
		struct meeting *next = r->meetings->next;

		free(r->meetings);
		r->meetings = next;
	}
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
		.size = want->ranks,
		.live = want->ranks,
		.letters_left =
			(int64_t)want->ranks * LETTERS_A_RANK + LETTERS_MORE,
		.data = want->data,
	};
	err = stacks_open(&sim.stacks, want->ranks,
			  want->data ? DATA_STACK_BYTES : STACK_BYTES);
	if (err)
		return asl_fail(err, "sim: no room for %d stacks: %s",
				want->ranks, strerror(-err));
	sim.ranks = asl_take_large((size_t)want->ranks, sizeof *sim.ranks);
	sim.awake = calloc((size_t)want->ranks / BITS + 1, sizeof *sim.awake);
	if (!sim.ranks || !sim.awake) {
		free(sim.ranks);
		free(sim.awake);
		stacks_close(&sim.stacks);
		sim = (struct sim){0};
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
	burn_letters();
	for (int i = 0; i < sim.size; i++)
		cancel_meetings(&sim.ranks[i]);
	free(sim.ranks);
	free(sim.awake);
	stacks_close(&sim.stacks);
	sim = (struct sim){0};
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
	check_stacks(&sim.stacks);
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
	.meet = sim_meet,
};
