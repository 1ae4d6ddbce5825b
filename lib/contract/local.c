/*
 * local.c -- going through the steps of a local einsum, and their closed form
 */
#include "lib/contract/local.h"

#include <math.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"
#include "lib/rank/resume.h"

/*
 * The order in which tensors are paired
 *
 * Of every set of inputs the best tree is known from those of its halves.
 */

/* Of a word of a temporary, written once and read once. */
#define TEMPORARY_NS 2.0

enum { SETS = 1 << ASL_MOST_INPUTS };

struct tree {
	double time;
	int left; /* the set on one side; 0: a single input */
	struct asl_term term;
};

struct search {
	const struct asl_einsum *e;
	const uint64_t *len;
	struct tree of[SETS];
};

static struct asl_view view_of(const struct asl_term *t, const uint64_t *len)
{
	struct asl_words nowhere = {.where = ASL_DRAM};

	return asl_view_dense(&nowhere, t, len);
}

/* Indices of a set of inputs that are still needed outside it. */
static uint32_t kept(const struct asl_einsum *e, int set)
{
	uint32_t inside = 0, outside = e->term[e->inputs].has;

	for (int i = 0; i < e->inputs; i++)
		*(set >> i & 1 ? &inside : &outside) |= e->term[i].has;
	return inside & outside;
}

static struct asl_term summed(const struct asl_term *t, uint32_t kept)
{
	int index[ASL_MOST_INDICES], count = 0;

	for (int i = 0; i < t->count; i++)
		if (!(kept >> t->index[i] & 1))
			index[count++] = t->index[i];
	return asl_term_of(index, count);
}

/* What is left of one input; the order in which that comes out. */
static struct asl_term alone(const struct search *s, const struct asl_term *t,
			     uint32_t kept)
{
	struct asl_term gone = summed(t, kept);
	struct asl_view A = view_of(t, s->len), B = view_of(&gone, s->len);
	struct asl_pairing p;

	if (!gone.count)
		return *t;
	asl_pair_choose(&p, &A, &B, NULL, kept, s->len);
	return p.order[2];
}

static void join(struct search *s, int set, int left)
{
	const struct tree *a = &s->of[left], *b = &s->of[set & ~left];
	const struct asl_term *out = &s->e->term[s->e->inputs];
	struct asl_view A = view_of(&a->term, s->len);
	struct asl_view B = view_of(&b->term, s->len);
	struct asl_view C = view_of(out, s->len);
	bool last = set == (1 << s->e->inputs) - 1;
	struct tree new = {a->time + b->time, left, *out};
	struct asl_pairing p;

	asl_pair_choose(&p, &A, &B, last ? &C : NULL, kept(s->e, set), s->len);
	new.time += asl_pairing_time(&p);
	if (!last) {
		new.term = p.order[2];
		new.time +=
			TEMPORARY_NS *(double)asl_view_words(&new.term, s->len);
	}
	if (new.time < s->of[set].time)
		s->of[set] = new;
}

static void find_trees(struct search *s)
{
	for (int set = 1; set < 1 << s->e->inputs; set++) {
		int lowest = set & -set;

		s->of[set].time = INFINITY;
		if (set == lowest)
			s->of[set] = (struct tree){
				0, 0,
				alone(s,
				      &s->e->term[__builtin_ctz((unsigned)set)],
				      kept(s->e, set))};
		for (int left = (set - 1) & set; left; left = (left - 1) & set)
			if (left & lowest)
				join(s, set, left);
	}
}

/* ---- The steps of the best tree ---- */

static int add_step(struct asl_local *l, int a, int b,
		    const struct asl_term *out)
{
	l->step[l->steps] = (struct asl_local_step){{a, b}, *out};
	return l->inputs + l->steps++;
}

/* The number of the tensor that a set makes. */
static int add_tree(struct asl_local *l, const struct search *s, int set)
{
	const struct tree *t = &s->of[set];
	int input = __builtin_ctz((unsigned)set), a, b;

	if (t->left) {
		a = add_tree(l, s, t->left);
		b = add_tree(l, s, set & ~t->left);
		return add_step(l, a, b, &t->term);
	}
	if (t->term.has == s->e->term[input].has)
		return input;
	return add_step(l, input, -1, &t->term);
}

/* Slabs in which the largest temporary takes a quarter of the cache. */
static void choose_slab(struct asl_local *l, const struct asl_einsum *e,
			const uint64_t *len, uint64_t cache)
{
	const struct asl_term *largest = NULL;
	uint64_t most = asl_max(cache / 4, 1), words;

	l->slab = -1;
	for (int i = 0; i < l->steps - 1; i++) {
		words = asl_view_words(&l->step[i].out, len);
		if (words > most) {
			most = words;
			largest = &l->step[i].out;
		}
	}
	for (int i = 0; largest && i < largest->count; i++) {
		int index = largest->index[i];

		if (len[index] == 1 ||
		    !asl_term_has(&e->term[e->inputs], index))
			continue;
		l->slab = index;
		l->thick = asl_max(1, cache / 4 / (most / len[index]));
		return;
	}
}

void asl_local_make(struct asl_local *l, const struct asl_einsum *e,
		    const uint64_t *len, uint64_t cache)
{
	struct search s = {.e = e, .len = len};

	*l = (struct asl_local){.inputs = e->inputs};
	if (e->inputs == 1) {
		add_step(l, 0, -1, &e->term[1]);
	} else {
		find_trees(&s);
		add_tree(l, &s, (1 << e->inputs) - 1);
	}
	choose_slab(l, e, len, cache);
}

enum { CHUNK = 4096, MOST_TENSORS = ASL_MOST_INPUTS + ASL_MOST_STEPS };

/* The tensors of the whole einsum, or of one slab of it. */
struct scene {
	const struct asl_plan *plan;
	const struct asl_local *l;
	struct asl_view tensor[MOST_TENSORS];
	struct asl_words room[MOST_TENSORS]; /* of temporaries */
	uint64_t len[ASL_MOST_INDICES];
};

static bool in_slabs(const struct asl_local *l, const struct asl_term *t)
{
	return l->slab >= 0 && asl_term_has(t, l->slab);
}

static struct scene begin(const struct asl_plan *plan,
			  const struct asl_local *l, const struct asl_view *out,
			  const struct asl_view in[], const uint64_t *len)
{
	struct scene s = {.plan = plan, .l = l};

	memcpy(s.len, len, sizeof s.len);
	for (int i = 0; i < l->inputs; i++)
		s.tensor[i] = in[i];
	s.tensor[l->inputs + l->steps - 1] = *out;
	return s;
}

/* What the others are in the slab that begins at `first`. */
static struct scene slab_of(const struct scene *whole, uint64_t first)
{
	const struct asl_local *l = whole->l;
	struct scene s = *whole;
	int last = l->inputs + l->steps - 1;

	s.len[l->slab] = asl_min(l->thick, whole->len[l->slab] - first);
	for (int i = 0; i <= last; i++)
		if ((i < l->inputs || i == last) && s.tensor[i].at &&
		    in_slabs(l, s.tensor[i].term))
			s.tensor[i].at += first * s.tensor[i].stride[l->slab];
	return s;
}

/* What a single input's step sums over, as it lies there. */
static struct asl_term local_summed(const struct asl_term *in,
				    const struct asl_term *out)
{
	int index[ASL_MOST_INDICES], count = 0;

	for (int i = 0; i < in->count; i++)
		if (!asl_term_has(out, in->index[i]))
			index[count++] = in->index[i];
	return asl_term_of(index, count);
}

/* ---- Run ---- */

static void take_ones(struct asl_rank *r, struct asl_words *ones,
		      uint64_t count)
{
	uint64_t most = asl_min(asl_min(count, CHUNK), r->cache);
	struct asl_tile tile;
	struct asl_words at;

	asl_take(r, ones, ASL_DRAM, count);
	asl_tile_take(r, &tile, 1, most);
	at = asl_tile_words(&tile, 0, most);
	for (uint64_t i = 0; tile.data && i < most; i++)
		at.at[i] = 1;
	for (uint64_t done = 0; !r->err && done < count; done += most) {
		struct asl_tile row =
			asl_tile_row(&tile, 0, asl_min(most, count - done));
		struct asl_words to = asl_slice(ones, done, row.cols);
		struct asl_block block = asl_as_block(&to, 1, row.cols);

		asl_tile_store(r, &block, &row);
	}
	asl_tile_give(r, &tile);
}

static void run_alone(struct asl_rank *r, struct scene *s,
		      const struct asl_view *out, const struct asl_view *in)
{
	struct asl_term gone = local_summed(in->term, out->term);
	struct asl_words ones;
	struct asl_view v;

	if (!gone.count) {
		asl_permute(r, out, in, s->len);
		return;
	}
	asl_mark_hold(r);
	take_ones(r, &ones, asl_view_words(&gone, s->len));
	v = asl_view_dense(&ones, &gone, s->len);
	asl_pair_run(r, s->plan, out, in, &v, s->len);
	asl_give(r, &ones);
	asl_release(r);
}

static void run_step(struct asl_rank *r, struct scene *s, int number)
{
	const struct asl_local_step *step = &s->l->step[number];
	int out = s->l->inputs + number;
	const struct asl_view *a = &s->tensor[step->in[0]];

	if (number < s->l->steps - 1) {
		asl_take(r, &s->room[out], ASL_DRAM,
			 asl_view_words(&step->out, s->len));
		s->tensor[out] =
			asl_view_dense(&s->room[out], &step->out, s->len);
	}
	if (step->in[1] < 0)
		run_alone(r, s, &s->tensor[out], a);
	else
		asl_pair_run(r, s->plan, &s->tensor[out], a,
			     &s->tensor[step->in[1]], s->len);
}

/* Of what was made in this scene: before slabs, or in one. */
static void give_made(struct asl_rank *r, struct scene *s, bool in_slab)
{
	for (int i = s->l->steps - 2; i >= 0; i--)
		if (in_slabs(s->l, &s->l->step[i].out) == in_slab)
			asl_give(r, &s->room[s->l->inputs + i]);
}

/* Does it make any, which are in DRAM?  The last step makes the output. */
static bool makes(const struct asl_local *l, bool in_slab)
{
	for (int i = 0; i < l->steps - 1; i++)
		if (in_slabs(l, &l->step[i].out) == in_slab)
			return true;
	return false;
}

static void run_steps(struct asl_rank *r, struct scene *s, bool in_slab)
{
	for (int i = 0; i < s->l->steps; i++)
		if (in_slabs(s->l, &s->l->step[i].out) == in_slab)
			run_step(r, s, i);
}

static void run_slab(struct asl_rank *r, struct scene *slab)
{
	const struct asl_view *out =
		&slab->tensor[slab->l->inputs + slab->l->steps - 1];
	struct asl_block done = {.where = out->where, .at = out->at};

	asl_mark_hold(r);
	run_steps(r, slab, true);
	give_made(r, slab, true);
	asl_release(r);
	asl_mark_commit(r, &done);
}

void asl_local_run(struct asl_rank *r, const struct asl_plan *plan,
		   const struct asl_local *l, const struct asl_view *out,
		   const struct asl_view in[], const uint64_t *len)
{
	struct scene s = begin(plan, l, out, in, len);

	if (makes(l, false))
		asl_mark_hold(r);
	run_steps(r, &s, false);
	for (uint64_t i = 0; !r->err && l->slab >= 0 && i < len[l->slab];
	     i += l->thick) {
		struct scene slab = slab_of(&s, i);

		run_slab(r, &slab);
	}
	give_made(r, &s, false);
	if (makes(l, false))
		asl_release(r);
}

/* ---- Predict ---- */

/* Words held by what was made, and the most that there were at a time. */
struct room {
	uint64_t held, high;
};

static uint64_t predict_alone(struct asl_counts *x, const struct scene *s,
			      const struct asl_view *out,
			      const struct asl_view *in)
{
	struct asl_term gone = local_summed(in->term, out->term);
	struct asl_words nowhere = {.where = ASL_DRAM};
	struct asl_view v = asl_view_dense(&nowhere, &gone, s->len);
	uint64_t ones = asl_view_words(&gone, s->len);
	uint64_t tile = asl_min(asl_min(ones, CHUNK), s->plan->cache);

	if (!gone.count) {
		asl_permute_predict(x, out->where, in->where,
				    asl_view_words(out->term, s->len));
		return asl_permute_room(out, in, s->len, s->plan->cache);
	}
	x->of[ASL_DRAM_WRITE] += ones;
	return ones +
	       asl_max(tile, asl_pair_predict(x, s->plan, out, in, &v, s->len));
}

static void predict_step(struct asl_counts *x, struct scene *s, int number,
			 struct room *room)
{
	const struct asl_local_step *step = &s->l->step[number];
	struct asl_words nowhere = {.where = ASL_DRAM};
	int out = s->l->inputs + number;
	const struct asl_view *a = &s->tensor[step->in[0]];
	uint64_t beside;

	if (number < s->l->steps - 1) {
		s->tensor[out] = asl_view_dense(&nowhere, &step->out, s->len);
		room->held += asl_view_words(&step->out, s->len);
	}
	if (step->in[1] < 0)
		beside = predict_alone(x, s, &s->tensor[out], a);
	else
		beside = asl_pair_predict(x, s->plan, &s->tensor[out], a,
					  &s->tensor[step->in[1]], s->len);
	room->high = asl_max(room->high, room->held + beside);
}

static void predict_steps(struct asl_counts *x, struct scene *s, bool in_slab,
			  struct room *room)
{
	for (int i = 0; i < s->l->steps; i++)
		if (in_slabs(s->l, &s->l->step[i].out) == in_slab)
			predict_step(x, s, i, room);
}

/* Slabs are alike, but for the last one. */
uint64_t asl_local_predict(struct asl_counts *x, const struct asl_plan *plan,
			   const struct asl_local *l,
			   const struct asl_view *out,
			   const struct asl_view in[], const uint64_t *len)
{
	struct scene s = begin(plan, l, out, in, len);
	struct room room = {0, 0};
	uint64_t all, last;

	predict_steps(x, &s, false, &room);
	if (l->slab < 0)
		return room.high;
	all = len[l->slab] / l->thick;
	last = len[l->slab] % l->thick;
	for (int i = 0; i < 2; i++) {
		struct scene slab = slab_of(&s, i ? all * l->thick : 0);
		struct asl_counts once = {{0}};
		struct room inside = room;

		if (i ? !last : !all)
			continue;
		predict_steps(&once, &slab, true, &inside);
		asl_counts_add_times(x, &once, i ? 1 : all);
		room.high = asl_max(room.high, inside.high);
	}
	return room.high;
}
