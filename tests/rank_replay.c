/*
 * rank_replay.c -- which lines each verb touches, with data and without
 *
 * The cache is larger than all that is touched, so that what is read are the
 * lines touched, and what is written are those written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rank/rank.h"

enum { LINE = 4, LINES = 4096, CACHE = 1000 };

static int wrong; /* in any rank since the test began */

/* Lines touched and lines written since the last restart; then anew. */
#define TOUCHED(lines, writes) touched(r, __LINE__, lines, writes)

static void touched(struct asl_rank *r, int at, uint64_t lines, uint64_t writes)
{
	struct asl_lru_traffic x = asl_replay_traffic(r->replay);

	if (x.read != LINE * lines || x.written != LINE * writes) {
		print_error("%s:%d: rank %d read %ju and wrote %ju words, "
			    "expected %ju and %ju\n",
			    __FILE__, at, r->id, x.read, x.written,
			    LINE * lines, LINE * writes);
		wrong++;
	}
	asl_rank_restart(r);
}

struct session {
	const char *store;
	void (*body)(struct asl_rank *r);
};

static int be_rank(struct asl_net *net, void *arg)
{
	static const struct asl_lru_shape shape = {LINE * LINES, LINE, LINES};
	static const struct asl_costs costs = {.read = 1};
	struct session *s = arg;
	struct asl_store_want store = {.name = s->store};
	struct asl_rank_want want = {
		.net = net, .cache = CACHE, .costs = &costs};
	struct asl_rank r;
	int err = asl_store_open(&want.pool, &store);

	if (!err)
		err = asl_store_open(&want.staging, &store);
	if (!err)
		err = asl_replay_open(&want.replay, &shape);
	if (!err) {
		asl_rank_init(&r, &want);
		asl_phase(&r, ASL_COMPUTE);
		s->body(&r);
		wrong += r.err != 0;
	}
	asl_replay_close(want.replay);
	asl_store_close(want.staging);
	asl_store_close(want.pool);
	return err;
}

static void on_ranks(int ranks, void (*body)(struct asl_rank *r))
{
	static const char *const stores[] = {"null", "dram"};

	for (int i = 0; i < 2; i++) {
		struct session s = {stores[i], body};
		struct asl_net_want want = {
			.transport = "sim", .ranks = ranks, .data = i > 0};

		wrong = 0;
		assert_int_equal(asl_net_run(&want, be_rank, &s), 0);
		assert_int_equal(wrong, 0);
	}
}

static void take(struct asl_rank *r, struct asl_words *x, enum asl_where where,
		 uint64_t count)
{
	asl_take(r, x, where, count);
	if (r->data)
		memset(x->at, 0, count * sizeof *x->at);
}

/* ---- Main memory ---- */

static void move(struct asl_rank *r)
{
	struct asl_words x, y, z, part;
	struct asl_block a, b;

	take(r, &x, ASL_POOL, 40);
	take(r, &y, ASL_DRAM, 40);
	take(r, &z, ASL_DRAM, 40);
	asl_copy(r, &y, &x);
	TOUCHED(20, 10);
	asl_add(r, &z, &x, &y);
	TOUCHED(30, 10);
	asl_add(r, &y, &x, &y);
	TOUCHED(20, 10);
	/* A piece that begins within a line, and ends in the first word of one. */
	part = asl_slice(&x, 3, 6);
	y.count = z.count = 6;
	asl_copy(r, &y, &part);
	TOUCHED(3 + 2, 2);
	y.count = z.count = 40;
	/* Rows of 3 from 10 to 10: lines 0, 2 and 3, 5; to 5 x 3 words. */
	a = asl_as_block(&x, 4, 10);
	a = asl_sub_block(&a, 0, 2, 3, 3);
	b = asl_as_block(&z, 8, 5);
	b = asl_sub_block(&b, 0, 0, 3, 3);
	asl_copy_block(r, &b, &a);
	TOUCHED(2 + 1 + 2 + 4, 4);
	asl_phase(r, ASL_VERIFY);
	asl_copy(r, &y, &x);
	TOUCHED(0, 0);
	asl_phase(r, ASL_COMPUTE);
	asl_give(r, &z);
	asl_give(r, &y);
	asl_give(r, &x);
}

/* Gaps are filled, from the lowest address on. */
static void reuse(struct asl_rank *r)
{
	struct asl_words x, y, z, again;

	take(r, &x, ASL_POOL, 40);
	take(r, &y, ASL_DRAM, 37);
	take(r, &z, ASL_POOL, 40);
	asl_copy(r, &z, &x);
	asl_give(r, &x);
	take(r, &again, ASL_DRAM, 39);
	asl_copy(
		r, &again,
		&(struct asl_words){.where = z.where, .count = 39, .at = z.at});
	TOUCHED(20, 20);
	asl_copy(
		r, &y,
		&(struct asl_words){.where = z.where, .count = 37, .at = z.at});
	asl_give(r, &y);
	asl_give(r, &again);
	take(r, &x, ASL_POOL, 80); /* x and y */
	asl_copy(r,
		 &(struct asl_words){.where = x.where, .count = 40, .at = x.at},
		 &z);
	asl_copy(r,
		 &(struct asl_words){
			 .where = x.where, .count = 40, .at = x.at + 40},
		 &z);
	TOUCHED(30, 20);
	asl_give(r, &x);
	asl_give(r, &z);
}

static void memory(void **state)
{
	(void)state;
	on_ranks(1, move);
	on_ranks(1, reuse);
}

/* ---- Tiles ---- */

static void look(const double *at, void *arg)
{
	(void)at;
	(void)arg;
}

static void use_tiles(struct asl_rank *r)
{
	struct asl_words x, y;
	struct asl_block a, b;
	struct asl_tile t;

	take(r, &x, ASL_POOL, 64);
	take(r, &y, ASL_DRAM, 64);
	asl_tile_take(r, &t, 8, 8);
	a = asl_as_block(&x, 8, 8);
	b = asl_as_block(&y, 8, 8);
	/* A buffer of its own. */
	asl_tile_load(r, &t, &a);
	TOUCHED(32, 16);
	asl_tile_store(r, &b, &t);
	TOUCHED(32, 16);
	asl_tile_zero(&t, 8, 8);
	asl_tile_store(r, &b, &t);
	TOUCHED(16, 16);
	/* The block itself. */
	asl_tile_begin(r, &t, &b);
	asl_tile_load(r, &t, &b);
	asl_tile_store(r, &b, &t);
	TOUCHED(0, 0);
	asl_tile_begin(r, &t, &b);
	asl_tile_store(r, &b, &t);
	TOUCHED(16, 16);
	/* It is stored elsewhere, and loaded from elsewhere. */
	asl_tile_begin(r, &t, &b);
	asl_tile_load(r, &t, &b);
	asl_tile_store(r, &a, &t);
	TOUCHED(32, 16);
	asl_tile_begin(r, &t, &b);
	asl_tile_load(r, &t, &a);
	TOUCHED(32, 16);
	asl_tile_store(r, &b, &t);
	TOUCHED(32, 16);
	asl_compute(r, &x, 1, look, NULL);
	TOUCHED(16, 0);
	asl_tile_give(r, &t);
	asl_give(r, &y);
	asl_give(r, &x);
}

static void multiply(struct asl_rank *r)
{
	struct asl_words x, y, z;
	struct asl_block A, B, C;
	struct asl_tile t;

	take(r, &x, ASL_POOL, 8 * 12);
	take(r, &y, ASL_POOL, 12 * 16);
	take(r, &z, ASL_POOL, 8 * 16);
	asl_tile_take(r, &t, 8, 16);
	A = asl_as_block(&x, 8, 12);
	B = asl_as_block(&y, 12, 16);
	C = asl_as_block(&z, 8, 16);
	asl_multiply(r, &t, &A, &B, 5);
	TOUCHED(24 + 48 + 32, 32);
	asl_tile_store(r, &C, &t);
	TOUCHED(64, 32);
	asl_tile_begin(r, &t, &C);
	asl_multiply(r, &t, &A, &B, 5);
	asl_tile_store(r, &C, &t);
	TOUCHED(24 + 48 + 32, 32);
	/* A corner: 4 x 4 words of C, from 4 rows of A and 4 columns of B. */
	C = asl_sub_block(&C, 4, 8, 4, 4);
	A = asl_sub_block(&A, 4, 0, 4, 12);
	B = asl_sub_block(&B, 0, 4, 12, 4);
	asl_tile_begin(r, &t, &C);
	asl_multiply(r, &t, &A, &B, 12);
	TOUCHED(12 + 12 + 4, 4);
	asl_tile_give(r, &t);
	asl_give(r, &z);
	asl_give(r, &y);
	asl_give(r, &x);
}

static void tiles(void **state)
{
	(void)state;
	on_ranks(1, use_tiles);
	on_ranks(1, multiply);
}

/* ---- Network ---- */

static void talk(struct asl_rank *r)
{
	struct asl_words x, y;
	struct asl_tile t;

	take(r, &x, ASL_POOL, 20);
	take(r, &y, ASL_DRAM, 12);
	asl_tile_take(r, &t, 3, 4);
	if (r->id == 0) {
		asl_exchange(r, 1, &x, 1, &y);
		TOUCHED(5 + 3, 3);
		y = asl_slice(&y, 0, 12);
		asl_send(r, 1, &y);
		TOUCHED(3, 0);
	} else {
		asl_exchange(r, 0, &y, 0, &x);
		TOUCHED(5 + 3, 5);
		y = asl_tile_words(&t, 0, 12);
		asl_recv(r, 0, &y);
		TOUCHED(3, 3);
		y.at = NULL;
	}
	asl_tile_give(r, &t);
	asl_give(r, &x);
}

static void network(void **state)
{
	(void)state;
	on_ranks(2, talk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory),
		cmocka_unit_test(tiles),
		cmocka_unit_test(network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
