/*
 * make.c -- stages, and the way that moves fewer words
 */
#include <math.h>

#include "lib/base/parts.h"
#include "lib/contract/contract.h"
#include "lib/rank/ledger.h"

/*
 * For making contractions: stages, one after another
 */

static void asl_contraction_add_sequence(struct asl_contraction *c,
					 uint64_t cache);

/* More than these are not asked one by one what they move between stages. */
enum { FEW_RANKS = 512 };

const char *asl_contract_way_name(enum asl_contract_way way)
{
	static const char *const names[ASL_WAYS] = {
		[ASL_WAY_BEST] = "best",
		[ASL_WAY_DIRECT] = "direct",
		[ASL_WAY_SEQUENCE] = "sequence",
	};

	return names[way];
}

/* One more stage; where its inputs come from is for the caller to say. */
static void asl_contraction_add_stage(struct asl_contraction *c,
				      const struct asl_einsum *e,
				      const struct asl_mesh *mesh,
				      uint64_t cache)
{
	struct asl_stage *x = &c->stage[c->stages++];
	struct asl_cell cell = asl_mesh_cell(e, mesh, 0);
	uint64_t len[ASL_MOST_INDICES] = {0};

	x->e = *e;
	x->mesh = *mesh;
	for (int i = 0; i < e->indices; i++)
		len[i] = cell.of[i].count;
	asl_local_make(&x->local, e, len, cache);
	if (c->ranks < asl_mesh_ranks(e, mesh))
		c->ranks = asl_mesh_ranks(e, mesh);
}

static struct asl_spread result_of(const struct asl_stage *x)
{
	return (struct asl_spread){&x->e, &x->e.term[x->e.inputs], &x->mesh};
}

/* Does what another stage made lie where it is needed? */
static void note_moves(struct asl_contraction *c, struct asl_stage *x)
{
	for (int j = 0; j < x->e.inputs; j++) {
		struct asl_spread to = {&x->e, &x->e.term[j], &x->mesh}, from;

		if (x->from[j] < c->e.inputs)
			continue;
		from = result_of(&c->stage[x->from[j] - c->e.inputs]);
		x->moves[j] = !asl_spread_same(&to, &from, c->ranks);
	}
}

static struct asl_contraction begin(const struct asl_einsum *e,
				    const struct asl_contraction_want *want,
				    enum asl_contract_way way)
{
	return (struct asl_contraction){
		.e = *e,
		.on_root = want->on_root,
		.way = way,
		.given = want->ranks,
	};
}

static void make_direct(struct asl_contraction *c, const struct asl_einsum *e,
			const struct asl_contraction_want *want)
{
	*c = begin(e, want, ASL_WAY_DIRECT);
	c->whole = asl_mesh_choose(e, want->ranks);
	asl_contraction_add_stage(c, e, &c->whole, want->cache);
	for (int i = 0; i < e->inputs; i++)
		c->stage[0].from[i] = i;
}

/* Every rank of the whole's mesh takes part: it is verified there. */
static void make_sequence(struct asl_contraction *c, const struct asl_einsum *e,
			  const struct asl_contraction_want *want)
{
	*c = begin(e, want, ASL_WAY_SEQUENCE);
	c->whole = asl_mesh_choose(e, want->ranks);
	c->ranks = asl_mesh_ranks(e, &c->whole);
	asl_contraction_add_sequence(c, want->cache);
	for (int i = 0; i < c->stages; i++)
		note_moves(c, &c->stage[i]);
}

/* ---- The better way ---- */

/* B_h of intermediates that move to a stage. */
static uint64_t moved_words(const struct asl_contraction *c,
			    const struct asl_stage *x, int rank)
{
	struct asl_counts counts = {{0}};

	for (int j = 0; j < x->e.inputs; j++) {
		struct asl_spread to = {&x->e, &x->e.term[j], &x->mesh}, from;

		if (!x->moves[j])
			continue;
		from = result_of(&c->stage[x->from[j] - c->e.inputs]);
		asl_spread_predict(&counts, rank, c->ranks, &to, ASL_DRAM,
				   &from, ASL_DRAM);
	}
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

/* Each stage's busiest rank, and all that an intermediate's owners have. */
static uint64_t words_at_most(const struct asl_contraction *c)
{
	uint64_t words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];
		const struct asl_term *out = &x->e.term[x->e.inputs];

		words += asl_mesh_busiest(&x->e, &x->mesh);
		if (i < c->stages - 1)
			words += 2 *
				 asl_mesh_share(&x->e, &x->mesh, out, 0).count;
	}
	return words;
}

uint64_t asl_contraction_words(const struct asl_contraction *c)
{
	uint64_t most = 0;

	if (c->stages > 1 && c->ranks > FEW_RANKS)
		return words_at_most(c);
	for (int r = 0; r < c->ranks; r++)
		most = asl_max(most, words_of_rank(c, r));
	return most;
}

/* Points of the largest cells. */
static uint64_t volume(const struct asl_contraction *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < c->stages; i++)
		sum += asl_mesh_volume(&c->stage[i].e, &c->stage[i].mesh);
	return sum;
}

void asl_contraction_make(struct asl_contraction *c, const struct asl_einsum *e,
			  const struct asl_contraction_want *want)
{
	struct asl_contraction other;
	uint64_t here, there;

	if (e->inputs < 3 || want->way == ASL_WAY_DIRECT) {
		make_direct(c, e, want);
		return;
	}
	make_sequence(c, e, want);
	if (want->way == ASL_WAY_SEQUENCE)
		return;
	make_direct(&other, e, want);
	here = asl_contraction_words(c);
	there = asl_contraction_words(&other);
	if (there < here || (there == here && volume(&other) < volume(c)))
		*c = other;
}

/*
 * The tree of pairs that moves fewest words, stage by stage
 *
 * The best tree for every set of inputs is known from those of its halves: least
 * words of the busiest ranks, and among equals the fewest multiplications.  Here
 * an intermediate moves as much as a rank has of it.
 */

enum { SETS = 1 << ASL_MOST_INPUTS };

struct tree {
	double words, volume;
	int left; /* the set on one side; 0: a single input */
	struct asl_term term;
	struct asl_mesh mesh;
};

struct search {
	const struct asl_einsum *e;
	int ranks;
	struct tree of[SETS];
};

/* An index that both sides have once comes where the first one has it. */
static struct asl_term result(const struct asl_einsum *e, int set,
			      const struct asl_term *a,
			      const struct asl_term *b)
{
	const struct asl_term *side[] = {a, b};
	uint32_t needed = e->term[e->inputs].has;
	int index[ASL_MOST_INDICES], count = 0;

	if (set == (1 << e->inputs) - 1)
		return e->term[e->inputs];
	for (int i = 0; i < e->inputs; i++)
		if (!(set >> i & 1))
			needed |= e->term[i].has;
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < side[s]->count; i++) {
			int x = side[s]->index[i];

			if (needed >> x & 1 && !(s == 1 && asl_term_has(a, x)))
				index[count++] = x;
		}
	return asl_term_of(index, count);
}

/* The pair of two terms, as an einsum in the indices of the whole. */
static struct asl_einsum pair_of(const struct asl_einsum *e,
				 const struct asl_term *a,
				 const struct asl_term *b,
				 const struct asl_term *out)
{
	struct asl_einsum pair = *e;

	pair.inputs = 2;
	pair.term[0] = *a;
	pair.term[1] = *b;
	pair.term[2] = *out;
	return pair;
}

/* What is moved there at most, of an intermediate. */
static double moved(const struct search *s, const struct tree *t)
{
	double words = (double)asl_term_words(s->e, &t->term);

	return t->left ? words / asl_mesh_ranks(s->e, &t->mesh) : 0;
}

static void join(struct search *s, int set, int left)
{
	const struct tree *a = &s->of[left], *b = &s->of[set & ~left];
	struct tree new = {.left = left,
			   .words = a->words + b->words,
			   .volume = a->volume + b->volume};
	struct asl_einsum pair;

	if (new.words > s->of[set].words)
		return;
	new.term = result(s->e, set, &a->term, &b->term);
	pair = pair_of(s->e, &a->term, &b->term, &new.term);
	new.mesh = asl_mesh_choose(&pair, s->ranks);
	new.words += (double)asl_mesh_busiest(&pair, &new.mesh);
	if (s->ranks > 1)
		new.words += moved(s, a) + moved(s, b);
	new.volume += (double)asl_mesh_volume(&pair, &new.mesh);
	if (new.words < s->of[set].words ||
	    (new.words == s->of[set].words &&new.volume < s->of[set].volume))
		s->of[set] = new;
}

static void find_trees(struct search *s)
{
	for (int set = 1; set < 1 << s->e->inputs; set++) {
		int lowest = set & -set;
		struct tree *t = &s->of[set];

		if (set == lowest) {
			t->term = s->e->term[__builtin_ctz((unsigned)set)];
			continue;
		}
		t->words = INFINITY;
		for (int left = (set - 1) & set; left; left = (left - 1) & set)
			if (left & lowest)
				join(s, set, left);
	}
}

/* ---- Stages ---- */

/* Where a set's tensor comes from: an operand, or the stage that made it. */
static int add_tree(struct asl_contraction *c, const struct search *s, int set,
		    uint64_t cache)
{
	const struct tree *t = &s->of[set], *a, *b;
	struct asl_einsum pair;
	struct asl_stage *x;
	int from[2];

	if (!t->left)
		return __builtin_ctz((unsigned)set);
	a = &s->of[t->left];
	b = &s->of[set & ~t->left];
	from[0] = add_tree(c, s, t->left, cache);
	from[1] = add_tree(c, s, set & ~t->left, cache);
	pair = pair_of(s->e, &a->term, &b->term, &t->term);
	x = &c->stage[c->stages];
	asl_contraction_add_stage(c, &pair, &t->mesh, cache);
	x->from[0] = from[0];
	x->from[1] = from[1];
	return s->e->inputs + c->stages - 1;
}

/* The stages of a sequence, for c->e on c->given ranks. */
static void asl_contraction_add_sequence(struct asl_contraction *c,
					 uint64_t cache)
{
	struct search s = {.e = &c->e, .ranks = c->given};

	find_trees(&s);
	add_tree(c, &s, (1 << c->e.inputs) - 1, cache);
}
