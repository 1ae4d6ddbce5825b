/*
 * mesh_search.c -- the mesh whose busiest rank moves the fewest words
 *
 * All meshes of up to P ranks are gone through, index by index.  Once some
 * indices are cut, so that at most R ranks are left for the others, no slice can
 * become smaller than 1/R of what it is now, and a group no smaller than it is
 * now; nor the largest cell.  What cannot beat the best so far, or leaves too
 * much to one rank, is not gone into.  A mesh that is left is held against the
 * best first by rank 0's words, which the busiest rank has at least.
 */
#include <math.h>

#include "lib/contract/mesh.h"

#define UNEVEN 1.2

struct search {
	const struct asl_einsum *e;
	int ranks, dims;
	int index[ASL_MOST_INDICES]; /* those that can be cut */
	double limit;		     /* points of a cell, at most */
	struct asl_mesh mesh, best;
	uint64_t words, volume; /* of the best */
	bool found;
	bool for_volume; /* the smallest cells are sought, not the fewest words */
};

/* The mesh is complete. */
static void consider(struct search *s)
{
	uint64_t volume = asl_mesh_volume(s->e, &s->mesh), words = 0;

	if (s->for_volume && s->found && volume >= s->volume)
		return;
	if (!s->for_volume) {
		words = asl_mesh_words(s->e, &s->mesh, 0);
		if (s->found && (words > s->words ||
				 (words == s->words && volume >= s->volume)))
			return;
		words = asl_mesh_busiest(s->e, &s->mesh);
		if (s->found && (words > s->words ||
				 (words == s->words && volume >= s->volume)))
			return;
	}
	s->best = s->mesh;
	s->words = words;
	s->volume = volume;
	s->found = true;
}

/* Points of the largest cell, if `left` ranks share what is not cut yet. */
static double least_volume(const struct search *s, int cut, int left)
{
	double volume = 1, rest = 1;

	for (int d = 0; d < s->dims; d++) {
		int i = s->index[d];
		uint64_t p = d < cut ? (uint64_t)s->mesh.p[i] : 1;

		*(d < cut ? &volume : &rest) *=
			(double)asl_ceil_div(s->e->size[i], p);
	}
	return volume * fmax(1, rest / left);
}

/* Of one term, less a word for shares that are not whole. */
static double least_slice(const struct search *s, const struct asl_term *t,
			  int cut, int left)
{
	double words = 1, rest = 1, group = 1;

	for (int d = 0; d < s->dims; d++) {
		int i = s->index[d];
		uint64_t p = d < cut ? (uint64_t)s->mesh.p[i] : 1;

		if (asl_term_has(t, i))
			*(d < cut ? &words : &rest) *=
				(double)asl_ceil_div(s->e->size[i], p);
		else
			group *= (double)p;
	}
	words *= fmax(1, rest / left);
	return fmax(0, words * (1 - 1 / group) - 1);
}

static bool hopeless(const struct search *s, int cut, int left)
{
	double volume = least_volume(s, cut, left), words = 0;

	if (s->for_volume)
		return s->found && volume >= (double)s->volume;
	if (volume > s->limit * (1 + 1e-12))
		return true;
	if (!s->found)
		return false;
	for (int k = 0; k <= s->e->inputs; k++)
		words += least_slice(s, &s->e->term[k], cut, left);
	return words * (1 - 1e-12) > (double)s->words;
}

static void go_through(struct search *s, int cut, int left)
{
	int i, most;

	if (hopeless(s, cut, left))
		return;
	if (cut == s->dims) {
		consider(s);
		return;
	}
	i = s->index[cut];
	most = (int)asl_least((uint64_t)left, s->e->size[i]);
	for (s->mesh.p[i] = 1; s->mesh.p[i] <= most; s->mesh.p[i]++)
		go_through(s, cut + 1, left / s->mesh.p[i]);
	s->mesh.p[i] = 1;
}

static struct search begin(const struct asl_einsum *e, int ranks)
{
	struct search s = {.e = e, .ranks = ranks, .limit = INFINITY};

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		s.mesh.p[i] = 1;
	for (int i = 0; i < e->indices; i++)
		if (e->size[i] > 1 && asl_einsum_all(e) >> i & 1)
			s.index[s.dims++] = i;
	return s;
}

/* The largest cell that is small enough. */
static double volume_limit(const struct asl_einsum *e, int ranks)
{
	struct search s = begin(e, ranks);
	double even = 1, least;

	for (int d = 0; d < s.dims; d++)
		even *= (double)e->size[s.index[d]];
	s.for_volume = true;
	go_through(&s, 0, ranks);
	least = (double)s.volume;
	even = fmax(1, even / ranks);
	return UNEVEN * (least > UNEVEN * even ? least : even);
}

struct asl_mesh asl_mesh_choose(const struct asl_einsum *e, int ranks)
{
	struct search s = begin(e, ranks);

	s.limit = volume_limit(e, ranks);
	go_through(&s, 0, ranks);
	return s.best;
}
