/*
 * mesh_search.c -- the mesh whose busiest rank moves the fewest words
 *
 * All meshes of up to P ranks are gone through, index by index.  Once some
 * indices are cut, so that at most R ranks are left for the others, no slice can
 * become smaller than 1/R of what it is now, and a group no smaller than it is
 * now; nor the largest cell.  What cannot beat the best so far, or leaves too
 * much to one rank, is not gone into.
 *
 * To know a mesh's busiest rank all ranks have to be asked, so that is done of
 * few: rank 0's words are what the busiest rank has at least, and hardly less.  A
 * first search by these alone finds a mesh that is as good as the best; the
 * second one asks all ranks of what might be better.
 */
#include <math.h>

#include "lib/contract/mesh.h"

#define UNEVEN 1.2

enum aim {
	SMALL_CELLS,
	FEW_WORDS_OF_RANK_0,
	FEW_WORDS,
};

struct search {
	const struct asl_einsum *e;
	enum aim aim;
	int ranks, dims;
	int index[ASL_MOST_INDICES]; /* those that can be cut */
	double limit;		     /* points of a cell, at most */
	struct asl_mesh mesh, best;
	uint64_t words, volume; /* of the best */
	bool found;
};

static bool is_better(const struct search *s, uint64_t words, uint64_t volume)
{
	return !s->found || words < s->words ||
	       (words == s->words && volume < s->volume);
}

/* A prime beyond any number of ranks: its multiples visit all of them. */
enum { SCATTER = 1000003 };

/* Of the busiest rank; of any that is not better, once one is found. */
static uint64_t words_or_enough(const struct search *s, uint64_t volume)
{
	uint64_t ranks = (uint64_t)asl_mesh_ranks(s->e, &s->mesh), most = 0;

	for (uint64_t i = 0; i < ranks && is_better(s, most, volume); i++) {
		int rank = (int)(i * SCATTER % ranks);

		most = asl_larger(most, asl_mesh_words(s->e, &s->mesh, rank));
	}
	return most;
}

/* The mesh is complete. */
static void consider(struct search *s)
{
	uint64_t volume = asl_mesh_volume(s->e, &s->mesh), words = 0;

	if (s->aim != SMALL_CELLS)
		words = asl_mesh_words(s->e, &s->mesh, 0);
	if (s->aim == FEW_WORDS && is_better(s, words, volume))
		words = words_or_enough(s, volume);
	if (!is_better(s, words, volume))
		return;
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

	if (s->aim == SMALL_CELLS)
		return s->found && volume >= (double)s->volume;
	if (volume > s->limit * (1 + 1e-12))
		return true;
	if (!s->found)
		return false;
	for (int k = 0; k <= s->e->inputs; k++)
		words += least_slice(s, &s->e->term[k], cut, left);
	return words * (1 - 1e-12) > (double)s->words;
}

/* With fewer parts of the next index the cells are too large anyway. */
static int least_parts(const struct search *s, int cut)
{
	double length = (double)s->e->size[s->index[cut]], room = s->limit;

	if (s->aim == SMALL_CELLS && s->found)
		room = (double)s->volume;
	room *= 1 + 1e-12;
	for (int d = 0; d < cut; d++) {
		int i = s->index[d];

		room /= (double)asl_ceil_div(s->e->size[i],
					     (uint64_t)s->mesh.p[i]);
	}
	return room < length ? (int)ceil(length / fmax(1, floor(room))) : 1;
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
	s->mesh.p[i] = least_parts(s, cut);
	for (; s->mesh.p[i] <= most; s->mesh.p[i]++)
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
	s.aim = SMALL_CELLS;
	go_through(&s, 0, ranks);
	least = (double)s.volume;
	even = fmax(1, even / ranks);
	return UNEVEN * (least > UNEVEN * even ? least : even);
}

struct asl_mesh asl_mesh_choose(const struct asl_einsum *e, int ranks)
{
	struct search s = begin(e, ranks);

	s.limit = volume_limit(e, ranks);
	s.aim = FEW_WORDS_OF_RANK_0;
	go_through(&s, 0, ranks);
	/* Of meshes that are as good, the first is taken, as if there were none. */
	s.aim = FEW_WORDS;
	s.words = asl_mesh_busiest(e, &s.best);
	s.volume = UINT64_MAX;
	go_through(&s, 0, ranks);
	return s.best;
}
