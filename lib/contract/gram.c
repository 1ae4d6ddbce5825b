/*
 * gram.c -- one array given twice: a matrix and its own transpose
 *
 * With A of k x n, each of several indices or none, C = A^T A is symmetric, and both
 * operands are one array: ki,kj->ij.  Columns are cut into q blocks, rows into L
 * layers.  The q ranks of a layer stand in a circle, and rank a has block a + d for
 * every d of a set D, modulo q.  Every difference modulo q is one of two members of
 * D (a cyclic difference cover), so that any two blocks meet on a rank.  Each
 * difference up to q / 2 is left to one pair of members: then every tile of C that
 * has no mirror image before it is made once, by all ranks equally many.  Two ranks
 * halve a tile of difference q / 2; and a block's tile with itself is halved again
 * and again, until only small squares on the diagonal are whole.
 *
 *	gather	a block's words are shared by its |D| ranks, which send them to
 *		each other in |D| (|D| - 1) rounds: in each, all ranks send as far
 *	compute	the tiles, from a block by rows and another one by columns, for
 *		which it is copied
 *	reduce	a reduce_scatter of the tiles over the layers
 *
 *	B_h	(|D| - 1) nk / (q L) + (1 - 1/L) n (n + s) / (2 q)
 *	flops	n (n + s) k / (q L)
 *	owned	nk / (q L) + n (n + s) / (2 q L)
 *
 * up to rounding, with squares of side s on the diagonal.  A rank owns no words of
 * the second operand, and none of mirror images: they are written where the result
 * goes.
 *
 * H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, Parallel memory-independent
 * communication bounds for SYRK, 2023, has the bound, and tiles in triangles.
 */
#include <math.h>
#include <string.h>

#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

/* ---- Is it one? ---- */

/* Modes of both inputs at one place: summed over, or a row and its column. */
static bool add_mode(struct asl_gram *g, const struct asl_einsum *e, int place)
{
	const struct asl_term *A = &e->term[0], *B = &e->term[1];
	const struct asl_term *C = &e->term[2];
	int row = A->mode[place], col = B->mode[place];

	if (row == col) {
		g->k *= (double)e->size[row];
		return !asl_term_has(C, row);
	}
	g->n *= (double)e->size[row];
	asl_term_add(&g->result, row);
	asl_term_add(&g->mirror, col);
	return !asl_term_has(B, row) && !asl_term_has(A, col) &&
	       asl_term_has(C, row) && asl_term_has(C, col) &&
	       e->size[row] == e->size[col];
}

static void add_indices(struct asl_term *t, const struct asl_term *from)
{
	for (int i = 0; i < from->count; i++)
		asl_term_add(t, from->index[i]);
}

bool asl_gram_of(struct asl_gram *g, const struct asl_contraction *c)
{
	const struct asl_einsum *e = &c->e;
	const struct asl_term *A = &e->term[0], *B = &e->term[1];
	struct asl_term cols;
	bool is_gram = true;

	*g = (struct asl_gram){.n = 1, .k = 1};
	if (!c->twice || e->inputs != 2 || c->on_root || A->modes != B->modes ||
	    A->modes > A->count || B->modes > B->count || A->stretched ||
	    B->stretched)
		return false;
	for (int i = 0; is_gram && i < A->modes; i++)
		is_gram = add_mode(g, e, i);
	if (!is_gram || g->n > INT32_MAX || g->k > INT32_MAX ||
	    e->term[2].has != (g->result.has | g->mirror.has))
		return false;
	g->operand = asl_term_without(A, g->result.has);
	add_indices(&g->operand, &g->result);
	cols = g->mirror;
	add_indices(&g->mirror, &g->result);
	add_indices(&g->result, &cols);
	return true;
}

/* ---- Difference covers ---- */

struct cover {
	int blocks, held, most, at[ASL_MOST_HELD];
	int left; /* differences that are not covered */
	unsigned char times[ASL_MOST_BLOCKS]; /* by difference up to q / 2 */
	int tries;
};

static int difference(int blocks, int a, int b)
{
	int d = (b - a + blocks) % blocks;

	return d <= blocks / 2 ? d : blocks - d;
}

static void add_member(struct cover *x, int member)
{
	for (int i = 0; i < x->held; i++)
		x->left -= !x->times[difference(x->blocks, x->at[i], member)]++;
	x->at[x->held++] = member;
}

static void drop_member(struct cover *x)
{
	int member = x->at[--x->held];

	for (int i = 0; i < x->held; i++)
		x->left += !--x->times[difference(x->blocks, x->at[i], member)];
}

static bool has_member(const struct cover *x, int member)
{
	for (int i = 0; i < x->held; i++)
		if (x->at[i] == member)
			return true;
	return false;
}

/* Each new member makes a difference with every one that is there. */
static bool complete(struct cover *x)
{
	int more = x->most - x->held;

	if (!x->left)
		return true;
	if (x->left > more * x->held + more * (more - 1) / 2 || !x->tries--)
		return false;
	for (int member = x->at[x->held - 1] + 1; member < x->blocks;
	     member++) {
		add_member(x, member);
		if (complete(x))
			return true;
		drop_member(x);
		if (x->tries < 0)
			return false;
	}
	return false;
}

/* 0 to s - 1, and multiples of s up to q / 2: each difference is one less another. */
static void step_by_step(struct cover *x)
{
	int side = (int)ceil(sqrt(x->blocks / 2.0));

	for (int i = 0; i < side && x->left; i++)
		add_member(x, i);
	for (int i = side; x->left; i += side)
		if (!has_member(x, i))
			add_member(x, i);
}

static struct cover begin_cover(int blocks)
{
	return (struct cover){.blocks = blocks, .left = blocks / 2};
}

/* The smallest set takes long to find where there are many blocks. */
enum { TRIES = 3000, FEW_BLOCKS = 64 };

static void find_cover(struct asl_gram *g)
{
	struct cover best = begin_cover(g->blocks), x;

	step_by_step(&best);
	for (int most = best.held - 1; most > 1 && g->blocks <= FEW_BLOCKS;
	     most--) {
		x = begin_cover(g->blocks);
		x.most = most;
		x.tries = TRIES;
		add_member(&x, 0);
		add_member(&x, 1);
		if (!complete(&x))
			break;
		best = x;
	}
	if (!best.held)
		add_member(&best, 0);
	g->held = best.held;
	memcpy(g->at, best.at, sizeof g->at);
}

/* The first members with each difference: two blocks of a rank, and their tile. */
static void find_pairs(struct asl_gram *g)
{
	g->pairs = g->blocks / 2;
	memset(g->pair, 0, sizeof g->pair);
	for (int i = 0; i < g->held; i++)
		for (int j = i + 1; j < g->held; j++) {
			int d = difference(g->blocks, g->at[i], g->at[j]);

			if (g->pair[d - 1].col)
				continue;
			g->pair[d - 1].row = (unsigned char)i;
			g->pair[d - 1].col = (unsigned char)j;
		}
}

/* Squares that are not halved: small for the arithmetic, not for the cache. */
enum { SQUARE = 64 };

static void set_blocks(struct asl_gram *g, int blocks, int layers,
		       uint64_t cache)
{
	uint64_t longest = asl_ceil_div((uint64_t)g->n, (uint64_t)blocks);
	uint64_t square = asl_max(1, asl_min(SQUARE, asl_isqrt(cache) / 2));

	g->blocks = blocks;
	g->layers = layers;
	find_cover(g);
	find_pairs(g);
	for (g->halvings = 0; longest >> g->halvings > square; g->halvings++)
		;
}

/* ---- What a rank has ---- */

struct place {
	int layer, at; /* in the circle */
};

static struct place place_of(const struct asl_gram *g, int rank)
{
	return (struct place){rank / g->blocks, rank % g->blocks};
}

static struct asl_range layer_of(const struct asl_gram *g, int rank)
{
	return asl_part((uint64_t)g->k, g->layers, place_of(g, rank).layer);
}

/* The number of the rank's i-th block. */
static int block_number(const struct asl_gram *g, int rank, int i)
{
	return (place_of(g, rank).at + g->at[i]) % g->blocks;
}

static struct asl_range block_of(const struct asl_gram *g, int rank, int i)
{
	return asl_part((uint64_t)g->n, g->blocks, block_number(g, rank, i));
}

static uint64_t block_words(const struct asl_gram *g, int rank, int i)
{
	return layer_of(g, rank).count * block_of(g, rank, i).count;
}

/* Its own words of its i-th block, or those of another one that has it. */
static struct asl_range share_of(const struct asl_gram *g, int rank, int i,
				 int owner)
{
	return asl_share(block_words(g, rank, i), g->held, owner);
}

/* A tile of C and where its words are among the rank's. */
struct tile {
	int row, col; /* the blocks of the rank that make it */
	struct asl_range rows, cols;
	uint64_t first;
	bool mirrors; /* no other tile has its mirror image */
};

/* Two ranks share the tile: the block of the lower number is whole. */
static void halve(const struct asl_gram *g, int rank, struct tile *t)
{
	bool low =
		block_number(g, rank, t->row) < block_number(g, rank, t->col);
	struct asl_range *cut = low ? &t->cols : &t->rows;
	uint64_t half = cut->count / 2;

	if (low) {
		cut->count = half;
		return;
	}
	cut->first += half;
	cut->count -= half;
}

static struct asl_range part_of(struct asl_range whole, int parts, int i)
{
	struct asl_range x = asl_share(whole.count, parts, i);

	x.first += whole.first;
	return x;
}

/* The i-th of 2^halvings squares on the diagonal, and one less beside them. */
static void cut_square(const struct asl_gram *g, int i, struct tile *t)
{
	struct asl_range whole = t->rows;
	int parts = 2;

	t->mirrors = i >= 1 << g->halvings;
	if (!t->mirrors) {
		t->rows = t->cols = part_of(whole, 1 << g->halvings, i);
		return;
	}
	for (i -= 1 << g->halvings; i >= parts / 2; parts *= 2)
		i -= parts / 2;
	t->rows = part_of(whole, parts, 2 * i);
	t->cols = part_of(whole, parts, 2 * i + 1);
}

static int count_tiles(const struct asl_gram *g)
{
	return g->pairs + (2 << g->halvings) - 1;
}

/* The i-th tile, after one whose words end at `first`. */
static struct tile tile_of(const struct asl_gram *g, int rank, int i,
			   uint64_t first)
{
	struct tile t = {.first = first, .mirrors = true};

	if (i < g->pairs) {
		t.row = g->pair[i].row;
		t.col = g->pair[i].col;
	}
	t.rows = block_of(g, rank, t.row);
	t.cols = block_of(g, rank, t.col);
	if (2 * (i + 1) == g->blocks)
		halve(g, rank, &t);
	if (i >= g->pairs)
		cut_square(g, i - g->pairs, &t);
	return t;
}

static uint64_t tile_words(const struct tile *t)
{
	return t->rows.count * t->cols.count;
}

/* Words of all tiles. */
static uint64_t sum_words(const struct asl_gram *g, int rank)
{
	uint64_t words = 0;

	for (int i = 0; i < count_tiles(g); i++) {
		struct tile t = tile_of(g, rank, i, 0);

		words += tile_words(&t);
	}
	return words;
}

/* What the rank owns of them. */
static struct asl_range sum_share(const struct asl_gram *g, int rank)
{
	return asl_share(sum_words(g, rank), g->layers,
			 place_of(g, rank).layer);
}

uint64_t asl_gram_owned(const struct asl_gram *g, int rank, int which)
{
	uint64_t words = 0;

	if (rank >= g->blocks * g->layers)
		return 0;
	if (which == 2)
		return sum_share(g, rank).count;
	for (int i = 0; which == 0 && i < g->held; i++)
		words += share_of(g, rank, i, i).count;
	return words;
}

/* Piece i, which begins at word *first of the tiles: the rank's share of it. */
static void result_piece(struct asl_piece *p, const struct asl_gram *g,
			 int rank, int i, uint64_t *first, bool *mirrors)
{
	struct tile t = tile_of(g, rank, i, *first);
	struct asl_range all = {*first, tile_words(&t)};

	*p = (struct asl_piece){t.rows, t.cols,
				asl_common(all, sum_share(g, rank))};
	p->words.first -= p->words.count ? *first : p->words.first;
	*first += all.count;
	*mirrors = t.mirrors;
}

static void operand_piece(struct asl_piece *p, const struct asl_gram *g,
			  int rank, int i)
{
	*p = (struct asl_piece){layer_of(g, rank), block_of(g, rank, i),
				share_of(g, rank, i, i)};
}

/* ---- Holdings ---- */

static void next_piece(struct asl_holding *h, const struct asl_gram *g)
{
	bool mirrors = false;

	h->piece++;
	h->first += h->at.words.count;
	if (h->which < 2)
		operand_piece(&h->at, g, h->rank, h->piece);
	else
		result_piece(&h->at, g, h->rank, h->piece, &h->tiles, &mirrors);
	h->mirror = mirrors ? &g->mirror : NULL;
}

struct asl_tensor_row asl_gram_row(struct asl_holding *h, uint64_t done,
				   uint64_t most)
{
	const struct asl_gram *g = &h->plan->contraction->gram;
	uint64_t cols = (uint64_t)g->n;
	struct asl_tensor_row row;
	struct asl_stretch x;

	if (h->piece < 0 || done < h->first) {
		h->piece = -1;
		h->first = h->tiles = h->at.words.count = 0;
		next_piece(h, g);
	}
	while (done - h->first >= h->at.words.count)
		next_piece(h, g);
	done -= h->first;
	x = asl_piece_stretch(&h->at, done,
			      asl_min(most, h->at.words.count - done));
	row = asl_run_row(&h->run, x.row * cols + x.col, x.count);
	row.mirror = h->mirror;
	return row;
}

/* ---- Predict ---- */

/* Blocks that are multiplied from the left, a bit each: they are copied by columns. */
static uint64_t left_blocks(const struct asl_gram *g)
{
	uint64_t set = 1; /* with themselves */

	for (int i = 0; i < g->pairs; i++)
		set |= UINT64_C(1) << g->pair[i].row;
	return set;
}

/* Words of all blocks in a set. */
static uint64_t words_of(const struct asl_gram *g, int rank, uint64_t set)
{
	uint64_t words = 0;

	for (int i = 0; i < g->held; i++)
		if (set >> i & 1)
			words += block_words(g, rank, i);
	return words;
}

static uint64_t panel_words(const struct asl_gram *g, int rank)
{
	return g->held > 1 ? words_of(g, rank, UINT64_MAX) : 0;
}

static enum asl_where where_blocks(const struct asl_plan *plan)
{
	return plan->contraction->gram.held > 1 ? plan->panels : ASL_POOL;
}

static void predict_gather(struct asl_counts *x, const struct asl_plan *plan,
			   int rank)
{
	const struct asl_gram *g = &plan->contraction->gram;
	uint64_t sent = 0, received = 0;

	if (g->held == 1)
		return;
	asl_predict_copy(x, plan->panels, ASL_POOL, asl_gram_owned(g, rank, 0));
	for (int i = 0; i < g->held; i++)
		for (int j = 0; j < g->held; j++) {
			uint64_t out = share_of(g, rank, j, j).count;
			uint64_t in = share_of(g, rank, i, j).count;

			if (i == j)
				continue;
			asl_counts_add_net(x, out, in, asl_max(out, in),
					   out != 0);
			sent += out;
			received += in;
		}
	if (plan->panels == ASL_POOL) {
		x->of[ASL_NVM_LIFT] += sent;
		x->of[ASL_NVM_LAND] += received;
	}
}

static struct asl_product product(const struct asl_plan *plan,
				  const struct tile *t, uint64_t k)
{
	struct asl_product x =
		asl_plan_product(plan, t->rows.count, t->cols.count, k,
				 ASL_DRAM, where_blocks(plan));

	x.C = ASL_POOL;
	return x;
}

static void predict_compute(struct asl_counts *x, const struct asl_plan *plan,
			    int rank)
{
	const struct asl_gram *g = &plan->contraction->gram;
	uint64_t copied = words_of(g, rank, left_blocks(g));

	x->of[asl_read_counter(where_blocks(plan))] += copied;
	x->of[ASL_DRAM_WRITE] += copied;
	for (int i = 0; i < count_tiles(g); i++) {
		struct tile t = tile_of(g, rank, i, 0);
		struct asl_product local =
			product(plan, &t, layer_of(g, rank).count);

		if (tile_words(&t))
			asl_kernel_predict(plan->kernel, x, &local);
	}
}

void asl_gram_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank)
{
	const struct asl_gram *g = &plan->contraction->gram;
	uint64_t W = sum_words(g, rank), panels = panel_words(g, rank);
	uint64_t owned =
		asl_gram_owned(g, rank, 0) + asl_gram_owned(g, rank, 2);
	uint64_t copies = words_of(g, rank, left_blocks(g));
	uint64_t sums = g->layers > 1 ? W : 0;
	int layer = place_of(g, rank).layer;

	predict_gather(&out->in[ASL_GATHER], plan, rank);
	predict_compute(&out->in[ASL_COMPUTE], plan, rank);
	asl_predict_reduce_scatter(&out->in[ASL_REDUCE], W, g->layers, layer,
				   ASL_POOL, ASL_POOL);
	out->memory_high =
		owned + sums +
		asl_max(panels + copies,
			asl_reduce_scatter_scratch(W, g->layers, layer));
	out->pool_high = owned + sums + (plan->panels == ASL_POOL ? panels : 0);
}

/* ---- Run ---- */

/* In each round every rank sends its words of one of its blocks as far. */
static void gather(struct asl_rank *r, const struct asl_gram *g,
		   const struct asl_words *own, struct asl_words *block)
{
	int base = r->id - place_of(g, r->id).at;
	uint64_t done = 0;

	asl_phase(r, ASL_GATHER);
	for (int i = 0; i < g->held; i++) {
		struct asl_range mine = share_of(g, r->id, i, i);
		struct asl_words to =
			asl_slice(&block[i], mine.first, mine.count);
		struct asl_words from = asl_slice(own, done, mine.count);

		asl_copy(r, &to, &from);
		done += mine.count;
	}
	for (int i = 0; i < g->held; i++)
		for (int j = 0; j < g->held; j++) {
			int away =
				(g->at[j] - g->at[i] + g->blocks) % g->blocks;
			int at = place_of(g, r->id).at;
			struct asl_range goes = share_of(g, r->id, j, j);
			struct asl_range comes = share_of(g, r->id, i, j);
			struct asl_words out =
				asl_slice(&block[j], goes.first, goes.count);
			struct asl_words in =
				asl_slice(&block[i], comes.first, comes.count);

			if (i != j)
				asl_exchange(r, base + (at + away) % g->blocks,
					     out.count ? &out : NULL,
					     base + (at - away + g->blocks) %
							     g->blocks,
					     in.count ? &in : NULL);
		}
}

enum { K, N, SIDES };

/* The block by columns: k and n change places. */
static void copy_across(struct asl_rank *r, struct asl_words *to,
			const struct asl_words *from, const uint64_t *len)
{
	struct asl_term by_rows = {0}, by_cols = {0};
	struct asl_view dst, src;

	asl_term_add(&by_rows, K);
	asl_term_add(&by_rows, N);
	asl_term_add(&by_cols, N);
	asl_term_add(&by_cols, K);
	dst = asl_view_dense(to, &by_cols, len);
	src = asl_view_dense(from, &by_rows, len);
	asl_permute(r, &dst, &src, len);
}

/* Blocks as they are and, some of them, by columns. */
struct sides {
	struct asl_words block[ASL_MOST_HELD], across[ASL_MOST_HELD];
};

static void cut_sides(struct sides *s, const struct asl_gram *g, int rank,
		      const struct asl_words *panels,
		      const struct asl_words *copies)
{
	uint64_t at = 0, copied = 0, left = left_blocks(g);

	for (int i = 0; i < g->held; i++) {
		uint64_t words = block_words(g, rank, i);

		s->block[i] = asl_slice(panels, at, words);
		at += words;
		if (!(left >> i & 1))
			continue;
		s->across[i] = asl_slice(copies, copied, words);
		copied += words;
	}
}

static void multiply(struct asl_rank *r, const struct asl_plan *plan,
		     const struct sides *s, const struct asl_words *sum)
{
	const struct asl_gram *g = &plan->contraction->gram;
	uint64_t k = layer_of(g, r->id).count, first = 0;

	for (int i = 0; !r->err && i < count_tiles(g); i++) {
		struct tile t = tile_of(g, r->id, i, first);
		struct asl_range row = block_of(g, r->id, t.row);
		struct asl_range col = block_of(g, r->id, t.col);
		struct asl_block A =
			asl_as_block(&s->across[t.row], row.count, k);
		struct asl_block B =
			asl_as_block(&s->block[t.col], k, col.count);
		struct asl_words words = asl_slice(sum, first, tile_words(&t));
		struct asl_block C =
			asl_as_block(&words, t.rows.count, t.cols.count);
		struct asl_product local = product(plan, &t, k);

		first += words.count;
		if (!words.count)
			continue;
		A = asl_sub_block(&A, t.rows.first - row.first, 0, t.rows.count,
				  k);
		B = asl_sub_block(&B, 0, t.cols.first - col.first, k,
				  t.cols.count);
		plan->kernel->run(r, &local, &C, &A, &B);
	}
}

/* No words computed in DRAM outlive a mark. */
static void compute(struct asl_rank *r, const struct asl_plan *plan,
		    struct sides *s, const struct asl_words *sum)
{
	const struct asl_gram *g = &plan->contraction->gram;
	uint64_t len[ASL_MOST_INDICES] = {0};

	asl_phase(r, ASL_COMPUTE);
	asl_mark_hold(r);
	for (int i = 0; i < g->held; i++) {
		len[K] = layer_of(g, r->id).count;
		len[N] = block_of(g, r->id, i).count;
		if (left_blocks(g) >> i & 1)
			copy_across(r, &s->across[i], &s->block[i], len);
	}
	multiply(r, plan, s, sum);
	asl_mark_release(r);
}

static struct asl_group over_layers(const struct asl_gram *g, int rank)
{
	struct place x = place_of(g, rank);

	return (struct asl_group){.first = x.at,
				  .stride = g->blocks,
				  .size = g->layers,
				  .me = x.layer};
}

void asl_gram_run(struct asl_rank *r, const struct asl_plan *plan,
		  struct asl_words *own)
{
	const struct asl_gram *g = &plan->contraction->gram;
	const struct asl_words nothing = {.where = ASL_DRAM};
	struct asl_group layers = over_layers(g, r->id);
	struct asl_words sum = own[2], panels, copies;
	bool summed = g->layers > 1;
	struct sides s;

	if (summed)
		asl_take(r, &sum, ASL_POOL, sum_words(g, r->id));
	asl_take(r, &panels, plan->panels, panel_words(g, r->id));
	asl_take(r, &copies, ASL_DRAM, words_of(g, r->id, left_blocks(g)));
	cut_sides(&s, g, r->id, g->held > 1 ? &panels : &own[0], &copies);
	if (g->held > 1)
		gather(r, g, &own[0], s.block);
	compute(r, plan, &s, &sum);
	asl_give(r, &copies);
	asl_give(r, &panels);
	asl_mark_epoch(r, summed ? &sum : &nothing, 1);
	if (!summed)
		return;
	asl_phase(r, ASL_REDUCE);
	asl_reduce_scatter(r, &layers, &own[2], &sum);
	asl_give(r, &sum);
}

/* ---- Words of the busiest rank ---- */

uint64_t asl_gram_words(const struct asl_contraction *c)
{
	const struct asl_plan plan = {.contraction = c, .panels = ASL_DRAM};
	const struct asl_gram *g = &c->gram;
	uint64_t most = 0;

	for (int rank = 0; rank < c->ranks; rank++) {
		struct asl_counts x = {{0}};

		predict_gather(&x, &plan, rank);
		asl_predict_reduce_scatter(&x, sum_words(g, rank), g->layers,
					   place_of(g, rank).layer, ASL_POOL,
					   ASL_POOL);
		most = asl_max(most, x.of[ASL_BH]);
	}
	return most;
}

/* ---- Candidates ---- */

/* What rank 0 costs on so many blocks and layers. */
static double cost_of(const struct asl_plan *base, struct asl_contraction *c)
{
	struct asl_plan plan = *base;
	struct asl_ledger ledger = {0};
	struct asl_counts total;
	struct asl_rates rates = asl_rates(&plan.costs, plan.accounting);

	plan.contraction = c;
	plan.kernel = plan.kernel ? plan.kernel : asl_kernel_find("tight");
	asl_gram_predict(&ledger, &plan, 0);
	total = asl_ledger_total(&ledger);
	return asl_cost(&rates, &total);
}

#define UNEVEN 1.2

static int layers_for(const struct asl_gram *g, int ranks, int blocks)
{
	return (int)asl_min((uint64_t)(ranks / blocks), (uint64_t)g->k);
}

static int most_blocks(const struct asl_gram *g, int ranks)
{
	return (int)asl_min(asl_min((uint64_t)ranks, ASL_MOST_BLOCKS),
			    (uint64_t)g->n);
}

static void insert(struct asl_gram_found *found, int *count, int blocks,
		   int layers, double cost)
{
	int at = *count < ASL_MOST_GRAMS ? (*count)++ : ASL_MOST_GRAMS - 1;

	if (at == ASL_MOST_GRAMS - 1 && *count == ASL_MOST_GRAMS &&
	    found[at].blocks && found[at].cost <= cost)
		return;
	for (; at > 0 && found[at - 1].cost > cost; at--)
		found[at] = found[at - 1];
	found[at] = (struct asl_gram_found){blocks, layers, cost};
}

void asl_gram_make(struct asl_contraction *c, int blocks, int layers,
		   uint64_t cache)
{
	set_blocks(&c->gram, blocks, layers, cache);
	c->way = ASL_WAY_GRAM;
	c->stages = 0;
	c->ranks = blocks * layers;
	c->whole = asl_mesh_choose(&c->e, c->ranks, NULL);
}

int asl_gram_list(struct asl_gram_found found[ASL_MOST_GRAMS],
		  const struct asl_plan *base, struct asl_contraction *c)
{
	struct asl_gram *g = &c->gram;
	int most = most_blocks(g, base->ranks), used = 0, count = 0;

	for (int q = 1; q <= most; q++) {
		int ranks = q * layers_for(g, base->ranks, q);

		used = ranks > used ? ranks : used;
	}
	memset(found, 0, ASL_MOST_GRAMS * sizeof *found);
	for (int q = 1; q <= most; q++) {
		int layers = layers_for(g, base->ranks, q);

		if (UNEVEN * q * layers < used)
			continue;
		set_blocks(g, q, layers, base->cache);
		insert(found, &count, q, layers, cost_of(base, c));
	}
	return count;
}

/* ---- Bounds ---- */

/*
 * The least mean over ranks of a x + c z, where a rank touches x words of A and z
 * of C: its v multiplications of two different columns have x sqrt(2 z) >= 2 v,
 * x >= 2 v / (n - 1) and z >= v / k.  v/L of the least for L times the mean is the
 * least that a rank can have.
 */
static double touched(const struct asl_gram *g, double ranks, double L,
		      double a, double c)
{
	double V = L * g->n * (g->n - 1) * g->k / 2 / ranks;
	double least = V / g->k, most = (g->n - 1) * (g->n - 1) / 2, z, x;

	if (!(V > 0)) /* not a number with a single column */
		return 0;
	z = cbrt(a * a * V * V / (2 * c * c));
	z = fmax(least, fmin(z, most));
	x = fmax(2 * V / sqrt(2 * z), 2 * V / (g->n - 1));
	return (a * x + c * z) / L;
}

static double all_words(const struct asl_gram *g, double a, double c)
{
	return a * g->n * g->k + c * g->n * (g->n + 1) / 2;
}

/* The busiest rank's multiplications over the mean. */
static double balance(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_gram *g = &c->gram;
	uint64_t most = 0;

	if (c->way != ASL_WAY_GRAM)
		return 1;
	for (int at = 0; at < g->blocks; at++)
		most = asl_max(most, sum_words(g, at));
	return fmax(1, (double)most * (double)layer_of(g, 0).count *
			       plan->ranks / (g->n * (g->n - 1) * g->k / 2));
}

double asl_gram_net_words(const struct asl_gram *g, const struct asl_plan *plan)
{
	return fmax(0, touched(g, plan->ranks, balance(plan), 1, 1) -
			       all_words(g, 1, 1) / plan->ranks);
}

double asl_gram_io_words(const struct asl_gram *g, const struct asl_plan *plan)
{
	return touched(g, plan->ranks, balance(plan), 1, 1);
}

double asl_gram_joint(const struct asl_gram *g, const struct asl_plan *plan)
{
	const struct asl_costs *x = &plan->costs;

	return fmax(0, touched(g, plan->ranks, balance(plan), x->net + x->read,
			       x->net + x->write) -
			       all_words(g, x->net, x->net) / plan->ranks);
}
