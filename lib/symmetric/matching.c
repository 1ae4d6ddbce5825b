/*
 * matching.c -- Hopcroft and Karp's algorithm, where places have room for several
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
#include "lib/symmetric/matching.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
