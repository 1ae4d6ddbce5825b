/*
 * outofcore.h -- C = A B where neither fits into memory: six algorithms
 *
 * A, B and C lie in the ranks' pools, and a rank may hold no more DRAM than a
 * budget: a tile of each, the kernel's tile in the cache, and the network's
 * scratch.  The algorithms are the model's methods (model.h) on the rank's verbs:
 *
 *	ooc-rotation-inside		ooc-rotation-outside
 *	ooc-replication-inside		ooc-replication-outside
 *	ooc-accumulation-inside		ooc-accumulation-outside
 *
 * and ooc-auto is the one of least predicted cost.
 *
 * The model's D is what passes between pool and DRAM: the counters nvm_lift and
 * nvm_land, as tiles are copied, not loaded into the cache (the kernel does that
 * from DRAM: dram_read and dram_write).  V is net_recv, and net_send over all
 * ranks.  D2 is in the phase compute (and, for an array that is replicated or
 * added up tile by tile, in gather and reduce), D1 in gather, shift or reduce.
 *
 * The family is multiplication's but for the owners: it has the same operands,
 * files and verification.
 *
 * Tensors	With plan->contraction the operands are those of an einsum of two
 *		inputs, files and verification lib/contract's.  Each index is in
 *		two of the three tensors, so that I, J and K are groups of them,
 *		or in all three: there is a product for each of their values, one
 *		after another, by all ranks.  A rank owns the same pieces of
 *		matrices, whose rows and columns are groups of indices; operands
 *		are permuted on their way from files to pools, and the result on
 *		its way back.
 *
 * Programs	An einsum of three inputs or more is ooc-program's (program.c): a
 *		sequence of stages, each of two tensors or more, in tiles.
 */
#ifndef ASL_OUTOFCORE_H
#define ASL_OUTOFCORE_H

#include "lib/contract/contract.h"
#include "lib/outofcore/model.h"
#include "lib/plan/candidates.h"
#include "lib/plan/family.h"

/* An algorithm's part of this family. */
struct asl_ooc_kind {
	enum asl_ooc_method method;
	bool inside;

	/* As the algorithm's own, for one product; own[] by enum asl_operand. */
	void (*predict)(struct asl_ledger *out, const struct asl_plan *plan,
			int rank);
	void (*run)(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words own[ASL_OPERANDS]);
};

/* This family's part of a plan; the contraction, if any, is the plan's, too. */
struct asl_outofcore {
	struct asl_multiplication product; /* plan->multiplication is this */
	uint64_t products; /* of tensors: one after another; 0: one */
	const struct asl_ooc_order *asked; /* the request; NULL: any order */

	enum asl_operand replicated;
	struct asl_ooc_order order;
	/* Tiles: as struct asl_ooc_tiles, of a rank's own part; 0: not yet. */
	int n[ASL_OPERANDS], again;

	int slabs; /* of a program, in which intermediates move */
};

extern const struct asl_family asl_family_outofcore;

/* NULL-ended; the last is ooc-auto, which never is in a plan that is settled. */
extern const struct asl_algorithm *const asl_ooc_algorithms[];

static inline const struct asl_ooc_kind *
asl_ooc_kind(const struct asl_plan *plan)
{
	return plan->algorithm->outofcore;
}

static inline uint64_t asl_ooc_products(const struct asl_plan *plan)
{
	uint64_t products = plan->outofcore->products;

	return products ? products : 1;
}

/* What operand `which` of the family is in the product. */
enum asl_operand asl_ooc_operand(const struct asl_plan *plan, int which);

/* The shape and number of an einsum's products; false: it has none. */
bool asl_ooc_of_tensors(struct asl_outofcore *o, const struct asl_einsum *e);

/* The model of the plan's algorithm, without order, tiles and M. */
struct asl_ooc_model asl_ooc_model_of(const struct asl_plan *plan);

/* The source's: a third of the DRAM beside the cache is a tile. */
struct asl_ooc_model asl_ooc_model_of_source(const struct asl_plan *plan);

/*
 * Rank the plans of the base's algorithm, or with ooc-auto of all, in all orders
 * that its request allows.  Each has the tiles, and the operand to replicate, of
 * least cost by the model for a budget of DRAM, base->budget.
 */
int asl_ooc_rank(struct asl_candidates *list, const struct asl_plan *base);

/*
 * Replace the plan by the first of these; or -ENOMEM: *memory_needed is the
 * least budget that would do.
 */
int asl_ooc_settle(struct asl_plan *plan, uint64_t *memory_needed);

/* ---- Programs ---- */

extern const struct asl_algorithm asl_ooc_program;

/* An einsum of two inputs may be one, too. */
static inline bool asl_ooc_is_program(const struct asl_plan *plan)
{
	return plan->outofcore && plan->contraction &&
	       (plan->algorithm == &asl_ooc_program ||
		plan->contraction->e.inputs > 2);
}

extern const struct asl_family asl_family_program;

/* A rank's part of a stage: how long its indices are, and its loops over tiles. */
struct asl_ooc_part {
	const struct asl_einsum *e;
	const struct asl_loops *loops;
	uint64_t len[ASL_MOST_INDICES];
	bool adds; /* the output is added to words that are in the pool */
	/* The ranks that share a term tile by tile; of size 1: none does. */
	struct asl_group sharers[ASL_MOST_TOGETHER + 1];
};

/* Where a part's counts go; all may be one. */
struct asl_ooc_counts {
	struct asl_counts *loops, *gathers, *sums;
};

/*
 * Count how tiles are fetched and put.  A rank fetches its own share of an input's tile
 * that ranks share, and receives the others; shared tiles of the output are summed up.
 * Returns the words of scratch.
 */
uint64_t asl_ooc_part_traffic(const struct asl_ooc_counts *x,
			      const struct asl_ooc_part *p);

/*
 * The cost of tiles beyond that of their words: they are cut out of slices in rows, each
 * of which a disk has to find, and whose last line of memory is not full.
 */
double asl_ooc_part_beyond(const struct asl_ooc_part *p,
			   const struct asl_rates *rates,
			   const struct asl_times *times);

/* Words of DRAM for slices of a tile, without scratch. */
uint64_t asl_ooc_part_room(const struct asl_ooc_part *p);

/* All that a rank counts in the loops; returns the words of DRAM. */
uint64_t asl_ooc_part_predict(const struct asl_ooc_counts *x,
			      const struct asl_ooc_part *p,
			      const struct asl_plan *plan,
			      const struct asl_local *local);

/* The longest tile's lengths. */
void asl_ooc_part_tile(uint64_t *tile, const struct asl_ooc_part *p);

/* The steps of a stage in its loops, for the longest tile; its mesh is set. */
void asl_ooc_stage_local(struct asl_stage *s, uint64_t cache);

/*
 * Rank programs whose stages have up to two tensors, up to three, ...: each has the
 * groups, ranks' meshes, loops and tiles of least cost (fusion.c).
 */
int asl_ooc_program_rank(struct asl_candidates *list,
			 const struct asl_plan *base);

/* As asl_ooc_settle. */
int asl_ooc_program_settle(struct asl_plan *plan, uint64_t *memory_needed);

#endif
