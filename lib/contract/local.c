/*
 * local.c -- the steps of a rank's einsum (contract.h), and their closed form
 */
#include <string.h>

#include "lib/contract/contract.h"
#include "lib/rank/resume.h"

enum { CHUNK = 4096 };

/* The whole einsum, or the slab of it that begins at `first`. */
struct scene {
	const struct asl_plan *plan;
	struct asl_plan beside; /* with what temporaries leave of the cache */
	const struct asl_local *l;
	const struct asl_view *in, *out; /* of the whole */
	struct asl_words temporary[ASL_MOST_STEPS];
	uint64_t first, len[ASL_MOST_INDICES];
};

static int output_of(const struct asl_local *l)
{
	return l->inputs + l->steps - 1;
}

static bool in_slabs(const struct asl_local *l, const struct asl_term *t)
{
	return l->slab >= 0 && asl_term_has(t, l->slab);
}

/* Temporaries of a slab or, without slabs, all of them may be in the cache. */
static bool in_cache(const struct asl_local *l, bool in_slab)
{
	return l->room && in_slab == (l->slab >= 0);
}

/* The plan for these steps. */
static const struct asl_plan *plan_of(const struct scene *s, bool in_slab)
{
	return in_cache(s->l, in_slab) ? &s->beside : s->plan;
}

static struct scene begin(const struct asl_plan *plan,
			  const struct asl_local *l, const struct asl_view *out,
			  const struct asl_view in[], const uint64_t *len)
{
	struct scene s = {
		.plan = plan, .beside = *plan, .l = l, .in = in, .out = out};

	s.beside.cache -= l->room;
	memcpy(s.len, len, sizeof s.len);
	for (int i = 0; i < l->steps; i++)
		s.temporary[i].where = in_cache(l, in_slabs(l, &l->step[i].out))
					       ? ASL_CACHE
					       : ASL_DRAM;
	return s;
}

static void set_slab(struct scene *s, uint64_t first, uint64_t all)
{
	s->first = first;
	s->len[s->l->slab] = asl_min(s->l->thick, all - first);
}

/* Strides are not kept: many views would fill a simulated rank's stack. */
static struct asl_view view_of(const struct scene *s, int tensor)
{
	const struct asl_local *l = s->l;
	int step = tensor - l->inputs;
	struct asl_view v;

	if (step >= 0 && step < l->steps - 1)
		return asl_view_dense(&s->temporary[step], &l->step[step].out,
				      s->len);
	v = step < 0 ? s->in[tensor] : *s->out;
	if (v.at && in_slabs(l, v.term))
		v.at = asl_type_at(v.type, v.at, s->first * v.stride[l->slab]);
	return v;
}

/* ---- Run ---- */

static void take_ones(struct asl_rank *r, struct asl_words *ones,
		      uint64_t count)
{
	uint64_t most =
		asl_min(asl_min(count, CHUNK), r->cache - r->cache_held);
	struct asl_tile tile;
	struct asl_words at;

	asl_take(r, ones, ASL_DRAM, count);
	asl_tile_take(r, &tile, 1, most);
	at = asl_tile_words(&tile, 0, most);
	for (uint64_t i = 0; tile.data && i < most; i++)
		asl_number_put(at.type, asl_type_at(at.type, at.at, i),
			       (struct asl_number){1, 0});
	for (uint64_t done = 0; !r->err && done < count; done += most) {
		struct asl_tile row =
			asl_tile_row(&tile, 0, asl_min(most, count - done));
		struct asl_words to = asl_slice(ones, done, row.cols);
		struct asl_block block = asl_as_block(&to, 1, row.cols);

		asl_tile_store(r, &block, &row);
	}
	asl_tile_give(r, &tile);
}

static void run_single(struct asl_rank *r, const struct scene *s,
		       const struct asl_plan *plan, const struct asl_view *out,
		       const struct asl_view *in)
{
	struct asl_term gone = asl_term_without(in->term, out->term->has);
	struct asl_words ones;
	struct asl_view v;

	if (!gone.count) {
		asl_permute(r, out, in, s->len);
		return;
	}
	asl_mark_hold(r);
	take_ones(r, &ones, asl_term_words(&gone, s->len));
	v = asl_view_dense(&ones, &gone, s->len);
	asl_pair_run(r, plan, out, in, &v, s->len);
	asl_give(r, &ones);
	asl_mark_release(r);
}

static void run_step(struct asl_rank *r, struct scene *s, int number,
		     const struct asl_plan *plan)
{
	const struct asl_local_step *step = &s->l->step[number];
	struct asl_words *temporary = &s->temporary[number];
	struct asl_view a, b, out;

	if (number < s->l->steps - 1)
		asl_take(r, temporary, temporary->where,
			 asl_term_words(&step->out, s->len));
	out = view_of(s, s->l->inputs + number);
	a = view_of(s, step->in[0]);
	if (step->in[1] < 0) {
		run_single(r, s, plan, &out, &a);
		return;
	}
	b = view_of(s, step->in[1]);
	asl_pair_run(r, plan, &out, &a, &b, s->len);
}

/* The steps within slabs, or those before them. */
static void run_steps(struct asl_rank *r, struct scene *s, bool in_slab)
{
	for (int i = 0; i < s->l->steps; i++)
		if (in_slabs(s->l, &s->l->step[i].out) == in_slab)
			run_step(r, s, i, plan_of(s, in_slab));
}

static void give_temporaries(struct asl_rank *r, struct scene *s, bool in_slab)
{
	for (int i = s->l->steps - 2; i >= 0; i--) {
		enum asl_where where = s->temporary[i].where;

		if (in_slabs(s->l, &s->l->step[i].out) != in_slab)
			continue;
		asl_give(r, &s->temporary[i]);
		s->temporary[i].where = where; /* also of the next slab's */
	}
}

static bool has_temporaries_before(const struct asl_local *l)
{
	for (int i = 0; i < l->steps - 1; i++)
		if (!in_slabs(l, &l->step[i].out))
			return true;
	return false;
}

static void run_slab(struct asl_rank *r, struct scene *slab)
{
	struct asl_view out = view_of(slab, output_of(slab->l));
	struct asl_block done = {.where = out.where, .at = out.at};

	asl_mark_hold(r);
	run_steps(r, slab, true);
	give_temporaries(r, slab, true);
	asl_mark_release(r);
	asl_mark_commit(r, &done);
}

void asl_local_run(struct asl_rank *r, const struct asl_plan *plan,
		   const struct asl_local *l, const struct asl_view *out,
		   const struct asl_view in[], const uint64_t *len)
{
	struct scene s = begin(plan, l, out, in, len);
	bool holds = has_temporaries_before(l);

	if (holds)
		asl_mark_hold(r);
	run_steps(r, &s, false);
	for (uint64_t i = 0; !r->err && l->slab >= 0 && i < len[l->slab];
	     i += l->thick) {
		set_slab(&s, i, len[l->slab]);
		run_slab(r, &s);
	}
	give_temporaries(r, &s, false);
	if (holds)
		asl_mark_release(r);
}

/* ---- Predict ---- */

/* Words of temporaries, and the maximum with the scratch of a step. */
struct held {
	uint64_t now, high;
};

static uint64_t predict_single(struct asl_counts *x, const struct scene *s,
			       const struct asl_plan *plan,
			       const struct asl_view *out,
			       const struct asl_view *in)
{
	struct asl_term gone = asl_term_without(in->term, out->term->has);
	struct asl_view v = asl_view_nowhere(&gone, s->len);
	uint64_t ones = asl_term_words(&gone, s->len);

	if (!gone.count) {
		asl_permute_predict(x, out, in, s->len);
		return 0;
	}
	x->of[ASL_DRAM_WRITE] += ones;
	return ones + asl_pair_predict(x, plan, out, in, &v, s->len);
}

static void predict_step(struct asl_counts *x, const struct scene *s,
			 int number, const struct asl_plan *plan,
			 struct held *held)
{
	const struct asl_local_step *step = &s->l->step[number];
	struct asl_view out = view_of(s, s->l->inputs + number);
	struct asl_view a = view_of(s, step->in[0]), b;
	uint64_t scratch;

	if (number < s->l->steps - 1 && s->temporary[number].where != ASL_CACHE)
		held->now += asl_term_words(&step->out, s->len);
	if (step->in[1] < 0) {
		scratch = predict_single(x, s, plan, &out, &a);
	} else {
		b = view_of(s, step->in[1]);
		scratch = asl_pair_predict(x, plan, &out, &a, &b, s->len);
	}
	held->high = asl_max(held->high, held->now + scratch);
}

static void predict_steps(struct asl_counts *x, const struct scene *s,
			  bool in_slab, struct held *held)
{
	for (int i = 0; i < s->l->steps; i++)
		if (in_slabs(s->l, &s->l->step[i].out) == in_slab)
			predict_step(x, s, i, plan_of(s, in_slab), held);
}

/* All slabs are alike but the last. */
uint64_t asl_local_predict(struct asl_counts *x, const struct asl_plan *plan,
			   const struct asl_local *l,
			   const struct asl_view *out,
			   const struct asl_view in[], const uint64_t *len)
{
	struct scene s = begin(plan, l, out, in, len);
	struct held held = {0, 0};
	uint64_t all, last;

	predict_steps(x, &s, false, &held);
	if (l->slab < 0)
		return held.high;
	all = len[l->slab] / l->thick;
	last = len[l->slab] % l->thick;
	for (int i = 0; i < 2; i++) {
		struct asl_counts once = {{0}};
		struct held inside = held;

		if (i ? !last : !all)
			continue;
		set_slab(&s, i ? all * l->thick : 0, len[l->slab]);
		predict_steps(&once, &s, true, &inside);
		asl_counts_add_times(x, &once, i ? 1 : all);
		held.high = asl_max(held.high, inside.high);
	}
	return held.high;
}
