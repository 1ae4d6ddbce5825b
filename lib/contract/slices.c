/*
 * slices.c -- slices of an index, one after another, where memory is small
 *
 * A contraction whose panels and sums do not fit is made for a part of an index at a
 * time, on the same meshes: each slice is a contraction of its own (contract.h), of
 * one of two lengths.  Of a tensor that has the index a rank owns its words of one
 * slice after another; others are owned once, and used by every slice.  If the index
 * is summed over, the results of slices are added up where they are owned.
 *
 *	held	what is owned, and what one slice holds beside its own
 */
#include <stdlib.h>
#include <string.h>

#include "lib/contract/contract.h"
#include "lib/multiply/brick.h"
#include "lib/rank/resume.h"

/* How many slices are as long as the first, and how many are shorter. */
static uint64_t count_of(const struct asl_contraction *c, int kind)
{
	uint64_t longer = c->e.size[c->sliced] % c->slices;

	longer = longer ? longer : c->slices;
	return kind ? c->slices - longer : longer;
}

static struct asl_range range_of(const struct asl_contraction *c, uint64_t s)
{
	return asl_part(c->e.size[c->sliced], (int)c->slices, (int)s);
}

/* The plan of a slice, which is borrowed. */
static struct asl_plan plan_of(const struct asl_plan *plan, int kind)
{
	struct asl_plan x = *plan;

	x.contraction = &plan->contraction->slice[kind];
	return x;
}

static void set_length(struct asl_contraction *c, int index, uint64_t length)
{
	c->e.size[index] = length;
	for (int i = 0; i < c->stages; i++)
		c->stage[i].e.size[index] = length;
}

/* Is every part of the index as long as the meshes have parts of it? */
static bool has_enough(const struct asl_contraction *c, int index,
		       uint64_t length)
{
	for (int i = 0; i < c->stages; i++)
		if ((uint64_t)c->stage[i].mesh.p[index] > length)
			return false;
	return true;
}

bool asl_slices_make(struct asl_contraction *c, int index, uint64_t size,
		     uint64_t slices)
{
	uint64_t shorter = size / slices;

	if (!has_enough(c, index, shorter))
		return false;
	c->slice = calloc(2, sizeof *c->slice);
	if (!c->slice)
		return false;
	for (int kind = 0; kind < 2; kind++) {
		memcpy(&c->slice[kind], c, sizeof *c);
		c->slice[kind].slice = NULL;
	}
	set_length(&c->slice[1], index, shorter);
	asl_contract_moves(&c->slice[1]);
	c->e.size[index] = size;
	c->sliced = index;
	c->slices = slices;
	return true;
}

struct asl_contraction *asl_contraction_copy(const struct asl_contraction *c)
{
	struct asl_contraction *copy = malloc(sizeof *copy);

	if (!copy)
		return NULL;
	*copy = *c;
	if (!c->slices)
		return copy;
	copy->slice = malloc(2 * sizeof *copy->slice);
	if (copy->slice) {
		memcpy(copy->slice, c->slice, 2 * sizeof *copy->slice);
		return copy;
	}
	free(copy);
	return NULL;
}

void asl_contraction_free(struct asl_contraction *c)
{
	if (c)
		free(c->slice);
	free(c);
}

/* ---- What a rank owns ---- */

static bool is_sliced(const struct asl_contraction *c, int which)
{
	return asl_term_has(&c->e.term[which], c->sliced);
}

/* Words of a tensor that a rank owns of one slice of this kind. */
static uint64_t owned_once(const struct asl_plan *plan, int kind, int rank,
			   int which)
{
	struct asl_plan x = plan_of(plan, kind);

	return asl_plan_owned(&x, rank, which);
}

uint64_t asl_slices_owned(const struct asl_plan *plan, int rank, int which)
{
	const struct asl_contraction *c = plan->contraction;
	uint64_t words = 0;

	if (!is_sliced(c, which))
		return owned_once(plan, 0, rank, which);
	for (int kind = 0; kind < 2; kind++)
		words +=
			count_of(c, kind) * owned_once(plan, kind, rank, which);
	return words;
}

/* A slice, and the words that are owned of those before it. */
struct place {
	uint64_t slice, first;
	int kind;
};

static struct place place_of(const struct asl_plan *plan, int rank, int which,
			     uint64_t word)
{
	const struct asl_contraction *c = plan->contraction;
	uint64_t longer = count_of(c, 0),
		 each = owned_once(plan, 0, rank, which);
	uint64_t all = longer * each;
	struct place x = {0, 0, 0};

	if (!is_sliced(c, which))
		return x;
	if (word >= all) {
		each = owned_once(plan, 1, rank, which);
		x = (struct place){longer, all, 1};
		word -= all;
	}
	x.slice += word / each;
	x.first += word / each * each;
	return x;
}

struct asl_tensor_row asl_slices_row(struct asl_holding *h, uint64_t done,
				     uint64_t most)
{
	const struct asl_contraction *c = h->plan->contraction;
	struct place x = place_of(h->plan, h->rank, h->which, done);
	struct asl_plan plan = plan_of(h->plan, x.kind);
	struct asl_holding of =
		asl_contraction_holding(&plan, h->which, h->rank);
	struct asl_tensor_row row;

	done -= x.first;
	row = asl_run_row(&of.run, done, asl_min(most, of.words - done));
	for (int i = 0; i < h->term->count; i++)
		if (h->term->index[i] == c->sliced)
			row.at[i] += range_of(c, x.slice).first;
	return row;
}

/* ---- Run ---- */

/* The words of a slice, among those that the rank owns. */
static void cut_own(struct asl_words of[ASL_MOST_OPERANDS],
		    const struct asl_plan *plan, const struct asl_words *own,
		    uint64_t s, int rank)
{
	const struct asl_contraction *c = plan->contraction;
	uint64_t longer = count_of(c, 0);
	uint64_t before = asl_min(s, longer), after = s - before;
	int kind = s >= longer;

	for (int i = 0; i <= c->e.inputs; i++) {
		uint64_t first = before * owned_once(plan, 0, rank, i) +
				 after * owned_once(plan, 1, rank, i);

		of[i] = asl_slice(&own[i], is_sliced(c, i) ? first : 0,
				  owned_once(plan, kind, rank, i));
	}
}

/* A sum is read and overwritten, so --resume needs a log of it, between marks. */
static void add_up(struct asl_rank *r, struct asl_words *sum,
		   const struct asl_words *more)
{
	asl_phase(r, ASL_REDUCE);
	asl_mark_epoch(r, NULL, 0);
	asl_brick_save(r, sum);
	asl_add(r, sum, sum, more);
	asl_mark_epoch(r, NULL, 0);
}

void asl_slices_run(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words *own)
{
	const struct asl_contraction *c = plan->contraction;
	int out = c->e.inputs;
	bool sums = !is_sliced(c, out);
	struct asl_words of[ASL_MOST_OPERANDS], more = {.where = ASL_POOL};

	if (sums)
		asl_take(r, &more, ASL_POOL, own[out].count);
	for (uint64_t s = 0; !r->err && s < c->slices; s++) {
		struct asl_plan slice = plan_of(plan, s >= count_of(c, 0));

		cut_own(of, plan, own, s, r->id);
		if (sums && s)
			of[out] = more;
		asl_plan_runs(&slice)->run(r, &slice, of);
		if (sums && s)
			add_up(r, &own[out], &more);
	}
	asl_give(r, &more);
}

/* ---- Predict ---- */

static uint64_t owned_by_slice(const struct asl_plan *plan, int kind, int rank)
{
	uint64_t words = 0;

	for (int i = 0; i <= plan->contraction->e.inputs; i++)
		words += owned_once(plan, kind, rank, i);
	return words;
}

/* The words owned, and the room for a slice's result before it is added. */
static uint64_t held_always(const struct asl_plan *plan, int rank)
{
	const struct asl_contraction *c = plan->contraction;
	int out = c->e.inputs;
	uint64_t words = is_sliced(c, out) ? 0 : owned_once(plan, 0, rank, out);

	for (int i = 0; i <= out; i++)
		words += asl_slices_owned(plan, rank, i);
	return words;
}

static void predict_kind(struct asl_ledger *out, const struct asl_plan *plan,
			 int kind, int rank)
{
	struct asl_plan slice = plan_of(plan, kind);
	uint64_t often = count_of(plan->contraction, kind);
	uint64_t always = held_always(plan, rank);
	uint64_t own = owned_by_slice(plan, kind, rank);
	struct asl_ledger once = {0};

	if (!often)
		return;
	asl_plan_predict(&once, &slice, rank);
	for (int i = 0; i < ASL_PHASES; i++)
		asl_counts_add_times(&out->in[i], &once.in[i], often);
	out->memory_high =
		asl_max(out->memory_high, always + once.memory_high - own);
	out->pool_high = asl_max(out->pool_high, always + once.pool_high - own);
}

void asl_slices_predict(struct asl_ledger *out, const struct asl_plan *plan,
			int rank)
{
	const struct asl_contraction *c = plan->contraction;
	int result = c->e.inputs;
	uint64_t added;

	for (int kind = 0; kind < 2; kind++)
		predict_kind(out, plan, kind, rank);
	if (is_sliced(c, result))
		return;
	added = (c->slices - 1) * owned_once(plan, 0, rank, result);
	out->in[ASL_REDUCE].of[ASL_NVM_LIFT] += 2 * added;
	out->in[ASL_REDUCE].of[ASL_NVM_LAND] += added;
}

/* No less than any rank needs: the most of each kind, and of what is always held. */
static void add_kind(struct asl_forecast *most, const struct asl_forecast *once,
		     uint64_t often, uint64_t beside)
{
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		most->q[a] += (double)often * once->q[a];
	most->read += often * once->read;
	most->written += often * once->written;
	most->bh += often * once->bh;
	most->memory_high =
		asl_max(most->memory_high, beside + once->memory_high);
	most->pool_high = asl_max(most->pool_high, beside + once->pool_high);
	most->memory_needed =
		asl_max(most->memory_needed, beside + once->memory_needed);
}

bool asl_slices_forecast(struct asl_forecast *most, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;

	*most = (struct asl_forecast){.read = 0};
	for (int kind = 0; kind < 2; kind++) {
		struct asl_plan slice = plan_of(plan, kind);
		struct asl_forecast once;
		uint64_t beside = 0;

		if (!count_of(c, kind))
			continue;
		if (!asl_contract_forecast(&once, &slice, 1))
			return false;
		for (int rank = 0; rank < c->ranks; rank++)
			beside = asl_max(
				beside,
				held_always(plan, rank) -
					owned_by_slice(plan, kind, rank));
		add_kind(most, &once, count_of(c, kind), beside);
	}
	return true;
}

double asl_slices_sum(const struct asl_contraction *c,
		      double (*of)(const struct asl_contraction *slice))
{
	double sum = 0;

	if (!c->slices)
		return of(c);
	for (int kind = 0; kind < 2; kind++)
		if (count_of(c, kind))
			sum += (double)count_of(c, kind) * of(&c->slice[kind]);
	return sum;
}

uint64_t asl_slices_words(const struct asl_contraction *c, int rank,
			  uint64_t (*of)(const struct asl_contraction *slice,
					 int rank))
{
	uint64_t words = 0;

	for (int kind = 0; kind < 2; kind++)
		if (count_of(c, kind))
			words += count_of(c, kind) * of(&c->slice[kind], rank);
	return words;
}
