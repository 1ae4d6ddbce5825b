/*
 * permutations.h -- a regular bipartite graph as permutations
 */
#ifndef ASL_PERMUTATIONS_H
#define ASL_PERMUTATIONS_H

#include <stddef.h>

/*
 * From u, 0 <= u < n, go `degree` edges to what edge[u * degree] and so on say,
 * and as many come to every 0 <= v < n; several may be equal.  Afterwards u goes
 * to edge[i * n + u] in permutation i, i < degree.  0 or -ENOMEM, which is
 * also said of 2^32 edges.
 */
int asl_permutations(int *edge, int n, int degree);

#endif
