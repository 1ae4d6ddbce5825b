/*
 * rank.c -- every verb: stop if broken, count, then act if there is data
 */
#include "lib/rank/rank.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/rank/blas.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void asl_rank_init(struct asl_rank *r, const struct asl_rank_want *want)
{
	*r = (struct asl_rank){
		.id = asl_net_rank(want->net),
		.size = asl_net_size(want->net),
		.cache = want->cache,
		.memory = {[ASL_POOL] = want->pool, [ASL_DRAM] = want->staging},
		.net = want->net,
		.data = asl_store_has_data(want->pool),
		.timed = strcmp(asl_net_transport(want->net), "sim"),
	};
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		r->rates[a] = asl_rates(want->costs, a);
}

static void note_high(struct asl_rank *r)
{
	uint64_t all = r->held[ASL_POOL] + r->held[ASL_DRAM];

	if (!asl_phase_counts(r->phase))
		return;
	if (r->ledger.memory_high < all)
		r->ledger.memory_high = all;
	if (r->ledger.pool_high < r->held[ASL_POOL])
		r->ledger.pool_high = r->held[ASL_POOL];
}

void asl_rank_restart(struct asl_rank *r)
{
	r->ledger = (struct asl_ledger){0};
	r->clock = (struct asl_net_stamp){{0}};
	r->seconds = (struct asl_seconds){0};
}

void asl_rank_fail(struct asl_rank *r, int err, const char *format, ...)
{
	va_list args;

	if (r->err)
		return;
	r->err = err;
	va_start(args, format);
	vsnprintf(r->why, sizeof r->why, format, args);
	va_end(args);
	/* Somebody else's abort reached us: that rank has the word. */
	if (err != -ECONNABORTED)
		asl_net_abort(r->net, asl_exit_code(err), r->why);
}

int asl_exit_code(int err)
{
	switch (-err) {
	case 0:
		return 0;
	case EINVAL:
	case ERANGE:
	case EOVERFLOW:
		return 2;
	case ENOMEM:
	case ENOENT:
	case ENOTDIR:
	case ENOSPC:
	case EACCES:
	case EPERM:
	case EROFS:
	case EFBIG:
	case EIO:
	case EEXIST:
	case EDQUOT:
	case ENAMETOOLONG:
	case ENETDOWN:
	case EOPNOTSUPP:
		return 3;
	case ECONNRESET:
	case ECONNABORTED:
	case EPIPE:
		return 5;
	default:
		return 4;
	}
}

void asl_phase(struct asl_rank *r, enum asl_phase phase)
{
	r->phase = phase;
	note_high(r);
}

int asl_rank_finish(struct asl_rank *r)
{
	int err = asl_store_error(r->memory[ASL_POOL]);

	if (err)
		asl_rank_fail(r, err, "%s", asl_store_why());
	return r->err;
}

/* Add to the ledger and, in phases that count, to the clocks. */
static void charge(struct asl_rank *r, enum asl_counter counter, uint64_t n)
{
	r->ledger.in[r->phase].of[counter] += n;
	if (!asl_phase_counts(r->phase))
		return;
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		r->clock.at[a] += r->rates[a].of[counter] * (double)n;
}

enum verb { COMPUTE, COMM, IO };

static void spent(struct asl_rank *r, enum verb verb, double since)
{
	double s = now() - since;

	r->seconds.in[r->phase] += s;
	if (!asl_phase_counts(r->phase))
		return;
	*(verb == COMPUTE ? &r->seconds.compute
	  : verb == COMM  ? &r->seconds.comm
			  : &r->seconds.io) += s;
}

/* ---- Main memory ---- */

static uint64_t take(struct asl_rank *r, double **at, enum asl_where where,
		     uint64_t count)
{
	int err;

	*at = NULL;
	if (r->err)
		return 0;
	err = asl_store_take(r->memory[where], at, count);
	if (err) {
		asl_rank_fail(r, err, "%s", asl_store_why());
		return 0;
	}
	r->held[where] += count;
	note_high(r);
	return count;
}

void asl_take(struct asl_rank *r, struct asl_words *x, enum asl_where where,
	      uint64_t count)
{
	*x = (struct asl_words){.where = where};
	x->count = take(r, &x->at, where, count);
}

/* Acts after an error too: what was taken is still given back. */
void asl_give(struct asl_rank *r, struct asl_words *x)
{
	r->held[x->where] -= x->count;
	asl_store_give(r->memory[x->where], x->at);
	*x = (struct asl_words){0};
}

struct asl_words asl_slice(const struct asl_words *x, uint64_t first,
			   uint64_t count)
{
	return (struct asl_words){x->where, count,
				  x->at ? x->at + first : NULL};
}

struct asl_block asl_as_block(const struct asl_words *x, uint64_t rows,
			      uint64_t cols)
{
	return (struct asl_block){x->where, rows, cols, cols, x->at};
}

struct asl_block asl_sub_block(const struct asl_block *x, uint64_t row,
			       uint64_t col, uint64_t rows, uint64_t cols)
{
	assert(row + rows <= x->rows && col + cols <= x->cols);
	return (struct asl_block){x->where, rows, cols, x->ld,
				  x->at ? x->at + row * x->ld + col : NULL};
}

static void charge_lifted(struct asl_rank *r, enum asl_where from, uint64_t n)
{
	charge(r, from == ASL_POOL ? ASL_NVM_LIFT : ASL_BOUNCE_READ, n);
}

static void charge_landed(struct asl_rank *r, enum asl_where to, uint64_t n)
{
	charge(r, to == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE, n);
}

void asl_copy(struct asl_rank *r, struct asl_words *dst,
	      const struct asl_words *src)
{
	struct asl_block to = asl_as_block(dst, 1, dst->count);
	struct asl_block from = asl_as_block(src, 1, src->count);

	asl_copy_block(r, &to, &from);
}

void asl_copy_block(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_block *src)
{
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	charge_lifted(r, src->where, src->rows * src->cols);
	charge_landed(r, dst->where, dst->rows * dst->cols);
	if (!r->data)
		return;
	since = now();
	asl_store_write(r->memory[dst->where], dst->at, dst->ld, src->at,
			src->ld, src->rows, src->cols);
	spent(r, IO, since);
}

void asl_add(struct asl_rank *r, struct asl_words *dst,
	     const struct asl_words *a, const struct asl_words *b)
{
	double since;

	if (r->err)
		return;
	assert(dst->count == a->count && a->count == b->count);
	charge_lifted(r, a->where, a->count);
	charge_lifted(r, b->where, b->count);
	charge_landed(r, dst->where, dst->count);
	if (!r->data)
		return;
	since = now();
	for (uint64_t i = 0; i < dst->count; i++)
		dst->at[i] = a->at[i] + b->at[i];
	asl_store_settle(r->memory[dst->where], dst->at, dst->count);
	spent(r, IO, since);
}

/* ---- Cache ---- */

void asl_tile_take(struct asl_rank *r, struct asl_tile *t, uint64_t rows,
		   uint64_t cols)
{
	*t = (struct asl_tile){0};
	if (!r->err && rows * cols > r->cache - r->cache_held)
		asl_rank_fail(r, -ENOMEM,
			      "a tile of %ju x %ju words does not fit into a "
			      "cache of %ju, of which %ju are taken",
			      rows, cols, r->cache, r->cache_held);
	t->room = take(r, &t->at, ASL_DRAM, rows * cols);
	r->cache_held += t->room;
	asl_tile_zero(t, rows, cols);
}

void asl_tile_give(struct asl_rank *r, struct asl_tile *t)
{
	r->held[ASL_DRAM] -= t->room;
	r->cache_held -= t->room;
	asl_store_give(r->memory[ASL_DRAM], t->at);
	*t = (struct asl_tile){0};
}

void asl_tile_zero(struct asl_tile *t, uint64_t rows, uint64_t cols)
{
	t->rows = rows;
	t->cols = cols;
	t->zero = true;
}

void asl_tile_load(struct asl_rank *r, struct asl_tile *dst,
		   const struct asl_block *src)
{
	double since;

	if (r->err)
		return;
	assert(src->rows * src->cols <= dst->room);
	dst->rows = src->rows;
	dst->cols = src->cols;
	dst->zero = false;
	charge(r, src->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
	       src->rows * src->cols);
	if (!r->data)
		return;
	since = now();
	asl_store_read(r->memory[src->where], dst->at, dst->cols, src->at,
		       src->ld, src->rows, src->cols);
	spent(r, IO, since);
}

void asl_tile_store(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_tile *src)
{
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	charge(r, dst->where == ASL_POOL ? ASL_NVM_WRITE : ASL_DRAM_WRITE,
	       dst->rows * dst->cols);
	if (!r->data)
		return;
	since = now();
	if (src->zero)
		memset(src->at, 0, src->rows * src->cols * sizeof(double));
	asl_store_write(r->memory[dst->where], dst->at, dst->ld, src->at,
			src->cols, dst->rows, dst->cols);
	spent(r, IO, since);
}

void asl_multiply(struct asl_rank *r, struct asl_tile *c,
		  const struct asl_block *A, const struct asl_block *B,
		  uint64_t depth)
{
	uint64_t sliver = depth < A->cols ? depth : A->cols;
	double since;

	if (r->err)
		return;
	assert(A->rows == c->rows && B->cols == c->cols && A->cols == B->rows);
	if (sliver * (A->rows + B->cols) > r->cache - r->cache_held) {
		asl_rank_fail(r, -ENOMEM,
			      "slivers %ju deep of a %ju x %ju tile do not fit "
			      "into a cache of %ju words",
			      sliver, c->rows, c->cols, r->cache);
		return;
	}
	charge(r, A->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
	       A->rows * A->cols);
	charge(r, B->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
	       B->rows * B->cols);
	charge(r, ASL_FLOPS, 2 * c->rows * c->cols * A->cols);
	if (!A->cols)
		return;
	if (r->data) {
		since = now();
		asl_gemm(c->rows, c->cols, A->cols, A->at, A->ld, B->at, B->ld,
			 c->zero ? 0 : 1, c->at, c->cols);
		spent(r, COMPUTE, since);
	}
	c->zero = false;
}

/* ---- Network ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* A step's clock: max(own, the sender's before it sent) + alpha + beta x. */
static void advance(struct asl_rank *r, const struct asl_net_op *op,
		    uint64_t words)
{
	if (!asl_phase_counts(r->phase))
		return;
	for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
		double from = r->clock.at[a];

		if (op->from != ASL_NET_NONE)
			from = later(from, op->got.at[a]);
		r->clock.at[a] = from + r->rates[a].of[ASL_NET_MSGS] +
				 r->rates[a].of[ASL_BH] * (double)words;
	}
}

/* One step of the network; out or in may be NULL. */
static void step(struct asl_rank *r, int to, const struct asl_words *out,
		 int from, struct asl_words *in)
{
	struct asl_net_op op = {.to = out ? to : ASL_NET_NONE,
				.from = in ? from : ASL_NET_NONE};
	uint64_t sent = out ? out->count : 0, received = in ? in->count : 0;
	struct asl_counts *counts = &r->ledger.in[r->phase];
	double since;
	int err;

	if (r->err)
		return;
	if (out && out->where == ASL_POOL)
		charge(r, ASL_NVM_LIFT, sent);
	op.sent = r->clock;
	if (out) {
		op.out = out->at;
		op.out_bytes = sent * sizeof(double);
		counts->of[ASL_NET_MSGS]++;
	}
	if (in) {
		op.in = in->at;
		op.in_bytes = received * sizeof(double);
	}
	counts->of[ASL_NET_SEND] += sent;
	counts->of[ASL_NET_RECV] += received;
	counts->of[ASL_BH] += larger(sent, received);

	since = r->timed ? now() : 0;
	err = asl_net_start(r->net, &op);
	if (!err)
		err = asl_net_wait(r->net, &op);
	if (err) {
		asl_rank_fail(r, err, "%s", asl_net_why());
		return;
	}
	advance(r, &op, larger(sent, received));
	if (in && in->where == ASL_POOL) {
		charge(r, ASL_NVM_LAND, received);
		asl_store_settle(r->memory[ASL_POOL], in->at, received);
	}
	if (r->timed)
		spent(r, COMM, since);
}

void asl_send(struct asl_rank *r, int to, const struct asl_words *out)
{
	step(r, to, out, ASL_NET_NONE, NULL);
}

void asl_recv(struct asl_rank *r, int from, struct asl_words *in)
{
	step(r, ASL_NET_NONE, NULL, from, in);
}

void asl_exchange(struct asl_rank *r, int to, const struct asl_words *out,
		  int from, struct asl_words *in)
{
	step(r, to, out, from, in);
}
