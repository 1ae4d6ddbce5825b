/*
 * permutations.c -- a regular bipartite graph as permutations
 *
 * Of even degree, it is two of half the degree: the edges at every vertex are
 * paired, so that all are in cycles, and along a cycle they go to one half and
 * the other in turn.  Of odd degree, a perfect matching is taken off before.
 * With E edges of degree d that is O(E log d), and the matchings.
 */
#include "lib/symmetric/permutations.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symmetric/matching.h"

#define NONE UINT32_MAX

struct splitter {
	int n;
	uint32_t *partner; /* of an edge, where it ends */
	uint32_t *waiting; /* [n]: the edge that has no partner there yet */
	bool *first_half;  /* does the edge belong to it? */
	int *spare;	   /* room for all edges */
	size_t *start;	   /* [n + 1] */
	int *match;	   /* [n] */
};

/* Edges 2 i and 2 i + 1 are partners where they begin. */
static void pair_ends(struct splitter *s, const int *edge, uint32_t edges)
{
	for (int v = 0; v < s->n; v++)
		s->waiting[v] = NONE;
	for (uint32_t e = 0; e < edges; e++) {
		uint32_t other = s->waiting[edge[e]];

		if (other == NONE) {
			s->waiting[edge[e]] = e;
			continue;
		}
		s->partner[e] = other;
		s->partner[other] = e;
		s->waiting[edge[e]] = NONE;
	}
}

/* Around each cycle; one that has been gone round has lost its partners. */
static void colour(struct splitter *s, uint32_t edges)
{
	for (uint32_t begin = 0; begin < edges; begin++)
		for (uint32_t e = begin; s->partner[e] != NONE;) {
			uint32_t next = e ^ 1, after = s->partner[next];

			s->first_half[e] = true;
			s->first_half[next] = false;
			s->partner[e] = NONE;
			s->partner[next] = NONE;
			e = after;
		}
}

/* First one half's edges, then the other's, both by where they begin. */
static void part(struct splitter *s, int *edge, uint32_t edges)
{
	int *one = s->spare, *other = s->spare + edges / 2;

	for (uint32_t e = 0; e < edges; e++)
		if (s->first_half[e])
			*one++ = edge[e];
		else
			*other++ = edge[e];
	memcpy(edge, s->spare, edges * sizeof *edge);
}

/* Take a perfect matching off, and put it behind the edges that are left. */
static int take_match(struct splitter *s, int *edge, int degree)
{
	struct asl_lists choices = {s->n, s->start, edge};
	int *to = edge;
	int err;

	for (int u = 0; u <= s->n; u++)
		s->start[u] = (size_t)u * (size_t)degree;
	err = asl_match_evenly(s->match, &choices, s->n);
	for (int u = 0; !err && u < s->n; u++) {
		const int *list = asl_list(&choices, u);
		bool taken = false;

		for (int i = 0; i < degree; i++)
			if (taken || list[i] != s->match[u])
				*to++ = list[i];
			else
				taken = true;
	}
	if (!err)
		memcpy(to, s->match, (size_t)s->n * sizeof *to);
	return err;
}

static int split(struct splitter *s, int *edge, int degree)
{
	int err = 0;
	size_t edges;

	if (degree <= 1)
		return 0;
	if (degree % 2)
		err = take_match(s, edge, degree--);
	if (err)
		return err;
	edges = (size_t)s->n * (size_t)degree;
	pair_ends(s, edge, (uint32_t)edges);
	colour(s, (uint32_t)edges);
	part(s, edge, (uint32_t)edges);
	err = split(s, edge, degree / 2);
	return err ? err : split(s, edge + edges / 2, degree / 2);
}

int asl_permutations(int *edge, int n, int degree)
{
	size_t edges = (size_t)n * (size_t)degree, vertices = (size_t)n;
	struct splitter s = {.n = n};
	int err = -ENOMEM;

	if (edges >= NONE)
		return -ENOMEM;
	s.partner = malloc((edges + 1) * sizeof *s.partner);
	s.first_half = calloc(edges + 1, 1);
	s.spare = malloc((edges + 1) * sizeof *s.spare);
	s.waiting = malloc((vertices + 1) * sizeof *s.waiting);
	s.start = malloc((vertices + 1) * sizeof *s.start);
	s.match = malloc((vertices + 1) * sizeof *s.match);
	if (s.partner && s.first_half && s.spare && s.waiting && s.start &&
	    s.match)
		err = split(&s, edge, degree);
	free(s.partner);
	free(s.first_half);
	free(s.spare);
	free(s.waiting);
	free(s.start);
	free(s.match);
	return err;
}
