/*
 * mesh.c -- cells, the groups that share a slice, and the best mesh
 */
#include "lib/contract/spread.h"

#include <limits.h>
#include <math.h>

#include "lib/rank/collective.h"

int asl_mesh_ranks(const struct asl_einsum *e, const struct asl_mesh *mesh)
{
	int ranks = 1;

	for (int i = 0; i < e->indices; i++)
		ranks *= mesh->p[i];
	return ranks;
}

struct asl_cell asl_mesh_cell(const struct asl_einsum *e,
			      const struct asl_mesh *mesh, int rank)
{
	struct asl_cell cell;

	for (int i = e->indices - 1; i >= 0; i--) {
		cell.at[i] = rank % mesh->p[i];
		cell.of[i] = asl_part(e->size[i], mesh->p[i], cell.at[i]);
		rank /= mesh->p[i];
	}
	return cell;
}

uint64_t asl_cell_words(const struct asl_cell *cell, const struct asl_term *t)
{
	uint64_t words = 1;

	for (int i = 0; i < t->count; i++)
		words *= cell->of[t->index[i]].count;
	return words;
}

struct asl_group asl_cell_group(const struct asl_spread *s,
				const struct asl_cell *cell)
{
	struct asl_group g = {.stride = 1, .size = 1};

	for (int i = 0; i < s->e->indices; i++) {
		if (asl_term_has(s->term, i))
			continue;
		g.me = g.me * s->mesh->p[i] + cell->at[i];
		g.size *= s->mesh->p[i];
	}
	return g;
}

int asl_spread_member(const struct asl_spread *s, const int *at, int me)
{
	int rank = 0, stride = 1;

	for (int i = s->e->indices - 1; i >= 0; i--) {
		int p = s->mesh->p[i];

		rank += stride * (asl_term_has(s->term, i) ? at[i] : me % p);
		if (!asl_term_has(s->term, i))
			me /= p;
		stride *= p;
	}
	return rank;
}

struct asl_group asl_spread_group(const struct asl_spread *s, int rank,
				  int *list)
{
	struct asl_cell cell = asl_mesh_cell(s->e, s->mesh, rank);
	struct asl_group g = asl_cell_group(s, &cell);

	g.list = list;
	for (int i = 0; list && i < g.size; i++)
		list[i] = asl_spread_member(s, cell.at, i);
	return g;
}

static uint64_t words_of(const struct asl_einsum *e,
			 const struct asl_mesh *mesh,
			 const struct asl_cell *cell)
{
	struct asl_counts x = {{0}};

	for (int i = 0; i <= e->inputs; i++) {
		struct asl_spread s = asl_spread_on(e, &e->term[i], mesh);
		struct asl_group g = asl_cell_group(&s, cell);
		uint64_t W = asl_cell_words(cell, s.term);

		if (i < e->inputs)
			asl_predict_allgather(&x, W, g.size, g.me, ASL_DRAM);
		else
			asl_predict_reduce_scatter(&x, W, g.size, g.me,
						   ASL_DRAM, ASL_DRAM);
	}
	return x.of[ASL_BH];
}

uint64_t asl_mesh_words(const struct asl_einsum *e, const struct asl_mesh *mesh,
			int rank)
{
	struct asl_cell cell = asl_mesh_cell(e, mesh, rank);

	return words_of(e, mesh, &cell);
}

uint64_t asl_mesh_busiest(const struct asl_einsum *e,
			  const struct asl_mesh *mesh)
{
	int ranks = asl_mesh_ranks(e, mesh);
	uint64_t most = 0;

	for (int r = 0; r < ranks; r++)
		most = asl_max(most, asl_mesh_words(e, mesh, r));
	return most;
}

/*
 * In every index the first part and the last, those beside the seam where parts change
 * their length, and the last but one, whose share and the next one's are both short.
 * Their number, in order in `list`.
 */
static int list_corners(int list[5], uint64_t size, int p)
{
	int seam = (int)(size % (uint64_t)p), count = 0;
	const int at[] = {0, seam - 1, seam, p - 2, p - 1};

	for (int k = 0; k < 5; k++)
		if (at[k] >= 0 && (!count || at[k] > list[count - 1]))
			list[count++] = at[k];
	return count;
}

static uint64_t busiest_corner(const struct asl_einsum *e,
			       const struct asl_mesh *mesh)
{
	int list[ASL_MOST_INDICES][5], count[ASL_MOST_INDICES], all = 1;
	struct asl_range of[ASL_MOST_INDICES][5];
	uint64_t most = 0;

	for (int i = 0; i < e->indices; i++) {
		count[i] = list_corners(list[i], e->size[i], mesh->p[i]);
		for (int k = 0; k < count[i]; k++)
			of[i][k] = asl_part(e->size[i], mesh->p[i], list[i][k]);
		all *= count[i];
	}
	for (int x = 0; x < all; x++) {
		struct asl_cell cell;

		for (int i = 0, rest = x; i < e->indices; i++) {
			cell.at[i] = list[i][rest % count[i]];
			cell.of[i] = of[i][rest % count[i]];
			rest /= count[i];
		}
		most = asl_max(most, words_of(e, mesh, &cell));
	}
	return most;
}

uint64_t asl_mesh_nearly(const struct asl_einsum *e,
			 const struct asl_mesh *mesh)
{
	return asl_mesh_ranks(e, mesh) > ASL_FEW_RANKS
		       ? busiest_corner(e, mesh)
		       : asl_mesh_busiest(e, mesh);
}

double asl_mesh_volume(const struct asl_einsum *e, const struct asl_mesh *mesh)
{
	double volume = 1;

	for (int i = 0; i < e->indices; i++)
		if (asl_einsum_all(e) >> i & 1)
			volume *= (double)asl_ceil_div(e->size[i],
						       (uint64_t)mesh->p[i]);
	return volume;
}

double asl_mesh_points(const struct asl_einsum *e)
{
	return asl_points(asl_einsum_all(e), e->size);
}

/*
 * The lower bound: the minimum over all meshes in real numbers
 *
 * It holds for any set of points: to a set of v points with slices of f_T words
 * belongs a box of v points or more with no larger slices.  (The largest box in
 * these slices is a linear programme in the logarithms of its sides.  Its dual
 * asks for exponents s_T that sum to 1 or more over the terms of each index, and
 * v is at most the product of f_T^s_T, by the inequality of Brascamp and Lieb.)
 *
 * With x_i = ln p_i a slice of term T has exp(ln N_T - sum of x_i over T) words,
 * so their sum f is convex, over the polytope 0 <= x_i <= ln n_i, sum x_i = ln P.
 *
 * Coordinates are balanced in pairs: moving s from x_j to x_i leaves A exp(-s) +
 * B exp(s) and a constant, with A the words of slices that have i only and B
 * those that have j only; the best s is ln(A/B)/2, clipped to the polytope.  By
 * convexity f - max over y in the polytope of grad f (x - y) is at most the
 * minimum of f: it ends the iteration, and it is the result, which is therefore
 * a bound whatever the rounding.
 */

enum { MOST_ROUNDS = 10000 };

#define NEAR 1e-13

/* Indices longer than 1 of some term; returns their number. */
static int list_cuttable(int index[ASL_MOST_INDICES],
			 const struct asl_einsum *e)
{
	uint32_t all = asl_einsum_all(e);
	int count = 0;

	for (int i = 0; i < e->indices; i++)
		if (e->size[i] > 1 && all >> i & 1)
			index[count++] = i;
	return count;
}

struct space {
	const struct asl_einsum *e;
	const double *weight; /* of a word of each term */
	int dims;
	int index[ASL_MOST_INDICES];   /* that can be cut */
	double most[ASL_MOST_INDICES]; /* ln n_i */
	double x[ASL_MOST_INDICES];
};

/* The weight of all words of the term's slice. */
static double slice(const struct space *s, int k)
{
	const struct asl_term *t = &s->e->term[k];
	double log_words = 0;

	for (int i = 0; i < s->dims; i++)
		if (asl_term_has(t, s->index[i]))
			log_words += s->most[i] - s->x[i];
	return s->weight[k] * exp(log_words);
}

/* Minimize f by moving between coordinates i and j. */
static void balance(struct space *s, int i, int j)
{
	double A = 0, B = 0, low, high, best;

	for (int k = 0; k <= s->e->inputs; k++) {
		const struct asl_term *t = &s->e->term[k];
		bool has_i = asl_term_has(t, s->index[i]);
		bool has_j = asl_term_has(t, s->index[j]);

		if (has_i != has_j)
			*(has_i ? &A : &B) += slice(s, k);
	}
	if (A == B)
		return;
	low = -fmin(s->x[i], s->most[j] - s->x[j]);
	high = fmin(s->most[i] - s->x[i], s->x[j]);
	best = A == 0 ? low : B == 0 ? high : log(A / B) / 2;
	best = fmin(fmax(best, low), high);
	s->x[i] = fmax(0, s->x[i] + best);
	s->x[j] = fmax(0, s->x[j] - best);
}

static double words(const struct space *s)
{
	double sum = 0;

	for (int k = 0; k <= s->e->inputs; k++)
		sum += slice(s, k);
	return sum;
}

/* An upper bound of f - min f: the linear programme fills the steepest first. */
static double gap(const struct space *s)
{
	double slope[ASL_MOST_INDICES] = {0}, left = 0, gap = 0;
	bool full[ASL_MOST_INDICES] = {false};

	for (int i = 0; i < s->dims; i++) {
		for (int k = 0; k <= s->e->inputs; k++)
			if (asl_term_has(&s->e->term[k], s->index[i]))
				slope[i] += slice(s, k);
		gap -= slope[i] * s->x[i];
		left += s->x[i];
	}
	for (int n = 0; n < s->dims; n++) {
		int steepest = -1;

		for (int i = 0; i < s->dims; i++)
			if (!full[i] &&
			    (steepest < 0 || slope[i] > slope[steepest]))
				steepest = i;
		gap += slope[steepest] * fmin(left, s->most[steepest]);
		left -= fmin(left, s->most[steepest]);
		full[steepest] = true;
	}
	return gap;
}

/* At the start, every coordinate is the same fraction of its maximum. */
static struct space begin_bound(const struct asl_einsum *e,
				const double *weight, double parts)
{
	struct space s = {.e = e, .weight = weight};
	double all = 0;

	s.dims = list_cuttable(s.index, e);
	for (int i = 0; i < s.dims; i++) {
		s.most[i] = log((double)e->size[s.index[i]]);
		all += s.most[i];
	}
	for (int i = 0; i < s.dims; i++)
		s.x[i] = s.most[i] * fmin(1, log(fmax(1, parts)) / all);
	return s;
}

double asl_mesh_least(const struct asl_einsum *e, const double *weight,
		      double parts)
{
	struct space s = begin_bound(e, weight, parts);
	double bound = 0;

	for (int round = 0; round < MOST_ROUNDS; round++) {
		double f = words(&s), above = gap(&s);

		bound = fmax(bound, f - above);
		if (above <= NEAR * f)
			break;
		for (int i = 0; i < s.dims; i++)
			for (int j = 0; j < i; j++)
				balance(&s, i, j);
	}
	return bound;
}

double asl_mesh_bound(const struct asl_einsum *e, double ranks)
{
	double weight[ASL_MOST_OPERANDS], owned = 0;

	for (int k = 0; k <= e->inputs; k++) {
		weight[k] = 1;
		owned += (double)asl_term_words(&e->term[k], e->size);
	}
	return fmax(0, asl_mesh_least(e, weight, ranks) -
			       owned / fmin(ranks, asl_mesh_points(e)));
}

/*
 * The search: the mesh whose busiest rank moves the fewest words, or costs least
 *
 * A depth-first search visits the meshes of up to P ranks, index by index.  Once
 * some indices are cut and at most R ranks are left for the others, slices and
 * the largest cell can still shrink by a factor of R, and groups only grow: this
 * bounds the words from below, and a branch is pruned if it cannot beat the best
 * mesh so far or leaves too much to one rank.
 *
 * The busiest rank is known only when all ranks have been evaluated.  Rank 0's
 * words are a lower bound of its words, and a close one; so a first search
 * evaluates rank 0 alone, and a second one, which starts from that mesh, all
 * ranks of the meshes that might be better.
 *
 * Nearly the best mesh takes one search: of the ranks with the largest cell it looks
 * at the first and the last, whose shares are the longest and the shortest.  It cuts
 * no index into more parts than make the longest one shorter: others only enlarge the
 * groups, and leave fewer ranks for other indices.
 */

#define UNEVEN 1.2

enum aim {
	SMALLEST_CELL,
	NEARLY_FEWEST_WORDS,
	FEWEST_WORDS_OF_RANK_0,
	FEWEST_WORDS
};

/* Some dimensions of a cell: its points, each term's words, and a rank's part of these. */
struct extent {
	double points, words[ASL_MOST_OPERANDS], part[ASL_MOST_OPERANDS];
};

struct search {
	const struct asl_einsum *e;
	const struct asl_mesh_wish *wish;
	enum aim aim;
	int dims, index[ASL_MOST_INDICES]; /* that can be cut */
	int twin[ASL_MOST_INDICES];	   /* an earlier dimension; -1: none */
	double limit;			   /* points of a cell */
	struct asl_prices prices;
	struct asl_mesh mesh;
	/* The first d dimensions, which are cut, and all others, which are whole. */
	struct extent cut[ASL_MOST_INDICES + 1], whole[ASL_MOST_INDICES + 1];
	/* The best meshes so far, in order, and what another has to be below. */
	int most, count;
	struct asl_mesh_found best[ASL_MOST_MESHES];
	double cost, volume;
	uint64_t tries; /* complete meshes that may still be considered */
};

static bool is_better(const struct search *s, double cost, double volume)
{
	return asl_costs_less(cost, volume, s->cost, s->volume);
}

static void insert(struct search *s, const struct asl_mesh_found *new)
{
	int at = s->count < s->most ? s->count++ : s->most - 1;

	for (; at > 0 &&
	       asl_costs_less(new->cost, new->volume, s->best[at - 1].cost,
			      s->best[at - 1].volume);
	     at--)
		s->best[at] = s->best[at - 1];
	s->best[at] = *new;
	if (s->count == s->most) {
		s->cost = s->best[s->most - 1].cost;
		s->volume = s->best[s->most - 1].volume;
	}
}

/* A prime beyond any number of ranks: its multiples visit all of them. */
enum { SCATTER = 1000003 };

static double price(const struct asl_prices *p, double in, double out,
		    double volume)
{
	return fmax(p->in * in, p->point * volume) + p->out * out +
	       p->flop * volume;
}

double asl_mesh_work(const struct asl_einsum *e, const struct asl_mesh *mesh,
		     const struct asl_prices *prices)
{
	struct asl_cell cell;
	double in = 0;

	if (!prices)
		return 0;
	cell = asl_mesh_cell(e, mesh, 0);
	for (int k = 0; k < e->inputs; k++)
		in += (double)asl_cell_words(&cell, &e->term[k]);
	return price(prices, in,
		     (double)asl_cell_words(&cell, &e->term[e->inputs]),
		     asl_mesh_volume(e, mesh));
}

/* With the words of the busiest rank, or of the first that rules the mesh out. */
static double cost_of_busiest(const struct search *s, double work,
			      double volume)
{
	uint64_t ranks = (uint64_t)asl_mesh_ranks(s->e, &s->mesh), most = 0;
	double cost = work;

	for (uint64_t i = 0; i < ranks && is_better(s, cost, volume); i++) {
		int rank = (int)(i * SCATTER % ranks);

		most = asl_max(most, asl_mesh_words(s->e, &s->mesh, rank));
		cost = s->prices.net * (double)most + work;
	}
	return cost;
}

/* With the words of the last rank that has the largest cell. */
static double cost_of_last(const struct search *s, double work)
{
	struct asl_cell cell;

	for (int i = 0; i < s->e->indices; i++) {
		int parts = s->mesh.p[i];
		int longer = (int)(s->e->size[i] % (uint64_t)parts);

		cell.at[i] = (longer ? longer : parts) - 1;
		cell.of[i] = asl_part(s->e->size[i], parts, cell.at[i]);
	}
	return work + s->prices.net * (double)words_of(s->e, &s->mesh, &cell);
}

/* The mesh is complete. */
static void consider(struct search *s)
{
	double volume = asl_mesh_volume(s->e, &s->mesh), work = 0, cost = 0;

	if (s->aim != SMALLEST_CELL) {
		work = asl_mesh_work(s->e, &s->mesh, s->wish->prices);
		cost = work + s->prices.net *
				      (double)asl_mesh_words(s->e, &s->mesh, 0);
	}
	if (s->aim == NEARLY_FEWEST_WORDS && is_better(s, cost, volume))
		cost = fmax(cost, cost_of_last(s, work));
	if (s->aim == FEWEST_WORDS && is_better(s, cost, volume))
		cost = cost_of_busiest(s, work, volume);
	if (s->wish && s->wish->beside && is_better(s, cost, volume))
		cost += s->prices.net *
			(double)s->wish->beside(&s->mesh, s->wish->arg);
	if (is_better(s, cost, volume))
		insert(s, &(struct asl_mesh_found){s->mesh, cost, volume});
	s->tries--;
}

/* As fmax, without its care for what is no number. */
static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

/* A dimension more, in so many parts. */
static void extend(struct extent *to, const struct extent *from,
		   const struct asl_einsum *e, int index, int parts)
{
	double length = (double)asl_ceil_div(e->size[index], (uint64_t)parts);
	double part = 1.0 / parts;

	to->points = from->points * length;
	for (int k = 0; k <= e->inputs; k++) {
		bool has = asl_term_has(&e->term[k], index);

		to->words[k] = from->words[k] * (has ? length : 1);
		to->part[k] = from->part[k] * (has ? 1 : part);
	}
}

static void cut_into(struct search *s, int d, int parts)
{
	s->mesh.p[s->index[d]] = parts;
	extend(&s->cut[d + 1], &s->cut[d], s->e, s->index[d], parts);
}

static void begin_extents(struct search *s)
{
	struct extent one = {.points = 1};

	for (int k = 0; k <= s->e->inputs; k++)
		one.words[k] = one.part[k] = 1;
	s->cut[0] = s->whole[s->dims] = one;
	for (int d = s->dims - 1; d >= 0; d--)
		extend(&s->whole[d], &s->whole[d + 1], s->e, s->index[d], 1);
}

/*
 * Lower bounds, with the first `cut` dimensions cut and `left` ranks for the
 * others.
 */

static double least_volume(const struct search *s, int cut, int left)
{
	return s->cut[cut].points * larger(1, s->whole[cut].points / left);
}

/*
 * Words of a term's slice; and those of them that move, less one for shares that are
 * not whole.
 */
static double least_words(const struct search *s, int k, int cut, int left,
			  double *moved)
{
	const struct extent *x = &s->cut[cut];
	double words = x->words[k] * larger(1, s->whole[cut].words[k] / left);

	*moved += larger(0, words * (1 - x->part[k]) - 1);
	return words;
}

static double least_cost(const struct search *s, int cut, int left,
			 double volume)
{
	int inputs = s->e->inputs;
	double moved = 0, in = 0, out;

	for (int k = 0; k < inputs; k++)
		in += least_words(s, k, cut, left, &moved);
	out = least_words(s, inputs, cut, left, &moved);
	return s->prices.net * moved + price(&s->prices, in, out, volume);
}

static bool hopeless(const struct search *s, int cut, int left)
{
	double volume = least_volume(s, cut, left);

	if (s->aim == SMALLEST_CELL)
		return volume >= s->volume || s->volume <= s->limit;
	if (!s->tries || volume > s->limit * (1 + 1e-12))
		return true;
	return least_cost(s, cut, left, volume) * (1 - 1e-12) > s->cost;
}

/* Fewer parts of the next index would leave the cells too large. */
static int least_parts(const struct search *s, int cut)
{
	double length = (double)s->e->size[s->index[cut]], longest = s->limit;

	if (s->aim == SMALLEST_CELL)
		longest = s->volume;
	longest *= (1 + 1e-12) / s->cut[cut].points;
	if (longest >= length)
		return 1;
	return (int)ceil(length / fmax(1, floor(longest)));
}

/* The next number of parts to try: for the very best mesh, each. */
static int more_parts(const struct search *s, int index)
{
	uint64_t size = s->e->size[index], parts = (uint64_t)s->mesh.p[index];
	uint64_t longest = asl_ceil_div(size, parts);

	if (s->aim == FEWEST_WORDS_OF_RANK_0 || s->aim == FEWEST_WORDS)
		return (int)parts + 1;
	return longest > 1 ? (int)asl_ceil_div(size, longest - 1) : INT_MAX;
}

static bool is_given(const struct search *s, int index)
{
	return s->wish && s->wish->like && s->wish->kept >> index & 1;
}

static bool same_terms(const struct asl_einsum *e, int i, int j)
{
	bool same = true;

	for (int k = 0; same && k <= e->inputs; k++)
		same = asl_term_has(&e->term[k], i) ==
		       asl_term_has(&e->term[k], j);
	return same;
}

static bool are_twins(const struct search *s, int d, int other)
{
	int i = s->index[d], j = s->index[other];

	return s->e->size[i] == s->e->size[j] && !is_given(s, i) &&
	       !is_given(s, j) &&
	       (s->aim == SMALLEST_CELL || same_terms(s->e, i, j));
}

/* Twins may exchange their parts: only meshes where the later has no fewer are tried. */
static void find_twins(struct search *s)
{
	for (int d = 0; d < s->dims; d++)
		for (int other = 0; other < d; other++)
			if (are_twins(s, d, other))
				s->twin[d] = other;
}

static int parts_of_twin(const struct search *s, int d)
{
	return s->twin[d] < 0 ? 1 : s->mesh.p[s->index[s->twin[d]]];
}

static void visit(struct search *s, int cut, int left)
{
	int i, parts, most;

	if (hopeless(s, cut, left))
		return;
	if (cut == s->dims) {
		consider(s);
		return;
	}
	i = s->index[cut];
	most = (int)asl_min((uint64_t)left, s->e->size[i]);
	parts = (int)asl_max((uint64_t)least_parts(s, cut),
			     (uint64_t)parts_of_twin(s, cut));
	if (is_given(s, i)) {
		parts = s->wish->like->p[i];
		most = parts > most ? 0 : parts;
	}
	for (; parts <= most; parts = more_parts(s, i)) {
		cut_into(s, cut, parts);
		visit(s, cut + 1, left / parts);
	}
}

static struct search begin_search(const struct asl_einsum *e, int most)
{
	struct search s = {
		.e = e,
		.limit = INFINITY,
		.most = most,
		.cost = INFINITY,
		.volume = INFINITY,
		.prices = {.net = 1},
		.tries = UINT64_MAX,
	};

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		s.mesh.p[i] = 1;
	s.dims = list_cuttable(s.index, e);
	for (int d = 0; d < s.dims; d++)
		s.twin[d] = -1;
	begin_extents(&s);
	return s;
}

/* The largest cell that is accepted. */
static double volume_limit(const struct asl_einsum *e, int ranks)
{
	struct search s = begin_search(e, 1);
	double even = fmax(1, asl_mesh_points(e) / ranks);

	s.aim = SMALLEST_CELL;
	s.limit = UNEVEN * even;
	find_twins(&s);
	visit(&s, 0, ranks);
	return s.volume > s.limit ? UNEVEN * s.volume : s.limit;
}

/* The highest cost of these meshes by the words of their busiest ranks. */
static double highest_cost(const struct search *s)
{
	const struct asl_mesh_wish *wish = s->wish;
	double most = 0;

	for (int i = 0; i < s->count; i++) {
		const struct asl_mesh *mesh = &s->best[i].mesh;
		uint64_t words = asl_mesh_busiest(s->e, mesh);

		if (wish->beside)
			words += wish->beside(mesh, wish->arg);
		most = fmax(most,
			    s->prices.net * (double)words +
				    asl_mesh_work(s->e, mesh, wish->prices));
	}
	return most;
}

static int take(struct asl_mesh_found found[ASL_MOST_MESHES],
		const struct search *s)
{
	for (int i = 0; i < s->count; i++)
		found[i] = s->best[i];
	return s->count;
}

int asl_mesh_list(struct asl_mesh_found found[ASL_MOST_MESHES],
		  const struct asl_einsum *e, const struct asl_mesh_wish *wish)
{
	struct search s = begin_search(e, wish->most ? wish->most : 1), first;

	s.wish = wish;
	s.limit = volume_limit(e, wish->ranks);
	if (wish->prices)
		s.prices = *wish->prices;
	if (wish->tries)
		s.tries = wish->tries;
	if (wish->nearly || wish->ranks > ASL_FEW_RANKS) {
		s.aim = NEARLY_FEWEST_WORDS;
		/* Words beside the mesh's own may depend on which twin is cut. */
		if (!wish->beside)
			find_twins(&s);
		visit(&s, 0, wish->ranks);
		return take(found, &s);
	}
	first = s;
	first.aim = FEWEST_WORDS_OF_RANK_0;
	visit(&first, 0, wish->ranks);
	/* Meshes as good as the last of these may come before it; sums may round. */
	s.aim = FEWEST_WORDS;
	s.cost = highest_cost(&first) * (1 + 1e-12);
	visit(&s, 0, wish->ranks);
	return take(found, &s);
}

struct asl_mesh asl_mesh_choose(const struct asl_einsum *e, int ranks,
				const struct asl_prices *prices)
{
	struct asl_mesh_found found[ASL_MOST_MESHES];
	struct asl_mesh_wish wish = {.ranks = ranks, .prices = prices};

	asl_mesh_list(found, e, &wish);
	return found[0].mesh;
}
