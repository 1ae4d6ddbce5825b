/*
 * pairs.c -- cases of two result directories side by side
 */
#include "bench/command/results/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"

/*
 * Cases are paired in turns: first cases that agree in all columns, then in all
 * but the place, then in all but place and costs, then in the request.  The rest
 * is paired with the nearest case of the algorithm; such a pair is not compared,
 * but its differences are named.
 */

struct slot {
	const struct asl_measured *x;
	struct slot *partner;
};

/* The cases of a directory, as in its file; and those without a partner. */
struct side {
	struct slot *slots, **left;
	int count, lefts;
};

char asl_place_letter(int place)
{
	return (char)('A' + place);
}

static int compare_places(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->x->row > y->x->row) - (x->x->row < y->x->row);
}

static bool open_side(struct side *s, const struct asl_results *r, int place)
{
	*s = (struct side){
		.slots = calloc((size_t)r->count + 1, sizeof *s->slots),
		.left = calloc((size_t)r->count + 1, sizeof(struct slot *)),
	};
	if (!s->slots || !s->left)
		return false;
	for (int i = 0; i < r->count; i++)
		if ((int)r->cases[i].row->place == place)
			s->slots[s->count++].x = &r->cases[i];
	qsort(s->slots, (size_t)s->count, sizeof *s->slots, compare_places);
	return true;
}

static void close_side(struct side *s)
{
	free(s->slots);
	free(s->left);
}

static void list_left(struct side *s)
{
	s->lefts = 0;
	for (int i = 0; i < s->count; i++)
		if (!s->slots[i].partner)
			s->left[s->lefts++] = &s->slots[i];
}

static void join(struct slot *a, struct slot *b)
{
	a->partner = b;
	b->partner = a;
}

static int compare_left(const void *a, const void *b, void *last)
{
	const struct slot *x = *(struct slot *const *)a;
	const struct slot *y = *(struct slot *const *)b;
	int order = asl_rows_compare_roles(x->x->row, y->x->row,
					   *(enum asl_role *)last);

	return order ? order : (x > y) - (x < y);
}

static void join_same(struct side side[2], enum asl_role last)
{
	int at[2] = {0, 0};

	for (int s = 0; s < 2; s++) {
		list_left(&side[s]);
		qsort_r(side[s].left, (size_t)side[s].lefts,
			sizeof *side[s].left, compare_left, &last);
	}
	while (at[0] < side[0].lefts && at[1] < side[1].lefts) {
		struct slot *a = side[0].left[at[0]], *b = side[1].left[at[1]];
		int order = asl_rows_compare_roles(a->x->row, b->x->row, last);

		if (!order)
			join(a, b);
		at[0] += order <= 0;
		at[1] += order >= 0;
	}
}

/* The columns of a role in which two rows differ: how many, and in words. */
static int differences(char *words, size_t capacity,
		       const struct asl_runs_row *a,
		       const struct asl_runs_row *b, enum asl_role role)
{
	const struct asl_results *r = a->results;
	int count = 0;
	size_t used = 0;

	for (int i = role ? r->end[role - 1] : 0; i < r->end[role]; i++) {
		enum asl_column c = (enum asl_column)r->identity[i];
		const char *x = asl_row_cell(a, c), *y = asl_row_cell(b, c);

		if (!asl_cells_compare(a, b, c))
			continue;
		count++;
		if (used < capacity)
			used += (size_t)snprintf(
				words + used, capacity - used, "%s%s %s and %s",
				used ? ", " : "", asl_column_name(c),
				*x ? x : "none", *y ? y : "none");
	}
	return count;
}

static void join_nearest(struct side side[2])
{
	list_left(&side[0]);
	list_left(&side[1]);
	for (int a = 0; a < side[0].lefts; a++) {
		const struct asl_runs_row *row = side[0].left[a]->x->row;
		struct slot *nearest = NULL;
		int least = 0;

		for (int b = 0; b < side[1].lefts; b++) {
			struct slot *y = side[1].left[b];
			int count;

			if (y->partner ||
			    strcmp(row->algorithm, y->x->row->algorithm))
				continue;
			count = differences(NULL, 0, row, y->x->row, ASL_ASKED);
			if (!nearest || count < least) {
				nearest = y;
				least = count;
			}
		}
		if (nearest)
			join(side[0].left[a], nearest);
	}
}

/*
 * Whether they may be compared, and the ratio
 */

enum asl_time_source asl_case_source(const struct asl_measured *x)
{
	return !strcmp(x->row->medium, "emulated") ? ASL_EMULATED
	       : asl_row_moved(x->row)		   ? ASL_MEASURED
						   : ASL_MODELLED;
}

/* Nobody knows by how much a busy machine was slower; --busy takes it. */
static enum asl_trouble trouble_of(const struct asl_measured *x,
				   const struct asl_comparison *c)
{
	return x->trouble == ASL_BUSY && c->busy ? ASL_NO_TROUBLE : x->trouble;
}

static void explain_trouble(struct asl_pair *p, const struct asl_comparison *c)
{
	enum asl_trouble a = trouble_of(p->base, c);
	enum asl_trouble b = trouble_of(p->other, c);
	const char *x = asl_trouble_text[a], *y = asl_trouble_text[b];
	char first = asl_place_letter(c->base);
	char letter = asl_place_letter(c->place);
	size_t used;

	if (x && y)
		snprintf(p->why, sizeof p->why, "%s in %c, %s in %c", x, first,
			 y, letter);
	else if (x || y)
		snprintf(p->why, sizeof p->why, "%s in %c", x ? x : y,
			 x ? first : letter);
	else
		return;
	used = strlen(p->why);
	if ((a == ASL_BUSY || a == ASL_NO_TROUBLE) &&
	    (b == ASL_BUSY || b == ASL_NO_TROUBLE))
		snprintf(p->why + used, sizeof p->why - used,
			 " (--busy compares it)");
	p->reason =
		(a < b ? a : b) == ASL_ONLY_COUNTED ? ASL_MIXED : ASL_TROUBLED;
}

/* Times of different sources cannot be compared. */
static void explain_sources(struct asl_pair *p, const struct asl_comparison *c)
{
	static const char *const names[] = {"measured", "emulated", "model"};
	enum asl_time_source a = p->source, b = asl_case_source(p->other);
	const struct asl_runs_row *x = p->base->row, *y = p->other->row;

	if (a != b && !c->mixed)
		snprintf(p->why, sizeof p->why,
			 "times are %s and %s (--mixed compares them)",
			 names[a], names[b]);
	else if (asl_row_simulated(x) != asl_row_simulated(y))
		snprintf(p->why, sizeof p->why,
			 "transport %s and %s: ranks took turns on sim",
			 x->transport, y->transport);
	else
		return;
	p->reason = ASL_MIXED;
}

/* Costs choose grids, unless --grid does. */
static void explain_grids(struct asl_pair *p)
{
	const struct asl_runs_row *a = p->base->row, *b = p->other->row;
	size_t used = strlen(p->why);

	if (strcmp(a->grid, b->grid) &&
	    (a->r != b->r || a->w != b->w || a->beta != b->beta ||
	     a->alpha != b->alpha || a->gamma != b->gamma))
		snprintf(p->why + used, sizeof p->why - used,
			 ": costs choose grids; one --profile for both gives "
			 "both the same");
}

static bool is_other_work(struct asl_pair *p, enum asl_role role)
{
	if (!differences(p->why, sizeof p->why, p->base->row, p->other->row,
			 role))
		return false;
	explain_grids(p);
	p->reason = ASL_OTHER_WORK;
	return true;
}

bool asl_case_modelled(const struct asl_measured *x)
{
	return !x->time.samples && !asl_row_is_bad(x->row) &&
	       asl_row_timed(x->row) && asl_row_cost(x->row) > 0;
}

/* Its run and place decide, not what stands beside it. */
static uint32_t stream_of(const struct asl_runs_row *row)
{
	uint32_t hash = 2166136261u + (uint32_t)row->place;

	for (const char *c = row->run_id; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	return hash;
}

static int resample(double *draws, const struct asl_measured *x)
{
	double *steady = calloc((size_t)x->count, sizeof *steady);
	struct asl_blocks b;
	int err = steady ? asl_case_blocks(&b, steady, x) : -ENOMEM;

	if (!err)
		err = asl_resample(draws, steady, x->time.samples,
				   stream_of(x->row));
	free(steady);
	return err;
}

int asl_case_draws(const double **draws, const struct asl_measured *x)
{
	const struct asl_results *r = x->row->results;
	int i = (int)(x - r->cases), err = 0;

	*draws = NULL;
	if (x->time.samples < ASL_LEAST_SAMPLES)
		return 0;
	if (!r->draws[i]) {
		r->draws[i] = calloc(ASL_DRAWS, sizeof *r->draws[i]);
		err = r->draws[i] ? resample(r->draws[i], x) : -ENOMEM;
	}
	*draws = r->draws[i];
	return err;
}

void asl_case_drift(double drift[ASL_DRAWS], const struct asl_measured *x)
{
	struct asl_blocks b;

	asl_case_blocks(&b, NULL, x);
	asl_drift_draw(drift, &x->row->results->drift[(int)x->row->place], &b,
		       stream_of(x->row));
}

/* The base's median over the other's. */
static int measure(struct asl_pair *p)
{
	double logarithm =
		log(p->base->time.median) - log(p->other->time.median);
	const double *a, *b;
	double draws[ASL_DRAWS], drift[2][ASL_DRAWS];
	int err = asl_case_draws(&a, p->base);
	int least = p->base->time.samples < p->other->time.samples
			    ? p->base->time.samples
			    : p->other->time.samples;

	if (!err)
		err = asl_case_draws(&b, p->other);
	if (err)
		return err;
	asl_case_drift(drift[0], p->base);
	asl_case_drift(drift[1], p->other);
	for (int i = 0; a && b && i < ASL_DRAWS; i++) {
		draws[i] = a[i] - b[i];
		drift[0][i] -= drift[1][i];
	}
	p->speed =
		asl_ratio_of(logarithm, a && b ? draws : NULL, drift[0], least);
	return 0;
}

static int judge(struct asl_pair *p, const struct asl_comparison *c)
{
	double ratio;

	p->speed = (struct asl_ratio){NAN, NAN, NAN, 0, 0};
	if (!p->base || !p->other) {
		p->reason = ASL_ONLY_IN_ONE;
		snprintf(p->why, sizeof p->why, "only in %c",
			 asl_place_letter(p->base ? c->base : c->place));
		return 0;
	}
	p->source = asl_case_source(p->base);
	if (is_other_work(p, ASL_ASKED))
		return 0;
	if (c->modelled && asl_case_modelled(p->base) &&
	    asl_case_modelled(p->other)) {
		if (is_other_work(p, ASL_COUNTED))
			return 0;
		ratio = asl_row_cost(p->base->row) /
			asl_row_cost(p->other->row);
		p->source = ASL_MODELLED;
		p->speed = (struct asl_ratio){ratio, ratio, ratio, 0, 0};
		return 0;
	}
	explain_trouble(p, c);
	if (p->reason || is_other_work(p, ASL_COUNTED))
		return 0;
	explain_sources(p, c);
	return p->reason ? 0 : measure(p);
}

static int match(struct asl_comparison *c, struct side side[2])
{
	int err = 0;

	for (int last = ASL_PLACED; last >= ASL_ASKED; last--)
		join_same(side, (enum asl_role)last);
	join_nearest(side);
	for (int i = 0; i < side[0].count; i++) {
		const struct slot *x = &side[0].slots[i];

		c->pairs[c->count++] = (struct asl_pair){
			.base = x->x,
			.other = x->partner ? x->partner->x : NULL};
	}
	c->bases = c->count;
	list_left(&side[1]);
	for (int i = 0; i < side[1].lefts; i++)
		c->pairs[c->count++] =
			(struct asl_pair){.other = side[1].left[i]->x};
	for (int i = 0; !err && i < c->count; i++) {
		err = judge(&c->pairs[i], c);
		c->reasons[c->pairs[i].reason]++;
	}
	return err;
}

int asl_compare(struct asl_comparison *c)
{
	struct side side[2] = {{0}};
	int err = -ENOMEM;

	c->pairs = calloc((size_t)c->results->count + 1, sizeof *c->pairs);
	if (c->pairs && open_side(&side[0], c->results, c->base) &&
	    open_side(&side[1], c->results, c->place))
		err = match(c, side);
	close_side(&side[0]);
	close_side(&side[1]);
	return err ? asl_no_memory() : 0;
}

void asl_comparison_close(struct asl_comparison *c)
{
	free(c->pairs);
	c->pairs = NULL;
}

/*
 * Families
 */

#define OTHERS "others" /* algorithms that this version does not know */

const char *asl_case_family(const struct asl_measured *x)
{
	const struct asl_algorithm *known =
		asl_cli_algorithm(x->row->algorithm);

	return known ? known->family->name : OTHERS;
}

const char *asl_pair_family(const struct asl_pair *pair)
{
	return asl_case_family(pair->base ? pair->base : pair->other);
}

void asl_family_names(const char *names[ASL_MOST_FAMILIES + 1])
{
	int count = 0;

	/* Families may share a name. */
	for (int i = 0; asl_family_clis[i]; i++) {
		const char *name = asl_family_clis[i]->family->name;

		names[count] = NULL;
		if (!asl_is_one_of(name, names))
			names[count++] = name;
	}
	names[count] = OTHERS;
	names[count + 1] = NULL;
}
