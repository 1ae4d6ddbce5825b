/*
 * schedule.c -- steps from the graph of ranks that share row blocks
 *
 * Ranks with so many row blocks in common form a graph, which is split into
 * permutations, the steps.  One that is not regular is made so by edges from
 * ranks to themselves, which stand for a rest.
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

struct scheduler {
	const struct asl_layout *l;
	struct asl_schedule *s;

	/* The rank looked at last: */
	int *common; /* [ranks]: row blocks in common with each */
	int *peer;   /* the ranks that share any; their number */
	int peers;

	int kinds;   /* row blocks that two ranks have in common at most, + 1 */
	int *degree; /* [ranks][kinds]: peers of each kind */
};

static void find_peers(struct scheduler *x, int rank)
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

static int *degrees(const struct scheduler *x, int rank)
{
	return x->degree + (size_t)rank * (size_t)x->kinds;
}

static void count_peers(struct scheduler *x)
{
	for (int p = 0; p < x->l->ranks; p++) {
		find_peers(x, p);
		for (int i = 0; i < x->peers; i++)
			degrees(x, p)[x->common[x->peer[i]]]++;
	}
}

static int steps_of(const struct scheduler *x, int kind)
{
	int most = 0;

	for (int p = 0; p < x->l->ranks; p++)
		if (degrees(x, p)[kind] > most)
			most = degrees(x, p)[kind];
	return most;
}

/* A rank rests with itself. */
static void list_edges(struct scheduler *x, int *edge, int kind, int degree)
{
	for (int p = 0; p < x->l->ranks; p++) {
		int *end = edge + degree;

		find_peers(x, p);
		for (int i = 0; i < x->peers; i++)
			if (x->common[x->peer[i]] == kind)
				*edge++ = x->peer[i];
		while (edge < end)
			*edge++ = p;
	}
}

/* Fill s->to, step by step. */
static int split(struct scheduler *x)
{
	int ranks = x->l->ranks, *to = x->s->to;
	int err = 0;

	for (int kind = x->kinds - 1; !err && kind > 0; kind--) {
		int steps = steps_of(x, kind);

		if (!steps)
			continue;
		list_edges(x, to, kind, steps);
		err = asl_permutations(to, ranks, steps);
		for (int i = 0; !err && i < steps; i++, to += ranks)
			for (int p = 0; p < ranks; p++)
				if (to[p] == p)
					to[p] = -1;
	}
	return err;
}

enum { STEPS_AT_ONCE = 16 };

/* Turn s->to from step by step to rank by rank, and fill s->from. */
static int transpose(struct asl_schedule *s)
{
	size_t ranks = (size_t)s->ranks, steps = (size_t)s->steps;
	size_t all = ranks * steps;
	int *by_step = s->to;

	s->to = malloc((all + 1) * sizeof *s->to);
	s->from = malloc((all + 1) * sizeof *s->from);
	if (!s->to || !s->from) {
		free(by_step);
		return -ENOMEM;
	}
	memset(s->from, 0xff, all * sizeof *s->from); /* -1 */
	for (size_t first = 0; first < steps; first += STEPS_AT_ONCE)
		for (size_t p = 0; p < ranks; p++)
			for (size_t i = first;
			     i < first + STEPS_AT_ONCE && i < steps; i++) {
				int peer = by_step[i * ranks + p];

				s->to[p * steps + i] = peer;
				if (peer >= 0)
					s->from[(size_t)peer * steps + i] =
						(int)p;
			}
	free(by_step);
	return 0;
}

static int make(struct scheduler *x)
{
	const struct asl_layout *l = x->l;
	size_t ranks = (size_t)l->ranks;
	int err;

	for (int p = 0; p < l->ranks; p++)
		if (asl_list_length(&l->rows, p) >= x->kinds)
			x->kinds = asl_list_length(&l->rows, p) + 1;
	x->common = calloc(ranks, sizeof *x->common);
	x->peer = malloc(ranks * sizeof *x->peer);
	x->degree = calloc(ranks * (size_t)x->kinds, sizeof *x->degree);
	if (!x->common || !x->peer || !x->degree)
		return -ENOMEM;
	count_peers(x);
	for (int kind = 1; kind < x->kinds; kind++)
		x->s->steps += steps_of(x, kind);
	x->s->to = calloc((size_t)x->s->steps * ranks + 1, sizeof *x->s->to);
	if (!x->s->to)
		return -ENOMEM;
	err = split(x);
	return err ? err : transpose(x->s);
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

int asl_steiner_steps(const struct asl_steiner_size *x)
{
	int64_t m = x->m, s = x->s;
	int64_t of_point = (m - 1) * (m - 2) / ((s - 1) * (s - 2));
	int64_t of_pair = (m - 2) / (s - 2);

	/* A block with two points in common is counted for each of them, and so
	 * once too often for that pair. */
	return (int)(s * (of_point - 1) - s * (s - 1) / 2 * (of_pair - 1));
}
