/*
 * spread.h -- an einsum's cells, and which words of its tensors each rank has
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
 *
 * A tensor is spread over ranks in one of two ways: all of it on rank 0, or in
 * the even shares of a mesh.  Either way a rank has a run of consecutive words
 * of a box, both in the order of the tensor's indices.
 *
 * Out of core a slice comes tile by tile, and its ranks share each tile evenly: then a
 * rank has a run of every tile, one after another.
 */
#ifndef ASL_SPREAD_H
#define ASL_SPREAD_H

#include "lib/base/parts.h"
#include "lib/contract/spec.h"

struct asl_mesh {
	int p[ASL_MOST_INDICES]; /* 1 where no term has the index */
};

struct asl_cell {
	int at[ASL_MOST_INDICES];
	struct asl_range of[ASL_MOST_INDICES];
};

/* Loops over tiles, the outermost first. */
struct asl_loops {
	int count;
	unsigned char index[ASL_MOST_INDICES];
	int parts[ASL_MOST_INDICES]; /* by index, of a cell's; 1: no loop */
};

/* The number of cells; the first ranks have one each. */
int asl_mesh_ranks(const struct asl_einsum *e, const struct asl_mesh *mesh);

/* Cells are numbered with the last index running fastest. */
struct asl_cell asl_mesh_cell(const struct asl_einsum *e,
			      const struct asl_mesh *mesh, int rank);

uint64_t asl_cell_words(const struct asl_cell *cell, const struct asl_term *t);

/* B_h of a rank, and the maximum over all ranks. */
uint64_t asl_mesh_words(const struct asl_einsum *e, const struct asl_mesh *mesh,
			int rank);
uint64_t asl_mesh_busiest(const struct asl_einsum *e,
			  const struct asl_mesh *mesh);

/* Beyond so many ranks, words are not asked rank by rank. */
enum { ASL_FEW_RANKS = 512 };

/* As asl_mesh_busiest, or a few words less on more ranks than those. */
uint64_t asl_mesh_nearly(const struct asl_einsum *e,
			 const struct asl_mesh *mesh);

/* Points of the largest cell, which is rank 0's. */
double asl_mesh_volume(const struct asl_einsum *e, const struct asl_mesh *mesh);

enum { ASL_MOST_MESHES = 24 };

/*
 * The cost of a stage on a mesh: of a word that the busiest rank moves, of one of its
 * cell's inputs that is read, and of its output that is written; and of a point of
 * the cell, its flops, and the words that are read for it if the cell is too large
 * for the cache.
 */
struct asl_prices {
	double net, in, out, flop, point;
};

struct asl_mesh_wish {
	int ranks;
	int most;			 /* 0: one */
	const struct asl_prices *prices; /* NULL: words alone */
	/* These indices are cut into the parts of this mesh; NULL: into any. */
	const struct asl_mesh *like;
	uint32_t kept;
	/* Words beside those that the busiest rank of the mesh moves; NULL: none. */
	uint64_t (*beside)(const struct asl_mesh *mesh, void *arg);
	void *arg;
	uint64_t tries; /* after so many the search ends; 0: never */
	bool nearly; /* a few words more will do, and less time to find them */
};

/* The lower cost; of equal ones, the smaller cells. */
static inline bool asl_costs_less(double cost, double volume, double than_cost,
				  double than_volume)
{
	return cost < than_cost || (cost == than_cost && volume < than_volume);
}

struct asl_mesh_found {
	struct asl_mesh mesh;
	double cost, volume;
};

/* What rank 0's cell costs beside the words that move; NULL: nothing. */
double asl_mesh_work(const struct asl_einsum *e, const struct asl_mesh *mesh,
		     const struct asl_prices *prices);

/*
 * The mesh of up to `ranks` ranks that minimizes the words of the busiest rank, or
 * the cost, and then the largest cell.  Its largest cell must be within 20% of an even
 * share or, if no mesh achieves that, within 20% of the smallest possible.
 */
struct asl_mesh asl_mesh_choose(const struct asl_einsum *e, int ranks,
				const struct asl_prices *prices);

/* The `most` best of such meshes; may be none if some parts are given. */
int asl_mesh_list(struct asl_mesh_found found[ASL_MOST_MESHES],
		  const struct asl_einsum *e, const struct asl_mesh_wish *wish);

/* Points of the whole space. */
double asl_mesh_points(const struct asl_einsum *e);

/*
 * The least that the slices of all terms can cost, of any set of points that is
 * one of so many equal parts of the space; weight[k] is the cost of a word of
 * term k.
 */
double asl_mesh_least(const struct asl_einsum *e, const double *weight,
		      double parts);

/*
 * The minimum over all meshes in real numbers that cut the space into `ranks`
 * cells: a lower bound for asl_mesh_choose, which for matrix multiplication is
 * the bound of Al Daas et al.
 */
double asl_mesh_bound(const struct asl_einsum *e, double ranks);

/* ---- Spreads ---- */

struct asl_spread {
	const struct asl_einsum *e;
	const struct asl_term *term;
	const struct asl_mesh *mesh;   /* NULL: all on rank 0 */
	const struct asl_loops *tiles; /* each is shared; NULL: slices are */
	uint64_t tile;		       /* the one that is meant */
};

/* Slices are shared; without a mesh all is on rank 0. */
static inline struct asl_spread asl_spread_on(const struct asl_einsum *e,
					      const struct asl_term *term,
					      const struct asl_mesh *mesh)
{
	return (struct asl_spread){.e = e, .term = term, .mesh = mesh};
}

/* The size of the group that shares a cell's slice, and the cell's place in it. */
struct asl_group asl_cell_group(const struct asl_spread *s,
				const struct asl_cell *cell);

/*
 * The group that shares a rank's slice, on a mesh.  `list`, if not NULL, has room
 * for the group's ranks and is borrowed.
 */
struct asl_group asl_spread_group(const struct asl_spread *s, int rank,
				  int *list);

/* Member `me` of the group whose cells are at[i] along the term's indices i. */
int asl_spread_member(const struct asl_spread *s, const int *at, int me);

struct asl_run {
	int dims;
	struct asl_range box[ASL_MOST_INDICES]; /* by place in the term */
	struct asl_range words;			/* within the box */
};

/* A rank without any words of the tensor has an empty run. */
struct asl_run asl_spread_run(const struct asl_spread *s, int rank);

/* The number of a slice's tiles; and a rank's words of all of them. */
uint64_t asl_spread_tiles(const struct asl_spread *s);
uint64_t asl_spread_words(const struct asl_spread *s, int rank);

/*
 * Call visit(words, many, arg) for the tiles' sizes of a term whose indices are len[]
 * long: as many different ones as there may be.
 */
void asl_loops_sizes(const struct asl_loops *l, const struct asl_term *t,
		     const uint64_t *len,
		     void (*visit)(uint64_t words, uint64_t many, void *arg),
		     void *arg);

/* Words along the last dimension of the tensor, from `at` on. */
struct asl_tensor_row {
	uint64_t at[ASL_MOST_INDICES]; /* by place in the term */
	uint64_t count;
	/* In the order of this term they are other words, equal to these; NULL: none. */
	const struct asl_term *mirror;
};

/* The row `done` words into the run: up to its end, or `most` words. */
struct asl_tensor_row asl_run_row(const struct asl_run *x, uint64_t done,
				  uint64_t most);

/* Words that are in both runs, which are of the same tensor. */
uint64_t asl_runs_common(const struct asl_run *a, const struct asl_run *b);

/* Copy what two runs of one tensor have in common. */
void asl_run_copy(struct asl_rank *r, const struct asl_run *to,
		  const struct asl_words *in, const struct asl_run *from,
		  const struct asl_words *out);

/* Does each of the first `ranks` ranks have the same words in both spreads? */
bool asl_spread_same(const struct asl_spread *a, const struct asl_spread *b,
		     int ranks);

/*
 * Call visit(rank, arg) once for every rank that has words of the run in this
 * spread, and for a few that turn out to have none.  The order is unspecified.
 */
void asl_spread_peers(const struct asl_spread *s, const struct asl_run *x,
		      void (*visit)(int rank, void *arg), void *arg);

/*
 * Collective over these ranks: `to` = `from`, whose terms are alike.  Rank i
 * sends to i + 1, i + 2, ... in turn and receives from i - 1, i - 2, ...; each
 * message is packed into DRAM, sent, and unpacked.
 */
void asl_spread_move(struct asl_rank *r, int ranks, const struct asl_spread *to,
		     struct asl_words *in, const struct asl_spread *from,
		     const struct asl_words *out);

/* The closed form of asl_spread_move; returns the DRAM words that it takes. */
uint64_t asl_spread_predict(struct asl_counts *x, int rank, int ranks,
			    const struct asl_spread *to, enum asl_where in,
			    const struct asl_spread *from, enum asl_where out);

/*
 * The words of one slab of the term's first index at a time: so a message is as small
 * as necessary, and the order of words is that of the whole.
 */
void asl_spread_move_slab(struct asl_rank *r, int ranks,
			  const struct asl_spread *to, struct asl_words *in,
			  const struct asl_spread *from,
			  const struct asl_words *out,
			  const struct asl_range *slab);
uint64_t asl_spread_predict_slab(struct asl_counts *x, int rank, int ranks,
				 const struct asl_spread *to, enum asl_where in,
				 const struct asl_spread *from,
				 enum asl_where out,
				 const struct asl_range *slab);

/* The counts of asl_copy between main memories. */
void asl_predict_copy(struct asl_counts *x, enum asl_where to,
		      enum asl_where from, uint64_t words);

#endif
