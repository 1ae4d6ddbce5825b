/*
 * predict.c -- what all methods count alike, in closed form
 *
 * A pass reads each word of an array once, however uneven its tiles are.  What
 * depends on sizes, the kernel's counts, is asked once for all tiles that are
 * alike: a range cut into parts, and these into parts, has leaves of no more
 * than four lengths, and k, which a torus has cut before, of eight.
 */
#include "lib/outofcore/methods.h"

/* Leaves of an index, by length; all parts of k together. */
struct sizes {
	int count;
	struct asl_alike of[8];
};

static void add_size(struct sizes *s, struct asl_alike x)
{
	if (!x.many)
		return;
	for (int i = 0; i < s->count; i++)
		if (s->of[i].length == x.length) {
			s->of[i].many += x.many;
			return;
		}
	s->of[s->count++] = x;
}

/* `many` ranges of this length, cut into n parts and these into `again`. */
static void add_leaves(struct sizes *s, struct asl_alike x, int n, int again)
{
	for (int i = 0; i < 2; i++) {
		struct asl_alike outer = asl_parts_alike(x.length, n, i);

		for (int j = 0; j < 2; j++) {
			struct asl_alike leaf =
				asl_parts_alike(outer.length, again, j);

			leaf.many *= outer.many * x.many;
			add_size(s, leaf);
		}
	}
}

static int times_again(const struct asl_ooc_layout *l, enum asl_operand lacking)
{
	return l->Y == lacking ? l->o->again : 1;
}

static struct sizes sizes_of(const struct asl_ooc_layout *l,
			     enum asl_operand lacking)
{
	struct sizes s = {.count = 0};
	int parts = lacking == ASL_C ? l->q : 1;

	for (int i = 0; i < 2; i++)
		add_leaves(&s,
			   asl_parts_alike(l->index[lacking].count, parts, i),
			   l->o->n[lacking], times_again(l, lacking));
	return s;
}

uint64_t asl_ooc_filled(const struct asl_ooc_layout *l,
			enum asl_operand lacking, uint64_t length)
{
	struct sizes s = {.count = 0};
	uint64_t filled = 0;

	add_leaves(&s, (struct asl_alike){length, 1}, l->o->n[lacking],
		   times_again(l, lacking));
	for (int i = 0; i < s.count; i++)
		filled += s.of[i].length ? s.of[i].many : 0;
	return filled;
}

/* ---- Between pool and DRAM ---- */

uint64_t asl_ooc_words(const struct asl_ooc_layout *l, enum asl_operand which)
{
	return l->index[asl_ooc_rows(which)].count *
	       l->index[asl_ooc_cols(which)].count;
}

void asl_ooc_each_size(const struct asl_ooc_layout *l, enum asl_operand which,
		       void (*see)(const struct asl_alike *words, void *arg),
		       void *arg)
{
	struct sizes rows = sizes_of(l, asl_ooc_rows(which));
	struct sizes cols = sizes_of(l, asl_ooc_cols(which));

	for (int i = 0; i < rows.count; i++)
		for (int j = 0; j < cols.count; j++) {
			struct asl_alike x = {
				rows.of[i].length * cols.of[j].length,
				rows.of[i].many * cols.of[j].many};

			see(&x, arg);
		}
}

struct sharing {
	const struct asl_ooc_layout *l;
	uint64_t words;
};

static void add_share(const struct asl_alike *x, void *arg)
{
	struct sharing *s = arg;

	s->words +=
		x->many * asl_share(x->length, s->l->ranks, s->l->rank).count;
}

uint64_t asl_ooc_owned(const struct asl_ooc_layout *l, enum asl_operand which)
{
	struct sharing s = {l, 0};

	if (asl_ooc_spread(l, which)) {
		asl_ooc_each_size(l, which, add_share, &s);
		return s.words;
	}
	return asl_ooc_index(l, asl_ooc_rows(which), l->home).count *
	       asl_ooc_index(l, asl_ooc_cols(which), l->home).count;
}

void asl_ooc_predict_fetched(struct asl_counts *x, uint64_t words)
{
	x->of[ASL_NVM_LIFT] += words;
	x->of[ASL_BOUNCE_WRITE] += words;
}

void asl_ooc_predict_put(struct asl_counts *x, uint64_t words)
{
	x->of[ASL_BOUNCE_READ] += words;
	x->of[ASL_NVM_LAND] += words;
}

void asl_ooc_predict_operand(struct asl_counts *x,
			     const struct asl_ooc_layout *l,
			     enum asl_operand which)
{
	asl_ooc_predict_fetched(x, (uint64_t)asl_ooc_passes(l, which) *
					   asl_ooc_words(l, which));
}

void asl_ooc_predict_result(struct asl_counts *x,
			    const struct asl_ooc_layout *l, uint64_t rounds)
{
	uint64_t passes = rounds * (uint64_t)asl_ooc_passes(l, ASL_C);
	uint64_t words = asl_ooc_words(l, ASL_C);

	asl_ooc_predict_fetched(x, (passes - 1) * words);
	asl_ooc_predict_put(x, passes * words);
}

/* ---- Products ---- */

/* Depths of those that set C: of the first leaf, or the first of each pass. */
static struct sizes firsts(const struct asl_ooc_layout *l, bool anew)
{
	struct sizes s = {.count = 0};
	int n = l->o->n[ASL_C], again = times_again(l, ASL_C);

	if (!anew || l->X == ASL_C) {
		add_size(&s,
			 (struct asl_alike){
				 asl_ooc_leaf(l, ASL_C, l->home, 0).count, 1});
		return s;
	}
	for (int i = 0; i < 2; i++) {
		struct asl_alike x =
			asl_parts_alike(l->index[ASL_C].count, n, i);

		x.length = asl_ceil_div(x.length, (uint64_t)again);
		add_size(&s, x);
	}
	return s;
}

/* Those of them that add to C: all others, unless they are of no depth. */
static struct sizes others(const struct asl_ooc_layout *l,
			   const struct sizes *first)
{
	struct sizes all = sizes_of(l, ASL_C), s = {.count = 0};

	for (int i = 0; i < all.count; i++) {
		struct asl_alike x = all.of[i];

		for (int j = 0; j < first->count; j++)
			if (first->of[j].length == x.length)
				x.many -= first->of[j].many;
		if (x.length)
			add_size(&s, x);
	}
	return s;
}

struct products {
	const struct asl_ooc_layout *l;
	struct asl_counts *counts;
	uint64_t tile; /* the largest */
};

static void one_kind(struct products *p, const struct asl_alike *m,
		     const struct asl_alike *n, const struct asl_alike *k,
		     bool add)
{
	const struct asl_plan *plan = p->l->plan;
	struct asl_counts once = {{0}};
	struct asl_product x = {
		.m = m->length,
		.n = n->length,
		.k = k->length,
		.cache = plan->cache,
		.read_cost = plan->costs.dram_read,
		.write_cost = plan->costs.dram_write,
		.A = ASL_DRAM,
		.B = ASL_DRAM,
		.C = ASL_DRAM,
		.add = add,
	};

	if (!x.m || !x.n)
		return;
	asl_kernel_predict(plan->kernel, &once, &x);
	asl_counts_add_times(p->counts, &once, m->many * n->many * k->many);
	p->tile = asl_larger(p->tile, asl_kernel_room(plan->kernel, &x));
}

static void each_kind(struct products *p, const struct sizes *k, bool add)
{
	struct sizes m = sizes_of(p->l, ASL_B);
	struct sizes n = sizes_of(p->l, ASL_A);

	for (int i = 0; i < m.count; i++)
		for (int j = 0; j < n.count; j++)
			for (int l = 0; l < k->count; l++)
				one_kind(p, &m.of[i], &n.of[j], &k->of[l], add);
}

static struct products all_products(struct asl_counts *x,
				    const struct asl_ooc_layout *l, bool anew)
{
	struct sizes first = firsts(l, anew), rest = others(l, &first);
	struct products p = {l, x, 0};

	each_kind(&p, &first, false);
	each_kind(&p, &rest, true);
	return p;
}

void asl_ooc_predict_products(struct asl_counts *x,
			      const struct asl_ooc_layout *l, bool anew)
{
	all_products(x, l, anew);
}

uint64_t asl_ooc_cache_tile(const struct asl_ooc_layout *l, bool anew)
{
	struct asl_counts unused = {{0}};

	return all_products(&unused, l, anew).tile;
}

uint64_t asl_ooc_rooms(const struct asl_ooc_layout *l, bool landings)
{
	uint64_t words = 0;

	for (int i = 0; i < ASL_OPERANDS; i++) {
		bool travels = landings && i != ASL_C;
		int leaves = l->X == (enum asl_operand)i ? l->o->again : 1;

		words += asl_ooc_largest(l, i) * (uint64_t)(leaves + travels);
	}
	return words;
}
