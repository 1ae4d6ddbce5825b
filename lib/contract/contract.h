/*
 * contract.h -- an einsum over many ranks: how it is done
 *
 * What a struct asl_plan of this family fixes beside what every plan does.  The
 * algorithm is `einsum`; its operands are the inputs, in order, and the output.
 *
 * A contraction is a list of stages, each an einsum on a mesh of its own
 * (mesh.h).  Three inputs or more can be contracted in two ways:
 *
 *	direct		one stage: the whole iteration space on one mesh, inputs
 *			gathered once; pairs are formed on each rank alone
 *			(local.h), some of them on several ranks
 *	sequence	a stage for every pair of a tree, intermediates being
 *			spread over ranks, and moved from mesh to mesh
 *
 * Operands start, and the result ends, spread evenly over the mesh of the stage
 * that uses or makes it; or all on rank 0, which scatters and gathers them.
 */
#ifndef ASL_CONTRACT_H
#define ASL_CONTRACT_H

#include "lib/contract/local.h"
#include "lib/contract/spread.h"

enum asl_contract_way {
	ASL_WAY_BEST, /* whichever moves fewer words */
	ASL_WAY_DIRECT,
	ASL_WAY_SEQUENCE,
	ASL_WAYS
};

struct asl_stage {
	struct asl_einsum e; /* in the indices of the whole */
	/* Its inputs: operands, or what earlier stages made, which are numbered
	 * from the number of operands on. */
	int from[ASL_MOST_INPUTS];
	bool moves[ASL_MOST_INPUTS]; /* it was made on other ranks */
	struct asl_mesh mesh;
	struct asl_local local;
};

struct asl_contraction {
	struct asl_einsum e;
	bool on_root;		   /* operands and result are on rank 0 */
	enum asl_contract_way way; /* never ASL_WAY_BEST */
	int ranks;		   /* take part */
	int given;		   /* there are */
	struct asl_mesh whole;	   /* the mesh of the direct way */
	int stages;
	struct asl_stage stage[ASL_MOST_INPUTS];
};

struct asl_contraction_want {
	int ranks;
	uint64_t cache;
	bool on_root;
	enum asl_contract_way way;
};

/*
 * e: checked.  *c is complete, and needs nothing to be freed.  Of two inputs or
 * one there is the direct way only, whatever is wanted.
 */
void asl_contraction_make(struct asl_contraction *c, const struct asl_einsum *e,
			  const struct asl_contraction_want *want);

/*
 * Words that the busiest rank moves, B_h, without what rank 0 scatters and
 * gathers.  Of very many ranks that move intermediates, a little more than that.
 */
uint64_t asl_contraction_words(const struct asl_contraction *c);

/* "direct", "sequence". */
const char *asl_contract_way_name(enum asl_contract_way way);

extern const struct asl_family asl_family_contract;
extern const struct asl_algorithm asl_contract_einsum;

#endif
