/*
 * make.h -- for making contractions: stages, one after another
 */
#ifndef ASL_MAKE_H
#define ASL_MAKE_H

#include "lib/contract/contract.h"

/* One more stage; where its inputs come from is for the caller to say. */
void asl_contraction_add_stage(struct asl_contraction *c,
			       const struct asl_einsum *e,
			       const struct asl_mesh *mesh, uint64_t cache);

/* The stages of a sequence, for c->e on c->given ranks. */
void asl_contraction_add_sequence(struct asl_contraction *c, uint64_t cache);

#endif
