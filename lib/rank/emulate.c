/*
 * emulate.c -- words and messages that take as long as on another machine
 */
#include "lib/rank/emulate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/estimate.h"
#include "lib/base/parts.h"
#include "lib/machine/ticks.h"
#include "lib/rank/bucket.h"

/* In memory that the ranks of a host share. */
struct host {
	struct asl_bucket way[ASL_DIRECTIONS];
	double begin;	/* by asl_now: times count from here on all ranks */
	uint64_t nonce; /* identifies this memory */
};

struct asl_emulator {
	struct host *host;
	int fd; /* of the memory, on the rank that made it; -1 elsewhere */
	int rank;
	int *host_first; /* by rank: the first rank on its host */
	int host_ranks;
	double ticks_per_s;
	void (*rest)(void); /* between two looks at the ticks */

	struct asl_emulation as;
	double byte_ps[ASL_DIRECTIONS], net_byte_ps;
	uint64_t latency_ps[ASL_DIRECTIONS], message_ps, line_bytes;
	bool net; /* the network is emulated, too */

	uint64_t other_ps; /* steps since the overlapping one started */
	uint64_t bytes[ASL_DIRECTIONS]; /* noted, not yet waited for */
	uint64_t debt_ps; /* short rest of a wait that the next request pays */
};

/* ---- Waiting ---- */

#define SLICE_S 2e-5 /* of ticks between two looks at the clock */
#define MOST_DEBT_PS UINT64_C(1000000)

enum { TURN_BYTES = 1 << 16 };

static uint64_t ps_of(const struct asl_emulator *p, double s)
{
	double ps = (s - p->host->begin) * 1e12;

	return ps > 0 ? (uint64_t)ps : 0;
}

static void spin(const struct asl_emulator *p, double s)
{
	uint64_t from = asl_ticks();
	uint64_t ticks = (uint64_t)(fmin(s, SLICE_S) * p->ticks_per_s);

	while (asl_ticks() - from < ticks)
		p->rest();
}

/* Returns how late it is. */
static uint64_t wait_until(const struct asl_emulator *p, uint64_t due)
{
	uint64_t now;

	while ((now = ps_of(p, asl_now())) < due)
		spin(p, (double)(due - now) * 1e-12);
	return now - due;
}

/* A short rest becomes a debt: waiting for it would take longer. */
static uint64_t wait_or_borrow(struct asl_emulator *p, uint64_t due)
{
	uint64_t now = ps_of(p, asl_now());

	p->debt_ps = now < due && due - now < MOST_DEBT_PS ? due - now : 0;
	return p->debt_ps ? 0 : wait_until(p, due);
}

static void add_error(struct asl_rank *r, uint64_t took, uint64_t late)
{
	r->seconds.target += (double)took * 1e-12;
	r->seconds.late += (double)late * 1e-12;
}

/* ---- Pool ---- */

uint64_t asl_emulated_bytes(enum asl_direction *way, enum asl_counter counter,
			    uint64_t runs, uint64_t bytes, uint64_t line_bytes)
{
	*way = ASL_READS;
	if (counter == ASL_NVM_READ || counter == ASL_NVM_LIFT)
		return runs * bytes;
	if (counter != ASL_NVM_WRITE && counter != ASL_NVM_LAND)
		return 0;
	*way = ASL_WRITES;
	return runs * asl_ceil_div(bytes, line_bytes) * line_bytes;
}

void asl_emulator_note(struct asl_emulator *p, enum asl_counter counter,
		       uint64_t runs, uint64_t run_bytes)
{
	enum asl_direction way;
	uint64_t bytes = asl_emulated_bytes(&way, counter, runs, run_bytes,
					    p->line_bytes);

	p->bytes[way] += bytes;
}

static uint64_t takes(const struct asl_emulator *p, enum asl_direction way,
		      uint64_t bytes)
{
	return (uint64_t)llround(p->byte_ps[way] * (double)bytes);
}

/* In turns, so that no rank waits for all of another's long request. */
static uint64_t serve(struct asl_rank *r, enum asl_direction way,
		      uint64_t bytes, uint64_t due)
{
	struct asl_emulator *p = r->emulator;

	for (uint64_t part; bytes; bytes -= part) {
		part = asl_min(bytes, TURN_BYTES);
		due = asl_bucket_serve(&p->host->way[way], due,
				       takes(p, way, part));
		wait_or_borrow(p, due);
		asl_overlap_poll(r);
	}
	return due + p->latency_ps[way];
}

void asl_emulator_pool(struct asl_rank *r, double since, double booked_until)
{
	struct asl_emulator *p = r->emulator;
	double talked = r->seconds.comm;
	uint64_t begin = ps_of(p, since) + p->debt_ps, due = begin;
	uint64_t alone = 0, late;

	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		uint64_t bytes = p->bytes[way];

		p->bytes[way] = 0; /* polling the overlap may get here again */
		if (!bytes)
			continue;
		due = serve(r, way, bytes, due);
		alone += takes(p, way, bytes) + p->latency_ps[way];
	}
	if (!alone)
		return;
	late = wait_or_borrow(p, due);
	asl_time_add(r, ASL_MOVES,
		     asl_now() - booked_until - (r->seconds.comm - talked));
	add_error(r, alone, late);
	r->seconds.queued += 1e-12 * ((double)(due - begin) - (double)alone);
}

/* ---- Network ---- */

static size_t bytes_of(const struct asl_net_op *op)
{
	return asl_max(op->out_bytes, op->in_bytes);
}

static uint64_t begin_of(const struct asl_emulator *p,
			 const struct asl_net_op *op)
{
	double here = op->sent.since, there = here;

	if (op->from != ASL_NET_NONE &&
	    p->host_first[op->from] == p->host_first[p->rank])
		there = op->got.since;
	return ps_of(p, fmax(here, there));
}

static uint64_t step_takes(const struct asl_emulator *p,
			   const struct asl_net_op *op)
{
	return p->message_ps +
	       (uint64_t)llround(p->net_byte_ps * (double)bytes_of(op));
}

bool asl_emulator_has_net(const struct asl_emulator *p)
{
	return p->net;
}

void asl_emulator_start_overlap(struct asl_emulator *p)
{
	p->other_ps = 0;
}

static uint64_t overlap_due(const struct asl_emulator *p,
			    const struct asl_net_op *op)
{
	return begin_of(p, op) + step_takes(p, op) + p->other_ps;
}

bool asl_emulator_overlap_ended(const struct asl_emulator *p,
				const struct asl_net_op *op)
{
	return !p->net || ps_of(p, asl_now()) >= overlap_due(p, op);
}

void asl_emulator_end_overlap(struct asl_emulator *p,
			      const struct asl_net_op *op)
{
	if (p->net)
		wait_until(p, overlap_due(p, op));
}

/*
 * The error counts steps that know when the other end began, and that are long
 * compared with this machine's latency; but none that overlap with computing,
 * whose end a rank that computes sees late.
 */
void asl_emulator_step(struct asl_rank *r, const struct asl_net_op *op)
{
	struct asl_emulator *p = r->emulator;
	uint64_t late;

	if (!p->net)
		return;
	late = wait_until(p, begin_of(p, op) + step_takes(p, op));
	p->other_ps += step_takes(p, op);
	if (op->from != ASL_NET_NONE && bytes_of(op) >= TURN_BYTES)
		add_error(r, step_takes(p, op), late);
}

/*
 * Can this machine be as fast as the emulated one?
 *
 * The probe uses the verbs that move words in a run.  First without emulation:
 * one rank alone on each host, which must not be slower than the device, then
 * all ranks at once, which together must not be slower either.  Messages go
 * between two halves of the ranks.  Then with emulation, which gives the error.
 * The median of many requests is what the machine can do; whatever disturbs it
 * for a while shows in the error of the run.
 */

enum { PASSES = 4, REQUESTS = 512 };
enum { TILE_WORDS = 1 << 15, MESSAGE_WORDS = 1 << 17 };
#define ERROR_NS 2e7

struct probe {
	struct asl_rank *r;
	struct asl_words region;
	struct asl_tile tile;
};

/* Seconds of one request. */
static double move(struct probe *b, enum asl_direction way, int number)
{
	uint64_t each = b->tile.capacity, first = (uint64_t)number * each;
	struct asl_words x = asl_slice(&b->region, first, each);
	struct asl_block at = asl_as_block(&x, 1, each);
	double since = asl_now();

	if (way == ASL_READS)
		asl_tile_load(b->r, &b->tile, &at);
	else
		asl_tile_store(b->r, &at, &b->tile);
	return asl_now() - since;
}

static int requests(const struct probe *b)
{
	return (int)asl_min(b->region.count / b->tile.capacity, REQUESTS);
}

/* Nanoseconds a word.  Writing comes first: pages have not been touched yet. */
static void measure_pool(struct probe *b, double word[ASL_DIRECTIONS])
{
	double times[PASSES * REQUESTS];
	int count = requests(b);

	for (int way = ASL_DIRECTIONS - 1; way >= 0; way--) {
		for (int i = 0; i < PASSES * count; i++)
			times[i] = move(b, way, i % count);
		word[way] = asl_median(times, PASSES * count) * 1e9 /
			    (double)b->tile.capacity;
	}
}

/* The error of requests that take a while on the other machine. */
static double measure_error(struct probe *b, const struct asl_emulation *as)
{
	const struct asl_seconds *s = &b->r->seconds;

	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		double each = as->word[way] * (double)b->tile.capacity;

		for (int i = 0; i < requests(b) && i * each < ERROR_NS; i++)
			move(b, way, i);
	}
	return s->target > 0 ? s->late / s->target : 0;
}

static int peer_of(const struct asl_rank *r)
{
	int half = r->size / 2;

	return r->id < half	  ? r->id + half
	       : r->id < 2 * half ? r->id - half
				  : ASL_NET_NONE;
}

static double measure_net(struct asl_rank *r)
{
	struct asl_words out, in;
	int peer = peer_of(r);
	double best = peer == ASL_NET_NONE ? 0 : INFINITY;

	asl_take(r, &out, ASL_DRAM, MESSAGE_WORDS);
	asl_take(r, &in, ASL_DRAM, MESSAGE_WORDS);
	for (uint64_t i = 0; i < out.count; i++)
		out.at[i] = 0;
	for (int i = 0; i < PASSES && peer != ASL_NET_NONE; i++) {
		double since = asl_now();

		asl_exchange(r, peer, &out, peer, &in);
		best = fmin(best, asl_now() - since);
	}
	asl_give(r, &in);
	asl_give(r, &out);
	return best * 1e9 / MESSAGE_WORDS;
}

static void together(struct asl_rank *r)
{
	if (!r->err)
		asl_rank_stop(r, asl_net_barrier(r->net));
}

static void measure(struct asl_emulator_probe *mine, struct probe *b)
{
	struct asl_rank *r = b->r;
	struct asl_emulator *p = r->emulator;

	r->emulator = NULL;
	if (asl_net_host_rank(r->net) == 0)
		measure_pool(b, mine->alone);
	together(r);
	measure_pool(b, mine->shared);
	for (int way = 0; way < ASL_DIRECTIONS; way++)
		mine->shared[way] /= p->host_ranks;
	together(r);
	mine->net = measure_net(r);
	together(r);
	r->emulator = p;
	mine->error = measure_error(b, &p->as);
}

static void worst(struct asl_emulator_probe *x,
		  const struct asl_emulator_probe *y)
{
	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		x->alone[way] = fmax(x->alone[way], y->alone[way]);
		x->shared[way] = fmax(x->shared[way], y->shared[way]);
	}
	x->net = fmax(x->net, y->net);
	x->error = fmax(x->error, y->error);
}

/* Rank 0 finds the worst and tells all ranks. */
static int share(struct asl_emulator_probe *out, struct asl_rank *r)
{
	struct asl_emulator_probe *all = calloc((size_t)r->size, sizeof *all);
	int err =
		all ? asl_net_collect(r->net, all, out, sizeof *out) : -ENOMEM;

	for (int i = 0; !err && r->id == 0 && i < r->size; i++)
		worst(out, &all[i]);
	free(all);
	return err ? err : asl_net_share(r->net, out, sizeof *out);
}

static int judge(struct asl_emulator_probe *out, struct asl_emulator *p)
{
	if (p->net)
		p->net =
			out->net <= p->as.net; /* a slower one stays as it is */
	else
		out->net = NAN;
	for (int way = 0; way < ASL_DIRECTIONS; way++)
		if (out->alone[way] > p->as.word[way] ||
		    out->shared[way] > p->as.word[way])
			return -EOPNOTSUPP;
	return 0;
}

int asl_emulator_check(struct asl_emulator_probe *out, struct asl_rank *r)
{
	struct probe b = {.r = r};
	enum asl_type type = r->type;
	int err;

	*out = (struct asl_emulator_probe){0};
	r->type = ASL_FLOAT64;
	asl_phase(r, ASL_COMPUTE);
	asl_take(r, &b.region, ASL_POOL, ASL_EMULATOR_WORDS);
	asl_tile_take(r, &b.tile, 1, asl_min(TILE_WORDS, r->cache));
	if (!r->err)
		measure(out, &b);
	asl_tile_give(r, &b.tile);
	asl_give(r, &b.region);
	r->type = type;
	asl_rank_restart(r);
	err = r->err ? r->err : share(out, r);
	return err ? err : judge(out, r->emulator);
}

/*
 * Opening: the ranks of a host share memory
 *
 * The first rank of a host makes it without a name; the others open it through
 * the first rank's descriptors in /proc.  It is gone with the last process that
 * has it, however that ends.
 */

/* Long enough for the error of two looks at a clock not to matter. */
#define MEASURE_S 5e-3

/* Where a rank is and, if it is the first there, the memory that it made. */
struct seat {
	int first, pid, fd;
	uint64_t nonce;
};

static double measure_ticks(void)
{
	double since = asl_now(), s;
	uint64_t from = asl_ticks();

	do
		s = asl_now() - since;
	while (s < MEASURE_S);
	return (double)(asl_ticks() - from) / s;
}

/* Ranks that outnumber cores wait on cores that others need. */
static void yield(void)
{
	sched_yield();
}

static int map(struct asl_emulator *p, int fd)
{
	void *at = mmap(NULL, sizeof *p->host, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	p->host = at;
	return 0;
}

static int make(struct asl_emulator *p)
{
	int err;

	p->fd = memfd_create("aslant-emulation", MFD_CLOEXEC);
	if (p->fd < 0 || ftruncate(p->fd, sizeof *p->host))
		return -errno;
	err = map(p, p->fd);
	if (err)
		return err;
	p->host->begin = asl_now();
	return getrandom(&p->host->nonce, sizeof p->host->nonce, 0) < 0 ? -errno
									: 0;
}

/* In another namespace the pid may be another process's. */
static int find(struct asl_emulator *p, const struct seat *first)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", first->pid, first->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = map(p, fd);
	close(fd);
	return err ? err : p->host->nonce == first->nonce ? 0 : -ENODEV;
}

static struct seat seat_of(const struct asl_emulator *p, struct asl_net *net)
{
	return (struct seat){
		.first = asl_net_host_first(net),
		.pid = getpid(),
		.fd = p->fd,
		.nonce = p->host ? p->host->nonce : 0,
	};
}

static void count_mates(struct asl_emulator *p, const struct seat *seats,
			int ranks)
{
	p->host_ranks = 0;
	for (int i = 0; i < ranks; i++) {
		p->host_first[i] = seats[i].first;
		p->host_ranks += seats[i].first == seats[p->rank].first;
	}
}

static int meet(struct asl_emulator *p, struct seat *seats, struct asl_net *net)
{
	int ranks = asl_net_size(net), first = asl_net_host_first(net);
	int failed = first == p->rank ? make(p) : 0, err;
	struct seat mine = seat_of(p, net);

	err = asl_net_collect(net, seats, &mine, sizeof mine);
	if (!err)
		err = asl_net_share(net, seats, (size_t)ranks * sizeof *seats);
	if (!err && first != p->rank)
		failed = find(p, &seats[first]);
	/* The first keeps its descriptor until all have opened it. */
	if (!err)
		err = asl_net_barrier(net);
	if (err)
		return err;
	count_mates(p, seats, ranks);
	return failed ? asl_fail(-ENODEV,
				 "the ranks of a host cannot share memory by "
				 "way of /proc, which an emulated device takes")
		      : 0;
}

static void translate(struct asl_emulator *p)
{
	const struct asl_emulation *as = &p->as;

	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		p->byte_ps[way] = as->word[way] * 1000 / sizeof(double);
		p->latency_ps[way] = (uint64_t)llround(as->latency[way] * 1000);
	}
	p->net_byte_ps = as->net * 1000 / sizeof(double);
	p->message_ps = (uint64_t)llround(as->message * 1000);
	p->line_bytes = as->line_bytes ? (uint64_t)as->line_bytes : 1;
}

int asl_emulator_open(struct asl_emulator **out, const struct asl_emulation *as,
		      struct asl_net *net)
{
	size_t ranks = (size_t)asl_net_size(net);
	struct seat *seats = calloc(ranks, sizeof *seats);
	struct asl_emulator *p = calloc(1, sizeof *p);
	int err;

	*out = p;
	if (p)
		*p = (struct asl_emulator){
			.fd = -1,
			.rank = asl_net_rank(net),
			.as = *as,
			.net = ranks > 1,
			.host_first = calloc(ranks, sizeof *p->host_first),
		};
	err = seats && p && p->host_first
		      ? meet(p, seats, net)
		      : asl_fail(-ENOMEM, "no memory for an emulated device");
	if (!err) {
		p->rest = asl_net_core(net) < 1 ? yield : asl_ticks_rest;
		p->ticks_per_s = measure_ticks();
		translate(p);
	}
	free(seats);
	return err;
}

void asl_emulator_close(struct asl_emulator *p)
{
	if (!p)
		return;
	if (p->host)
		munmap(p->host, sizeof *p->host);
	if (p->fd >= 0)
		close(p->fd);
	free(p->host_first);
	free(p);
}
