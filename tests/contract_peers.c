/*
 * contract_peers.c -- who has words of a run: all of these, and nobody twice
 *
 * Held against asking every rank, for random tensors on random meshes, whose runs
 * are of a mesh or of all; and those found are few where meshes are alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/contract/spread.h"
#include "tests/help/random.h"

enum { MOST_RANKS = 3000, MOST_PARTS = 60 };

struct found {
	int times[MOST_RANKS];
	int visits;
};

static void note(int rank, void *arg)
{
	struct found *x = arg;

	assert_in_range(rank, 0, MOST_RANKS - 1);
	x->times[rank]++;
	x->visits++;
}

static struct asl_mesh roll_mesh(struct dice *d, const struct asl_einsum *e,
				 int most)
{
	struct asl_mesh mesh;
	int left = most;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		mesh.p[i] = 1;
	for (int i = 0; i < e->indices; i++) {
		uint64_t parts = asl_min((uint64_t)left, e->size[i]);

		mesh.p[i] = (int)roll(d, 1, parts);
		left /= mesh.p[i];
	}
	return mesh;
}

/* Where the tensor of a term goes, and where it is. */
struct move {
	struct asl_einsum e;
	struct asl_mesh here, there;
	struct asl_spread from, to;
};

static void roll_move(struct move *m, struct dice *d)
{
	static const char *const specs[] = {"ijkl->kij", "ij,jk->ki", "abc->",
					    "a,b->ba", "i,jk,l->lij"};
	const struct asl_term *t;

	assert_int_equal(
		asl_einsum_parse(
			&m->e,
			specs[roll(d, 0, sizeof specs / sizeof *specs - 1)]),
		0);
	for (int i = 0; i < m->e.indices; i++)
		m->e.size[i] = roll_size(d, 5);
	m->here = roll_mesh(d, &m->e, MOST_PARTS);
	m->there = roll_mesh(d, &m->e, MOST_PARTS);
	t = &m->e.term[m->e.inputs];
	m->from = asl_spread_on(&m->e, t, &m->here);
	m->to = asl_spread_on(&m->e, t, roll(d, 0, 9) ? &m->there : NULL);
}

/* Those who have words once, others once at most; how many have some. */
static int check(unsigned number, const struct asl_spread *to,
		 const struct asl_run *x)
{
	struct found found = {.visits = 0};
	int many = 0;

	asl_spread_peers(to, x, note, &found);
	for (int r = 0; r < MOST_PARTS; r++) {
		struct asl_run y = asl_spread_run(to, r);
		uint64_t words = asl_runs_common(&y, x);

		many += words != 0;
		if (found.times[r] == 1 || (!found.times[r] && !words))
			continue;
		print_error("case %u: rank %d was found %d times, and has %ju "
			    "words\n",
			    number, r, found.times[r], words);
		fail();
	}
	return many;
}

static void all_are_found(void **state)
{
	int with_words = 0;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {1, i, 0};
		struct move m;
		struct asl_run has, gets;
		int rank;

		roll_move(&m, &d);
		rank = (int)roll(&d, 0, MOST_PARTS / 2);
		has = asl_spread_run(&m.from, rank);
		gets = asl_spread_run(&m.to, rank);
		with_words += check(i, &m.to, &has) + check(i, &m.from, &gets);
	}
	assert_true(with_words > 3000);
}

/* On equal meshes a rank's own words are its own: no crowd is looked at. */
static void few_are_looked_at(void **state)
{
	struct asl_einsum e;
	struct asl_mesh mesh;
	struct asl_spread s;

	(void)state;
	assert_int_equal(asl_einsum_parse(&e, "ij,jk->ik"), 0);
	assert_int_equal(asl_einsum_dims(&e, "i=700,j=500,k=900"), 0);
	mesh = asl_mesh_choose(&e, MOST_RANKS, NULL);
	s = asl_spread_on(&e, &e.term[2], &mesh);
	for (int r = 0; r < asl_mesh_ranks(&e, &mesh); r += 7) {
		struct asl_run x = asl_spread_run(&s, r);
		struct found found = {.visits = 0};

		asl_spread_peers(&s, &x, note, &found);
		assert_int_equal(found.times[r], 1);
		assert_in_range(found.visits, 1, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_found),
		cmocka_unit_test(few_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
