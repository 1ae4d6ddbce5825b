/*
 * model.h -- what a contraction moves that does not fit into memory, calculated
 *
 * C(I, J) += A(I, K) B(J, K), where I, J and K stand for any number of indices
 * each, is a multiplication with m = I, n = J, k = K.  The arrays lie in the
 * pools of P ranks; a rank has room for a tile of M words of each array at a
 * time.  A method is how ranks share the work:
 *
 *	rotation	a q x q torus, q = sqrt(P); A and B rotate
 *	replication	every rank needs all of one operand
 *	accumulation	k is cut: every rank has a summand of all of C
 *
 * and whether the network has its turn outside, before (after) the ranks
 * compute on their pools, or inside, tile by tile.  Both say how many words of
 * each array a rank works with (its local extents), and so how many tiles that
 * takes.
 *
 * Loops	Of the six orders ABC, ACB, ... the first array, X, is fetched
 *		tile by tile, once; the second, Y, within it; the third, Z,
 *		within that.  An array lacks one index: A lacks J, B lacks I, C
 *		lacks K.  So counts of tiles go by the array that lacks what
 *		they cut: n[A] cuts J, n[B] cuts I, n[C] cuts K.  X's indices
 *		are cut by the outer loops, n[X] by the next, and what X and Z
 *		share (Y lacks it) once more within, `again` times.  Then
 *
 *			tiles of	n[Y] n[Z] >= |X| / M
 *					n[X] n[Z] >= |Y| / M
 *					n[X] n[Y] again >= |Z| / M
 *			passes		1 over X, n[Y] over Y, n[Z] over Z
 *
 * Cost		Words read from the pool, written to it and sent each have a
 *		price.  D1 are those that the pool sees for the network's sake,
 *		outside; D2 those of the passes; V those sent.
 *
 * Counts are real numbers where a closed form is asked for: a bound that
 * integers reach rarely.  The search gives the best integers; rounding up gives
 * any others.
 *
 * X. Gao, S. K. Sahoo, Q. Lu, G. Baumgartner, C.-C. Lam, J. Ramanujam, P.
 * Sadayappan, Compiler techniques for efficient parallelization of out-of-core
 * tensor contractions, with what its tables misprint derived anew.
 */
#ifndef ASL_OUTOFCORE_MODEL_H
#define ASL_OUTOFCORE_MODEL_H

#include "lib/multiply/multiply.h"

enum asl_ooc_method {
	ASL_ROTATION,
	ASL_REPLICATION,
	ASL_ACCUMULATION,
	ASL_OOC_METHODS
};

/* ABC, ACB, ...: X, Y and Z by their positions. */
struct asl_ooc_order {
	enum asl_operand at[3];
};

enum { ASL_OOC_ORDERS = 6 };
extern const struct asl_ooc_order asl_ooc_orders[ASL_OOC_ORDERS];

/* What is asked. */
struct asl_ooc_model {
	enum asl_ooc_method method;
	bool inside;
	enum asl_operand replicated; /* A or B, of replication */
	struct asl_ooc_order order;

	struct asl_shape shape;
	int ranks;
	double tile;		 /* M */
	double read, write, net; /* prices of a word */

	/* V of replicating A is so many times |A|, and likewise of C's sum. */
	double replicate, accumulate;

	/*
	 * An array that fits into M is fetched once, C not even for what it was
	 * before, and does not pass through the pool on its way.
	 */
	bool in_core;

	/*
	 * What lib/outofcore's algorithms do, where the paper's do otherwise: C
	 * is not read before its first sums; what is replicated is read from
	 * the pools of all ranks, evenly; a sum over ranks ends spread over
	 * them; and nothing is sent that nobody uses.  Exact where everything
	 * divides. Not with in_core.
	 */
	bool executed;
};

struct asl_ooc_tiles {
	double n[ASL_OPERANDS]; /* by the operand that lacks what is cut */
	double again;
};

/* Words a rank moves. */
struct asl_ooc_volume {
	double read, write; /* from and to the pool: D1 + D2 */
	double transfer;    /* D1 of it */
	double net;	    /* V */
};

/*
 * Each count is a number of parts of the extent that it cuts.  Strict: tiles as
 * they come out, with sides rounded up, have room.  Else their average has.
 */
bool asl_ooc_fits(const struct asl_ooc_model *x, const struct asl_ooc_tiles *t,
		  bool strict);

struct asl_ooc_volume asl_ooc_volume(const struct asl_ooc_model *x,
				     const struct asl_ooc_tiles *t);
double asl_ooc_cost(const struct asl_ooc_model *x,
		    const struct asl_ooc_volume *v);

/* The cheapest real counts, in closed form; extents may be cut at will. */
struct asl_ooc_tiles asl_ooc_ideal(const struct asl_ooc_model *x);

/* Integers from those: rounded up, or (`beyond`) past those that are whole. */
struct asl_ooc_tiles asl_ooc_round(const struct asl_ooc_tiles *t, bool beyond);

/* The cheapest integer counts; false: there is not even room for one word. */
bool asl_ooc_search(struct asl_ooc_tiles *t, const struct asl_ooc_model *x,
		    bool strict);

/* The same over all orders; x->order becomes the best. */
bool asl_ooc_choose(struct asl_ooc_tiles *t, struct asl_ooc_model *x,
		    bool strict);

/* ---- Of one model: what its parts share ---- */

/* By operand; extent by the operand that lacks it. */
struct asl_ooc_terms {
	double extent[ASL_OPERANDS]; /* local: may not be whole */
	double words[ASL_OPERANDS];  /* local */
	double tiles[ASL_OPERANDS];  /* at least: words / M */

	/* Words of a pass, by what happens to them. */
	double read[ASL_OPERANDS], write[ASL_OPERANDS], net[ASL_OPERANDS];
	bool once[ASL_OPERANDS]; /* the pool sees one pass only */

	/* Words sent each time that all has rotated, less so many a pass. */
	double rotated[ASL_OPERANDS], spared[ASL_OPERANDS];

	struct asl_ooc_volume transfer; /* whatever the tiles */

	/* Prices of a pass more, and of a rotation more. */
	double pass[ASL_OPERANDS], turn[ASL_OPERANDS];
};

struct asl_ooc_terms asl_ooc_terms(const struct asl_ooc_model *x);

#endif
