/*
 * model.c -- words of each method, per pass and beside the passes
 *
 * With a, b, c for the words of A, B, C that a rank works with at a time, F and
 * L for the factors of replicating and accumulating on the network:
 *
 *			extents
 *			a pass		D1		V
 *	rotation	I/q J/q K/q
 *	 outside	q a, q b, 2q c	2q (a + b)	q (a + b)
 *	 inside		a, b, 2c	0		q a ra + q b rb
 *	replication of A  I J/P K	(of B: I/P J K)
 *	 outside	a, b, 2c	a		F a
 *	 inside		a/P, b, 2c	0		F a a pass
 *	accumulation	I J K/P
 *	 outside	a, b, 2c	c		L c
 *	 inside		a, b, 2c	0		L c a pass
 *
 * where ra and rb are how often J and I are cut: tiles of A rotate once for
 * each of B and C that they meet.  2c words are c read and c written.  These are
 * the paper's; model.h says how `executed` differs.
 */
#include "lib/outofcore/model.h"

#include <math.h>

const struct asl_ooc_order asl_ooc_orders[ASL_OOC_ORDERS] = {
	{{ASL_A, ASL_B, ASL_C}}, {{ASL_A, ASL_C, ASL_B}},
	{{ASL_B, ASL_A, ASL_C}}, {{ASL_B, ASL_C, ASL_A}},
	{{ASL_C, ASL_A, ASL_B}}, {{ASL_C, ASL_B, ASL_A}},
};

static void extents(struct asl_ooc_terms *t, const struct asl_ooc_model *x)
{
	double q = sqrt(x->ranks), P = x->ranks;
	double whole[] = {(double)x->shape.n, (double)x->shape.m,
			  (double)x->shape.k};

	for (int i = 0; i < ASL_OPERANDS; i++)
		t->extent[i] = whole[i] / (x->method == ASL_ROTATION ? q : 1);
	/* Ranks cut the index that the replicated operand lacks. */
	if (x->method == ASL_REPLICATION)
		t->extent[x->replicated] /= P;
	if (x->method == ASL_ACCUMULATION)
		t->extent[ASL_C] /= P;
	for (int i = 0; i < ASL_OPERANDS; i++) {
		t->words[i] = t->extent[(i + 1) % 3] * t->extent[(i + 2) % 3];
		t->tiles[i] = t->words[i] / x->tile;
		t->once[i] = x->in_core && t->tiles[i] <= 1;
	}
}

static void passes(struct asl_ooc_terms *t, const struct asl_ooc_model *x)
{
	bool outside_rotation = x->method == ASL_ROTATION && !x->inside;
	bool spread = x->method == ASL_ACCUMULATION && x->inside && x->executed;
	bool summands = x->method == ASL_ACCUMULATION && !x->inside;
	double times = outside_rotation ? sqrt(x->ranks) : 1;

	for (int i = 0; i < ASL_OPERANDS; i++)
		t->read[i] = times * t->words[i];
	t->write[ASL_C] = times * t->words[ASL_C];
	if (x->method == ASL_REPLICATION && x->inside)
		t->read[x->replicated] /= x->ranks;
	if (spread) {
		t->read[ASL_C] /= x->ranks;
		t->write[ASL_C] /= x->ranks;
	}
	if (x->executed && (!x->adds || summands))
		t->transfer.read -= t->read[ASL_C] / times;
	if (t->once[ASL_C])
		t->read[ASL_C] = 0;
}

/* Traffic of the network, and of the pool for it unless the array fits into M. */
static void transfer(struct asl_ooc_terms *t, enum asl_operand which,
		     double read, double write, double net)
{
	t->transfer.net += net;
	if (t->once[which])
		return;
	t->transfer.read += read;
	t->transfer.write += write;
	t->transfer.transfer += read + write;
}

/* A block returns home only if it is used again. */
static void rotation(struct asl_ooc_terms *t, const struct asl_ooc_model *x)
{
	double q = sqrt(x->ranks), shifts = x->executed ? q - 1 : q;

	for (int i = ASL_A; i <= ASL_B; i++) {
		double words = t->words[i], all = shifts * words;

		if (!x->inside) {
			transfer(t, i, all, all, all);
		} else if (!x->executed || q > 1) {
			t->rotated[i] = q * words;
			t->spared[i] = x->executed ? words : 0;
		}
	}
}

/* One array is put together, or added up, by all ranks. */
static void collective(struct asl_ooc_terms *t, const struct asl_ooc_model *x)
{
	bool sums = x->method == ASL_ACCUMULATION;
	enum asl_operand which = sums ? ASL_C : x->replicated;
	double words = t->words[which];
	double net = (sums ? x->accumulate : x->replicate) * words;
	double share = x->executed ? words / x->ranks : 0;

	if (x->inside)
		t->net[which] = net;
	else
		transfer(t, which, sums ? words + (x->adds ? share : 0) : share,
			 sums ? share : words, net);
}

struct asl_ooc_terms asl_ooc_terms(const struct asl_ooc_model *x)
{
	struct asl_ooc_terms t = {.transfer = {0}};

	extents(&t, x);
	passes(&t, x);
	(x->method == ASL_ROTATION ? rotation : collective)(&t, x);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		t.pass[i] = x->net * (t.net[i] - t.spared[i]);
		t.turn[i] = x->net * t.rotated[i];
		if (!t.once[i])
			t.pass[i] +=
				x->read * t.read[i] + x->write * t.write[i];
	}
	return t;
}

/* The parts, in all, of the index that an operand lacks. */
static double cut(const struct asl_ooc_model *x, const struct asl_ooc_tiles *t,
		  int lacking)
{
	return t->n[lacking] *
	       (x->order.at[1] == (enum asl_operand)lacking ? t->again : 1);
}

struct asl_ooc_volume asl_ooc_volume(const struct asl_ooc_model *x,
				     const struct asl_ooc_tiles *t)
{
	struct asl_ooc_terms terms = asl_ooc_terms(x);
	struct asl_ooc_volume v = terms.transfer;

	for (int i = 0; i < ASL_OPERANDS; i++) {
		bool first = x->order.at[0] == (enum asl_operand)i;
		double sent = first ? 1 : t->n[i];
		double seen = terms.once[i] ? 1 : sent;

		v.read += seen * terms.read[i];
		v.write += seen * terms.write[i];
		v.net += sent * (terms.net[i] - terms.spared[i]) +
			 cut(x, t, i) * terms.rotated[i];
	}
	return v;
}

double asl_ooc_cost(const struct asl_ooc_model *x,
		    const struct asl_ooc_volume *v)
{
	return x->read * v->read + x->write * v->write + x->net * v->net;
}

/*
 * The cheapest integer counts of tiles
 *
 * The search tries all n[Y] with which X's tiles can fit, and for each the
 * smallest n[Z] that fits.  Where n[X] has a price (rotation inside), it is tried
 * in the same way; else it is as large as necessary.  A loop ends when the price
 * alone exceeds the best, or when a tile is the whole array: both grow with the
 * count.
 */

struct search {
	const struct asl_ooc_model *model;
	struct asl_ooc_terms t;
	enum asl_operand X, Y, Z;
	struct asl_ooc_tiles best;
	double least; /* its price */
};

static double whole_extent(const struct search *s, enum asl_operand lacking)
{
	return ceil(s->t.extent[lacking]);
}

/*
 * The parts that the index which `lacking` lacks must be cut into so that tiles
 * fit whose other side, the index which `across` lacks, has `parts`; INFINITY if
 * they never fit.
 */
static double least_parts(const struct search *s, enum asl_operand lacking,
			  enum asl_operand across, double parts)
{
	double tile = s->model->tile * (1 + 1e-12);
	double count =
		ceil(s->t.extent[lacking] * s->t.extent[across] / parts / tile);

	return count > whole_extent(s, lacking) ? INFINITY : fmax(1, count);
}

double asl_ooc_price(const struct asl_ooc_terms *t,
		     const struct asl_ooc_order *order,
		     const struct asl_ooc_tiles *n)
{
	int X = (int)order->at[0], Y = (int)order->at[1], Z = (int)order->at[2];

	return t->pass[Y] * n->n[Y] + t->pass[Z] * n->n[Z] +
	       t->turn[X] * n->n[X] + t->turn[Z] * n->n[Z] +
	       t->turn[Y] * n->n[Y] * n->again;
}

static double price(const struct search *s, const struct asl_ooc_tiles *n)
{
	return asl_ooc_price(&s->t, &s->model->order, n);
}

/* Complete n[X] and n[Y]; returns whether a larger n[X] gains nothing. */
static bool complete(struct search *s, struct asl_ooc_tiles n)
{
	double parts = least_parts(s, s->Y, s->X, n.n[s->X]);
	double for_Y = least_parts(s, s->Z, s->Y, n.n[s->Y]);
	double for_X = least_parts(s, s->Z, s->X, n.n[s->X]);

	n.n[s->Z] = fmax(for_Y, for_X);
	n.again = ceil(parts / n.n[s->Y]);
	if (isfinite(n.n[s->Z]) &&
	    n.again * n.n[s->Y] <= whole_extent(s, s->Y) &&
	    price(s, &n) < s->least) {
		s->least = price(s, &n);
		s->best = n;
	}
	return n.again == 1 && for_X <= for_Y;
}

static void each_X(struct search *s, struct asl_ooc_tiles n)
{
	double most = whole_extent(s, s->X);

	for (double x = 1; x <= most; x++) {
		n.n[s->X] = x;
		n.n[s->Z] = least_parts(s, s->Z, s->Y, n.n[s->Y]);
		if (price(s, &n) >= s->least || complete(s, n))
			return;
	}
}

/* Reduce n[X], where it has no price, to the least that fits. */
static void shrink(struct search *s)
{
	struct asl_ooc_tiles *n = &s->best;
	double for_Y = least_parts(s, s->X, s->Z, n->n[s->Z]);
	double for_Z = least_parts(s, s->X, s->Y, n->n[s->Y] * n->again);

	n->n[s->X] = fmax(for_Y, for_Z);
}

/* Do counts of y and more gain nothing? */
static bool is_done(const struct search *s, double y)
{
	const struct asl_ooc_tiles *n = &s->best;
	struct asl_ooc_tiles least = {{1, 1, 1}, 1};
	bool all = n->n[s->Z] == 1 && n->again == 1;

	least.n[s->Y] = y;
	return price(s, &least) >= s->least ||
	       (all && (s->t.turn[s->X] == 0 || n->n[s->X] == 1));
}

bool asl_ooc_search(struct asl_ooc_tiles *t, const struct asl_ooc_model *x)
{
	struct search s = {.model = x,
			   .t = asl_ooc_terms(x),
			   .X = x->order.at[0],
			   .Y = x->order.at[1],
			   .Z = x->order.at[2],
			   .least = INFINITY};
	double most = whole_extent(&s, s.Y);
	double y = least_parts(&s, s.Y, s.Z, whole_extent(&s, s.Z));
	bool is_free = s.t.turn[s.X] == 0;

	while (y <= most && !is_done(&s, y)) {
		struct asl_ooc_tiles n = {{1, 1, 1}, 1};

		n.n[s.Y] = y;
		if (!is_free) {
			each_X(&s, n);
		} else {
			n.n[s.X] = whole_extent(&s, s.X);
			complete(&s, n);
		}
		y++;
	}
	if (is_free && isfinite(s.least))
		shrink(&s);
	*t = s.best;
	return isfinite(s.least);
}

/*
 * The cases of the source's tables
 *
 * Of the real counts with n[Y] n[Z] = |X| / M that cost least, both are above 1 (case
 * 1), or that of one index is 1: of the index that comes first in I, J, K (case 2), or
 * second (case 3).  Inside, rotation compares each extent with sqrt(M P) instead: none is
 * shorter, or I (case 2), J (3) or K (4) alone.
 */

static const enum asl_operand lacks_I_J_K[] = {ASL_B, ASL_A, ASL_C};

static void case_of_rotation(struct asl_ooc_line *x)
{
	const struct asl_ooc_model *m = &x->model;
	double extent[] = {(double)m->shape.n, (double)m->shape.m,
			   (double)m->shape.k};
	int shorter = 0;

	x->of_case = 1;
	for (int i = 0; i < ASL_OPERANDS; i++) {
		enum asl_operand lacking = lacks_I_J_K[i];

		x->whole[lacking] = extent[lacking] < sqrt(m->tile * m->ranks);
		if (x->whole[lacking])
			x->of_case = shorter++ ? 0 : 2 + i;
	}
}

static void case_of_passes(struct asl_ooc_line *x)
{
	struct asl_ooc_terms t = asl_ooc_terms(&x->model);
	enum asl_operand X = x->model.order.at[0];
	enum asl_operand Y = x->model.order.at[1], Z = x->model.order.at[2];
	double N = t.tiles[X], least = sqrt(t.pass[Z] * N / t.pass[Y]);
	int found = 1;

	x->whole[Y] = least < 1 || N <= 1;
	x->whole[Z] = least > N || N <= 1;
	for (int i = 0, place = 2; i < ASL_OPERANDS; i++) {
		enum asl_operand lacking = lacks_I_J_K[i];

		if (lacking == X)
			continue;
		if (x->whole[lacking])
			found = place;
		place++;
	}
	x->of_case = N <= 1 ? 0 : found;
}

/* A torus has q x q ranks. */
static void set_line(struct asl_ooc_line *x)
{
	bool rotates = x->model.method == ASL_ROTATION && x->model.inside;
	int q = (int)sqrt(x->model.ranks);

	if (x->model.method == ASL_ROTATION)
		x->model.ranks = q * q;
	(rotates ? case_of_rotation : case_of_passes)(x);
	x->feasible = asl_ooc_search(&x->tiles, &x->model);
	if (x->feasible)
		x->volume = asl_ooc_volume(&x->model, &x->tiles);
}

void asl_ooc_lines(struct asl_ooc_line line[ASL_OOC_LINES],
		   const struct asl_ooc_model *base)
{
	int count = 0;

	for (int i = 0; i < 2 * ASL_OOC_METHODS; i++)
		for (int j = 0; j < 2 * ASL_OOC_ORDERS; j++) {
			struct asl_ooc_line x = {.table = 2 + i,
						 .model = *base};
			int replicated = j / ASL_OOC_ORDERS;

			x.model.method = i % ASL_OOC_METHODS;
			x.model.inside = i >= ASL_OOC_METHODS;
			x.model.replicated = replicated;
			x.model.order = asl_ooc_orders[j % ASL_OOC_ORDERS];
			if (replicated && x.model.method != ASL_REPLICATION)
				continue;
			set_line(&x);
			line[count++] = x;
		}
}
