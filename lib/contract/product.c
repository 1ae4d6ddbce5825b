/*
 * product.c -- a contraction that is a product of two matrices, as lib/multiply has it
 *
 * Each index is in two of the three tensors: those of A and C together are the rows
 * of a product, those of B and C its columns, and those of A and B are summed over.
 * A rank owns the pieces of the matrices that the product's algorithm has it own.
 * In which order a tensor's words lie in its memory is its own affair, so that no
 * word is permuted: operands are read, and the result is written, entry by entry
 * where they belong.  The output's last index is one of the columns: the words of a
 * row then lie one after another in a file.  A vector is one column, so that the words
 * of the matrix that it is multiplied with lie as the tensor's do.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/contract/contract.h"
#include "lib/multiply/planner.h"

/* The indices of a set, in the order of the term. */
static void add_indices(struct asl_term *t, const struct asl_term *from,
			uint32_t set)
{
	for (int i = 0; i < from->count; i++)
		if (set >> from->index[i] & 1)
			asl_term_add(t, from->index[i]);
}

static uint64_t length_of(const struct asl_einsum *e, uint32_t set)
{
	double points = asl_points(set, e->size);

	return points <= INT32_MAX ? (uint64_t)points : 0;
}

static bool has_diagonal(const struct asl_einsum *e)
{
	return e->term[0].modes > e->term[0].count ||
	       e->term[1].modes > e->term[1].count;
}

/* Indices of all three terms. */
static uint32_t in_all(const struct asl_einsum *e)
{
	return e->term[0].has & e->term[1].has & e->term[2].has;
}

bool asl_matrices_of(struct asl_matrices *x, const struct asl_einsum *e)
{
	return asl_matrices_each(x, e) && !has_diagonal(e) && !in_all(e);
}

/* The terms of a product, in matrix order. */
static void set_terms(struct asl_matrices *x, const struct asl_einsum *e,
		      uint32_t m, uint32_t n, uint32_t k)
{
	const struct asl_term *C = &e->term[2], *A = &e->term[x->swapped];

	for (int i = 0; i < ASL_OPERANDS; i++)
		add_indices(&x->as[i], C, in_all(e));
	add_indices(&x->as[ASL_A], C, m);
	add_indices(&x->as[ASL_A], A, k);
	add_indices(&x->as[ASL_B], A, k);
	add_indices(&x->as[ASL_B], C, n);
	add_indices(&x->as[ASL_C], C, m);
	add_indices(&x->as[ASL_C], C, n);
}

/* Indices of the output that only this input has. */
static uint32_t own_of(const struct asl_einsum *e, int input)
{
	return e->term[input].has & e->term[2].has & ~e->term[!input].has;
}

/* Are this input's own indices the columns? */
static bool is_right(const struct asl_einsum *e, int input)
{
	const struct asl_term *C = &e->term[2];
	uint32_t own = own_of(e, input), others = own_of(e, !input);

	if (!own || !others)
		return !own && others;
	return e->term[input].has >> C->index[C->count - 1] & 1;
}

bool asl_matrices_each(struct asl_matrices *x, const struct asl_einsum *e)
{
	const struct asl_term *C = &e->term[2], *A, *B;
	uint32_t m, n, k;

	*x = (struct asl_matrices){.swapped = false};
	if (e->inputs != 2)
		return false;
	x->swapped = is_right(e, 0);
	A = &e->term[x->swapped];
	B = &e->term[!x->swapped];
	m = own_of(e, x->swapped);
	n = own_of(e, !x->swapped);
	k = A->has & B->has & ~C->has;
	if ((A->has | B->has | C->has) != (m | n | k | in_all(e)))
		return false;
	x->products = length_of(e, in_all(e));
	x->part.shape = (struct asl_shape){length_of(e, m), length_of(e, n),
					   length_of(e, k)};
	set_terms(x, e, m, n, k);
	return x->products && x->part.shape.m && x->part.shape.n &&
	       x->part.shape.k;
}

/* The product's plan; it borrows the contraction. */
struct asl_plan asl_matrices_plan(const struct asl_plan *plan)
{
	const struct asl_matrices *x = &plan->contraction->matrices;
	struct asl_plan product = *plan;

	product.algorithm = x->algorithm;
	product.runs = x->runs;
	product.grid = x->grid;
	product.multiplication = &x->part;
	product.contraction = NULL;
	return product;
}

enum asl_operand asl_matrices_operand(const struct asl_matrices *x, int which)
{
	return which == 2 ? ASL_C : which == x->swapped ? ASL_A : ASL_B;
}

/* ---- Words of a rank ---- */

static struct asl_run whole_of(const struct asl_einsum *e,
			       const struct asl_term *t)
{
	struct asl_run all = {.dims = t->count};

	all.words.count = asl_term_words(t, e->size);
	for (int i = 0; i < t->count; i++)
		all.box[i] = (struct asl_range){0, e->size[t->index[i]]};
	return all;
}

struct asl_holding asl_contraction_holding(const struct asl_plan *plan,
					   int which, int rank)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_holding h = {.plan = plan, .which = which, .rank = rank};
	struct asl_spread s;

	if (c->way == ASL_WAY_PRODUCT) {
		h.term =
			&c->matrices
				 .as[asl_matrices_operand(&c->matrices, which)];
		h.run = whole_of(&c->e, h.term);
		h.piece = -1;
		h.words = asl_plan_owned(plan, rank, which);
		h.each = h.words / c->matrices.products;
		return h;
	}
	if (c->way == ASL_WAY_GRAM) {
		h.term = which < 2 ? &c->gram.operand : &c->gram.result;
		h.run = whole_of(&c->e, h.term);
		h.piece = -1;
		h.words = asl_gram_owned(&c->gram, rank, which);
		return h;
	}
	h.term = &c->e.term[which];
	if (c->slices) {
		h.words = asl_slices_owned(plan, rank, which);
		return h;
	}
	if (c->way == ASL_WAY_CUTS) {
		h.words = asl_boxes_owned(plan, rank, which);
		return h;
	}
	s = asl_contraction_spread(c, which);
	h.term = s.term;
	h.run = asl_spread_run(&s, rank);
	h.words = asl_spread_words(&s, rank);
	h.spread = s;
	return h;
}

/* Words of one tile after those of another. */
static struct asl_tensor_row row_in_tiles(struct asl_holding *h, uint64_t done,
					  uint64_t most)
{
	struct asl_spread *s = &h->spread;

	if (done < h->first) {
		s->tile = h->first = 0;
		h->run = asl_spread_run(s, h->rank);
	}
	while (done - h->first >= h->run.words.count) {
		h->first += h->run.words.count;
		s->tile++;
		h->run = asl_spread_run(s, h->rank);
	}
	done -= h->first;
	return asl_run_row(&h->run, done,
			   asl_min(most, h->run.words.count - done));
}

static void find_piece(struct asl_holding *h, uint64_t word)
{
	struct asl_plan plan = asl_matrices_plan(h->plan);
	enum asl_operand which =
		asl_matrices_operand(&h->plan->contraction->matrices, h->which);

	if (h->piece < 0 || word < h->first) {
		h->piece = 0;
		h->first = 0;
		asl_plan_piece(&h->at, &plan, h->rank, which, 0);
	}
	while (word - h->first >= h->at.words.count) {
		h->first += h->at.words.count;
		asl_plan_piece(&h->at, &plan, h->rank, which, ++h->piece);
	}
}

struct asl_tensor_row asl_holding_row(struct asl_holding *h, uint64_t done,
				      uint64_t most)
{
	const struct asl_contraction *c = h->plan->contraction;
	const struct asl_shape *s = &c->matrices.part.shape;
	enum asl_operand which = asl_matrices_operand(&c->matrices, h->which);
	uint64_t cols = which == ASL_A ? s->k : s->n, above;
	struct asl_stretch x;

	if (c->way == ASL_WAY_GRAM)
		return asl_gram_row(h, done, most);
	if (c->slices)
		return asl_slices_row(h, done, most);
	if (c->way == ASL_WAY_CUTS)
		return asl_boxes_row(h, done, most);
	if (h->spread.tiles)
		return row_in_tiles(h, done, most);
	if (c->way != ASL_WAY_PRODUCT)
		return asl_run_row(&h->run, done, most);
	above = done / h->each * (which == ASL_B ? s->k : s->m);
	done %= h->each;
	find_piece(h, done);
	done -= h->first;
	x = asl_piece_stretch(&h->at, done,
			      asl_min(most, h->at.words.count - done));
	return asl_run_row(&h->run, (above + x.row) * cols + x.col, x.count);
}

struct asl_range asl_matrices_room(const struct asl_plan *plan, int rank,
				   int which)
{
	const struct asl_matrices *x = &plan->contraction->matrices;
	struct asl_plan product = asl_matrices_plan(plan);

	return asl_family_multiply.room(&product, rank,
					asl_matrices_operand(x, which));
}

uint64_t asl_matrices_owned(const struct asl_plan *plan, int rank, int which)
{
	const struct asl_matrices *x = &plan->contraction->matrices;
	struct asl_plan product = asl_matrices_plan(plan);

	return asl_plan_owned(&product, rank, asl_matrices_operand(x, which));
}

void asl_matrices_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	struct asl_plan product = asl_matrices_plan(plan);

	asl_plan_predict(out, &product, rank);
}

void asl_matrices_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words *own)
{
	const struct asl_matrices *x = &plan->contraction->matrices;
	struct asl_plan product = asl_matrices_plan(plan);
	struct asl_words of[ASL_OPERANDS];

	for (int i = 0; i < ASL_OPERANDS; i++)
		of[asl_matrices_operand(x, i)] = own[i];
	asl_plan_runs(&product)->run(r, &product, of);
}

/* ---- As candidates ---- */

#define UNEVEN 1.2

/* Takes the product's part and memory; NULL: no memory is left. */
static struct asl_contraction *contraction_of(const struct asl_plan *base,
					      const struct asl_matrices *shape,
					      const struct asl_candidate *found)
{
	struct asl_contraction *c = malloc(sizeof *c);
	const struct asl_plan *product = &found->plan;

	if (!c)
		return NULL;
	*c = (struct asl_contraction){
		.e = base->contraction->e,
		.twice = base->contraction->twice,
		.asked = base->contraction->asked,
		.way = ASL_WAY_PRODUCT,
		.matrices = *shape,
	};
	c->matrices.part = *product->multiplication;
	c->matrices.algorithm = product->algorithm;
	c->matrices.runs = product->runs;
	c->matrices.grid = product->grid;
	c->matrices.words = found->forecast.bh;
	c->ranks = asl_plan_ranks(product);
	c->whole = asl_mesh_choose(&c->e, c->ranks, NULL);
	return c;
}

static void add(struct asl_candidates *list, const struct asl_plan *base,
		const struct asl_matrices *shape,
		const struct asl_candidate *found)
{
	struct asl_candidate x = *found;

	x.plan.algorithm = base->algorithm;
	x.plan.runs = asl_plan_runs(&found->plan)->outside_apm
			      ? &asl_contract_finished
			      : NULL;
	x.plan.grid = base->grid;
	x.plan.multiplication = NULL;
	x.plan.contraction = contraction_of(base, shape, found);
	list->failed |= !x.plan.contraction;
	if (!list->failed)
		asl_candidates_put(list, &x);
}

/* Some ranks idle, or are left out: cells may be as uneven on meshes (spread.h). */
static bool has_work_for_most(const struct asl_plan *product)
{
	const struct asl_shape *s = &product->multiplication->shape;
	double points = (double)s->m * (double)s->n * (double)s->k;

	return UNEVEN * asl_plan_ranks(product) >= fmin(product->ranks, points);
}

/*
 * Where only words that move cost something one rank alone would be the best; it is
 * not what is asked for, if any product employs more.
 */
static void add_all(struct asl_candidates *list, const struct asl_plan *base,
		    const struct asl_matrices *shape,
		    const struct asl_candidates *products)
{
	bool some = false;

	for (int i = 0; i < products->count; i++)
		some |= has_work_for_most(&products->best[i].plan);
	for (int i = 0; !list->failed && i < products->count; i++)
		if (!some || has_work_for_most(&products->best[i].plan))
			add(list, base, shape, &products->best[i]);
}

/* More products than there is room for, as some may be for one rank. */
enum { MORE = 8 };

void asl_matrices_rank(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_contraction *c = base->contraction;
	struct asl_candidates products = asl_candidates(list->top + MORE);
	struct asl_matrices shape;
	struct asl_plan plan = *base;

	if (c->on_root || !asl_matrices_of(&shape, &c->e))
		return;
	plan.algorithm = plan.runs = NULL;
	plan.contraction = NULL;
	plan.multiplication = &shape.part;
	asl_planner_rank(&products, &plan);
	list->failed |= products.failed;
	if (products.memory_needed < list->memory_needed)
		list->memory_needed = products.memory_needed;
	add_all(list, base, &shape, &products);
	asl_candidates_free(&products);
}
