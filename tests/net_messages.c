/*
 * net_messages.c -- what all transports promise, by one body for all of them
 *
 *	net_messages				on sim, several rank counts
 *	net_messages TRANSPORT [PROVIDER]	as one rank of a job; "" is a
 *						PROVIDER too: the best
 *	net_messages TRANSPORT PROVIDER loop	a ring, until it is killed
 *	net_messages TRANSPORT PROVIDER short	a message of a wrong length
 *	net_messages TRANSPORT PROVIDER long	likewise
 *	net_messages TRANSPORT PROVIDER wake	ranks that share cores and wait for
 *						long wake at once
 *	net_messages TRANSPORT PROVIDER environment
 *						prints settings of MPI's start
 *	net_messages TRANSPORT PROVIDER abort	one rank gives up
 *	net_messages TRANSPORT PROVIDER gone RANK	what it sends, or where it
 *						receives, is a file cut short
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/system.h"
#include "net/net.h"

#define ROUNDS 60
#define AT_ONCE 4
#define MANY 3000 /* more than the queues of a provider have room for */
#define LONGEST ((size_t)3 << 20)

static const size_t lengths[] = {0,    1,     8,     55,     56,     57,   111,
				 112,  113,   240,   241,    4080,   4096, 4097,
				 8192, 16384, 65537, 300001, LONGEST};

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* Both values, the place, and -1. */
#define EQUAL(got, want)                                                       \
	do {                                                                   \
		long long got_ = (long long)(got), want_ = (long long)(want);  \
		if (got_ != want_) {                                           \
			fprintf(stderr,                                        \
				"%s:%d: rank %d of %d: %s is %lld, not %lld "  \
				"(%s)\n",                                      \
				__FILE__, __LINE__, asl_net_rank(net),         \
				asl_net_size(net), #got, got_, want_,          \
				asl_failure());                                \
			return -1;                                             \
		}                                                              \
	} while (0)

/* The same numbers on all ranks. */
static uint64_t dice(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static unsigned char byte_of(int from, int k, size_t i)
{
	return (unsigned char)((size_t)from * 31 + (size_t)k * 7 + i * 3 +
			       (i >> 8));
}

static void fill(unsigned char *at, size_t bytes, int from, int k)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = byte_of(from, k, i);
}

/* The first place that differs, or `bytes`. */
static size_t differs(const unsigned char *at, size_t bytes, int from, int k)
{
	size_t i = 0;

	while (i < bytes && at[i] == byte_of(from, k, i))
		i++;
	return i;
}

struct box {
	struct asl_net_op op;
	unsigned char *out, *in;
};

static int open_box(struct box *b)
{
	b->out = malloc(LONGEST);
	b->in = malloc(LONGEST);
	return b->out && b->in ? 0 : -ENOMEM;
}

static void close_box(struct box *b)
{
	free(b->out);
	free(b->in);
}

static int start(struct asl_net *net, struct box *b, int to, int from, int k,
		 size_t bytes)
{
	b->op = (struct asl_net_op){
		.to = to,
		.from = from,
		.out = b->out,
		.in = b->in,
		.out_bytes = bytes,
		.in_bytes = bytes,
		.sent = {{asl_net_rank(net), k}},
	};
	fill(b->out, bytes, asl_net_rank(net), k);
	memset(b->in, 0xee, bytes);
	return asl_net_start(net, &b->op);
}

static int finish(struct asl_net *net, struct box *b, int k)
{
	EQUAL(asl_net_wait(net, &b->op), 0);
	if (b->op.from == ASL_NET_NONE)
		return 0;
	EQUAL(b->op.got.at[0], b->op.from);
	EQUAL(b->op.got.at[1], k);
	EQUAL(differs(b->in, b->op.in_bytes, b->op.from, k), b->op.in_bytes);
	return 0;
}

static int ring(struct asl_net *net, struct box *b)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);

	for (size_t k = 0; k < LENGTHS; k++) {
		EQUAL(start(net, b, (rank + 1) % size, (rank + size - 1) % size,
			    (int)k, lengths[k]),
		      0);
		EQUAL(finish(net, b, (int)k), 0);
	}
	return 0;
}

static int index_of(const int *list, int size, int what)
{
	int i = 0;

	while (i < size && list[i] != what)
		i++;
	return i;
}

static void shuffle(int *list, int size, uint64_t *seed)
{
	for (int i = 0; i < size; i++)
		list[i] = i;
	for (int i = size - 1; i > 0; i--) {
		int j = (int)(dice(seed) % (uint64_t)(i + 1)), was = list[i];

		list[i] = list[j];
		list[j] = was;
	}
}

/* Everybody to somebody, of lengths of its own, several at once. */
static int permutations(struct asl_net *net, struct box *b)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);
	int *to = malloc((size_t)size * sizeof(*to));
	uint64_t seed = 42;

	for (int round = 0; round < ROUNDS; round++) {
		for (int k = 0; k < AT_ONCE; k++) {
			size_t bytes = lengths[dice(&seed) % LENGTHS];

			shuffle(to, size, &seed);
			EQUAL(start(net, &b[k], to[rank],
				    index_of(to, size, rank), round + k, bytes),
			      0);
		}
		for (int k = 0; k < AT_ONCE; k++) {
			int which = round % 2 ? k : AT_ONCE - 1 - k;

			EQUAL(finish(net, &b[which], round + which), 0);
		}
	}
	free(to);
	return 0;
}

/* What one rank sends to another arrives in the order sent. */
static int order(struct asl_net *net, struct box *b)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);

	for (int k = 0; k < AT_ONCE; k++)
		EQUAL(start(net, &b[k], (rank + 1) % size, ASL_NET_NONE, k, 8),
		      0);
	for (int k = 0; k < AT_ONCE; k++) {
		struct asl_net_op op = {
			.to = ASL_NET_NONE,
			.from = (rank + size - 1) % size,
			.in = b->in,
			.in_bytes = 8,
		};

		EQUAL(asl_net_start(net, &op), 0);
		EQUAL(asl_net_wait(net, &op), 0);
		EQUAL(op.got.at[1], k);
		EQUAL(differs(b->in, 8, op.from, k), 8);
	}
	for (int k = 0; k < AT_ONCE; k++)
		EQUAL(finish(net, &b[k], k), 0);
	return 0;
}

static int to_oneself(struct asl_net *net, struct box *b)
{
	int me = asl_net_rank(net);

	for (size_t k = 0; k < LENGTHS; k++) {
		EQUAL(start(net, b, me, me, (int)k, lengths[k]), 0);
		EQUAL(finish(net, b, (int)k), 0);
	}
	for (size_t k = 0; k < LENGTHS; k++) {
		struct box *out = &b[k % 2], *in = &b[1 - k % 2];

		EQUAL(start(net, &b[0], k % 2 ? ASL_NET_NONE : me,
			    k % 2 ? me : ASL_NET_NONE, (int)k, lengths[k]),
		      0);
		EQUAL(start(net, &b[1], k % 2 ? me : ASL_NET_NONE,
			    k % 2 ? ASL_NET_NONE : me, (int)k, lengths[k]),
		      0);
		EQUAL(finish(net, out, (int)k), 0);
		EQUAL(finish(net, in, (int)k), 0);
	}
	return 0;
}

/* Everybody to rank 0, which looks at them from the last to the first. */
static int to_root(struct asl_net *net, struct box *b)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);

	if (rank) {
		EQUAL(start(net, b, 0, ASL_NET_NONE, rank, 5000), 0);
		return finish(net, b, rank);
	}
	for (int from = size - 1; from > 0; from--) {
		EQUAL(start(net, b, ASL_NET_NONE, from, from, 5000), 0);
		EQUAL(finish(net, b, from), 0);
	}
	return 0;
}

/* Start MANY messages of a number each, to or from one rank. */
static int start_many(struct asl_net *net, struct asl_net_op *op, int *number,
		      int to, int from)
{
	for (int k = 0; k < MANY; k++) {
		number[k] = to == ASL_NET_NONE ? -1 : k;
		op[k] = (struct asl_net_op){
			.to = to,
			.from = from,
			.out = &number[k],
			.in = &number[k],
			.out_bytes = sizeof(number[k]),
			.in_bytes = sizeof(number[k]),
		};
		EQUAL(asl_net_start(net, &op[k]), 0);
	}
	return 0;
}

static int finish_many(struct asl_net *net, struct asl_net_op *op,
		       const int *number)
{
	for (int k = 0; k < MANY; k++) {
		EQUAL(asl_net_wait(net, &op[k]), 0);
		EQUAL(number[k], k);
	}
	return 0;
}

/*
 * Starting does not wait, and messages that nobody receives yet do not keep back others:
 * rank 1 sends many to rank 0 and then one to the last rank, which sends one to rank 0,
 * which waits for that one first.
 */
static int flood(struct asl_net *net, struct box *b, struct asl_net_op *op,
		 int *number)
{
	int rank = asl_net_rank(net), last = asl_net_size(net) - 1;

	if (last < 2)
		return 0;
	if (rank == 1) {
		EQUAL(start_many(net, op, number, 0, ASL_NET_NONE), 0);
		EQUAL(start(net, b, last, ASL_NET_NONE, 1, 8), 0);
		EQUAL(finish(net, b, 1), 0);
		EQUAL(finish_many(net, op, number), 0);
	} else if (rank == last) {
		EQUAL(start(net, b, ASL_NET_NONE, 1, 1, 8), 0);
		EQUAL(finish(net, b, 1), 0);
		EQUAL(start(net, b, 0, ASL_NET_NONE, 2, 8), 0);
		EQUAL(finish(net, b, 2), 0);
	} else if (rank == 0) {
		EQUAL(start(net, b, ASL_NET_NONE, last, 2, 8), 0);
		EQUAL(finish(net, b, 2), 0);
		EQUAL(start_many(net, op, number, ASL_NET_NONE, 1), 0);
		EQUAL(finish_many(net, op, number), 0);
	}
	return 0;
}

/* All send many to the next before they receive any. */
static int floods(struct asl_net *net, struct asl_net_op *op, int *number)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);

	EQUAL(start_many(net, op, number, (rank + 1) % size, ASL_NET_NONE), 0);
	EQUAL(start_many(net, op + MANY, number + MANY, ASL_NET_NONE,
			 (rank + size - 1) % size),
	      0);
	EQUAL(finish_many(net, op + MANY, number + MANY), 0);
	return finish_many(net, op, number);
}

static int many(struct asl_net *net, struct box *b)
{
	struct asl_net_op *op = calloc(2 * MANY, sizeof(*op));
	int *number = calloc(2 * MANY, sizeof(*number));
	int err = op && number ? 0 : -ENOMEM;

	if (!err)
		err = flood(net, b, op, number);
	if (!err)
		err = floods(net, op, number);
	free(op);
	free(number);
	return err;
}

/* The last rank sends when it is told to; rank 0 looks before, and until then. */
static int looking(struct asl_net *net, struct box *b)
{
	int rank = asl_net_rank(net), last = asl_net_size(net) - 1;
	bool alone = last == 0, waits = !asl_net_simulated(net);

	for (int k = 0; k < (int)LENGTHS && !alone; k++) {
		if (rank == 0) {
			EQUAL(start(net, &b[0], ASL_NET_NONE, last, k,
				    lengths[k]),
			      0);
			EQUAL(asl_net_ended(net, &b[0].op), false);
			EQUAL(start(net, &b[1], last, ASL_NET_NONE, k, 0), 0);
			EQUAL(finish(net, &b[1], k), 0);
			/* On sim the others run only while this rank waits. */
			while (waits && !asl_net_ended(net, &b[0].op))
				;
			EQUAL(finish(net, &b[0], k), 0);
			EQUAL(asl_net_ended(net, &b[0].op), true);
		} else if (rank == last) {
			EQUAL(start(net, &b[1], ASL_NET_NONE, 0, k, 0), 0);
			EQUAL(finish(net, &b[1], k), 0);
			EQUAL(start(net, &b[0], 0, ASL_NET_NONE, k, lengths[k]),
			      0);
			EQUAL(finish(net, &b[0], k), 0);
		}
	}
	return 0;
}

static int nothing(struct asl_net *net)
{
	struct asl_net_op op = {.to = ASL_NET_NONE, .from = ASL_NET_NONE};

	EQUAL(asl_net_start(net, &op), 0);
	EQUAL(asl_net_wait(net, &op), 0);
	op.to = asl_net_size(net);
	EQUAL(asl_net_start(net, &op), -EINVAL);
	op.to = asl_net_rank(net);
	op.out_bytes = 8;
	if (!asl_net_simulated(net))
		EQUAL(asl_net_start(net, &op), -EINVAL);
	return 0;
}

/* Not even of a provider that was passed over; on sim the ranks share it. */
static int nothing_is_wrong(struct asl_net *net)
{
	if (!asl_net_simulated(net))
		EQUAL(strlen(asl_failure()), 0);
	return 0;
}

static int help(struct asl_net *net)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), who = -7;
	int mine[2] = {rank, rank * rank};
	int *all = calloc((size_t)size, sizeof(mine));

	EQUAL(asl_net_barrier(net), 0);
	EQUAL(asl_net_collect(net, rank ? NULL : all, mine, sizeof(mine)), 0);
	for (int i = 0; !rank && i < size; i++) {
		EQUAL(all[2 * i], i);
		EQUAL(all[2 * i + 1], i * i);
	}
	for (int i = 0; i < 2 * size; i++)
		all[i] = rank ? -1 : 3 * i;
	EQUAL(asl_net_share(net, all, (size_t)size * sizeof(mine)), 0);
	for (int i = 0; i < 2 * size; i++)
		EQUAL(all[i], 3 * i);
	free(all);

	EQUAL(asl_net_agree(net, 0, &who), 0);
	EQUAL(who, ASL_NET_NONE);
	for (int i = 0; i < size && i < 9; i++) {
		EQUAL(asl_net_agree(net, rank < i ? 0 : -100 - rank, &who),
		      -100 - i);
		EQUAL(who, i);
	}
	return 0;
}

static int everything(struct asl_net *net, void *arg)
{
	struct box b[AT_ONCE];
	int err = 0;

	(void)arg;
	for (int k = 0; k < AT_ONCE; k++)
		if (open_box(&b[k]))
			return -ENOMEM;
	if ((err = nothing_is_wrong(net)) || (err = nothing(net)) ||
	    (err = ring(net, b)) || (err = permutations(net, b)) ||
	    (err = order(net, b)) || (err = to_oneself(net, b)) ||
	    (err = to_root(net, b)) || (err = many(net, b)) ||
	    (err = looking(net, b)) || (err = help(net)))
		asl_net_abort(net, 1, "a check failed");
	for (int k = 0; k < AT_ONCE; k++)
		close_box(&b[k]);
	return err;
}

/* ---- Without arguments: on sim ---- */

static void all_hold_on_sim(void **state)
{
	static const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13};

	(void)state;
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
		struct asl_net_want want = {
			.transport = "sim",
			.ranks = ranks[i],
			.data = true,
		};

		assert_int_equal(asl_net_run(&want, everything, NULL), 0);
	}
}

/* ---- With arguments: a rank of a job ---- */

static int for_ever(struct asl_net *net, void *arg)
{
	struct box b;
	int err = open_box(&b);

	(void)arg;
	alarm(100); /* whatever becomes of who should kill us */
	err = ring(net, &b);
	printf("rank %d runs as %d\n", asl_net_rank(net), (int)getpid());
	fflush(stdout);
	while (!err)
		err = ring(net, &b);
	asl_net_abort(net, 5, asl_failure());
	return err;
}

static int too_long(struct asl_net *net, void *arg)
{
	static char room[1000];
	int last = asl_net_size(net) - 1, rank = asl_net_rank(net), err;
	struct asl_net_op op = {
		.to = rank == 0 ? last : ASL_NET_NONE,
		.from = rank == last ? 0 : ASL_NET_NONE,
		.out = room,
		.in = room,
		.out_bytes = *(size_t *)arg,
		.in_bytes = 100,
	};

	err = asl_net_start(net, &op);
	if (!err)
		err = asl_net_wait(net, &op);
	if (rank == last)
		EQUAL(err, -EMSGSIZE);
	if (rank == last)
		asl_net_abort(net, 6, asl_failure());
	return asl_net_barrier(net);
}

static void *cut_short(size_t bytes)
{
	FILE *f = tmpfile();
	void *at = MAP_FAILED;

	if (f && !ftruncate(fileno(f), (off_t)bytes))
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			  fileno(f), 0);
	if (at == MAP_FAILED || ftruncate(fileno(f), 0))
		return NULL;
	asl_mapped_note(at, bytes, "a file", "cut short");
	fclose(f);
	return at;
}

/* Rank 0 sends to the last. */
static int is_gone(struct asl_net *net, void *arg)
{
	int last = asl_net_size(net) - 1, rank = asl_net_rank(net), err;
	bool gone = rank == (int)*(size_t *)arg;
	void *room = gone ? cut_short(LONGEST) : calloc(1, LONGEST);
	struct asl_net_op op = {
		.to = rank == 0 ? last : ASL_NET_NONE,
		.from = rank == last ? 0 : ASL_NET_NONE,
		.out = room,
		.in = room,
		.out_bytes = LONGEST,
		.in_bytes = LONGEST,
	};

	err = room ? asl_net_start(net, &op) : -ENOMEM;
	if (!err)
		err = asl_net_wait(net, &op);
	if (!err)
		err = asl_net_barrier(net);
	asl_net_abort(net, 5, err ? asl_failure() : "nothing was lost");
	return err;
}

/* ---- Waking ---- */

enum { TURNS = 15 };

/* Long enough for those that wait to sleep for long. */
static void pause_long(void)
{
	const struct timespec t = {0, 100000000};

	nanosleep(&t, NULL);
}

static int by_length(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* From when rank 0 sends to when the last rank has it, which slept meanwhile. */
static int take_turn(struct asl_net *net, double *delay)
{
	int rank = asl_net_rank(net), last = asl_net_size(net) - 1, err;
	double sent = 0;
	struct asl_net_op op = {
		.to = rank == 0 ? last : ASL_NET_NONE,
		.from = rank == last ? 0 : ASL_NET_NONE,
		.out = &sent,
		.in = &sent,
		.out_bytes = rank == 0 ? sizeof sent : 0,
		.in_bytes = rank == last ? sizeof sent : 0,
	};

	if (rank == 0)
		pause_long();
	sent = asl_now();
	err = asl_net_step(net, &op);
	*delay = asl_now() - sent;
	return err;
}

static int all_wake(struct asl_net *net, void *arg)
{
	double delay[TURNS], median;

	(void)arg;
	for (int i = 0; i < TURNS; i++) {
		int err = take_turn(net, &delay[i]);

		if (err)
			return err;
	}
	qsort(delay, TURNS, sizeof delay[0], by_length);
	median = delay[TURNS / 2];
	if (asl_net_rank(net) == asl_net_size(net) - 1 && median > 0.008) {
		fprintf(stderr, "wakes %g s late in the median\n", median);
		asl_net_abort(net, 6, "is late");
	}
	return asl_net_barrier(net);
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "not set";
}

static int show_environment(struct asl_net *net, void *arg)
{
	(void)arg;
	fprintf(stderr, "hwloc: %s, nolocal: %s\n", setting("HWLOC_COMPONENTS"),
		setting("MPIR_CVAR_NOLOCAL"));
	return asl_net_barrier(net);
}

static int give_up(struct asl_net *net, void *arg)
{
	(void)arg;
	if (asl_net_rank(net) == asl_net_size(net) / 2)
		asl_net_abort(net, 7, "had enough");
	return asl_net_barrier(net);
}

static int all_give_up(struct asl_net *net, void *arg)
{
	(void)arg;
	asl_net_abort(net, 7, "as everybody says");
	return 0;
}

static int as_rank(int argc, char **argv)
{
	struct asl_net_want want = {.transport = argv[1], .data = true};
	struct asl_net_patience patience = {.stopped = 60, .cut = 6};
	const char *mode = argc > 3 ? argv[3] : "";
	int (*body)(struct asl_net * net, void *arg) = everything;
	size_t number = !strcmp(mode, "short")	? 90
			: !strcmp(mode, "gone") ? (size_t)atoi(argv[4])
						: 1000;
	int rank, size, err;

	if (argc > 2 && *argv[2])
		want.provider = argv[2];
	if (!strcmp(mode, "loop"))
		body = for_ever;
	else if (!strcmp(mode, "short") || !strcmp(mode, "long"))
		body = too_long;
	else if (!strcmp(mode, "wake"))
		body = all_wake;
	else if (!strcmp(mode, "environment"))
		body = show_environment;
	else if (!strcmp(mode, "abort"))
		body = give_up;
	else if (!strcmp(mode, "alike"))
		body = all_give_up;
	else if (!strcmp(mode, "size"))
		want.ranks = atoi(argv[4]);
	else if (!strcmp(mode, "gone"))
		body = is_gone;
	if (asl_net_job(&rank, &size))
		asl_net_guard(rank, &patience);
	err = asl_net_run(&want, body, &number);
	if (err)
		fprintf(stderr, "%s: %s\n", strerror(-err), asl_failure());
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_hold_on_sim),
	};

	if (argc > 1)
		return as_rank(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
