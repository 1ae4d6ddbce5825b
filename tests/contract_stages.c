/*
 * contract_stages.c -- programs of stages, held against every program there is
 *
 * Every grouping of the operands, with every mesh that may be chosen for each of its
 * stages: none of those moves 5% fewer words than what is planned.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/contract/contract.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { MOST_MESHES = 4000 };

/* All meshes of an einsum that may be chosen, and the mean words of their ranks. */
struct meshes {
	const struct asl_einsum *e;
	double limit; /* points of a cell */
	int count;
	struct asl_mesh at[MOST_MESHES];
	double mean[MOST_MESHES];
};

struct every {
	const struct asl_contraction *planned;
	int ranks;
	double target; /* fewer words than these are looked for */
	struct asl_contraction c;
	struct meshes *of[ASL_MOST_INPUTS]; /* by stage */
	uint64_t best;
};

static uint64_t all_words(const struct asl_einsum *e,
			  const struct asl_mesh *mesh)
{
	uint64_t words = 0;

	for (int r = 0; r < asl_mesh_ranks(e, mesh); r++)
		words += asl_mesh_words(e, mesh, r);
	return words;
}

static void
go_through(struct meshes *x, struct asl_mesh *mesh, int index, int left,
	   void (*visit)(struct meshes *x, const struct asl_mesh *mesh))
{
	if (index == x->e->indices) {
		visit(x, mesh);
		return;
	}
	for (int p = 1; p <= left && (uint64_t)p <= x->e->size[index]; p++) {
		if (p > 1 && !(asl_einsum_all(x->e) >> index & 1))
			break;
		mesh->p[index] = p;
		go_through(x, mesh, index + 1, left / p, visit);
	}
	mesh->p[index] = 1;
}

static void note_volume(struct meshes *x, const struct asl_mesh *mesh)
{
	double volume = asl_mesh_volume(x->e, mesh);

	x->limit = volume < x->limit ? volume : x->limit;
}

static void add_mesh(struct meshes *x, const struct asl_mesh *mesh)
{
	if (asl_mesh_volume(x->e, mesh) > x->limit)
		return;
	assert_true(x->count < MOST_MESHES);
	x->at[x->count++] = *mesh;
}

static void list_meshes(struct meshes *x, const struct asl_einsum *e, int ranks)
{
	struct asl_mesh mesh;
	double even = asl_mesh_points(e) / ranks;

	x->e = e;
	x->count = 0;
	x->limit = INFINITY;
	for (int i = 0; i < ASL_MOST_INDICES; i++)
		mesh.p[i] = 1;
	go_through(x, &mesh, 0, ranks, note_volume);
	even = even < 1 ? 1 : even;
	x->limit = 1.2 * (x->limit > 1.2 * even ? x->limit : even);
	go_through(x, &mesh, 0, ranks, add_mesh);
	for (int i = 0; i < x->count; i++)
		x->mean[i] = (double)all_words(e, &x->at[i]) / ranks;
}

/* The busiest rank has the mean of all ranks, or more. */
static void try_meshes(struct every *x, int stage, double mean)
{
	struct asl_contraction *c = &x->c;
	const struct meshes *m = x->of[stage];

	if (stage == c->stages) {
		uint64_t words;

		c->ranks = x->ranks;
		words = asl_contraction_words(c);
		x->best = words < x->best ? words : x->best;
		if ((double)words < x->target)
			x->target = (double)words;
		return;
	}
	for (int i = 0; i < m->count; i++) {
		if (mean + m->mean[i] >= x->target)
			continue;
		c->stage[stage].mesh = m->at[i];
		try_meshes(x, stage + 1, mean + m->mean[i]);
	}
}

/* Tensors that are left to be contracted. */
struct left {
	int count;
	struct asl_term term[ASL_MOST_INPUTS];
	int from[ASL_MOST_INPUTS];
};

/* The set of them in one stage; the output's order is that of its inputs. */
static struct left contract(struct asl_stage *s, const struct every *x,
			    const struct left *left, int set)
{
	const struct asl_einsum *e = &x->planned->e;
	uint32_t needed = e->term[e->inputs].has;
	struct left rest = {0};
	struct asl_term out = {0};

	s->e = *e;
	s->e.inputs = 0;
	for (int i = 0; i < left->count; i++)
		if (set >> i & 1) {
			s->from[s->e.inputs] = left->from[i];
			s->moves[s->e.inputs] = left->from[i] >= e->inputs;
			s->e.term[s->e.inputs++] = left->term[i];
		} else {
			rest.term[rest.count] = left->term[i];
			rest.from[rest.count++] = left->from[i];
			needed |= left->term[i].has;
		}
	for (int i = 0; i < s->e.inputs; i++)
		for (int j = 0; j < s->e.term[i].count; j++)
			if (needed >> s->e.term[i].index[j] & 1)
				asl_term_add(&out, s->e.term[i].index[j]);
	s->e.term[s->e.inputs] = rest.count ? out : e->term[e->inputs];
	rest.term[rest.count] = out;
	rest.from[rest.count++] = e->inputs + x->c.stages;
	return rest;
}

static void try_programs(struct every *x, const struct left *left)
{
	if (left->count == 1) {
		try_meshes(x, 0, 0);
		return;
	}
	for (int set = 1; set < 1 << left->count; set++) {
		struct asl_stage *s = &x->c.stage[x->c.stages];
		struct left rest;

		if (!(set & (set - 1)))
			continue;
		rest = contract(s, x, left, set);
		list_meshes(x->of[x->c.stages], &s->e, x->ranks);
		x->c.stages++;
		try_programs(x, &rest);
		x->c.stages--;
	}
}

static uint64_t best_of_all(struct every *x, double target)
{
	const struct asl_einsum *e = &x->planned->e;
	struct left left = {.count = e->inputs};

	for (int i = 0; i < e->inputs; i++) {
		left.term[i] = e->term[i];
		left.from[i] = i;
	}
	x->c = (struct asl_contraction){.e = *e};
	x->best = UINT64_MAX;
	x->target = target;
	try_programs(x, &left);
	return x->best;
}

static void roll_einsum(struct dice *d, struct asl_einsum *e)
{
	static const char *const specs[] = {
		"ij,jk,kl->il",	    "ijk,kl,jl->il",	 "abcd,ai,bj->ijcd",
		"abc,bd,ce->ade",   "a,b,ab->",		 "ab,cb,cd->ad",
		"ij,jk,kl,lm->im",  "ijk,il,jm,kn->lmn", "ab,bc,cd,da->",
		"ab,ac,ad,ae->bcde"};
	uint64_t which = roll(d, 0, sizeof specs / sizeof *specs - 1);

	assert_int_equal(asl_einsum_parse(e, specs[which]), 0);
	for (int i = 0; i < e->indices; i++)
		e->size[i] = roll_size(d, 8);
}

static void no_program_moves_5_percent_less(void **state)
{
	static struct every x;
	unsigned cases = how_many(40, 200), worse = 0;

	(void)state;
	for (int i = 0; i < ASL_MOST_INPUTS; i++)
		x.of[i] = test_calloc(1, sizeof **x.of);
	for (unsigned i = 0; i < cases; i++) {
		struct asl_contraction c = {0};
		struct dice d = {31, i, 0};
		uint64_t words;

		roll_einsum(&d, &c.e);
		x.ranks = (int)roll(&d, 2, c.e.inputs == 3 ? 64 : 16);
		asl_contract_stages(&c, x.ranks, 1000);
		words = asl_contraction_words(&c);
		x.planned = &c;
		best_of_all(&x, (double)words / 1.05);
		/* A word more is rounding. */
		if (x.best < UINT64_MAX &&
		    (double)words > 1.05 * (double)x.best + 1) {
			print_error("case %u: %d ranks, %ju words, %ju are "
				    "enough\n",
				    i, x.ranks, words, x.best);
			worse++;
		}
	}
	assert_int_equal(worse, 0);
	for (int i = 0; i < ASL_MOST_INPUTS; i++)
		test_free(x.of[i]);
}

/* Two stages of three tensors each, and one move: no tree of pairs is as good. */
static void a_transformation_takes_two_stages(void **state)
{
	struct asl_contraction c = {0};

	(void)state;
	assert_int_equal(asl_einsum_parse(&c.e, "abcd,ai,bj,ck,dl->ijkl"), 0);
	for (int i = 0; i < c.e.indices; i++)
		c.e.size[i] = 64;
	asl_contract_stages(&c, 64, 131072);
	assert_true(asl_contraction_words(&c) <= 2 * 8064 + 258048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_program_moves_5_percent_less),
		cmocka_unit_test(a_transformation_takes_two_stages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
