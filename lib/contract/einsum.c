/*
 * einsum.c -- an einsum of any number of inputs over many ranks
 *
 * Per stage (contract.h) and rank, with g_i parts of index i of length n_i, G_t
 * the product of the g_i of the indices that term t lacks, and W_t the words of
 * the rank's slice of t:
 *
 *	gather	an allgather of every input's slice over the G_t ranks that
 *		share it
 *	compute	the einsum of the slices, in steps, into the pool
 *	reduce	a reduce_scatter over the G_t ranks that have summands of one
 *		slice of the output
 *
 *	B_h	sum over terms of (1 - 1/G_t) W_t
 *	owned	sum over terms of (product of n_i) / P
 *
 * Between stages intermediates, which lie where panels do, move to where they
 * are needed (shift).  With everything on rank 0, operands are scattered first
 * and the result is gathered at the end (exchange).
 *
 * For matrix multiplication and MTTKRP the mesh of fewest words is that of
 * M. Zorca, D. Trujillo, B. Egeli, Near-optimal parallel tensor contractions,
 * which derives it from G. Kwasniewski et al., Pebbles, graphs, and a pinch of
 * combinatorics, 2021.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/contract/contract.h"
#include "lib/multiply/brick.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

/* ---- Spreads of operands ---- */

/* Where an operand is used, or the output is made. */
static struct asl_spread spread_on_mesh(const struct asl_contraction *c,
					int operand)
{
	const struct asl_stage *x = &c->stage[c->stages - 1];
	int term = x->e.inputs;

	for (int i = 0; operand < c->e.inputs && i < c->stages; i++)
		for (int j = 0; j < c->stage[i].e.inputs; j++)
			if (c->stage[i].from[j] == operand) {
				x = &c->stage[i];
				term = j;
			}
	return asl_stage_spread(x, term);
}

static struct asl_spread spread_on_root(const struct asl_contraction *c,
					int operand)
{
	return asl_spread_on(&c->e, &c->e.term[operand], NULL);
}

struct asl_spread asl_contraction_spread(const struct asl_contraction *c,
					 int operand)
{
	return c->on_root ? spread_on_root(c, operand)
			  : spread_on_mesh(c, operand);
}

/*
 * A rank's shares: its words of all inputs and outputs of all stages
 *
 * Two pieces of main memory hold those that are no operand's: `beside` the
 * operands in the pool, if these are on rank 0; and `between` stages, where
 * panels are.
 */

struct piece {
	struct asl_words all;
	uint64_t used; /* words cut off so far */
};

struct shares {
	const struct asl_contraction *c;
	const struct asl_words *own;
	int rank;
	struct asl_words in[ASL_MOST_INPUTS][ASL_MOST_TOGETHER]; /* [stage] */
	struct asl_words out[ASL_MOST_INPUTS];
	struct piece beside, between;
};

static struct asl_words cut(const struct shares *s, struct piece *piece,
			    const struct asl_stage *x, int term)
{
	struct asl_spread spread = asl_stage_spread(x, term);
	uint64_t words = asl_spread_run(&spread, s->rank).words.count;

	piece->used += words;
	return asl_slice(&piece->all, piece->used - words, words);
}

static struct asl_words input(struct shares *s, const struct asl_stage *x,
			      int term)
{
	int from = x->from[term];

	if (x->moves[term])
		return cut(s, &s->between, x, term);
	if (from >= s->c->e.inputs)
		return s->out[from - s->c->e.inputs];
	return s->c->on_root ? cut(s, &s->beside, x, term) : s->own[from];
}

static struct asl_words output(struct shares *s, const struct asl_stage *x,
			       bool last)
{
	if (!last)
		return cut(s, &s->between, x, x->e.inputs);
	return s->c->on_root ? cut(s, &s->beside, x, x->e.inputs)
			     : s->own[s->c->e.inputs];
}

static void cut_all(struct shares *s)
{
	s->beside.used = s->between.used = 0;
	for (int i = 0; i < s->c->stages; i++) {
		const struct asl_stage *x = &s->c->stage[i];

		for (int j = 0; j < x->e.inputs; j++)
			s->in[i][j] = input(s, x, j);
		s->out[i] = output(s, x, i == s->c->stages - 1);
	}
}

/* The counts of the pieces; the shares have no addresses. */
static void measure_shares(struct shares *s, const struct asl_plan *plan,
			   int rank, const struct asl_words *own)
{
	*s = (struct shares){
		.c = plan->contraction,
		.own = own,
		.rank = rank,
		.beside.all.where = ASL_POOL,
		.between.all.where = plan->panels,
	};
	cut_all(s);
	s->beside.all.count = s->beside.used;
	s->between.all.count = s->between.used;
}

/* ---- A rank's part of a stage ---- */

struct part {
	const struct asl_plan *plan;
	const struct asl_stage *stage;
	int rank, inputs;
	bool works; /* the rank has a cell */
	bool last;  /* it is the last stage */
	struct asl_cell cell;
	uint64_t len[ASL_MOST_INDICES]; /* of the cell */
};

static struct part part_of(const struct asl_plan *plan, int stage, int rank)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_stage *x = &c->stage[stage];
	struct part p = {
		.plan = plan,
		.stage = x,
		.rank = rank,
		.inputs = x->e.inputs,
		.works = rank < asl_mesh_ranks(&x->e, &x->mesh),
		.last = stage == c->stages - 1,
		.cell = asl_mesh_cell(&x->e, &x->mesh, rank),
	};

	for (int i = 0; i < x->e.indices; i++)
		p.len[i] = p.cell.of[i].count;
	return p;
}

/* The ranks that share the slice of a term; `list` as in spread.h. */
static struct asl_group group_of(const struct part *p, int term, int *list)
{
	struct asl_spread s = asl_stage_spread(p->stage, term);

	return list ? asl_spread_group(&s, p->rank, list)
		    : asl_cell_group(&s, &p->cell);
}

static uint64_t slice_words(const struct part *p, int term)
{
	return asl_cell_words(&p->cell, &p->stage->e.term[term]);
}

/* Panels hold the slices that are shared with other ranks. */
static uint64_t panel_words(const struct part *p)
{
	uint64_t words = 0;

	for (int i = 0; i < p->inputs; i++)
		if (group_of(p, i, NULL).size > 1)
			words += slice_words(p, i);
	return words;
}

/* Where summands of the output lie before they are added. */
static enum asl_where where_summands(const struct part *p)
{
	return p->last ? ASL_POOL : p->plan->panels;
}

/* ---- Predict: no buffers and no peers ---- */

/* Maxima of the words held for a while: in all, and in the pool. */
struct scratch {
	uint64_t all, pool;
};

static void note_scratch(struct scratch *most, uint64_t all, uint64_t pool)
{
	most->all = asl_max(most->all, all);
	most->pool = asl_max(most->pool, pool);
}

/* A rank's counts without those of its products, which depend on the kernel. */
struct outline {
	struct asl_ledger ledger;
	struct asl_words own[ASL_MOST_OPERANDS];
	struct shares s;
	uint64_t owned;
	struct scratch most;
	const struct asl_plan *plan;
	int rank;
	bool works[ASL_MOST_INPUTS]; /* as a part's */
	/* Indices of which the part's cell has the shorter length. */
	uint32_t shorter[ASL_MOST_INPUTS];
	/* Words beside a stage's product, in all and in the pool. */
	uint64_t summands[ASL_MOST_INPUTS], panels[ASL_MOST_INPUTS];
	uint64_t reduce[ASL_MOST_INPUTS], in_pool[ASL_MOST_INPUTS];
};

static void outline_gather(struct asl_counts *x, const struct part *p,
			   const struct asl_words *in)
{
	enum asl_where panels = p->plan->panels;

	for (int i = 0; i < p->inputs; i++) {
		struct asl_group g = group_of(p, i, NULL);

		if (g.size == 1)
			continue;
		asl_predict_copy(x, panels, in[i].where, in[i].count);
		asl_predict_allgather(x, slice_words(p, i), g.size, g.me,
				      panels);
	}
}

/* Where the product goes: to summands, or to its place. */
static enum asl_where where_product(const struct part *p,
				    const struct asl_words *sum)
{
	return group_of(p, p->inputs, NULL).size > 1 ? where_summands(p)
						     : sum->where;
}

static void outline_part(struct outline *o, const struct part *p, int stage)
{
	const struct asl_words *sum = &o->s.out[stage];
	struct asl_group g = group_of(p, p->inputs, NULL);
	uint64_t W = slice_words(p, p->inputs);
	enum asl_where where = where_product(p, sum);

	outline_gather(&o->ledger.in[ASL_GATHER], p, o->s.in[stage]);
	asl_predict_reduce_scatter(&o->ledger.in[ASL_REDUCE], W, g.size, g.me,
				   sum->where, where);
	o->summands[stage] = g.size > 1 ? W : 0;
	o->panels[stage] = panel_words(p);
	o->reduce[stage] = asl_reduce_scatter_scratch(W, g.size, g.me);
	o->in_pool[stage] = p->plan->panels == ASL_POOL ? o->panels[stage] : 0;
	if (where == ASL_POOL)
		o->in_pool[stage] += o->summands[stage];
}

static void outline_moves(struct outline *o, const struct asl_contraction *c,
			  int stage, int rank)
{
	const struct asl_stage *x = &c->stage[stage];
	struct asl_spread to, from;

	for (int i = 0; i < x->e.inputs; i++)
		if (x->moves[i] && asl_stage_origin(&to, &from, c, x, i))
			note_scratch(&o->most,
				     asl_spread_predict(
					     &o->ledger.in[ASL_SHIFT], rank,
					     c->ranks, &to,
					     o->s.in[stage][i].where, &from,
					     o->s.out[x->from[i] - c->e.inputs]
						     .where),
				     0);
}

/* Rank 0 scatters the operands, and gathers the result at the end. */
static void outline_root(struct outline *o, const struct asl_contraction *c,
			 int rank)
{
	for (int i = 0; i <= c->e.inputs; i++) {
		struct asl_spread root = spread_on_root(c, i);
		struct asl_spread mesh = spread_on_mesh(c, i);
		bool result = i == c->e.inputs;

		note_scratch(&o->most,
			     asl_spread_predict(
				     &o->ledger.in[ASL_EXCHANGE], rank,
				     c->ranks, result ? &root : &mesh, ASL_POOL,
				     result ? &mesh : &root, ASL_POOL),
			     0);
	}
}

static uint64_t set_owned(struct asl_words *own, const struct asl_plan *plan,
			  int rank)
{
	uint64_t owned = 0;

	for (int i = 0; i <= plan->contraction->e.inputs; i++) {
		own[i] =
			(struct asl_words){ASL_POOL, plan->type,
					   asl_plan_owned(plan, rank, i), NULL};
		owned += own[i].count;
	}
	return owned;
}

static uint32_t shorter(const struct part *p)
{
	uint32_t set = 0;

	for (int i = 0; i < p->stage->e.indices; i++)
		if (p->len[i] * (uint64_t)p->stage->mesh.p[i] <
		    p->stage->e.size[i])
			set |= UINT32_C(1) << i;
	return set;
}

static void outline_rank(struct outline *o, const struct asl_plan *plan,
			 int rank)
{
	const struct asl_contraction *c = plan->contraction;

	o->plan = plan;
	o->rank = rank;
	o->ledger = (struct asl_ledger){0};
	o->most = (struct scratch){0, 0};
	o->owned = set_owned(o->own, plan, rank);
	measure_shares(&o->s, plan, rank, o->own);
	if (c->on_root)
		outline_root(o, c, rank);
	for (int i = 0; i < c->stages; i++) {
		struct part p = part_of(plan, i, rank);

		outline_moves(o, c, i, rank);
		o->works[i] = p.works;
		o->shorter[i] = shorter(&p);
		if (p.works)
			outline_part(o, &p, i);
	}
	o->owned += o->s.beside.used;
}

/* ---- Products, which are equal on all ranks whose cells are as long ---- */

struct product {
	int stage;
	uint32_t shorter; /* indices of which the cell has the shorter part */
	struct asl_counts counts;
	uint64_t scratch;
};

/* The first products; when there is no room for more, others are computed anew. */
struct products {
	int count;
	struct product at[64];
};

static struct product multiply_part(const struct part *p,
				    const struct asl_words *in,
				    const struct asl_words *sum,
				    const struct asl_plan *plan)
{
	const struct asl_einsum *e = &p->stage->e;
	struct asl_words summand = {.where = where_product(p, sum)};
	struct asl_view view[ASL_MOST_TOGETHER], result;
	struct product x = {0};

	for (int i = 0; i < p->inputs; i++) {
		struct asl_words slice = in[i];

		if (group_of(p, i, NULL).size > 1)
			slice.where = plan->panels;
		view[i] = asl_view_dense(&slice, &e->term[i], p->len);
	}
	result = asl_view_dense(&summand, &e->term[p->inputs], p->len);
	x.scratch = asl_local_predict(&x.counts, plan, &p->stage->local,
				      &result, view, p->len);
	return x;
}

/* The product of a rank's part; *room holds one that is not known (NULL: none is). */
static const struct product *product_of(struct products *known,
					const struct outline *o, int stage,
					const struct asl_plan *plan,
					struct product *room)
{
	uint32_t set = o->shorter[stage];
	struct product *x = room;
	struct part p;

	for (int i = 0; known && i < known->count; i++)
		if (known->at[i].stage == stage && known->at[i].shorter == set)
			return &known->at[i];
	if (known && known->count < (int)(sizeof known->at / sizeof *known->at))
		x = &known->at[known->count++];
	p = part_of(o->plan, stage, o->rank);
	*x = multiply_part(&p, o->s.in[stage], &o->s.out[stage], plan);
	x->stage = stage;
	x->shorter = set;
	return x;
}

/* The outline's ledger with the products of a plan's kernel. */
static void add_products(struct asl_ledger *out, const struct outline *o,
			 const struct asl_plan *plan, struct products *known)
{
	struct scratch most = o->most;
	struct product room;

	*out = o->ledger;
	for (int i = 0; i < plan->contraction->stages; i++) {
		const struct product *x;

		if (!o->works[i])
			continue;
		x = product_of(known, o, i, plan, &room);
		asl_counts_add(&out->in[ASL_COMPUTE], &x->counts);
		note_scratch(&most,
			     o->summands[i] + asl_max(o->panels[i] + x->scratch,
						      o->reduce[i]),
			     o->in_pool[i]);
	}
	out->memory_high = o->owned + o->s.between.used + most.all;
	out->pool_high = o->owned + most.pool;
	if (plan->panels == ASL_POOL)
		out->pool_high += o->s.between.used;
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	struct outline o;

	if (plan->contraction->way == ASL_WAY_PRODUCT) {
		asl_matrices_predict(out, plan, rank);
		return;
	}
	if (plan->contraction->way == ASL_WAY_GRAM) {
		asl_gram_predict(out, plan, rank);
		return;
	}
	if (plan->contraction->way == ASL_WAY_CUTS) {
		asl_boxes_predict(out, plan, rank);
		return;
	}
	if (plan->contraction->slices) {
		asl_slices_predict(out, plan, rank);
		return;
	}
	outline_rank(&o, plan, rank);
	add_products(out, &o, plan, NULL);
}

/* Beyond so many, so many are asked here and there; and a prime beyond any number. */
enum { ALL_RANKS = 4096, HERE_AND_THERE = 1024, SCATTER = 1000003 };

/* The product's own family asks few of very many ranks. */
static bool forecast_products(struct asl_forecast *most,
			      const struct asl_plan *plan, int count)
{
	for (int i = 0; i < count; i++) {
		struct asl_plan product = asl_matrices_plan(&plan[i]);

		most[i] = asl_forecast(&product);
	}
	return true;
}

/* Layers are alike but for a word of their shares, and the length of their rows. */
static bool forecast_gram(struct asl_forecast *most,
			  const struct asl_plan *plan, int count)
{
	const struct asl_gram *g = &plan->contraction->gram;
	int ranks = asl_plan_ranks(plan);
	uint64_t seam = (uint64_t)g->k % (uint64_t)g->layers;

	for (int i = 0; i < count; i++) {
		most[i] = (struct asl_forecast){.read = 0};
		for (int rank = 0; rank < ranks; rank++) {
			uint64_t layer = (uint64_t)(rank / g->blocks);

			if (ranks <= ALL_RANKS || layer < 2 ||
			    (layer + 1 >= seam && layer < seam + 2) ||
			    layer + 2 >= (uint64_t)g->layers)
				asl_forecast_rank(&most[i], &plan[i], rank);
		}
	}
	return true;
}

static bool forecast_slices(struct asl_forecast *most,
			    const struct asl_plan *plan, int count)
{
	bool done = true;

	for (int i = 0; done && i < count; i++)
		done = asl_slices_forecast(&most[i], &plan[i]);
	return done;
}

/* The layout of all ranks is there, whoever is asked. */
static bool forecast_boxes(struct asl_forecast *most,
			   const struct asl_plan *plan, int count)
{
	for (int i = 0; i < count; i++) {
		most[i] = (struct asl_forecast){.read = 0};
		for (int rank = 0; rank < asl_plan_ranks(plan); rank++)
			asl_forecast_rank(&most[i], &plan[i], rank);
	}
	return true;
}

/*
 * Plans that differ in their kernels only: a rank is outlined once for all
 *
 * Of very many ranks few are asked.  What a rank counts depends on its places in the
 * stages' meshes.  From ranks here and there, and those in the meshes' corners, the
 * search goes on along one axis of one mesh at a time, from the rank that has most of
 * each measure so far, until none has more.
 */
struct survey {
	const struct asl_plan *plan;
	int count;
	struct asl_forecast *most;
	struct products *known;	   /* of each plan */
	int at[ASL_FORECAST_BITS]; /* the rank where a measure is largest */
};

static void ask(struct survey *s, int rank)
{
	struct asl_ledger ledger;
	struct outline o;
	unsigned grew = 0;

	outline_rank(&o, s->plan, rank);
	for (int i = 0; i < s->count; i++) {
		add_products(&ledger, &o, &s->plan[i], &s->known[i]);
		grew |= asl_forecast_ledger(&s->most[i], &s->plan[i], &ledger);
	}
	for (int i = 0; grew >> i; i++)
		if (grew >> i & 1)
			s->at[i] = rank;
}

/* Places along an axis: at its ends, and where parts change their length. */
enum { SEAMS = 10 };

static int list_seams(int place[SEAMS], uint64_t size, int p)
{
	int seam = (int)(size % (uint64_t)p), count = 0;
	const int near[] = {0,	      1,	p / 2, p - 2,	p - 1,
			    seam - 2, seam - 1, seam,  seam + 1};

	for (unsigned i = 0; i < sizeof near / sizeof *near; i++)
		if (near[i] >= 0 && near[i] < p)
			place[count++] = near[i];
	return count;
}

/* Ask the ranks whose cells of a stage differ in one place from this rank's. */
static void ask_along(struct survey *s, const struct asl_stage *x, int from)
{
	int stride = 1, place[SEAMS];

	for (int i = x->e.indices - 1; i >= 0; i--) {
		int p = x->mesh.p[i], mine = from / stride % p;
		int count = p > 1 ? list_seams(place, x->e.size[i], p) : 0;

		for (int k = 0; k < count; k++)
			if (place[k] != mine)
				ask(s, from + (place[k] - mine) * stride);
		stride *= p;
	}
}

static void climb(struct survey *s, int measure)
{
	const struct asl_contraction *c = s->plan->contraction;
	int from;

	do {
		from = s->at[measure];
		for (int i = 0; i < c->stages; i++)
			if (from <
			    asl_mesh_ranks(&c->stage[i].e, &c->stage[i].mesh))
				ask_along(s, &c->stage[i], from);
	} while (from != s->at[measure]);
}

static void ask_some(struct survey *s, int ranks)
{
	const struct asl_contraction *c = s->plan->contraction;

	for (int i = 0; i < HERE_AND_THERE; i++)
		ask(s, (int)((int64_t)i * SCATTER % ranks));
	for (int i = 0; i < c->stages; i++) {
		ask(s, asl_mesh_ranks(&c->stage[i].e, &c->stage[i].mesh) - 1);
		ask_along(s, &c->stage[i], 0);
	}
	for (int i = 0; i < ASL_FORECAST_BITS; i++)
		climb(s, i);
}

bool asl_contract_forecast(struct asl_forecast *most,
			   const struct asl_plan *plan, int count)
{
	int ranks = asl_plan_ranks(plan);
	struct survey s = {.plan = plan, .count = count, .most = most};
	bool done;

	if (plan->contraction->way == ASL_WAY_PRODUCT)
		return forecast_products(most, plan, count);
	if (plan->contraction->way == ASL_WAY_GRAM)
		return forecast_gram(most, plan, count);
	if (plan->contraction->way == ASL_WAY_CUTS)
		return forecast_boxes(most, plan, count);
	if (plan->contraction->slices)
		return forecast_slices(most, plan, count);
	s.known = calloc((size_t)count, sizeof *s.known);
	for (int i = 0; i < count; i++)
		most[i] = (struct asl_forecast){.read = 0};
	if (s.known && ranks > ALL_RANKS)
		ask_some(&s, ranks);
	for (int rank = 0; s.known && ranks <= ALL_RANKS && rank < ranks;
	     rank++)
		ask(&s, rank);
	done = s.known;
	free(s.known);
	return done;
}

/* ---- Run a stage ---- */

/* Slices of this rank alone stay where they are; the others go into panels. */
static void gather(struct asl_rank *r, const struct part *p,
		   const struct asl_words *in, const struct asl_words *panels,
		   int *list, struct asl_view *view)
{
	uint64_t done = 0;

	asl_phase(r, ASL_GATHER);
	for (int i = 0; i < p->inputs; i++) {
		struct asl_group g = group_of(p, i, list);
		struct asl_words slice = in[i];

		if (g.size > 1) {
			slice = asl_slice(panels, done, slice_words(p, i));
			asl_brick_gather(r, &g, &slice, &in[i]);
			done += slice.count;
		}
		view[i] = asl_view_dense(&slice, &p->stage->e.term[i], p->len);
	}
}

static void compute(struct asl_rank *r, const struct part *p,
		    const struct asl_words *out, const struct asl_view *in)
{
	struct asl_view result =
		asl_view_dense(out, &p->stage->e.term[p->inputs], p->len);

	asl_phase(r, ASL_COMPUTE);
	asl_local_run(r, p->plan, &p->stage->local, &result, in, p->len);
}

/* Every rank passes this mark, with a cell or without. */
static void mark_computed(struct asl_rank *r, const struct shares *s,
			  const struct asl_words *summands)
{
	struct asl_words live[] = {s->between.all, *summands};

	asl_mark_epoch(r, live, 2);
}

/* The list serves one group after another. */
static void run_part(struct asl_rank *r, const struct part *p, struct shares *s,
		     int stage, int *list)
{
	const struct asl_words nothing = {.where = ASL_DRAM};
	const struct asl_words *in = s->in[stage];
	struct asl_words *out = &s->out[stage];
	bool summands = group_of(p, p->inputs, NULL).size > 1;
	struct asl_view view[ASL_MOST_TOGETHER];
	struct asl_words sum = *out, panels;
	struct asl_group g;

	if (summands)
		asl_take(r, &sum, where_summands(p), slice_words(p, p->inputs));
	asl_take(r, &panels, p->plan->panels, panel_words(p));
	gather(r, p, in, &panels, list, view);
	compute(r, p, &sum, view);
	asl_give(r, &panels);
	mark_computed(r, s, summands ? &sum : &nothing);
	if (!summands)
		return;
	asl_phase(r, ASL_REDUCE);
	g = group_of(p, p->inputs, list);
	asl_reduce_scatter(r, &g, out, &sum);
	asl_give(r, &sum);
}

/* ---- Run all stages ---- */

static void move_inputs(struct asl_rank *r, const struct asl_contraction *c,
			int stage, struct shares *s)
{
	const struct asl_stage *x = &c->stage[stage];
	struct asl_spread to, from;

	asl_phase(r, ASL_SHIFT);
	for (int i = 0; i < x->e.inputs; i++)
		if (x->moves[i] && asl_stage_origin(&to, &from, c, x, i))
			asl_spread_move(r, c->ranks, &to, &s->in[stage][i],
					&from,
					&s->out[x->from[i] - c->e.inputs]);
}

static void scatter(struct asl_rank *r, const struct asl_contraction *c,
		    struct shares *s, const struct asl_words *own)
{
	asl_phase(r, ASL_EXCHANGE);
	for (int i = 0; i < c->stages; i++)
		for (int j = 0; j < c->stage[i].e.inputs; j++) {
			int operand = c->stage[i].from[j];
			struct asl_spread to =
				asl_stage_spread(&c->stage[i], j);
			struct asl_spread from;

			if (operand >= c->e.inputs)
				continue;
			from = spread_on_root(c, operand);
			asl_spread_move(r, c->ranks, &to, &s->in[i][j], &from,
					&own[operand]);
		}
}

static void gather_result(struct asl_rank *r, const struct asl_contraction *c,
			  const struct shares *s, struct asl_words *own)
{
	int out = c->e.inputs;
	struct asl_spread from = spread_on_mesh(c, out);
	struct asl_spread to = spread_on_root(c, out);

	asl_phase(r, ASL_EXCHANGE);
	asl_spread_move(r, c->ranks, &to, &own[out], &from,
			&s->out[c->stages - 1]);
}

static void run_stages(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words *own)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_words nothing = {.where = ASL_DRAM};
	struct shares s;
	int *list = calloc((size_t)c->ranks, sizeof *list);

	if (!list)
		asl_rank_fail(r, -ENOMEM, "no memory for a list of %d ranks",
			      c->ranks);
	measure_shares(&s, plan, r->id, own);
	asl_take(r, &s.beside.all, ASL_POOL, s.beside.used);
	asl_take(r, &s.between.all, plan->panels, s.between.used);
	cut_all(&s);
	if (c->on_root)
		scatter(r, c, &s, own);
	for (int i = 0; !r->err && i < c->stages; i++) {
		struct part p = part_of(plan, i, r->id);

		move_inputs(r, c, i, &s);
		if (p.works)
			run_part(r, &p, &s, i, list);
		else
			mark_computed(r, &s, &nothing);
	}
	if (c->on_root)
		gather_result(r, c, &s, own);
	asl_give(r, &s.between.all);
	asl_give(r, &s.beside.all);
	free(list);
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	const struct asl_contraction *c = plan->contraction;
	enum asl_contract_way way = c->way;

	(way == ASL_WAY_PRODUCT ? asl_matrices_run
	 : way == ASL_WAY_GRAM	? asl_gram_run
	 : way == ASL_WAY_CUTS	? asl_boxes_run
	 : c->slices		? asl_slices_run
				: run_stages)(r, plan, own);
}

#define EINSUM                                                                 \
	.name = "einsum",                                                      \
	.summary = "any contraction, on the meshes of least cost",             \
	.when = "operands have any number of indices",                         \
	.family = &asl_family_contract, .resumes = true, .predict = predict,   \
	.run = run

const struct asl_algorithm asl_contract_einsum = {EINSUM};
const struct asl_algorithm asl_contract_finished = {EINSUM,
						    .outside_apm = true};
