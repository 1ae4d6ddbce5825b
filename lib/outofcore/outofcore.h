/*
 * outofcore.h -- C = A B where neither fits into memory: six algorithms
 *
 * A, B and C lie in the ranks' pools, and of DRAM a rank may have no more than
 * a budget: a tile of each, the kernel's tile in the cache, and what the
 * network needs.  The algorithms are the model's methods (model.h) on the
 * rank's verbs:
 *
 *	ooc-rotation-inside		ooc-rotation-outside
 *	ooc-replication-inside		ooc-replication-outside
 *	ooc-accumulation-inside		ooc-accumulation-outside
 *
 * What the model calls D is what passes between pool and DRAM: the counters
 * nvm_lift and nvm_land, as tiles are copied, not loaded into the cache (that
 * happens from DRAM, by the kernel: dram_read and dram_write).  V is net_recv,
 * and net_send over all ranks.  D2 is in the phases compute (and, of what is
 * replicated or added up tile by tile, gather and reduce), D1 in gather, shift
 * or reduce.
 *
 * As a family they are multiplication's: same operands, files and verification,
 * other owners.
 */
#ifndef ASL_OUTOFCORE_H
#define ASL_OUTOFCORE_H

#include "lib/outofcore/model.h"
#include "lib/plan/family.h"

/* What a struct asl_plan of this family fixes beside what every plan does. */
struct asl_outofcore {
	enum asl_ooc_method method;
	bool inside;
	enum asl_operand replicated;
	struct asl_ooc_order order;

	/* Tiles: as struct asl_ooc_tiles, of a rank's own part. */
	int n[ASL_OPERANDS], again;
};

extern const struct asl_family asl_family_outofcore;
extern const struct asl_algorithm asl_ooc_rotation_inside,
	asl_ooc_rotation_outside, asl_ooc_replication_inside,
	asl_ooc_replication_outside, asl_ooc_accumulation_inside,
	asl_ooc_accumulation_outside;
extern const struct asl_algorithm *const asl_ooc_algorithms[];
const struct asl_algorithm *asl_ooc_find(const char *name);

/* The model of the plan's algorithm, without order, tiles and M. */
struct asl_ooc_model asl_ooc_model_of(const struct asl_plan *plan);

/*
 * Choose order and tiles, and what is replicated, for a budget of DRAM words:
 * plan->budget, which says nothing about the pool here; plan->memory if that is
 * 0. plan->outofcore need not be set.  Returns 0, or -ENOMEM: *need words would
 * do.
 */
int asl_ooc_fit(struct asl_outofcore *o, const struct asl_plan *plan,
		uint64_t *need);

/* The same with this order; NULL: the best. */
int asl_ooc_fit_order(struct asl_outofcore *o, const struct asl_plan *plan,
		      const struct asl_ooc_order *only, uint64_t *need);

/* The same for whichever of the six costs its busiest rank least. */
int asl_ooc_auto(struct asl_outofcore *o, struct asl_plan *plan,
		 uint64_t *need);

/* The busiest rank's cost: `full`, as the apm has only one memory. */
double asl_ooc_predicted_cost(const struct asl_plan *plan);

/* DRAM words that the busiest rank holds. */
uint64_t asl_ooc_predicted_dram(const struct asl_plan *plan);

#endif
