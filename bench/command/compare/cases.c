/*
 * cases.c -- geometric means of speeds, of each family and of all
 *
 * A mean of all gives every family the same weight, however many cases it has,
 * unless --weight says otherwise.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/compare/compare.h"
#include "bench/library/cli.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "net/net.h"

/*
 * What tells cases apart
 *
 * Only columns that every side has: one that an older version did not write
 * says nothing about it.
 */

static const char *const asked[] = {"algorithm",
				    "kernel",
				    "m",
				    "n",
				    "k",
				    "spec",
				    "dims",
				    "ranks",
				    "grid",
				    "ranks_used",
				    "cache_words",
				    "store",
				    "panels",
				    "seed",
				    "overlap",
				    "cache_model",
				    "blocks",
				    "initial",
				    "memory_budget_words",
				    NULL};
static const char *const costed[] = {"r", "w", "beta", "alpha", "gamma", NULL};
static const char *const placed[] = {
	"memory_words", "medium", "emulated", "transport",
	"provider",	"bind",	  NULL};

static void add(struct asl_side *sides, int count, int *at, const char *name)
{
	for (int i = 0; i < count; i++) {
		int column = asl_rows_column(&sides[i].rows, name);

		if (column < 0)
			return;
		sides[i].identity.column[*at] = column;
	}
	++*at;
}

static void add_list(struct asl_side *sides, int count, int *at,
		     const char *const *names)
{
	for (; *names; names++)
		add(sides, count, at, *names);
}

static void add_counters(struct asl_side *sides, int count, int *at)
{
	for (int c = 0; c < ASL_COUNTERS; c++) {
		char name[64];

		snprintf(name, sizeof name, "%s_max", asl_counter_name(c));
		add(sides, count, at, name);
		snprintf(name, sizeof name, "%s_total", asl_counter_name(c));
		add(sides, count, at, name);
	}
}

void asl_identify(struct asl_side *sides, int count)
{
	int at = 0, end[ASL_ROLES];

	add_list(sides, count, &at, asked);
	end[ASL_ASKED] = at;
	add_counters(sides, count, &at);
	end[ASL_COUNTED] = at;
	add_list(sides, count, &at, costed);
	end[ASL_COSTED] = at;
	add_list(sides, count, &at, placed);
	end[ASL_PLACED] = at;
	for (int i = 0; i < count; i++)
		memcpy(sides[i].identity.end, end, sizeof end);
}

static const char *cell(const struct asl_side *side, size_t row, int i)
{
	return asl_rows_text(&side->rows, row, side->identity.column[i]);
}

int asl_identity_order(const struct asl_side *a, size_t row_a,
		       const struct asl_side *b, size_t row_b,
		       enum asl_role last)
{
	int order = 0;

	for (int i = 0; !order && i < a->identity.end[last]; i++)
		order = strcmp(cell(a, row_a, i), cell(b, row_b, i));
	return order;
}

static const char *or_none(const char *text)
{
	return *text ? text : "none";
}

int asl_identity_differences(char *words, size_t room, const struct asl_side *a,
			     size_t row_a, const struct asl_side *b,
			     size_t row_b, enum asl_role role)
{
	int count = 0;
	size_t used = 0;

	*words = '\0';
	for (int i = role ? a->identity.end[role - 1] : 0;
	     i < a->identity.end[role]; i++) {
		const char *x = cell(a, row_a, i), *y = cell(b, row_b, i);

		if (!strcmp(x, y))
			continue;
		count++;
		if (used < room)
			used += (size_t)snprintf(
				words + used, room - used, "%s%s %s and %s",
				used ? ", " : "",
				asl_rows_name(&a->rows, a->identity.column[i]),
				or_none(x), or_none(y));
	}
	return count;
}

/*
 * A result directory, and the cases in it
 */

/* ---- Reading ---- */

static int check_columns(const struct asl_rows *rows)
{
	static const char *const needed[] = {"algorithm", "wall_s", "verified",
					     "predicted_equal", NULL};

	for (int i = 0; needed[i]; i++)
		if (asl_rows_column(rows, needed[i]) < 0)
			return asl_complain(ASL_BAD_INPUT,
					    "%s: line %d: there is no column "
					    "'%s'",
					    rows->path, rows->line[0],
					    needed[i]);
	if (!rows->count)
		return asl_complain(ASL_BAD_INPUT,
				    "%s: there are no repetitions in it",
				    rows->path);
	return 0;
}

int asl_side_read(struct asl_side *side, const char *dir)
{
	int code;

	side->dir = dir;
	code = asl_rows_read(&side->rows, dir, "runs.csv");
	return code ? code : check_columns(&side->rows);
}

void asl_side_close(struct asl_side *side)
{
	free(side->cases);
	free(side->wall_s);
	asl_rows_close(&side->rows);
}

/* ---- Grouping ---- */

static int order_rows(const void *a, const void *b, void *arg)
{
	const struct asl_side *side = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = asl_identity_order(side, x, side, y, ASL_PLACED);

	return order ? order : (x > y) - (x < y);
}

static int order_cases(const void *a, const void *b)
{
	size_t x = ((const struct asl_measured *)a)->row;
	size_t y = ((const struct asl_measured *)b)->row;

	return (x > y) - (x < y);
}

static bool is_cell(const struct asl_side *side, size_t row, const char *name,
		    const char *value)
{
	int column = asl_rows_column(&side->rows, name);

	return !strcmp(asl_rows_text(&side->rows, row, column), value);
}

/* The worst is said; one such row spoils a case. */
static const char *trouble_of(const struct asl_side *side, size_t row)
{
	if (is_cell(side, row, "verified", "0"))
		return "failed verification";
	if (is_cell(side, row, "predicted_equal", "0"))
		return "was not counted as predicted";
	if (is_cell(side, row, "emulation_valid", "0"))
		return "was not emulated well enough";
	if (is_cell(side, row, "wall_s", ""))
		return "was only counted";
	if (!is_cell(side, row, "lives", "") &&
	    !is_cell(side, row, "lives", "1"))
		return "was interrupted";
	if (!is_cell(side, row, "verified", "1"))
		return "was not verified";
	return NULL;
}

static void take_rows(struct asl_side *side, struct asl_measured *x,
		      const size_t *row, int count)
{
	int column = asl_rows_column(&side->rows, "wall_s");

	*x = (struct asl_measured){.row = row[0], .wall_s = x->wall_s};
	for (int i = 0; i < count; i++) {
		const char *trouble = trouble_of(side, row[i]);

		x->wall_s[i] = asl_rows_number(&side->rows, row[i], column);
		if (!trouble && !(x->wall_s[i] > 0 && isfinite(x->wall_s[i])))
			trouble = "took no time";
		x->trouble = x->trouble ? x->trouble : trouble;
	}
	if (!x->trouble)
		x->time = asl_estimate(x->wall_s, count);
}

static void mark_varying(struct asl_side *side)
{
	struct asl_identity *id = &side->identity;

	for (int c = 0; c < id->end[ASL_PLACED]; c++)
		for (int i = 1; !id->varies[c] && i < side->count; i++)
			id->varies[c] = strcmp(
				asl_rows_text(&side->rows, side->cases[i].row,
					      id->column[c]),
				asl_rows_text(&side->rows, side->cases[0].row,
					      id->column[c]));
}

static void group(struct asl_side *side, size_t *row)
{
	size_t count = side->rows.count;

	for (size_t i = 0; i < count; i++)
		row[i] = i;
	qsort_r(row, count, sizeof *row, order_rows, side);
	for (size_t i = 0, end; i < count; i = end) {
		struct asl_measured *x = &side->cases[side->count++];

		for (end = i + 1; end < count; end++)
			if (asl_identity_order(side, row[i], side, row[end],
					       ASL_PLACED))
				break;
		x->wall_s = side->wall_s + i;
		take_rows(side, x, row + i, (int)(end - i));
	}
	qsort(side->cases, (size_t)side->count, sizeof *side->cases,
	      order_cases);
	mark_varying(side);
}

int asl_side_group(struct asl_side *side)
{
	size_t count = side->rows.count;
	size_t *row = calloc(count, sizeof *row);

	side->wall_s = calloc(count, sizeof *side->wall_s);
	side->cases = calloc(count, sizeof *side->cases);
	if (!row || !side->wall_s || !side->cases) {
		free(row);
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	}
	group(side, row);
	free(row);
	return side->rows.code;
}

const char *asl_side_cell(const struct asl_side *side, int i, const char *name)
{
	return asl_rows_text(&side->rows, side->cases[i].row,
			     asl_rows_column(&side->rows, name));
}

/*
 * Which cases of two sides belong together
 *
 * First those that are the same in all, then in all but where they ran, then
 * in all but costs, then in what was asked; of what is left the nearest of one
 * algorithm, which is not compared, but whose differences are named.
 */

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

static int compare_match_order_cases(const void *a, const void *b, void *arg)
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
			compare_match_order_cases,
			&(struct order){side[s], last});
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
	return asl_net_can(asl_side_cell(side, i, "transport"))->simulated;
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

#define OTHERS "others" /* algorithms that this version does not know */

const char *asl_pair_family(const struct asl_comparison *c,
			    const struct asl_pair *pair)
{
	const struct asl_algorithm *known = asl_cli_algorithm(
		pair->i < 0 ? asl_side_cell(c->other, pair->j, "algorithm")
			    : asl_side_cell(c->base, pair->i, "algorithm"));

	return known ? known->family->name : OTHERS;
}

static const char *family_name(int i)
{
	return asl_family_clis[i] ? asl_family_clis[i]->family->name : OTHERS;
}

static int families(void)
{
	int count = 0;

	while (asl_family_clis[count])
		count++;
	return count + 1; /* and OTHERS */
}

static struct asl_mean mean_of(const struct asl_comparison *c,
			       const char *family, double *room)
{
	struct asl_mean mean = {.family = family, .weight = 1};

	for (int i = 0; i < c->count; i++)
		if (!*c->pairs[i].why &&
		    !strcmp(asl_pair_family(c, &c->pairs[i]), family))
			room[mean.cases++] = c->pairs[i].speed.ratio;
	mean.speed = asl_geometric_mean(room, mean.cases);
	return mean;
}

/* The weight of a family in a list that asl_weights_check found good. */
static double weight_in(const char *weights, const char *family)
{
	double weight = 1, x;
	char name[64];

	while (weights && *weights &&
	       asl_read_named(name, sizeof name, &x, &weights))
		if (!strcmp(name, family))
			weight = x;
	return weight;
}

static struct asl_mean mean_of_all(const struct asl_mean *mean, int count)
{
	struct asl_mean all = {.family = "all"};
	double sum = 0;

	for (int i = 0; i < count; i++) {
		all.cases += mean[i].cases;
		all.weight += mean[i].weight;
		sum += mean[i].weight * log(mean[i].speed);
	}
	all.speed = exp(sum / all.weight);
	return all;
}

int asl_compare_means(struct asl_mean mean[ASL_MOST_MEANS],
		      const struct asl_comparison *c, const char *weights)
{
	double *room = calloc((size_t)c->count, sizeof *room);
	int count = 0;

	for (int i = 0; room && i < families(); i++) {
		mean[count] = mean_of(c, family_name(i), room);
		mean[count].weight = weight_in(weights, family_name(i));
		count += mean[count].cases > 0;
	}
	free(room);
	if (!count)
		return 0;
	mean[count] = mean_of_all(mean, count);
	return count + 1;
}

static bool is_family(const char *name)
{
	for (int i = 0; i < families(); i++)
		if (!strcmp(family_name(i), name))
			return true;
	return false;
}

int asl_weights_check(const char *weights)
{
	const char *rest = weights, *names[ASL_MOST_MEANS] = {NULL};
	char name[64], known[256];
	double x;

	for (int i = 0; i < families(); i++)
		names[i] = family_name(i);
	while (rest && *rest)
		if (!asl_read_named(name, sizeof name, &x, &rest) ||
		    !is_family(name))
			return asl_complain(
				ASL_BAD_INPUT,
				"--weight: found '%s', expected FAMILY=NUMBER, "
				"with commas between; families: %s",
				weights, asl_join(known, sizeof known, names));
	return 0;
}
