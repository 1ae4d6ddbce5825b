/*
 * schedule.c -- steps from the graph of who shares row blocks with whom
 *
 * Ranks that have so many row blocks in common are a kind, and a graph, which is
 * decomposed into permutations.  One that is not regular is made so by edges from
 * ranks to themselves, which stand for a rest.
 */
#include "lib/symmetric/schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/map.h"

/*
 * Hopcroft and Karp's algorithm, where places have room for several
 *
 * A phase looks, breadth first, how many moves away from a free place the items
 * left over are: an item goes to a place, whose own items move on in turn.  Then,
 * depth first, it makes as many shortest chains of moves as do not meet.  Places
 * never lose by that: so room is first the integer part of the average, and more
 * by one whenever nothing else helps.
 *
 * J. E. Hopcroft, R. M. Karp, An n^(5/2) algorithm for maximum matchings in
 * bipartite graphs, SIAM Journal on Computing 2 (1973).
 */

enum { NOWHERE = -1, FAR = -1 };

struct matcher {
	const struct asl_lists *choices;
	int items, places, room;
	int *place_of;
	int *slot, *load; /* [places][room]: the items; how many */
	int *depth;	  /* of items in the search; FAR: not seen */
	size_t *next;	  /* the choice of an item to be tried next */
	int *queue;
};

static void forget(struct matcher *m)
{
	free(m->slot);
	free(m->load);
	free(m->depth);
	free(m->next);
	free(m->queue);
}

static int *slots(const struct matcher *m, int place)
{
	return m->slot + (size_t)place * (size_t)m->room;
}

/* ---- Breadth first ---- */

static void reach(struct matcher *m, int item, int depth, int *seen)
{
	if (m->depth[item] != FAR)
		return;
	m->depth[item] = depth;
	m->queue[(*seen)++] = item;
}

/* Can the item go to a free place?  If not, others would have to move first. */
static bool look(struct matcher *m, int item, int *seen)
{
	const int *choice = asl_list(m->choices, item);
	int choices = asl_list_length(m->choices, item);

	for (int i = 0; i < choices; i++)
		if (m->load[choice[i]] < m->room)
			return true;
	for (int i = 0; i < choices; i++)
		for (int j = 0; j < m->room; j++)
			reach(m, slots(m, choice[i])[j], m->depth[item] + 1,
			      seen);
	return false;
}

/* Is there any chain to a free place?  No item behind the first is looked at. */
static bool search(struct matcher *m)
{
	int seen = 0, deepest = m->items;

	for (int i = 0; i < m->items; i++)
		m->depth[i] = FAR;
	for (int i = 0; i < m->items; i++)
		if (m->place_of[i] == NOWHERE)
			reach(m, i, 0, &seen);
	for (int i = 0; i < seen && m->depth[m->queue[i]] <= deepest; i++)
		if (look(m, m->queue[i], &seen))
			deepest = m->depth[m->queue[i]];
	return deepest < m->items;
}

/* ---- Depth first ---- */

static bool move(struct matcher *m, int item);

/* Put the item there, if there is room or room can be made. */
static bool put(struct matcher *m, int item, int place)
{
	int *slot = slots(m, place);
	int i = m->load[place];

	if (i < m->room) {
		m->load[place]++;
	} else {
		for (i = 0; i < m->room; i++)
			if (m->depth[slot[i]] == m->depth[item] + 1 &&
			    move(m, slot[i]))
				break;
		if (i == m->room)
			return false;
	}
	slot[i] = item;
	m->place_of[item] = place;
	return true;
}

/* Each choice is tried once in a phase. */
static bool move(struct matcher *m, int item)
{
	while (m->next[item] < m->choices->first[item + 1])
		if (put(m, item, m->choices->item[m->next[item]++]))
			return true;
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

/* ---- All ---- */

/* Room for one more in each place; all stay where they are. */
static int widen(struct matcher *m)
{
	free(m->slot);
	m->room++;
	m->slot = calloc((size_t)m->places * (size_t)m->room, sizeof *m->slot);
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
		.room = choices->count / places - (choices->count >= places),
		.place_of = place_of,
		.load = malloc((size_t)places * sizeof *m.load),
		.depth = malloc((items + 1) * sizeof *m.depth),
		.next = malloc((items + 1) * sizeof *m.next),
		.queue = malloc((items + 1) * sizeof *m.queue),
	};
	int err = m.load && m.depth && m.next && m.queue ? 0 : -ENOMEM;

	for (size_t i = 0; i < items; i++)
		place_of[i] = NOWHERE;
	if (!err)
		err = match(&m);
	forget(&m);
	return err;
}

/*
 * A regular bipartite graph as permutations
 *
 * Of even degree, it is two of half the degree: the edges at every vertex are
 * paired, so that all are in cycles, and along a cycle they go to one half and
 * the other in turn.  Of odd degree, a perfect matching is taken off before.
 * With E edges of degree d that is O(E log d), and the matchings.
 */

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

struct scheduler {
	const struct asl_layout *l;
	struct asl_schedule *s;

	/* Of the rank looked at last. */
	int *common; /* [ranks]: row blocks in common with each */
	int *peer;   /* those it shares some with */
	int peers;

	int *degree; /* [ranks][kinds]: how many are of a kind */
	int kinds;   /* row blocks that two ranks have in common at most, + 1 */
};

static void meet(struct scheduler *x, int rank)
{
	const struct asl_layout *l = x->l;
	const int *row = asl_list(&l->rows, rank);
	int *common = x->common, *peer = x->peer, peers = x->peers;

	while (peers)
		common[peer[--peers]] = 0;
	for (int i = 0; i < asl_list_length(&l->rows, rank); i++) {
		const int *other = asl_list(&l->sharers, row[i]);
		int others = asl_list_length(&l->sharers, row[i]);

		for (int j = 0; j < others; j++)
			if (other[j] != rank && !common[other[j]]++)
				peer[peers++] = other[j];
	}
	x->peers = peers;
}

/* ---- Kinds ---- */

static int *degrees(const struct scheduler *x, int rank)
{
	return x->degree + (size_t)rank * (size_t)x->kinds;
}

static void count(struct scheduler *x)
{
	for (int p = 0; p < x->l->ranks; p++) {
		int *degree = degrees(x, p);

		for (int c = 0; c < x->kinds; c++)
			degree[c] = 0;
		meet(x, p);
		for (int i = 0; i < x->peers; i++)
			degree[x->common[x->peer[i]]]++;
	}
}

static int most(const struct scheduler *x, int kind)
{
	int degree = 0;

	for (int p = 0; p < x->l->ranks; p++)
		if (degrees(x, p)[kind] > degree)
			degree = degrees(x, p)[kind];
	return degree;
}

/* ---- The steps of a kind ---- */

/* A rank rests with itself. */
static void fill(struct scheduler *x, int *edge, int kind, int degree)
{
	for (int p = 0; p < x->l->ranks; p++) {
		int *end = edge + degree;

		meet(x, p);
		for (int i = 0; i < x->peers; i++)
			if (x->common[x->peer[i]] == kind)
				*edge++ = x->peer[i];
		while (edge < end)
			*edge++ = p;
	}
}

static void leave_rests(int *to, int ranks, int steps)
{
	for (int i = 0; i < steps; i++, to += ranks)
		for (int p = 0; p < ranks; p++)
			if (to[p] == p)
				to[p] = -1;
}

static int decompose(struct scheduler *x)
{
	int *to = x->s->to;
	int err = 0;

	for (int kind = x->kinds - 1; !err && kind > 0; kind--) {
		int steps = most(x, kind);

		if (!steps)
			continue;
		fill(x, to, kind, steps);
		err = asl_permutations(to, x->l->ranks, steps);
		if (!err)
			leave_rests(to, x->l->ranks, steps);
		to += (size_t)steps * (size_t)x->l->ranks;
	}
	return err;
}

/* ---- All ---- */

static int prepare(struct scheduler *x)
{
	size_t ranks = (size_t)x->l->ranks;

	for (int p = 0; p < x->l->ranks; p++)
		if (asl_list_length(&x->l->rows, p) >= x->kinds)
			x->kinds = asl_list_length(&x->l->rows, p) + 1;
	x->common = calloc(ranks, sizeof *x->common);
	x->peer = malloc(ranks * sizeof *x->peer);
	x->degree = malloc(ranks * (size_t)x->kinds * sizeof *x->degree);
	if (!x->common || !x->peer || !x->degree)
		return -ENOMEM;
	count(x);
	for (int kind = 1; kind < x->kinds; kind++)
		x->s->steps += most(x, kind);
	return 0;
}

enum { TURNED = 16 };

/* Rank by rank, as each will look at it, and who receives: from step by step. */
static int turn(struct asl_schedule *s)
{
	size_t ranks = (size_t)s->ranks, steps = (size_t)s->steps;
	size_t all = ranks * steps;
	int *to = malloc((all + 1) * sizeof *to);

	s->from = malloc((all + 1) * sizeof *s->from);
	if (!to || !s->from) {
		free(to);
		return -ENOMEM;
	}
	memset(s->from, 0xff, all * sizeof *s->from); /* -1 */
	for (size_t first = 0; first < steps; first += TURNED)
		for (size_t p = 0; p < ranks; p++)
			for (size_t i = first; i < first + TURNED && i < steps;
			     i++) {
				int peer = s->to[i * ranks + p];

				to[p * steps + i] = peer;
				if (peer >= 0)
					s->from[(size_t)peer * steps + i] =
						(int)p;
			}
	free(s->to);
	s->to = to;
	return 0;
}

static int make(struct scheduler *x)
{
	struct asl_schedule *s = x->s;
	size_t all;
	int err = prepare(x);

	if (err)
		return err;
	all = (size_t)s->steps * (size_t)s->ranks;
	s->to = calloc(all ? all : 1, sizeof *s->to);
	if (!s->to)
		return -ENOMEM;
	err = decompose(x);
	return err ? err : turn(s);
}

int asl_schedule_make(struct asl_schedule *s, const struct asl_layout *l)
{
	struct scheduler x = {.l = l, .s = s, .kinds = 1};
	int err;

	*s = (struct asl_schedule){.ranks = l->ranks};
	err = make(&x);
	free(x.common);
	free(x.peer);
	free(x.degree);
	if (!err)
		return 0;
	asl_schedule_free(s);
	return asl_fail(err, "%s: no memory for the steps of %d ranks", l->name,
			l->ranks);
}

void asl_schedule_free(struct asl_schedule *s)
{
	free(s->to);
	free(s->from);
	*s = (struct asl_schedule){0};
}
