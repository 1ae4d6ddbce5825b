/*
 * schedule.c -- steps from the graph of ranks that share row blocks
 *
 * Ranks of a Steiner system with one row block in common, or two, form a regular
 * graph, which is split into permutations, the steps.
 *
 * The graph of extra words is directed, with an edge from their owner to each
 * other rank of the row block.  A rank with more edges out than in, or the other
 * way round, rests as often as its larger number allows; edges that stand for no
 * message fill up the other side.
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

	int *out, *in; /* [ranks]: messages of extra words */
	int extras;    /* steps for them */
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

/* All ranks have as many peers with so many row blocks in common. */
static int steps_of(struct scheduler *x, int common)
{
	int steps = 0;

	find_peers(x, 0);
	for (int i = 0; i < x->peers; i++)
		steps += x->common[x->peer[i]] == common;
	return steps;
}

static void list_edges(struct scheduler *x, int *edge, int common)
{
	for (int p = 0; p < x->l->ranks; p++) {
		find_peers(x, p);
		for (int i = 0; i < x->peers; i++)
			if (x->common[x->peer[i]] == common)
				*edge++ = x->peer[i];
	}
}

/* Fill s->to, step by step, up to *to. */
static int split(struct scheduler *x, int **to)
{
	int err = 0;

	for (int common = 2; x->s->even && !err && common > 0; common--) {
		int steps = steps_of(x, common);

		list_edges(x, *to, common);
		err = asl_permutations(*to, x->l->ranks, steps);
		*to += (size_t)steps * (size_t)x->l->ranks;
	}
	return err;
}

/* ---- Extra words ---- */

/* List the ranks that get a rank's extra words, one for each row block. */
static int list_extras(const struct asl_layout *l, int rank, int *to)
{
	int count = 0;

	for (int i = 0; i < asl_list_length(&l->rows, rank); i++) {
		int row = asl_list(&l->rows, rank)[i];

		if (asl_layout_part(l, rank, i).count <= l->even)
			continue;
		for (int j = 0; j < asl_list_length(&l->sharers, row); j++)
			if (asl_list(&l->sharers, row)[j] != rank)
				to[count++] = asl_list(&l->sharers, row)[j];
	}
	return count;
}

/* The most that list_extras lists. */
static size_t most_extras(const struct asl_layout *l)
{
	size_t most = 0;

	for (int p = 0; p < l->ranks; p++) {
		size_t count = 0;

		for (int i = 0; i < asl_list_length(&l->rows, p); i++)
			count += (size_t)asl_list_length(
				&l->sharers, asl_list(&l->rows, p)[i]);
		most = count > most ? count : most;
	}
	return most;
}

static void count_extras(struct scheduler *x, int *list)
{
	for (int p = 0; p < x->l->ranks; p++) {
		x->out[p] = list_extras(x->l, p, list);
		for (int i = 0; i < x->out[p]; i++)
			x->in[list[i]]++;
	}
	for (int p = 0; p < x->l->ranks; p++) {
		int most = x->out[p] > x->in[p] ? x->out[p] : x->in[p];

		x->extras = most > x->extras ? most : x->extras;
	}
}

/* Messages, rests, and edges to the ranks that lack some. */
static void list_extra_edges(const struct scheduler *x, int *edge)
{
	int steps = x->extras, lacking = 0, lacks = -1;

	for (int p = 0; p < x->l->ranks; p++) {
		int *end = edge + steps, less = x->in[p] - x->out[p];

		edge += list_extras(x->l, p, edge);
		for (; less > 0; less--) {
			for (; lacks <= 0; lacking++)
				lacks = x->out[lacking] - x->in[lacking];
			*edge++ = lacking - 1;
			lacks--;
		}
		while (edge < end)
			*edge++ = p;
	}
}

/* Tell messages from other edges, and the second to a rank from the first. */
static void mark_extras(const struct scheduler *x, int *to, int *list,
			int *left)
{
	int P = x->l->ranks;

	memset(left, 0, (size_t)P * sizeof *left);
	for (int p = 0; p < P; p++) {
		int count = list_extras(x->l, p, list);

		for (int i = 0; i < count; i++)
			left[list[i]]++;
		for (int i = x->extras; i-- > 0;) {
			int *peer = &to[(size_t)i * (size_t)P + (size_t)p];

			if (left[*peer])
				*peer += --left[*peer] * P;
			else
				*peer = -1;
		}
	}
}

static int split_extras(struct scheduler *x, int *to, int *list)
{
	int err;

	if (!x->extras)
		return 0;
	list_extra_edges(x, to);
	err = asl_permutations(to, x->l->ranks, x->extras);
	if (!err)
		mark_extras(x, to, list, x->common);
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
				if (peer < 0)
					continue;
				s->from[(size_t)peer % ranks * steps + i] =
					(int)p + peer / s->ranks * s->ranks;
			}
	free(by_step);
	return 0;
}

static void count_steps(struct scheduler *x, int *list)
{
	struct asl_schedule *s = x->s;

	if (x->l->even)
		s->even = steps_of(x, 1) + steps_of(x, 2);
	count_extras(x, list);
	s->steps = s->even + x->extras;
}

static int make(struct scheduler *x)
{
	const struct asl_layout *l = x->l;
	size_t ranks = (size_t)l->ranks;
	int *list = malloc((most_extras(l) + 1) * sizeof *list), *to, err;

	x->common = calloc(ranks, sizeof *x->common);
	x->peer = malloc(ranks * sizeof *x->peer);
	x->out = calloc(ranks, sizeof *x->out);
	x->in = calloc(ranks, sizeof *x->in);
	err = list && x->common && x->peer && x->out && x->in ? 0 : -ENOMEM;
	if (!err)
		count_steps(x, list);
	to = calloc((size_t)x->s->steps * ranks + 1, sizeof *to);
	x->s->to = to;
	if (!to)
		err = -ENOMEM;
	if (!err)
		err = split(x, &to);
	if (!err)
		err = split_extras(x, to, list);
	free(list);
	return err ? err : transpose(x->s);
}

int asl_schedule_make(struct asl_schedule *s, const struct asl_layout *l)
{
	struct scheduler x = {.l = l, .s = s};
	int err;

	*s = (struct asl_schedule){.ranks = l->ranks};
	if (l->even == UINT64_MAX) {
		s->steps = s->even =
			l->ranks > 1 ? l->ranks - 1 + l->ranks % 2 : 0;
		return 0;
	}
	err = make(&x);
	free(x.common);
	free(x.peer);
	free(x.out);
	free(x.in);
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
