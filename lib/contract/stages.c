/*
 * stages.c -- the stages of an einsum, which are chosen together
 *
 * A stage contracts two tensors or more, inputs or results of earlier stages, on a
 * mesh of its own.  For every set of inputs the best ways to make its tensor are
 * kept, found from those of the sets into which it can be split: by the words of
 * each stage's busiest rank, and those that move between stages.  A tensor that
 * two meshes cut alike does not move, so that a stage's own best meshes compete
 * with the best of those that are like the mesh an input comes from.
 *
 * Words that move are looked at on a few ranks.  The best programs are then
 * refined: each stage's mesh is chosen anew with all others as they are, as long as
 * that helps; and the one whose busiest rank moves the fewest words is taken.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/contract/contract.h"
#include "lib/rank/ledger.h"

/* ---- Building stages ---- */

static struct asl_stage *add_stage(struct asl_contraction *c,
				   const struct asl_einsum *e,
				   const struct asl_mesh *mesh)
{
	struct asl_stage *x = &c->stage[c->stages++];

	x->e = *e;
	x->mesh = *mesh;
	return x;
}

void asl_contract_moves(struct asl_contraction *c)
{
	struct asl_spread to, from;

	for (int i = 0; i < c->stages; i++) {
		struct asl_stage *x = &c->stage[i];

		for (int j = 0; j < x->e.inputs; j++)
			x->moves[j] = asl_stage_origin(&to, &from, c, x, j) &&
				      !asl_spread_same(&to, &from, c->ranks);
	}
}

/* Once meshes are settled; those on the direct way's mesh verify the result. */
static void note_meshes(struct asl_contraction *c)
{
	c->ranks = asl_mesh_ranks(&c->e, &c->whole);
	for (int i = 0; i < c->stages; i++) {
		int ranks = asl_mesh_ranks(&c->stage[i].e, &c->stage[i].mesh);

		c->ranks = ranks > c->ranks ? ranks : c->ranks;
	}
	asl_contract_moves(c);
}

static void finish(struct asl_contraction *c, uint64_t cache)
{
	c->way = c->stages > 1 ? ASL_WAY_SEQUENCE : ASL_WAY_DIRECT;
	note_meshes(c);
	for (int i = 0; i < c->stages; i++) {
		struct asl_stage *x = &c->stage[i];
		struct asl_cell cell = asl_mesh_cell(&x->e, &x->mesh, 0);
		uint64_t len[ASL_MOST_INDICES] = {0};

		for (int j = 0; j < x->e.indices; j++)
			len[j] = cell.of[j].count;
		asl_local_make(&x->local, &x->e, len, cache);
	}
}

void asl_contract_direct(struct asl_contraction *c, const struct asl_mesh *mesh,
			 uint64_t cache)
{
	struct asl_stage *x;

	c->whole = *mesh;
	c->stages = 0;
	x = add_stage(c, &c->e, mesh);
	for (int i = 0; i < c->e.inputs; i++)
		x->from[i] = i;
	finish(c, cache);
}

/* ---- A path that is given ---- */

/* The tensors that are left, a set of inputs each. */
struct left {
	int count, set[ASL_MOST_INPUTS];
};

static struct left all_inputs(int inputs)
{
	struct left left = {.count = inputs};

	for (int i = 0; i < inputs; i++)
		left.set[i] = 1 << i;
	return left;
}

static int bad_path(const char *text, const char *at, const struct left *left)
{
	char found[ASL_QUOTE];

	asl_quote(found, at, strnlen(at, 8));
	return asl_fail(
		-EINVAL,
		"'%s': found '%s', expected places from 0 to %d, two to "
		"%d of them, ',' between and ';' after a group",
		text, found, left->count - 1, ASL_MOST_TOGETHER);
}

/* A place from 0 on; -1: none. */
static int take_place(const char **at)
{
	int place = -1;

	for (; isdigit((unsigned char)**at) && place < ASL_MOST_INPUTS; ++*at)
		place = 10 * (place < 0 ? 0 : place) + (**at - '0');
	return place;
}

/* The places of a group; they are taken out, and the group's set joins the end. */
static bool take_group(struct asl_grouping *p, struct left *left,
		       const char **at)
{
	int *set = p->stage[p->stages].set, tensors = 0, all = 0, kept = 0;
	bool gone[ASL_MOST_INPUTS] = {false}, more = true;

	while (more) {
		const char *from = *at;
		int place = take_place(at);

		if (place < 0 || place >= left->count || gone[place] ||
		    tensors == ASL_MOST_TOGETHER) {
			*at = from;
			return false;
		}
		gone[place] = true;
		set[tensors++] = left->set[place];
		all |= left->set[place];
		more = **at == ',';
		*at += more;
	}
	for (int i = 0; i < left->count; i++)
		if (!gone[i])
			left->set[kept++] = left->set[i];
	left->set[kept] = all;
	left->count = kept + 1;
	p->stage[p->stages++].tensors = tensors;
	return tensors > 1;
}

int asl_grouping_parse(struct asl_grouping *p, const char *text, int inputs)
{
	struct left left = all_inputs(inputs);
	const char *at = text;

	*p = (struct asl_grouping){0};
	while (left.count > 1) {
		if (!take_group(p, &left, &at))
			return bad_path(text, at, &left);
		if (left.count > 1 && *at++ != ';')
			return asl_fail(-EINVAL,
					"'%s' ends, or has no ';', where %d "
					"tensors are left",
					text, left.count);
	}
	return *at ? bad_path(text, at, &left) : 0;
}

/* ---- A path for many inputs ---- */

static uint32_t has(const struct asl_einsum *e, int set)
{
	return set & (set - 1) ? asl_einsum_kept(e, set)
			       : e->term[__builtin_ctz((unsigned)set)].has;
}

/* Words that contracting two of the tensors that are left adds. */
static double growth(const struct asl_einsum *e, const uint64_t *len, int a,
		     int b)
{
	return asl_points(asl_einsum_kept(e, a | b), len) -
	       asl_points(has(e, a), len) - asl_points(has(e, b), len);
}

static void take_cheapest(struct asl_grouping *p, struct left *left,
			  const struct asl_einsum *e, const uint64_t *len)
{
	int first = 0, second = 1, *set = p->stage[p->stages].set;
	double least = INFINITY;
	bool any_shares = false;

	for (int i = 0; i < left->count; i++)
		for (int j = i + 1; j < left->count; j++) {
			int a = left->set[i], b = left->set[j];
			bool shares = has(e, a) & has(e, b);
			double more = growth(e, len, a, b);

			if (shares < any_shares ||
			    (shares == any_shares && more >= least))
				continue;
			any_shares = shares;
			least = more;
			first = i;
			second = j;
		}
	p->stage[p->stages++].tensors = 2;
	set[0] = left->set[first];
	set[1] = left->set[second];
	left->set[first] |= left->set[second];
	left->set[second] = left->set[--left->count];
}

static int set_of_stage(const struct asl_grouping *path, int i)
{
	int set = 0;

	for (int t = 0; t < path->stage[i].tensors; t++)
		set |= path->stage[i].set[t];
	return set;
}

int asl_grouping_place(const struct asl_grouping *path, int inputs, int set)
{
	int place = inputs;

	if (inputs <= ASL_MOST_TOGETHER)
		return set;
	if (!(set & (set - 1)))
		return __builtin_ctz((unsigned)set);
	for (int i = 0; set_of_stage(path, i) != set; i++)
		place++;
	return place;
}

void asl_grouping_greedy(struct asl_grouping *p, const struct asl_einsum *e,
			 const uint64_t *len)
{
	struct left left = all_inputs(e->inputs);

	*p = (struct asl_grouping){0};
	while (left.count > 1)
		take_cheapest(p, &left, e, len);
}

/* ---- Words between stages ---- */

/* Ranks that are looked at, and a prime beyond any number of ranks. */
enum { LOOKS = 4, SCATTER = 1000003 };

static uint64_t moved_by(const struct asl_spread *to,
			 const struct asl_spread *from, int rank)
{
	struct asl_run gets = asl_spread_run(to, rank);
	struct asl_run has = asl_spread_run(from, rank);
	uint64_t most = asl_max(gets.words.count, has.words.count);

	if (!gets.words.count || !has.words.count)
		return most;
	return most - asl_runs_common(&gets, &has);
}

/* Words that the busiest of some ranks sends or receives. */
static uint64_t moved(const struct asl_spread *to,
		      const struct asl_spread *from)
{
	int a = asl_mesh_ranks(to->e, to->mesh);
	int b = asl_mesh_ranks(from->e, from->mesh);
	int ranks = a > b ? a : b;
	uint64_t most = 0;

	for (int i = 0; i < ranks && i < LOOKS; i++)
		most = asl_max(most,
			       moved_by(to, from,
					(int)((int64_t)i * SCATTER % ranks)));
	return most;
}

/* ---- The best ways to make the tensor of a set of inputs ---- */

enum { MOST_CHOICES = 24 };

/* On more ranks each mesh takes long to find: fewer are tried, and nearly the best do. */
enum { FEW_RANKS = 64 };

/* A set of inputs that is one tensor of a stage, and how it is made. */
struct block {
	int set, choice;
};

struct choice {
	/* All stages up to its own. */
	double cost, volume;
	struct asl_term term;
	struct asl_mesh mesh;
	int blocks;
	struct block block[ASL_MOST_TOGETHER];
};

struct made {
	int count;
	struct choice best[MOST_CHOICES];
};

struct search {
	const struct asl_einsum *e;
	int ranks;
	bool pairs;   /* a stage contracts two tensors */
	int choices;  /* that are kept for a set */
	int meshes;   /* of a stage that are tried */
	double limit; /* a cost that is known to be enough */
	const struct asl_grouping *path;
	const struct asl_prices *prices; /* NULL: words alone */
	double net;			 /* the price of a word that moves */
	struct made of[ASL_MOST_PLACES]; /* place_of a set */
};

static int place_of(const struct search *s, int set)
{
	return asl_grouping_place(s->path, s->e->inputs, set);
}

static bool is_input(int set)
{
	return !(set & (set - 1));
}

static const struct asl_term *term_of(const struct search *s,
				      const struct block *b)
{
	return is_input(b->set)
		       ? &s->e->term[__builtin_ctz((unsigned)b->set)]
		       : &s->of[place_of(s, b->set)].best[b->choice].term;
}

/* Indices come in the order in which the blocks have them. */
static struct asl_term result(const struct search *s, int set,
			      const struct block *block, int blocks)
{
	uint32_t needed = asl_einsum_kept(s->e, set);
	struct asl_term t = {0};

	if (set == asl_einsum_inputs(s->e))
		return s->e->term[s->e->inputs];
	for (int b = 0; b < blocks; b++) {
		const struct asl_term *x = term_of(s, &block[b]);

		for (int i = 0; i < x->count; i++)
			if (needed >> x->index[i] & 1 &&
			    !asl_term_has(&t, x->index[i]))
				asl_term_add(&t, x->index[i]);
	}
	return t;
}

/* In the indices of the whole. */
static struct asl_einsum einsum_of(const struct search *s, int set,
				   const struct block *block, int blocks)
{
	struct asl_einsum e = *s->e;

	e.inputs = blocks;
	for (int b = 0; b < blocks; b++)
		e.term[b] = *term_of(s, &block[b]);
	e.term[blocks] = result(s, set, block, blocks);
	return e;
}

static bool comes_before(const struct choice *a, const struct choice *b)
{
	return asl_costs_less(a->cost, a->volume, b->cost, b->volume);
}

/* Its tensor lies alike for whatever comes next. */
static bool same_place(const struct choice *a, const struct choice *b)
{
	return a->term.has == b->term.has && a->term.count == b->term.count &&
	       !memcmp(a->term.index, b->term.index,
		       (size_t)a->term.count * sizeof *a->term.index) &&
	       !memcmp(&a->mesh, &b->mesh, sizeof a->mesh);
}

/* Keep only the best of the choices whose tensors lie alike. */
static void keep(struct made *m, int most, const struct choice *new)
{
	int at = 0;

	while (at < m->count && !same_place(&m->best[at], new))
		at++;
	if (at < m->count && !comes_before(new, &m->best[at]))
		return;
	if (at == m->count && m->count < most)
		m->count++;
	else if (at == m->count && !comes_before(new, &m->best[--at]))
		return;
	for (; at > 0 && comes_before(new, &m->best[at - 1]); at--)
		m->best[at] = m->best[at - 1];
	m->best[at] = *new;
}

/* The choice for a block from which the fewest words are moved to this mesh. */
static void choose_block(const struct search *s, struct block *b,
			 struct choice *x)
{
	const struct made *m = &s->of[place_of(s, b->set)];
	double least = INFINITY;
	int best = 0;

	for (int i = 0; i < m->count; i++) {
		const struct choice *from = &m->best[i];
		struct asl_spread there =
			asl_spread_on(s->e, &from->term, &from->mesh);
		struct asl_spread here =
			asl_spread_on(s->e, &from->term, &x->mesh);
		double cost;

		if (from->cost >= least)
			break;
		cost = from->cost + s->net * (double)moved(&here, &there);
		if (cost >= least)
			continue;
		least = cost;
		best = i;
	}
	b->choice = best;
	x->cost += least;
	x->volume += m->best[best].volume;
}

/* The stage on this mesh. */
static void join(struct search *s, int set, const struct block *block,
		 int blocks, const struct asl_mesh_found *on)
{
	struct choice x = {.cost = on->cost,
			   .volume = on->volume,
			   .mesh = on->mesh,
			   .blocks = blocks};

	for (int b = 0; b < blocks; b++) {
		x.block[b] = block[b];
		if (!is_input(block[b].set))
			choose_block(s, &x.block[b], &x);
	}
	x.term = result(s, set, x.block, blocks);
	keep(&s->of[place_of(s, set)], s->choices, &x);
}

/* The best meshes that are like those of the best choices for a block. */
enum { MOST_ALIKE = 3 };

static void try_alike(struct search *s, int set, const struct block *block,
		      int blocks, const struct asl_einsum *e)
{
	struct asl_mesh_found found[ASL_MOST_MESHES];

	for (int b = 0; b < blocks; b++) {
		const struct made *m = &s->of[place_of(s, block[b].set)];

		for (int i = 0; i < m->count && i < MOST_ALIKE; i++) {
			struct asl_mesh_wish wish = {
				.ranks = s->ranks,
				.prices = s->prices,
				.like = &m->best[i].mesh,
				.kept = m->best[i].term.has,
				.nearly = s->ranks > FEW_RANKS,
			};

			if (asl_mesh_list(found, e, &wish))
				join(s, set, block, blocks, found);
		}
	}
}

/* What no mesh, and no choice for a block, can be below. */
static double least_cost(const struct search *s, const struct asl_einsum *e,
			 const struct block *block, int blocks)
{
	double cost = s->net * asl_mesh_bound(e, s->ranks);

	if (s->prices)
		cost += fmax(s->prices->flop, s->prices->point) *
			asl_mesh_points(e) / s->ranks;
	for (int b = 0; b < blocks; b++)
		if (!is_input(block[b].set))
			cost += s->of[place_of(s, block[b].set)].best[0].cost;
	return cost;
}

static bool is_hopeless(const struct search *s, int set, double cost)
{
	const struct made *m = &s->of[place_of(s, set)];

	return cost > s->limit ||
	       (m->count == s->choices && cost > m->best[s->choices - 1].cost);
}

static void try_stage(struct search *s, int set, const struct block *block,
		      int blocks)
{
	struct asl_mesh_found found[ASL_MOST_MESHES];
	struct asl_mesh_wish wish = {.ranks = s->ranks,
				     .most = s->meshes,
				     .prices = s->prices,
				     .nearly = s->ranks > FEW_RANKS};
	struct asl_einsum e;
	int count;

	for (int b = 0; b < blocks; b++)
		if (!is_input(block[b].set) &&
		    !s->of[place_of(s, block[b].set)].count)
			return;
	e = einsum_of(s, set, block, blocks);
	if (asl_mesh_points(&e) > ASL_MOST_POINTS ||
	    is_hopeless(s, set, least_cost(s, &e, block, blocks)))
		return;
	count = asl_mesh_list(found, &e, &wish);
	for (int i = 0; i < count; i++)
		join(s, set, block, blocks, &found[i]);
	if (s->meshes > 1)
		try_alike(s, set, block, blocks, &e);
}

/* Every way to split the set, of which `left` is not in a block yet. */
static void split(struct search *s, int set, int left, struct block *block,
		  int blocks)
{
	int lowest = left & -left, rest = left & ~lowest;

	if (!left) {
		/* The whole at once is the direct way. */
		if (blocks < s->e->inputs)
			try_stage(s, set, block, blocks);
		return;
	}
	for (int more = rest;; more = (more - 1) & rest) {
		/* The second of a pair has all that is left. */
		bool fits = !s->pairs || blocks == 0 || more == rest;

		block[blocks] = (struct block){lowest | more, 0};
		if (block[blocks].set != set && fits)
			split(s, set, rest & ~more, block, blocks + 1);
		if (!more)
			break;
	}
}

/* The groups of a path that is given, in its order. */
static void follow_path(struct search *s)
{
	for (int i = 0; i < s->path->stages; i++) {
		struct block block[ASL_MOST_TOGETHER];
		int tensors = s->path->stage[i].tensors;

		for (int b = 0; b < tensors; b++)
			block[b] = (struct block){s->path->stage[i].set[b], 0};
		try_stage(s, set_of_stage(s->path, i), block, tensors);
	}
}

static void find_programs(struct search *s)
{
	if (s->path->stages) {
		follow_path(s);
		return;
	}
	for (int set = 1; set <= asl_einsum_inputs(s->e); set++) {
		struct block block[ASL_MOST_TOGETHER];

		if (!is_input(set))
			split(s, set, set, block, 0);
	}
}

/* Returns the origin of the block's tensor, as in struct asl_stage. */
static int add_stages(struct asl_contraction *c, const struct search *s,
		      const struct block *b)
{
	const struct choice *x = &s->of[place_of(s, b->set)].best[b->choice];
	int from[ASL_MOST_TOGETHER];
	struct asl_stage *stage;
	struct asl_einsum e;

	if (is_input(b->set))
		return __builtin_ctz((unsigned)b->set);
	for (int i = 0; i < x->blocks; i++)
		from[i] = add_stages(c, s, &x->block[i]);
	e = einsum_of(s, b->set, x->block, x->blocks);
	stage = add_stage(c, &e, &x->mesh);
	for (int i = 0; i < x->blocks; i++)
		stage->from[i] = from[i];
	return c->e.inputs + c->stages - 1;
}

/* ---- The words of a program ---- */

/* B_h of intermediates that move to a stage. */
static uint64_t moved_words(const struct asl_contraction *c,
			    const struct asl_stage *x, int rank)
{
	struct asl_counts counts = {{0}};
	struct asl_spread to, from;

	for (int j = 0; j < x->e.inputs; j++)
		if (x->moves[j] && asl_stage_origin(&to, &from, c, x, j))
			asl_spread_predict(&counts, rank, c->ranks, &to,
					   ASL_DRAM, &from, ASL_DRAM);
	return counts.of[ASL_BH];
}

static uint64_t words_of_rank(const struct asl_contraction *c, int rank)
{
	uint64_t words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];

		if (rank < asl_mesh_ranks(&x->e, &x->mesh))
			words += asl_mesh_words(&x->e, &x->mesh, rank);
		words += moved_words(c, x, rank);
	}
	return words;
}

/* An upper bound: each stage's busiest rank, and all words that move to it. */
static uint64_t words_at_most(const struct asl_contraction *c)
{
	struct asl_spread to, from;
	uint64_t words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];

		words += asl_mesh_busiest(&x->e, &x->mesh);
		for (int j = 0; j < x->e.inputs; j++)
			if (x->moves[j] &&
			    asl_stage_origin(&to, &from, c, x, j))
				words += asl_spread_run(&to, 0).words.count +
					 asl_spread_run(&from, 0).words.count;
	}
	return words;
}

uint64_t asl_contraction_words(const struct asl_contraction *c)
{
	uint64_t most = 0;

	if (c->way == ASL_WAY_PRODUCT)
		return c->matrices.words;
	if (c->way == ASL_WAY_GRAM)
		return asl_gram_words(c);
	if (c->way == ASL_WAY_CUTS)
		return asl_boxes_words(c);
	if (!c->slices && c->stages > 1 && c->ranks > ASL_FEW_RANKS)
		return words_at_most(c);
	for (int r = 0; r < c->ranks; r++)
		most = asl_max(most,
			       c->slices ? asl_slices_words(c, r, words_of_rank)
					 : words_of_rank(c, r));
	return most;
}

/* What stages' cells cost beside the words that move. */
static double work(const struct asl_contraction *c,
		   const struct asl_prices *prices)
{
	double sum = 0;

	for (int i = 0; i < c->stages; i++)
		sum += asl_mesh_work(&c->stage[i].e, &c->stage[i].mesh, prices);
	return sum;
}

static double net_price(const struct asl_prices *prices)
{
	return prices ? prices->net : 1;
}

/* The price of a program whose busiest rank moves these words. */
static double price(const struct asl_contraction *c,
		    const struct asl_prices *prices, uint64_t words)
{
	return net_price(prices) * (double)words + work(c, prices);
}

/* Points of the largest cells. */
static double volume(const struct asl_contraction *c)
{
	double sum = 0;

	for (int i = 0; i < c->stages; i++)
		sum += asl_mesh_volume(&c->stage[i].e, &c->stage[i].mesh);
	return sum;
}

/* ---- Refining a program's meshes ---- */

struct refined {
	struct asl_contraction *c;
	int stage;
};

static uint64_t moved_to(const struct asl_contraction *c,
			 const struct asl_stage *x, int origin)
{
	struct asl_spread to, from;
	uint64_t words = 0;

	for (int j = 0; j < x->e.inputs; j++)
		if ((origin < 0 || x->from[j] == origin) &&
		    asl_stage_origin(&to, &from, c, x, j))
			words += moved(&to, &from);
	return words;
}

/* Words that move to the stage and from it, if it is on this mesh. */
static uint64_t moved_around(const struct asl_mesh *mesh, void *arg)
{
	const struct refined *x = arg;
	struct asl_stage *stage = &x->c->stage[x->stage];
	uint64_t words;

	stage->mesh = *mesh;
	words = moved_to(x->c, stage, -1);
	for (int i = x->stage + 1; i < x->c->stages; i++)
		words += moved_to(x->c, &x->c->stage[i],
				  x->c->e.inputs + x->stage);
	return words;
}

/* Complete meshes that one choice may look at. */
enum { TRIES = 5000, MOST_ROUNDS = 4, FEW_TO_REFINE = 16 };

/* On many ranks each stage's busiest rank, and some ranks' words between them. */
static double nearly(const struct asl_contraction *c,
		     const struct asl_prices *prices)
{
	uint64_t words = 0;

	if (c->ranks <= FEW_TO_REFINE)
		return price(c, prices, asl_contraction_words(c));
	for (int i = 0; i < c->stages; i++)
		words += asl_mesh_nearly(&c->stage[i].e, &c->stage[i].mesh) +
			 moved_to(c, &c->stage[i], -1);
	return price(c, prices, words);
}

/* The mesh of least cost, of those that seem best. */
static bool refine_stage(struct asl_contraction *c, int i,
			 const struct search *s, double *cost)
{
	struct refined x = {c, i};
	struct asl_mesh best = c->stage[i].mesh;
	struct asl_mesh_found found[ASL_MOST_MESHES];
	struct asl_mesh_wish wish = {
		.ranks = s->ranks,
		.most = 8,
		.prices = s->prices,
		.beside = moved_around,
		.arg = &x,
		.tries = TRIES,
	};
	int count = asl_mesh_list(found, &c->stage[i].e, &wish);
	bool better = false;

	for (int k = 0; k < count; k++) {
		double now;

		c->stage[i].mesh = found[k].mesh;
		note_meshes(c);
		now = nearly(c, s->prices);
		if (now >= *cost)
			continue;
		*cost = now;
		best = found[k].mesh;
		better = true;
	}
	c->stage[i].mesh = best;
	note_meshes(c);
	return better;
}

static void refine(struct asl_contraction *c, const struct search *s)
{
	bool better = s->ranks > 1 && c->stages > 1;
	double cost;

	note_meshes(c);
	cost = nearly(c, s->prices);
	for (int round = 0; better && round < MOST_ROUNDS; round++) {
		better = false;
		for (int i = c->stages - 1; i >= 0; i--)
			better |= refine_stage(c, i, s, &cost);
	}
}

/* ---- All together ---- */

static double cost_of(const struct asl_contraction *c,
		      const struct asl_prices *prices)
{
	return price(c, prices, asl_contraction_words(c));
}

static void take_better(struct asl_contraction *best, double *cost,
			const struct asl_contraction *other,
			const struct asl_prices *prices)
{
	double there = cost_of(other, prices);

	if (!asl_costs_less(there, volume(other), *cost, volume(best)))
		return;
	*best = *other;
	*cost = there;
}

static bool same_blocks(const struct choice *a, const struct choice *b)
{
	bool same = a->blocks == b->blocks;

	for (int i = 0; same && i < a->blocks; i++)
		same = a->block[i].set == b->block[i].set &&
		       a->block[i].choice == b->block[i].choice;
	return same;
}

/* Only its last mesh differs from that of a better one. */
static bool repeats(const struct made *m, int i)
{
	for (int j = 0; j < i; j++)
		if (same_blocks(&m->best[i], &m->best[j]))
			return true;
	return false;
}

static void take_best(struct asl_contraction *best, double *cost,
		      const struct search *s, uint64_t cache)
{
	struct asl_contraction c, request = *best;
	struct block whole = {asl_einsum_inputs(s->e), 0};
	const struct made *m = &s->of[place_of(s, whole.set)];

	request.stages = 0;
	for (int i = 0; i < m->count; i++) {
		if (repeats(m, i))
			continue;
		c = request;
		whole.choice = i;
		add_stages(&c, s, &whole);
		refine(&c, s);
		finish(&c, cache);
		take_better(best, cost, &c, s->prices);
	}
}

static void set_effort(struct search *s)
{
	bool few = s->ranks <= FEW_RANKS, many = s->ranks > ASL_FEW_RANKS;

	s->choices = few ? MOST_CHOICES : many ? 3 : 6;
	s->meshes = few ? MOST_CHOICES : many ? 1 + (s->ranks <= 4096) : 4;
}

/* The longest indices first: a mesh that only verifies need not move few words. */
static struct asl_mesh long_parts(const struct asl_einsum *e, int ranks)
{
	struct asl_mesh mesh;
	int longest;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		mesh.p[i] = 1;
	do {
		longest = 0;
		for (int i = 1; i < e->indices; i++)
			if (mesh.p[longest] > 1 ||
			    (mesh.p[i] == 1 && e->size[i] > e->size[longest]))
				longest = i;
		if (!e->indices || mesh.p[longest] > 1)
			break;
		mesh.p[longest] =
			(int)asl_min((uint64_t)ranks, e->size[longest]);
		ranks /= mesh.p[longest];
	} while (ranks > 1 && mesh.p[longest] > 1);
	return mesh;
}

void asl_contract_stages(struct asl_contraction *c, int ranks, uint64_t cache,
			 const struct asl_prices *prices)
{
	bool many = c->e.inputs > ASL_MOST_TOGETHER;
	bool at_once = !many && asl_mesh_points(&c->e) <= ASL_MOST_POINTS;
	double cost = INFINITY;
	struct search *s = NULL;
	struct asl_grouping path = c->path;

	*c = (struct asl_contraction){
		.e = c->e,
		.on_root = c->on_root,
		.twice = c->twice,
		.asked = c->asked,
		.path = c->path,
		.whole = at_once ? asl_mesh_choose(&c->e, ranks, prices)
				 : long_parts(&c->e, ranks)};
	if (many && !path.stages)
		asl_grouping_greedy(&path, &c->e, c->e.size);
	if (at_once)
		asl_contract_direct(c, &c->whole, cache);
	if (c->e.inputs >= 3 && c->asked != ASL_WAY_DIRECT)
		s = calloc(1, sizeof *s);
	/* The direct way takes no memory. */
	if (!s)
		return;
	if (c->asked != ASL_WAY_SEQUENCE && c->stages)
		cost = cost_of(c, prices);
	s->e = &c->e;
	s->ranks = ranks;
	s->path = &path;
	s->prices = prices;
	s->net = net_price(prices);
	s->limit = cost;
	/* Pairs on their own best meshes tell which stages are worth a look. */
	s->pairs = true;
	s->choices = s->meshes = 1;
	find_programs(s);
	take_best(c, &cost, s, cache);
	s->pairs = c->asked == ASL_WAY_SEQUENCE;
	set_effort(s);
	s->limit = cost;
	memset(s->of, 0, sizeof s->of);
	find_programs(s);
	take_best(c, &cost, s, cache);
	free(s);
}
