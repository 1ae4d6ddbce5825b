/*
 * compare_match.c -- which cases of two sides belong together
 *
 * First those that are the same in all, then in all but where they ran, then
 * in all but costs, then in what was asked; of what is left the nearest of one
 * algorithm, which is not compared, but whose differences are named.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/say.h"

struct matching {
	struct asl_comparison *c;
	int *partner;  /* [base->count] in other; -1: none yet */
	bool *taken;   /* [other->count] */
	int *left[2];  /* room for cases of each that have no partner yet */
	int length[2]; /* of them */
};

struct order {
	const struct asl_side *side;
	enum asl_role last;
};

static int order_cases(const void *a, const void *b, void *arg)
{
	const struct order *by = arg;
	int x = *(const int *)a, y = *(const int *)b;
	int order =
		asl_identity_order(by->side, by->side->cases[x].row, by->side,
				   by->side->cases[y].row, by->last);

	return order ? order : (x > y) - (x < y);
}

static void list_left(struct matching *m)
{
	m->length[0] = m->length[1] = 0;
	for (int i = 0; i < m->c->base->count; i++)
		if (m->partner[i] < 0)
			m->left[0][m->length[0]++] = i;
	for (int j = 0; j < m->c->other->count; j++)
		if (!m->taken[j])
			m->left[1][m->length[1]++] = j;
}

static void join(struct matching *m, int i, int j)
{
	m->partner[i] = j;
	m->taken[j] = true;
}

/* Those that are the same in the columns of roles up to `last`. */
static void join_same(struct matching *m, enum asl_role last)
{
	const struct asl_side *side[2] = {m->c->base, m->c->other};
	int at[2] = {0, 0};

	list_left(m);
	for (int s = 0; s < 2; s++)
		qsort_r(m->left[s], (size_t)m->length[s], sizeof(int),
			order_cases, &(struct order){side[s], last});
	while (at[0] < m->length[0] && at[1] < m->length[1]) {
		int i = m->left[0][at[0]], j = m->left[1][at[1]];
		int order = asl_identity_order(side[0], side[0]->cases[i].row,
					       side[1], side[1]->cases[j].row,
					       last);

		if (!order)
			join(m, i, j);
		at[0] += order <= 0;
		at[1] += order >= 0;
	}
}

static int differences(const struct matching *m, int i, int j)
{
	char words[8];

	return asl_identity_differences(words, sizeof words, m->c->base,
					m->c->base->cases[i].row, m->c->other,
					m->c->other->cases[j].row, ASL_ASKED);
}

static bool same_algorithm(const struct matching *m, int i, int j)
{
	return !strcmp(asl_side_cell(m->c->base, i, "algorithm"),
		       asl_side_cell(m->c->other, j, "algorithm"));
}

static void join_nearest(struct matching *m)
{
	list_left(m);
	for (int a = 0; a < m->length[0]; a++) {
		int i = m->left[0][a], nearest = -1, least = 0;

		for (int b = 0; b < m->length[1]; b++) {
			int j = m->left[1][b], count;

			if (m->taken[j] || !same_algorithm(m, i, j))
				continue;
			count = differences(m, i, j);
			if (nearest < 0 || count < least) {
				nearest = j;
				least = count;
			}
		}
		if (nearest >= 0)
			join(m, i, nearest);
	}
}

/* ---- May they be compared? ---- */

/* Times of one kind mean nothing beside those of another. */
static const char *kind_of(const struct asl_side *side, int i)
{
	const char *medium = asl_side_cell(side, i, "medium");

	return !strcmp(medium, "emulated") || !strcmp(medium, "model")
		       ? medium
		       : "measured";
}

static bool is_sim(const struct asl_side *side, int i)
{
	return !strcmp(asl_side_cell(side, i, "transport"), "sim");
}

static void explain_troubles(struct asl_pair *p, const struct asl_comparison *c)
{
	const char *a = c->base->cases[p->i].trouble;
	const char *b = c->other->cases[p->j].trouble;

	if (a && b)
		snprintf(p->why, sizeof p->why, "%s in %c, %s in %c", a,
			 c->base->letter, b, c->other->letter);
	else if (a || b)
		snprintf(p->why, sizeof p->why, "%s in %c", a ? a : b,
			 a ? c->base->letter : c->other->letter);
}

static void explain_kinds(struct asl_pair *p, const struct asl_comparison *c)
{
	const char *a = kind_of(c->base, p->i), *b = kind_of(c->other, p->j);

	if (strcmp(a, b) != 0 && !c->mixed)
		snprintf(p->why, sizeof p->why,
			 "times are %s and %s (--mixed compares them)", a, b);
	else if (is_sim(c->base, p->i) != is_sim(c->other, p->j))
		snprintf(p->why, sizeof p->why,
			 "transport %s and %s: ranks took turns on sim",
			 asl_side_cell(c->base, p->i, "transport"),
			 asl_side_cell(c->other, p->j, "transport"));
}

static void explain(struct asl_pair *p, const struct asl_comparison *c)
{
	size_t row_i = c->base->cases[p->i].row;
	size_t row_j = c->other->cases[p->j].row;

	if (asl_identity_differences(p->why, sizeof p->why, c->base, row_i,
				     c->other, row_j, ASL_ASKED))
		return;
	explain_troubles(p, c);
	if (*p->why)
		return;
	if (!asl_identity_differences(p->why, sizeof p->why, c->base, row_i,
				      c->other, row_j, ASL_COUNTED))
		explain_kinds(p, c);
}

static int judge(struct asl_pair *p, const struct asl_comparison *c)
{
	const struct asl_measured *a, *b;

	p->speed = (struct asl_ratio){NAN, NAN, NAN, 0};
	if (p->i < 0 || p->j < 0) {
		snprintf(p->why, sizeof p->why, "only in %c",
			 p->i < 0 ? c->other->letter : c->base->letter);
		return 0;
	}
	explain(p, c);
	if (*p->why)
		return 0;
	a = &c->base->cases[p->i];
	b = &c->other->cases[p->j];
	return asl_ratio(&p->speed, a->wall_s, a->time.samples, b->wall_s,
			 b->time.samples);
}

/* ---- All of it ---- */

static int make_pairs(struct matching *m)
{
	struct asl_comparison *c = m->c;
	int err = 0;

	for (int i = 0; i < c->base->count; i++)
		c->pairs[c->count++] =
			(struct asl_pair){.i = i, .j = m->partner[i]};
	for (int j = 0; j < c->other->count; j++)
		if (!m->taken[j])
			c->pairs[c->count++] =
				(struct asl_pair){.i = -1, .j = j};
	for (int i = 0; !err && i < c->count; i++)
		err = judge(&c->pairs[i], c);
	return err;
}

static int match(struct matching *m)
{
	for (int i = 0; i < m->c->base->count; i++)
		m->partner[i] = -1;
	for (int last = ASL_PLACED; last >= ASL_ASKED; last--)
		join_same(m, (enum asl_role)last);
	join_nearest(m);
	return make_pairs(m);
}

int asl_compare_count(const struct asl_comparison *c)
{
	int count = 0;

	for (int i = 0; i < c->count; i++)
		count += !*c->pairs[i].why;
	return count;
}

int asl_compare_match(struct asl_comparison *c)
{
	size_t a = (size_t)c->base->count, b = (size_t)c->other->count;
	struct matching m = {
		.c = c,
		.partner = calloc(a, sizeof *m.partner),
		.taken = calloc(b, sizeof *m.taken),
		.left = {calloc(a, sizeof(int)), calloc(b, sizeof(int))},
	};
	int err = -ENOMEM;

	c->pairs = calloc(a + b, sizeof *c->pairs);
	if (m.partner && m.taken && m.left[0] && m.left[1] && c->pairs)
		err = match(&m);
	free(m.partner);
	free(m.taken);
	free(m.left[0]);
	free(m.left[1]);
	return err ? asl_complain(ASL_NO_MACHINE, "out of memory") : 0;
}
