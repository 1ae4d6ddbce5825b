/*
 * graph.c -- bipartite graphs as lists: transposed, matched, split into steps
 */
#include "lib/symmetric/graph.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ---- */

int asl_lists_alloc(struct asl_lists *l, int count, size_t items)
{
	*l = (struct asl_lists){
		.count = count,
		.first = calloc((size_t)count + 1, sizeof *l->first),
		.item = malloc((items ? items : 1) * sizeof *l->item),
	};
	if (l->first && l->item)
		return 0;
	asl_lists_free(l);
	return -ENOMEM;
}

void asl_lists_free(struct asl_lists *l)
{
	free(l->first);
	free(l->item);
	*l = (struct asl_lists){0};
}

void asl_lists_unique(struct asl_lists *l)
{
	size_t kept = 0, i = 0;

	for (int x = 0; x < l->count; x++) {
		size_t begin = kept;

		for (; i < l->first[x + 1]; i++)
			if (kept == begin || l->item[i] != l->item[kept - 1])
				l->item[kept++] = l->item[i];
		l->first[x + 1] = kept;
	}
}

int asl_lists_transpose(struct asl_lists *out, const struct asl_lists *x,
			int count)
{
	size_t items = x->first[x->count];
	int err = asl_lists_alloc(out, count, items);

	if (err)
		return err;
	for (size_t i = 0; i < items; i++)
		out->first[x->item[i] + 1]++;
	for (int i = 0; i < count; i++)
		out->first[i + 1] += out->first[i];
	/* While the lists fill, first[] moves on to where the next one begins. */
	for (int i = 0; i < x->count; i++)
		for (size_t j = x->first[i]; j < x->first[i + 1]; j++)
			out->item[out->first[x->item[j]]++] = i;
	memmove(out->first + 1, out->first, (size_t)count * sizeof *out->first);
	out->first[0] = 0;
	return 0;
}

int asl_list_find(const struct asl_lists *l, int i, int x)
{
	const int *list = asl_list(l, i);
	int low = 0, high = asl_list_length(l, i);

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (list[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < asl_list_length(l, i) && list[low] == x ? low : -1;
}

/*
 * Matching
 *
 * Hopcroft and Karp's algorithm, for places that hold several items.  A phase
 * finds, breadth first, how many moves away from a free place the items without
 * a place are: an item goes to a place, one of whose items moves on in turn.
 * Then, depth first, it makes as many shortest chains of moves as do not meet.
 * Places never lose items by that, so the capacity of a place is first the
 * integer part of the average, and one more whenever nothing else helps.
 *
 * J. E. Hopcroft, R. M. Karp, An n^(5/2) algorithm for maximum matchings in
 * bipartite graphs, SIAM Journal on Computing 2 (1973).
 */

enum { NOWHERE = -1, UNSEEN = -1 };

struct matcher {
	const struct asl_lists *choices;
	int items, places, capacity;
	int *place_of;
	int *slot, *load; /* [places][capacity]: the items; their number */
	int *depth;	  /* of items in the search */
	size_t *next;	  /* the choice of an item to be tried next */
	int *queue;
};

static int *slots(const struct matcher *m, int place)
{
	return m->slot + (size_t)place * (size_t)m->capacity;
}

static void reach(struct matcher *m, int item, int depth, int *seen)
{
	if (m->depth[item] != UNSEEN)
		return;
	m->depth[item] = depth;
	m->queue[(*seen)++] = item;
}

/* Can the item go to a free place?  If not, reach the items in its way. */
static bool explore(struct matcher *m, int item, int *seen)
{
	const int *choice = asl_list(m->choices, item);
	int choices = asl_list_length(m->choices, item);

	for (int i = 0; i < choices; i++)
		if (m->load[choice[i]] < m->capacity)
			return true;
	for (int i = 0; i < choices; i++)
		for (int j = 0; j < m->capacity; j++)
			reach(m, slots(m, choice[i])[j], m->depth[item] + 1,
			      seen);
	return false;
}

/* Does any chain end at a free place?  Longer chains are not explored. */
static bool search(struct matcher *m)
{
	int seen = 0, deepest = m->items;

	for (int i = 0; i < m->items; i++)
		m->depth[i] = UNSEEN;
	for (int i = 0; i < m->items; i++)
		if (m->place_of[i] == NOWHERE)
			reach(m, i, 0, &seen);
	for (int i = 0; i < seen && m->depth[m->queue[i]] <= deepest; i++)
		if (explore(m, m->queue[i], &seen))
			deepest = m->depth[m->queue[i]];
	return deepest < m->items;
}

/*
 * Move the item to a place with a free slot, or with one whose item can move
 * on.  Each choice is tried once in a phase.
 */
static bool move(struct matcher *m, int item)
{
	while (m->next[item] < m->choices->first[item + 1]) {
		int place = m->choices->item[m->next[item]++];
		int *slot = slots(m, place), i = m->load[place];

		if (i < m->capacity)
			m->load[place]++;
		else
			for (i = 0; i < m->capacity; i++)
				if (m->depth[slot[i]] == m->depth[item] + 1 &&
				    move(m, slot[i]))
					break;
		if (i < m->capacity) {
			slot[i] = item;
			m->place_of[item] = place;
			return true;
		}
	}
	return false;
}

static int phase(struct matcher *m)
{
	int placed = 0;

	memcpy(m->next, m->choices->first, (size_t)m->items * sizeof *m->next);
	for (int i = 0; i < m->items; i++)
		placed += m->place_of[i] == NOWHERE && move(m, i);
	return placed;
}

/* One slot more in each place; all items stay where they are. */
static int widen(struct matcher *m)
{
	free(m->slot);
	m->capacity++;
	m->slot = calloc((size_t)m->places * (size_t)m->capacity,
			 sizeof *m->slot);
	if (!m->slot)
		return -ENOMEM;
	memset(m->load, 0, (size_t)m->places * sizeof *m->load);
	for (int i = 0; i < m->items; i++)
		if (m->place_of[i] != NOWHERE)
			slots(m, m->place_of[i])[m->load[m->place_of[i]]++] = i;
	return 0;
}

static int match(struct matcher *m)
{
	int left = m->items, err = 0;

	for (int i = 0; i < m->items; i++)
		m->place_of[i] = NOWHERE;
	while (!err && left) {
		err = widen(m);
		while (!err && left && search(m))
			left -= phase(m);
	}
	return err;
}

int asl_match_evenly(int *place_of, const struct asl_lists *choices, int places)
{
	size_t items = (size_t)choices->count;
	struct matcher m = {
		.choices = choices,
		.items = choices->count,
		.places = places,
		/* to be widened at once */
		.capacity =
			choices->count / places - (choices->count >= places),
		.place_of = place_of,
		.load = malloc((size_t)places * sizeof *m.load),
		.depth = malloc((items + 1) * sizeof *m.depth),
		.next = malloc((items + 1) * sizeof *m.next),
		.queue = malloc((items + 1) * sizeof *m.queue),
	};
	bool ready = m.load && m.depth && m.next && m.queue;
	int err = ready ? match(&m) : -ENOMEM;

	free(m.slot);
	free(m.load);
	free(m.depth);
	free(m.next);
	free(m.queue);
	return err;
}

/*
 * Permutations
 *
 * A graph of even degree is two of half the degree: the edges at every vertex
 * are paired, so that all are in cycles, and along a cycle they go to one half
 * and the other in turn.  From one of odd degree a perfect matching is taken
 * first.  With E edges of degree d that is O(E log d), and the matchings.
 */

#define NONE UINT32_MAX

struct splitter {
	int n;
	uint32_t *partner; /* of an edge, where it ends */
	uint32_t *waiting; /* [n]: the edge that has no partner there yet */
	bool *first_half;  /* is the edge in it? */
	int *spare;	   /* for all edges */
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

/* Go round each cycle; afterwards its edges have no partners. */
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

/* The first half's edges, then the others, both in the order of their u. */
static void divide(struct splitter *s, int *edge, uint32_t edges)
{
	int *one = s->spare, *other = s->spare + edges / 2;

	for (uint32_t e = 0; e < edges; e++)
		if (s->first_half[e])
			*one++ = edge[e];
		else
			*other++ = edge[e];
	memcpy(edge, s->spare, edges * sizeof *edge);
}

/* Move the edges of a perfect matching behind the others. */
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
	divide(s, edge, (uint32_t)edges);
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
