/*
 * contract_mesh.c -- meshes: the best of all, and what none can do better than
 *
 * The search is held against going through every mesh, the bound against that of
 * matrix multiplication and against random real meshes, and both against each
 * other.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/contract/spread.h"
#include "lib/multiply/bounds.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

static struct asl_einsum roll_einsum(struct dice *d, int bits)
{
	static const char *const specs[] = {
		"ij,jk->ik",	"ijk,kl,jl->il", "abc,cbd->ad",
		"a,b->ab",	"ab->b",	 "abc,cd,be->ade",
		"a,a->",	"ab,ab->ab",	 "bij,bjk->bik",
		"ij,jk,kl->il", "a->a",		 "abcd,cdef->fa"};
	struct asl_einsum e;

	assert_int_equal(
		asl_einsum_parse(
			&e,
			specs[roll(d, 0, sizeof specs / sizeof *specs - 1)]),
		0);
	for (int i = 0; i < e.indices; i++)
		e.size[i] = roll_size(d, bits);
	return e;
}

/* ---- Every mesh ---- */

struct every {
	const struct asl_einsum *e;
	int ranks;
	double limit;
	uint64_t words;
	double volume;
	bool found;
};

static void consider(struct every *x, const struct asl_mesh *mesh)
{
	double volume = asl_mesh_volume(x->e, mesh);
	uint64_t words;

	if (volume > x->limit * (1 + 1e-12))
		return;
	words = x->limit == INFINITY ? 0 : asl_mesh_busiest(x->e, mesh);
	if (x->found &&
	    (words > x->words || (words == x->words && volume >= x->volume)))
		return;
	x->found = true;
	x->words = words;
	x->volume = volume;
}

static void go_through(struct every *x, struct asl_mesh *mesh, int index,
		       int left)
{
	if (index == x->e->indices) {
		consider(x, mesh);
		return;
	}
	for (int p = 1; p <= left && (uint64_t)p <= x->e->size[index]; p++) {
		mesh->p[index] = p;
		go_through(x, mesh, index + 1, left / p);
	}
}

static struct every every_mesh(const struct asl_einsum *e, int ranks)
{
	struct every x = {.e = e, .ranks = ranks, .limit = INFINITY};
	struct asl_mesh mesh;
	double even = 1;

	go_through(&x, &mesh, 0, ranks);
	for (int i = 0; i < e->indices; i++)
		even *= (double)e->size[i];
	even = fmax(1, even / ranks);
	x.limit = 1.2 * (x.volume > 1.2 * even ? x.volume : even);
	x.found = false;
	go_through(&x, &mesh, 0, ranks);
	return x;
}

static void search_finds_the_best(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct dice d = {1, i, 0};
		struct asl_einsum e = roll_einsum(&d, 6);
		int ranks = (int)roll(&d, 1, 40);
		struct asl_mesh mesh = asl_mesh_choose(&e, ranks, NULL);
		struct every best = every_mesh(&e, ranks);
		uint64_t words = asl_mesh_busiest(&e, &mesh);
		double volume = asl_mesh_volume(&e, &mesh);

		assert_true(asl_mesh_ranks(&e, &mesh) <= ranks);
		if (words != best.words || volume != best.volume) {
			print_error("case %u: %ju words of %g points, "
				    "expected %ju of %g\n",
				    i, words, volume, best.words, best.volume);
			fail();
		}
	}
}

/* A search that looks at two ranks of a mesh finds nearly the best, and at times it. */
static void nearly_the_best_is_found(void **state)
{
	unsigned equal = 0, cases = 400;

	(void)state;
	for (unsigned i = 0; i < cases; i++) {
		struct dice d = {6, i, 0};
		struct asl_einsum e = roll_einsum(&d, 8);
		struct asl_mesh_wish wish = {.ranks = (int)roll(&d, 1, 200),
					     .nearly = true};
		struct asl_mesh_found found[ASL_MOST_MESHES];
		struct every best = every_mesh(&e, wish.ranks);
		uint64_t words;

		assert_int_equal(asl_mesh_list(found, &e, &wish), 1);
		assert_true(found[0].volume <= best.limit * (1 + 1e-12));
		words = asl_mesh_busiest(&e, &found[0].mesh);
		equal += words == best.words;
		/* A word for each halving of a group, and of each term. */
		assert_in_range(words, best.words,
				best.words + 8 * (uint64_t)(e.inputs + 1));
	}
	assert_true(equal >= cases * 0.9);
}

/* On many ranks corners and seams of a mesh tell the words of the busiest, nearly. */
static void corners_are_nearly_the_busiest(void **state)
{
	unsigned compared = 0, equal = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct dice d = {4, i, 0};
		struct asl_einsum e = roll_einsum(&d, 9);
		struct asl_mesh mesh = {{0}};
		uint64_t near, most;
		int ranks = 1;

		for (int k = 0; k < e.indices; k++) {
			mesh.p[k] = (int)roll(&d, 1, 24);
			mesh.p[k] =
				(int)asl_min((uint64_t)mesh.p[k], e.size[k]);
			ranks *= mesh.p[k];
		}
		if (ranks <= ASL_FEW_RANKS || ranks > 20000)
			continue;
		near = asl_mesh_nearly(&e, &mesh);
		most = asl_mesh_busiest(&e, &mesh);
		compared++;
		equal += near == most;
		/* A word for each halving of a group, and of each term. */
		assert_true(near <= most &&
			    most <= near + 15 * ASL_MOST_OPERANDS);
	}
	assert_true(compared > 200);
	assert_true(equal >= compared * 0.95);
}

/* ---- The bound ---- */

static void bound_of_multiplication(void **state)
{
	struct asl_bound known[ASL_BOUNDS];

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {2, i, 0};
		struct asl_plan plan = {
			.multiplication = product_of((struct asl_shape){
				roll_size(&d, 20), roll_size(&d, 20),
				roll_size(&d, 20)}),
			.ranks = (int)roll_size(&d, 14),
			.memory = UINT64_MAX,
			.cache = 1,
		};
		struct asl_einsum e;
		double bound, expected, words;

		assert_int_equal(asl_einsum_parse(&e, "mk,kn->mn"), 0);
		e.size[0] = asl_shape_of(&plan)->m;
		e.size[1] = asl_shape_of(&plan)->k;
		e.size[2] = asl_shape_of(&plan)->n;
		words = (double)asl_term_words(&e.term[0], e.size) +
			(double)asl_term_words(&e.term[1], e.size) +
			(double)asl_term_words(&e.term[2], e.size);
		asl_bounds(known, &plan);
		expected = known[0].value;
		bound = asl_mesh_bound(&e, plan.ranks);
		/* Both take off what is owned, which may be nearly all. */
		if (fabs(bound - expected) > 1e-9 * expected + 1e-12 * words) {
			print_error("case %u: %ju x %ju x %ju on %d: %.17g, "
				    "expected %.17g\n",
				    i, asl_shape_of(&plan)->m,
				    asl_shape_of(&plan)->n,
				    asl_shape_of(&plan)->k, plan.ranks, bound,
				    expected);
			fail();
		}
	}
}

/* Words on a random real mesh of so many cells: never below the bound. */
static double words_on_some_mesh(struct dice *d, const struct asl_einsum *e,
				 double ranks)
{
	double part[ASL_MOST_INDICES], left = log(ranks), words = 0;

	for (int i = 0; i < e->indices; i++)
		part[i] = 0;
	for (int tries = 0; tries < 200; tries++) {
		int i = (int)roll(d, 0, (uint64_t)e->indices - 1);
		double room = log((double)e->size[i]) - part[i];
		double some = tries < 100 ? (double)roll(d, 0, 100) / 300 : 1e9;

		some = fmin(left, fmin(some, room));
		part[i] += some;
		left -= some;
	}
	if (left > 1e-12)
		return INFINITY;
	for (int t = 0; t <= e->inputs; t++) {
		double slice = (double)asl_term_words(&e->term[t], e->size);

		words -= slice / ranks;
		for (int i = 0; i < e->term[t].count; i++)
			slice /= exp(part[e->term[t].index[i]]);
		words += slice;
	}
	return words;
}

static void bound_is_below_all_meshes(void **state)
{
	int compared = 0;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {3, i, 0};
		struct asl_einsum e = roll_einsum(&d, 10);
		double ranks = (double)roll(&d, 1, 500);
		double words = words_on_some_mesh(&d, &e, ranks);
		double bound = asl_mesh_bound(&e, ranks);

		if (words == INFINITY)
			continue;
		compared++;
		if (!(bound <= words * (1 + 1e-9) + 1e-6)) {
			print_error("case %u: bound %.17g, words %.17g\n", i,
				    bound, words);
			fail();
		}
	}
	assert_true(compared > 1500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_finds_the_best),
		cmocka_unit_test(nearly_the_best_is_found),
		cmocka_unit_test(corners_are_nearly_the_busiest),
		cmocka_unit_test(bound_of_multiplication),
		cmocka_unit_test(bound_is_below_all_meshes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
