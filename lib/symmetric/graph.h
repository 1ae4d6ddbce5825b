/*
 * graph.h -- bipartite graphs as lists: transposed, matched, split into steps
 *
 * A graph says who works with what: blocks of a Steiner system and their
 * points, ranks and their row blocks, row blocks and the ranks that share them.
 * Numbers begin with 0 on either side.  Functions that allocate return 0 or
 * -ENOMEM.
 */
#ifndef ASL_GRAPH_H
#define ASL_GRAPH_H

#include <stddef.h>

struct asl_lists {
	int count;
	size_t *first; /* [count + 1]: where list i begins in item */
	int *item;
};

/* Empty lists, and memory for so many items in all of them. */
int asl_lists_alloc(struct asl_lists *l, int count, size_t items);
void asl_lists_free(struct asl_lists *l); /* all zero is allowed */

/* Keep one of equal items that follow one another in a list. */
void asl_lists_unique(struct asl_lists *l);

/*
 * List i of *out names, ascending, the lists of x that contain i; for i below
 * count.  *out is overwritten.
 */
int asl_lists_transpose(struct asl_lists *out, const struct asl_lists *x,
			int count);

static inline const int *asl_list(const struct asl_lists *l, int i)
{
	return l->item + l->first[i];
}

static inline int asl_list_length(const struct asl_lists *l, int i)
{
	return (int)(l->first[i + 1] - l->first[i]);
}

/* The position of x in the ascending list i; -1: it is not there. */
int asl_list_find(const struct asl_lists *l, int i, int x);

/*
 * Deal items out to places.  The choices of an item, at least one, are a list
 * of places; place_of[item] becomes one of them.  The fullest place has as few
 * items as possible; if every place can have the integer part of the average,
 * it has.  With as many items as places, and as many choices for each item as
 * items for each place, the result is a perfect matching.
 */
int asl_match_evenly(int *place_of, const struct asl_lists *choices,
		     int places);

/*
 * Split a regular graph into permutations.  `degree` edges go from each u,
 * 0 <= u < n, to edge[u * degree] and those after it, which may be equal, and
 * `degree` edges come to each v.  Afterwards permutation i < degree maps u to
 * edge[i * n + u].  2^32 edges are too many: -ENOMEM.
 */
int asl_permutations(int *edge, int n, int degree);

#endif
