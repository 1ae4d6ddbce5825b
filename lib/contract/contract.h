/*
 * contract.h -- an einsum over many ranks: how it is done
 *
 * A contraction that is a product of two matrices can be left to the algorithms of
 * lib/multiply (product.c); all others are done in stages.
 *
 * The algorithm is `einsum`; its operands are the inputs, in order, and the
 * output.  A contraction is a list of stages, each an einsum on a mesh of its own
 * (spread.h).  Where ranks have no good mesh, all can be done at once on boxes of no
 * mesh (boxes.c).  Three inputs or more can be contracted in two ways:
 *
 *	direct		one stage: the whole iteration space on one mesh.  Inputs
 *			are gathered once; each rank contracts its slices in
 *			pairs, and several ranks may form the same pair.
 *	sequence	several stages, of two tensors or more each; pairs, if a
 *			sequence is asked for.  Intermediates are spread over
 *			ranks, and move from mesh to mesh.
 *
 * Operands start, and the result ends, spread evenly over the mesh of the stage
 * that uses or makes it; or all on rank 0, which scatters and gathers them.
 *
 * Within a stage each rank contracts its slices in steps.  It first sums every
 * input over the indices that only this input has, as a product by a vector of
 * ones, and then multiplies two tensors at a time.  The order takes the least
 * time.  Temporaries lie in DRAM or, where they leave room for the rest, in the
 * cache, and are then neither written nor read.  Where one would be large (MTTKRP:
 * ijk,kl,jl->il has ijk,kl->ijl), the rank works in slabs of an index that the
 * temporary shares with the output: the large input passes once, and the
 * temporary is short-lived.  Steps that do not depend on that index come first.
 */
#ifndef ASL_CONTRACT_H
#define ASL_CONTRACT_H

#include "lib/contract/spread.h"
#include "lib/multiply/cuts_layout.h"
#include "lib/multiply/multiply.h"
#include "lib/plan/candidates.h"

/* ---- Tensors of one rank, and the product of two (pair.c) ---- */

/* A tensor in a rank's main memory. */
struct asl_view {
	const struct asl_term *term; /* borrowed */
	enum asl_where where;
	double *at;
	enum asl_type type;
	uint64_t stride[ASL_MOST_INDICES]; /* by index */
	bool adds; /* of an output: what is contracted is added to it */
};

/* These words, in the order of the term's indices; index i is len[i] long. */
struct asl_view asl_view_dense(const struct asl_words *x,
			       const struct asl_term *t, const uint64_t *len);

/* A view for predictions: dense, in DRAM, without an address. */
struct asl_view asl_view_nowhere(const struct asl_term *t, const uint64_t *len);

/*
 * dst = src, which have the same indices.  A tile reads a block in the order of
 * src and writes it in that of dst: every word is read once and written once.
 */
void asl_permute(struct asl_rank *r, const struct asl_view *dst,
		 const struct asl_view *src, const uint64_t *len);
void asl_permute_predict(struct asl_counts *x, const struct asl_view *dst,
			 const struct asl_view *src, const uint64_t *len);

/*
 * Rough nanoseconds of the best way to multiply A by B and to keep these indices:
 * only ratios matter.  C, or if it is NULL the order that suits A and B, which
 * *order becomes, is the order of the result.
 */
double asl_pair_time(struct asl_term *order, const struct asl_term *A,
		     const struct asl_term *B, const struct asl_term *C,
		     uint32_t kept, const uint64_t *len);

void asl_pair_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_view *C, const struct asl_view *A,
		  const struct asl_view *B, const uint64_t *len);

/* The closed form; returns the words of main memory that it takes. */
uint64_t asl_pair_predict(struct asl_counts *x, const struct asl_plan *plan,
			  const struct asl_view *C, const struct asl_view *A,
			  const struct asl_view *B, const uint64_t *len);

/* ---- Plans ---- */

enum { ASL_MOST_STEPS = 2 * ASL_MOST_INPUTS };

/* Tensors are numbered: first the inputs, then the results of steps, in order. */
struct asl_local_step {
	int in[2];	     /* in[1] < 0: there is one */
	struct asl_term out; /* the last one's is the output */
};

struct asl_local {
	int inputs, steps;
	struct asl_local_step step[ASL_MOST_STEPS];
	int slab;	/* the index that slabs cut; -1: none */
	uint64_t thick; /* its length in a slab */
	/* Words of the cache that the temporaries of a slab, or of the whole, take;
	 * 0: they lie in DRAM. */
	uint64_t room;
};

struct asl_stage {
	struct asl_einsum e; /* in the indices of the whole einsum */
	/* Inputs: operands; or the results of earlier stages, numbered from the
	 * number of operands on. */
	int from[ASL_MOST_TOGETHER];
	bool moves[ASL_MOST_TOGETHER]; /* it was made on other ranks */
	struct asl_mesh mesh;
	struct asl_local local;

	/* Out of core: its tiles; and terms that ranks share tile by tile, a bit each. */
	struct asl_loops loops;
	uint32_t in_tiles;
};

/* The spread of an input or, beyond them, of the output. */
static inline struct asl_spread asl_stage_spread(const struct asl_stage *x,
						 int term)
{
	bool tiles = x->in_tiles >> term & 1;

	return (struct asl_spread){&x->e, &x->e.term[term], &x->mesh,
				   tiles ? &x->loops : NULL, 0};
}

/* Which of these is taken decides the order of a rank's words, too. */
enum asl_contract_way {
	ASL_WAY_BEST, /* whichever costs least, in any stages */
	ASL_WAY_DIRECT,
	ASL_WAY_SEQUENCE,
	ASL_WAY_PRODUCT, /* by an algorithm of lib/multiply */
	ASL_WAY_GRAM,	 /* a matrix by its transpose, of one array */
	ASL_WAY_CUTS,	 /* all at once, in boxes of no mesh */
	ASL_WAYS
};

/* A product of matrices that a contraction is (product.c). */
struct asl_matrices {
	struct asl_multiplication part;
	uint64_t products; /* one for each value of the indices in all terms */
	const struct asl_algorithm *algorithm, *runs; /* as in a plan */
	struct asl_grid grid;
	uint64_t words; /* B_h */
	bool swapped;	/* the second input is A */
	/* Indices in all terms, then rows, then columns. */
	struct asl_term as[ASL_OPERANDS];
};

/* A space that is cut into boxes (boxes.c). */
struct asl_boxes {
	struct asl_cuts_space space;
	int index[ASL_CUTS_MOST_AXES]; /* of an axis */
};

/* An array that is both operands, in blocks of columns and layers of rows (gram.c). */
enum { ASL_MOST_BLOCKS = 1024, ASL_MOST_HELD = 48 };

struct asl_gram {
	/* The operand has k x n words, by rows; the result n x n. */
	double n, k;
	struct asl_term operand, result;
	struct asl_term mirror; /* the result, columns before rows */

	int blocks, layers;
	int held,
		at[ASL_MOST_HELD]; /* the blocks of a rank: after its own number */
	int halvings;		   /* of a block's tile with itself */
	int pairs;
	struct {
		unsigned char row, col; /* of those that the rank has */
	} pair[ASL_MOST_BLOCKS / 2];	/* by difference, less one */
};

/* Which stages there are: the inputs, a bit each, of every tensor of each. */
struct asl_grouping {
	int stages; /* 0: any will do */
	struct {
		int tensors, set[ASL_MOST_TOGETHER];
	} stage[ASL_MOST_INPUTS];
};

/*
 * A path as opt_einsum has it: "1,2;0,1".  A group of tensors, by their places in a
 * list that begins with the inputs, leaves it, and what it makes joins the list's end.
 * 0, or -EINVAL with asl_failure().
 */
int asl_grouping_parse(struct asl_grouping *p, const char *text, int inputs);

/*
 * Pairs, one after another that whose result exceeds its two tensors by the fewest
 * words; those that share no index come last.  Index i is len[i] long.
 */
void asl_grouping_greedy(struct asl_grouping *p, const struct asl_einsum *e,
			 const uint64_t *len);

/* Tables have a place for each set of few inputs, or of many for those of a path. */
enum { ASL_MOST_PLACES = 1 << ASL_MOST_TOGETHER };

int asl_grouping_place(const struct asl_grouping *path, int inputs, int set);

/* This family's part of a plan. */
struct asl_contraction {
	/* The request. */
	struct asl_einsum e;	     /* checked */
	bool on_root;		     /* operands and result are on rank 0 */
	bool twice;		     /* both inputs are one array */
	enum asl_contract_way asked; /* direct for up to two inputs, anyway */
	struct asl_grouping path;    /* of a sequence */

	/* Its answer. */
	enum asl_contract_way way;
	int ranks;	       /* that take part */
	struct asl_mesh whole; /* of the direct way */
	int stages;	       /* none of a product */
	struct asl_stage stage[ASL_MOST_INPUTS];
	struct asl_matrices matrices;
	struct asl_boxes boxes;
	struct asl_gram gram;

	/* Stages are for a slice of an index at a time (slices.c); 0: there are none. */
	uint64_t slices;
	int sliced; /* the index */
	struct asl_contraction
		*slice; /* [2]: as long as the first, and shorter */
};

/* Input j of a stage where it is used and, if a stage made it, where it was. */
static inline bool asl_stage_origin(struct asl_spread *used,
				    struct asl_spread *made,
				    const struct asl_contraction *c,
				    const struct asl_stage *x, int j)
{
	const struct asl_stage *by;

	if (x->from[j] < c->e.inputs)
		return false;
	by = &c->stage[x->from[j] - c->e.inputs];
	*used = asl_stage_spread(x, j);
	*made = asl_stage_spread(by, by->e.inputs);
	return true;
}

/*
 * Answer the request in plan->contraction by the plan of least cost.  Without a
 * kernel stages take vomm, and products the best.  0; -ERANGE: each way has a stage
 * of too many multiplications; -ENOMEM: *memory_needed words would be enough.
 */
int asl_contract_settle(struct asl_plan *plan, uint64_t *memory_needed);

/*
 * Answer it in stages, for so many ranks, so much cache and these prices (NULL:
 * words alone; stages.c).  No stages: each way has one of more than
 * ASL_MOST_POINTS multiplications.
 */
void asl_contract_stages(struct asl_contraction *c, int ranks, uint64_t cache,
			 const struct asl_prices *prices);

/* All at once on this mesh. */
void asl_contract_direct(struct asl_contraction *c, const struct asl_mesh *mesh,
			 uint64_t cache);

/* Which inputs of stages move, once meshes are known. */
void asl_contract_moves(struct asl_contraction *c);

/* Rank the base's request, settled in every way and with every kernel. */
int asl_contract_rank(struct asl_candidates *list, const struct asl_plan *base);

/*
 * Forecasts of plans that differ in their kernels only: a rank is asked once for
 * all, and its products once for all ranks whose cells are as long.  False: there
 * was no memory.
 */
bool asl_contract_forecast(struct asl_forecast *most,
			   const struct asl_plan *plan, int count);

/*
 * Words that the busiest rank moves, B_h, without those that rank 0 scatters and
 * gathers.  For a sequence on very many ranks, a little more than that.
 */
uint64_t asl_contraction_words(const struct asl_contraction *c);

/* The spread of an operand before a run, or of the output after it. */
struct asl_spread asl_contraction_spread(const struct asl_contraction *c,
					 int operand);

/* ---- A contraction that is a product of two matrices (product.c) ---- */

/* Is it one?  Its algorithm and grid are not set. */
bool asl_matrices_of(struct asl_matrices *x, const struct asl_einsum *e);

/* Is it one, or several that differ in indices of all terms; of diagonals, too? */
bool asl_matrices_each(struct asl_matrices *x, const struct asl_einsum *e);

/* What operand `which` of the contraction is in the product. */
enum asl_operand asl_matrices_operand(const struct asl_matrices *x, int which);

/* The product's plan, if that is the plan's way; it borrows the contraction. */
struct asl_plan asl_matrices_plan(const struct asl_plan *plan);

/* Add the best products, if the base's request is one. */
void asl_matrices_rank(struct asl_candidates *list,
		       const struct asl_plan *base);

/* What both the algorithm and its family answer with. */
void asl_matrices_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank);
void asl_matrices_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words *own);
uint64_t asl_matrices_owned(const struct asl_plan *plan, int rank, int which);
struct asl_range asl_matrices_room(const struct asl_plan *plan, int rank,
				   int which);

/* ---- Slices of an index (slices.c) ---- */

/*
 * c, settled for the first of so many slices of an index of this size, becomes one of
 * the whole; false: a mesh has more parts than the shortest slice, or there is no
 * memory.  Copies own their slices.
 */
bool asl_slices_make(struct asl_contraction *c, int index, uint64_t size,
		     uint64_t slices);
struct asl_contraction *asl_contraction_copy(const struct asl_contraction *c);
void asl_contraction_free(struct asl_contraction *c); /* NULL is allowed */

uint64_t asl_slices_owned(const struct asl_plan *plan, int rank, int which);
void asl_slices_predict(struct asl_ledger *out, const struct asl_plan *plan,
			int rank);
void asl_slices_run(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words *own);

/* Or a little more than any rank counts; false: there was no memory. */
bool asl_slices_forecast(struct asl_forecast *most,
			 const struct asl_plan *plan);

/* The sum over all slices; or the contraction's own, if it has none. */
double asl_slices_sum(const struct asl_contraction *c,
		      double (*of)(const struct asl_contraction *slice));
uint64_t asl_slices_words(const struct asl_contraction *c, int rank,
			  uint64_t (*of)(const struct asl_contraction *slice,
					 int rank));

/* ---- Boxes for any number of ranks (boxes.c) ---- */

/* Has it few enough indices and inputs, and two of these or more? */
bool asl_boxes_of(struct asl_boxes *x, const struct asl_einsum *e);

/* For so many ranks; false: a box would be much larger than an even share. */
bool asl_boxes_make(struct asl_contraction *c, int ranks);

/* Points of the largest box. */
double asl_boxes_volume(const struct asl_contraction *c);

uint64_t asl_boxes_owned(const struct asl_plan *plan, int rank, int which);
void asl_boxes_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       int rank);
void asl_boxes_run(struct asl_rank *r, const struct asl_plan *plan,
		   struct asl_words *own);

/* B_h of the busiest rank. */
uint64_t asl_boxes_words(const struct asl_contraction *c);

/* ---- A matrix by its transpose, of one array (gram.c) ---- */

/* Is it one?  Its blocks are not set. */
bool asl_gram_of(struct asl_gram *g, const struct asl_contraction *c);

enum { ASL_MOST_GRAMS = 6 };

struct asl_gram_found {
	int blocks, layers;
	double cost;
};

/* Those of least cost for a contraction that is one; its blocks are overwritten. */
int asl_gram_list(struct asl_gram_found found[ASL_MOST_GRAMS],
		  const struct asl_plan *base, struct asl_contraction *c);
void asl_gram_make(struct asl_contraction *c, int blocks, int layers,
		   uint64_t cache);

uint64_t asl_gram_owned(const struct asl_gram *g, int rank, int which);
void asl_gram_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank);
void asl_gram_run(struct asl_rank *r, const struct asl_plan *plan,
		  struct asl_words *own);

/* B_h of the busiest rank, and lower bounds, also of a plan that is not settled. */
uint64_t asl_gram_words(const struct asl_contraction *c);
double asl_gram_net_words(const struct asl_gram *g,
			  const struct asl_plan *plan);
double asl_gram_io_words(const struct asl_gram *g, const struct asl_plan *plan);
double asl_gram_joint(const struct asl_gram *g, const struct asl_plan *plan);

/* ---- What a rank holds ---- */

/* Its words of an operand, or of the output, in the order in which they lie. */
struct asl_holding {
	const struct asl_term *term; /* the order of a row's indices */
	uint64_t words;

	const struct asl_plan *plan;
	int which, rank;
	struct asl_run
		run;	/* or, of a product, all words; of boxes, a cell's */
	uint64_t each;	/* words of each product */
	int piece;	/* of a product; -1: none yet */
	uint64_t first; /* the piece's first word, the cell's or the tile's */
	struct asl_spread spread; /* in tiles */
	struct asl_piece at;	  /* the piece */
	uint64_t tiles; /* words of the tiles so far, of a Gram matrix */
	const struct asl_term *mirror; /* as a row's */
};

struct asl_holding asl_contraction_holding(const struct asl_plan *plan,
					   int which, int rank);

/* As asl_run_row; words are best asked in order. */
struct asl_tensor_row asl_holding_row(struct asl_holding *h, uint64_t done,
				      uint64_t most);

/* The row of a tensor that is owned slice by slice; of one in cells. */
struct asl_tensor_row asl_slices_row(struct asl_holding *h, uint64_t done,
				     uint64_t most);
struct asl_tensor_row asl_boxes_row(struct asl_holding *h, uint64_t done,
				    uint64_t most);

/* The row of a matrix by its transpose. */
struct asl_tensor_row asl_gram_row(struct asl_holding *h, uint64_t done,
				   uint64_t most);

/* "direct", "sequence", "product", "gram", "cuts". */
const char *asl_contract_way_name(enum asl_contract_way way);

/* The steps of an einsum on one rank; index i is len[i] long, or shorter. */
void asl_local_make(struct asl_local *l, const struct asl_einsum *e,
		    const uint64_t *len, uint64_t cache);

/* The output, from inputs in[]; neither is borrowed. */
void asl_local_run(struct asl_rank *r, const struct asl_plan *plan,
		   const struct asl_local *l, const struct asl_view *out,
		   const struct asl_view in[], const uint64_t *len);

/* The closed form; returns the words of main memory that it takes. */
uint64_t asl_local_predict(struct asl_counts *x, const struct asl_plan *plan,
			   const struct asl_local *l,
			   const struct asl_view *out,
			   const struct asl_view in[], const uint64_t *len);

/*
 * The least words of the busiest rank: over all groupings of the inputs and meshes in
 * real numbers, each stage on all ranks.
 */
double asl_contract_least_words(const struct asl_einsum *e, double ranks);

/* Lower bounds (bounds.c), also of a plan that is not settled. */
double asl_contract_net_words(const struct asl_plan *plan);
double asl_contract_io_words(const struct asl_plan *plan);
double asl_contract_joint(const struct asl_plan *plan);

extern const struct asl_family asl_family_contract;
extern const struct asl_algorithm asl_contract_einsum;

/* What runs in its place where no partial sum is ever written. */
extern const struct asl_algorithm asl_contract_finished;

#endif
