/*
 * mesh.h -- an einsum's iteration space, cut into a cell for each rank
 *
 * The iteration space has a dimension for every index, and every point of it is
 * one product of entries.  A mesh cuts index i into p[i] parts; a rank has one
 * cell, needs the slice of each input that its cell touches, and makes summands
 * of a slice of the output.
 *
 * Ranks whose cells touch the same slice form a group, which shares the slice's
 * words evenly (asl_share, in the order of the term's indices): each rank owns
 * its share of an input before, and its share of the sum afterwards.  No word
 * is stored twice, and a rank moves, with G the ranks of a group,
 *
 *	B_h	sum over terms of (1 - 1/G) times the slice's words
 *
 * up to rounding, by one allgather per input and one reduce_scatter.
 */
#ifndef ASL_MESH_H
#define ASL_MESH_H

#include "lib/base/parts.h"
#include "lib/contract/spec.h"

struct asl_mesh {
	int p[ASL_MOST_INDICES]; /* 1 where no term has the index */
};

struct asl_cell {
	int at[ASL_MOST_INDICES];
	struct asl_range of[ASL_MOST_INDICES];
};

/* The number of cells; the first ranks have one each. */
int asl_mesh_ranks(const struct asl_einsum *e, const struct asl_mesh *mesh);

/* Cells are numbered with the last index running fastest. */
struct asl_cell asl_mesh_cell(const struct asl_einsum *e,
			      const struct asl_mesh *mesh, int rank);

uint64_t asl_cell_words(const struct asl_cell *cell, const struct asl_term *t);

/*
 * The group that shares a rank's slice of a term.  `list`, if not NULL, has room
 * for the group's ranks and is borrowed.
 */
struct asl_group asl_mesh_group(const struct asl_einsum *e,
				const struct asl_mesh *mesh,
				const struct asl_term *t, int rank, int *list);

/* Member `me` of the group whose cells are at[i] along the term's indices i. */
int asl_mesh_member(const struct asl_einsum *e, const struct asl_mesh *mesh,
		    const struct asl_term *t, const int *at, int me);

/* The words of its slice of a term that a rank owns. */
struct asl_range asl_mesh_share(const struct asl_einsum *e,
				const struct asl_mesh *mesh,
				const struct asl_term *t, int rank);

/* B_h of a rank, and the maximum over all ranks. */
uint64_t asl_mesh_words(const struct asl_einsum *e, const struct asl_mesh *mesh,
			int rank);
uint64_t asl_mesh_busiest(const struct asl_einsum *e,
			  const struct asl_mesh *mesh);

/* Points of the largest cell, which is rank 0's. */
uint64_t asl_mesh_volume(const struct asl_einsum *e,
			 const struct asl_mesh *mesh);

/*
 * The mesh of up to `ranks` ranks that minimizes the words of the busiest rank,
 * and then the largest cell.  Its largest cell must be within 20% of an even
 * share or, if no mesh achieves that, within 20% of the smallest possible.
 */
struct asl_mesh asl_mesh_choose(const struct asl_einsum *e, int ranks);

/*
 * The minimum over all meshes in real numbers that cut the space into `ranks`
 * cells: a lower bound for asl_mesh_choose, which for matrix multiplication is
 * the bound of Al Daas et al.
 */
double asl_mesh_bound(const struct asl_einsum *e, double ranks);

#endif
