/*
 * model.c -- what each method moves, per pass and beside it
 *
 * With a, b, c for the words of A, B, C that a rank works with at a time, F and
 * L for what replicating and adding up cost on the network:
 *
 *			extents
 *			a pass		D1		V
 *	rotation	I/q J/q K/q
 *	 outside	q a, q b, 2q c	2q (a + b)	q (a + b)
 *	 inside		a, b, 2c	0		q a ra + q b rb
 *	replication of A  I J/P K	(B: likewise, I/P J K)
 *	 outside	a, b, 2c	a		F a
 *	 inside		a/P, b, 2c	0		F a a pass
 *	accumulation	I J K/P
 *	 outside	a, b, 2c	c		L c
 *	 inside		a, b, 2c	0		L c a pass
 *
 * where ra and rb are how often J and I are cut: tiles of A rotate once for
 * each of B and C that they meet.  What is 2c is read once and written once.
 * So much for the paper; what is executed differs as the header says.
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
	/* What the replicated operand lacks is the index that is cut. */
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
	if (x->executed)
		t->transfer.read -= t->read[ASL_C] / times;
	if (t->once[ASL_C])
		t->read[ASL_C] = 0;
}

/* What goes through the pool for the network, but for what fits into M. */
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

/* What comes home is not sent, unless it is used once more. */
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

static void replication(struct asl_ooc_terms *t, const struct asl_ooc_model *x)
{
	enum asl_operand which = x->replicated;
	double words = t->words[which], net = x->replicate * words;
	double share = x->executed ? words / x->ranks : 0;

	if (x->inside)
		t->net[which] = net;
	else
		transfer(t, which, share, words, net);
}

static void accumulation(struct asl_ooc_terms *t, const struct asl_ooc_model *x)
{
	double words = t->words[ASL_C], net = x->accumulate * words;
	double share = x->executed ? words / x->ranks : 0;

	if (x->inside)
		t->net[ASL_C] = net;
	else
		transfer(t, ASL_C, words, share, net);
}

struct asl_ooc_terms asl_ooc_terms(const struct asl_ooc_model *x)
{
	static void (*const network[])(struct asl_ooc_terms *,
				       const struct asl_ooc_model *) = {
		rotation, replication, accumulation};
	struct asl_ooc_terms t = {.transfer = {0}};

	extents(&t, x);
	passes(&t, x);
	network[x->method](&t, x);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		t.pass[i] = x->net * (t.net[i] - t.spared[i]);
		t.turn[i] = x->net * t.rotated[i];
		if (!t.once[i])
			t.pass[i] +=
				x->read * t.read[i] + x->write * t.write[i];
	}
	return t;
}

/* How often the index that an operand lacks is cut, all in all. */
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

static double side(const struct asl_ooc_model *x,
		   const struct asl_ooc_terms *terms,
		   const struct asl_ooc_tiles *t, int lacking, bool within,
		   bool strict)
{
	double parts = within ? cut(x, t, lacking) : t->n[lacking];

	return strict ? ceil(ceil(terms->extent[lacking]) / parts)
		      : terms->extent[lacking] / parts;
}

bool asl_ooc_fits(const struct asl_ooc_model *x, const struct asl_ooc_tiles *t,
		  bool strict)
{
	struct asl_ooc_terms terms = asl_ooc_terms(x);

	for (int i = 0; i < ASL_OPERANDS; i++) {
		/* The innermost array is cut again. */
		bool within = x->order.at[2] == (enum asl_operand)i;
		double words = side(x, &terms, t, (i + 1) % 3, within, strict) *
			       side(x, &terms, t, (i + 2) % 3, within, strict);

		if (cut(x, t, i) > ceil(terms.extent[i]) ||
		    words > x->tile * (1 + 1e-12))
			return false;
	}
	return true;
}
