/*
 * model.h -- words that a contraction moves that does not fit into memory
 *
 * C(I, J) += A(I, K) B(J, K), where I, J and K stand for any number of indices
 * each, is a multiplication with m = I, n = J, k = K.  The arrays lie in the
 * pools of P ranks; a rank has DRAM for a tile of M words of each array at a
 * time.  A method divides the work among the ranks:
 *
 *	rotation	a q x q torus, q = sqrt(P); A and B rotate
 *	replication	every rank needs all of one operand
 *	accumulation	k is cut: every rank has a summand of all of C
 *
 * with communication outside, before (after) the ranks compute on their pools,
 * or inside, tile by tile.  Both determine the words of each array that a rank
 * works with (its local extents), and so the number of tiles.
 *
 * Loops	In each of the six orders ABC, ACB, ... the loops fetch the first
 *		array, X, tile by tile, once; the second, Y, within it; and the
 *		third, Z, within that.  Each array lacks one index: A lacks J, B
 *		lacks I, C lacks K.  A count of parts goes by the array that
 *		lacks the index it cuts: n[A] cuts J, n[B] cuts I, n[C] cuts K.
 *		The outer loops cut X's indices, the next one cuts the third into
 *		n[X], and the index that X and Z share (Y lacks it) is cut once
 *		more within, `again` times.  Then
 *
 *			tiles		n[Y] n[Z] >= |X| / M
 *					n[X] n[Z] >= |Y| / M
 *					n[X] n[Y] again >= |Z| / M
 *			passes		1 over X, n[Y] over Y, n[Z] over Z
 *
 * Cost		Words read from the pool, written to it and sent have prices.
 *		D1 is the pool's traffic for the network, outside; D2 that of
 *		the passes; V the words sent.
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

struct asl_ooc_model {
	enum asl_ooc_method method;
	bool inside;
	enum asl_operand replicated; /* A or B, for replication */
	struct asl_ooc_order order;

	struct asl_shape shape;
	int ranks;
	double tile;		 /* M */
	double read, write, net; /* prices of a word */

	/* V of replicating A over |A|, and of summing C over |C|. */
	double replicate, accumulate;

	/*
	 * An array that fits into M is fetched once, C not at all, and bypasses
	 * the pool on its way.
	 */
	bool in_core;

	/*
	 * lib/outofcore's algorithms, which differ from the paper's: C is not
	 * read before its first sums; the replicated operand is read from the
	 * pools of all ranks, evenly; a sum over ranks ends spread over them;
	 * and no word is sent that no rank uses.  Exact where everything
	 * divides.  Not with in_core.
	 */
	bool executed;
	bool adds; /* C is, at last, read before its first sums */
};

struct asl_ooc_tiles {
	double n[ASL_OPERANDS]; /* by the operand that lacks the index */
	double again;
};

/* Words a rank moves. */
struct asl_ooc_volume {
	double read, write; /* from and to the pool: D1 + D2 */
	double transfer;    /* D1 of it */
	double net;	    /* V */
};

struct asl_ooc_volume asl_ooc_volume(const struct asl_ooc_model *x,
				     const struct asl_ooc_tiles *t);
double asl_ooc_cost(const struct asl_ooc_model *x,
		    const struct asl_ooc_volume *v);

/*
 * The cheapest integer counts whose tiles fit into M on average; false: not even
 * tiles of one word do.
 */
bool asl_ooc_search(struct asl_ooc_tiles *t, const struct asl_ooc_model *x);

/* By operand; extent by the operand that lacks it. */
struct asl_ooc_terms {
	double extent[ASL_OPERANDS]; /* local: may not be whole */
	double words[ASL_OPERANDS];  /* local */
	double tiles[ASL_OPERANDS];  /* lower bound: words / M */

	/* Words of a pass. */
	double read[ASL_OPERANDS], write[ASL_OPERANDS], net[ASL_OPERANDS];
	bool once[ASL_OPERANDS]; /* the pool sees one pass only */

	/* Words sent by a rotation, and those that a pass spares. */
	double rotated[ASL_OPERANDS], spared[ASL_OPERANDS];

	struct asl_ooc_volume transfer; /* independent of the tiles */

	/* Prices of a pass, and of a rotation. */
	double pass[ASL_OPERANDS], turn[ASL_OPERANDS];
};

struct asl_ooc_terms asl_ooc_terms(const struct asl_ooc_model *x);

/* The cost of passes and rotations that depends on the counts. */
double asl_ooc_price(const struct asl_ooc_terms *t,
		     const struct asl_ooc_order *order,
		     const struct asl_ooc_tiles *n);

/*
 * Tables 2 to 7 of the source, for a problem: a line for each method, network outside
 * (2, 3, 4) and inside (5, 6, 7), operand that may be replicated, and order.
 */
struct asl_ooc_line {
	int table;
	struct asl_ooc_model model;
	int of_case; /* 1, 2, ..., as in the table; 0: X fits into M */
	bool whole
		[ASL_OPERANDS]; /* the case: by the operand that lacks the index */
	bool feasible;		/* the next two are set */
	struct asl_ooc_tiles tiles; /* the cheapest whole counts */
	struct asl_ooc_volume volume;
};

enum { ASL_OOC_LINES = 48 };

/* Shape, ranks, M and prices are those of `base`. */
void asl_ooc_lines(struct asl_ooc_line line[ASL_OOC_LINES],
		   const struct asl_ooc_model *base);

#endif
