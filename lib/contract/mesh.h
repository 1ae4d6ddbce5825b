/*
 * mesh.h -- an einsum's iteration space, cut into cells of ranks
 *
 * The iteration space has a dimension for every index, and every point of it is
 * one product of entries.  A mesh cuts index i into p[i] parts; a rank has one
 * cell.  It needs the slice of each input that its cell touches, and makes
 * summands of a slice of the output.
 *
 * Ranks whose cells touch the same slice are a group, over which the slice's
 * words are shared out evenly (asl_share, in the order of the term's indices):
 * before, each owns its share of an input; after, its share of the sum.  So
 * nothing is there twice, and per rank, with G the ranks of a group,
 *
 *	B_h	sum over terms of (1 - 1/G) times the slice's words
 *
 * up to rounding, by one allgather an input and one reduce_scatter.
 */
#ifndef ASL_MESH_H
#define ASL_MESH_H

#include "lib/base/parts.h"
#include "lib/contract/spec.h"

struct asl_mesh {
	int p[ASL_MOST_INDICES]; /* of an index that no term has: 1 */
};

struct asl_cell {
	int at[ASL_MOST_INDICES];
	struct asl_range of[ASL_MOST_INDICES];
};

/* Ranks 0 to this, less one, have cells. */
int asl_mesh_ranks(const struct asl_einsum *e, const struct asl_mesh *mesh);

/* Numbered so that the last index runs fastest. */
struct asl_cell asl_mesh_cell(const struct asl_einsum *e,
			      const struct asl_mesh *mesh, int rank);

uint64_t asl_cell_words(const struct asl_cell *cell, const struct asl_term *t);

/*
 * The group of a rank's slice of a term.  `list` has room for its ranks and is
 * borrowed; NULL: they are not asked for.
 */
struct asl_group asl_mesh_group(const struct asl_einsum *e,
				const struct asl_mesh *mesh,
				const struct asl_term *t, int rank, int *list);

/* A rank's share of a term: words of its slice. */
struct asl_range asl_mesh_share(const struct asl_einsum *e,
				const struct asl_mesh *mesh,
				const struct asl_term *t, int rank);

/* B_h of a rank, and of the busiest one. */
uint64_t asl_mesh_words(const struct asl_einsum *e, const struct asl_mesh *mesh,
			int rank);
uint64_t asl_mesh_busiest(const struct asl_einsum *e,
			  const struct asl_mesh *mesh);

/* Points of the largest cell, which is rank 0's. */
uint64_t asl_mesh_volume(const struct asl_einsum *e,
			 const struct asl_mesh *mesh);

/*
 * The mesh of up to `ranks` ranks whose busiest rank moves the fewest words, of
 * those whose largest cell is within 20% of an even share, or, if there is none,
 * of the least possible.  Among equals the one of the smallest cells.
 */
struct asl_mesh asl_mesh_choose(const struct asl_einsum *e, int ranks);

/*
 * The least words over all meshes in real numbers that cut the space into
 * `ranks` cells: what asl_mesh_choose cannot do better than with so many ranks.
 * For matrix multiplication, the lower bound of Al Daas et al.
 */
double asl_mesh_bound(const struct asl_einsum *e, double ranks);

#endif
