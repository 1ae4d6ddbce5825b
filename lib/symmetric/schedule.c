/*
 * schedule.c -- steps from the graph of who shares row blocks with whom
 *
 * Ranks that have so many row blocks in common are a kind, and a graph, which is
 * decomposed into permutations.  One that is not regular is made so by edges from
 * ranks to themselves, which stand for a rest.
 */
#include "lib/symmetric/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/matrix/map.h"
#include "lib/symmetric/permutations.h"

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
	return asl_file_fail(err, "%s: no memory for the steps of %d ranks",
			     l->name, l->ranks);
}

void asl_schedule_free(struct asl_schedule *s)
{
	free(s->to);
	free(s->from);
	*s = (struct asl_schedule){0};
}
