/*
 * wedge_exchange.c -- what ranks with row blocks in common send one another
 */
#include "lib/symmetric/wedge.h"

/* ---- With whom ---- */

/* Who is sent to in a step, and who is received from; -1: nobody. */
struct pair {
	int to, from;
};

static int steps(const struct asl_symmetric *s)
{
	return s->alltoall ? s->layout.ranks - 1 : s->schedule.steps;
}

static struct pair pair_of(const struct asl_wedge *w, int step)
{
	const struct asl_symmetric *s = w->s;
	int P = s->layout.ranks;

	if (!s->alltoall)
		return (struct pair){
			asl_schedule_to(&s->schedule, w->rank, step),
			asl_schedule_from(&s->schedule, w->rank, step)};
	return (struct pair){(w->rank + step + 1) % P,
			     (w->rank + P - step - 1) % P};
}

/* Words of this rank and of every other in row blocks that they share. */
static void count_words(struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;

	for (int i = 0; i < w->rows; i++) {
		struct asl_range row = asl_layout_row(l, w->row[i]);
		uint64_t own = asl_wedge_share(w, i).count;
		int sharers = asl_list_length(&l->sharers, w->row[i]);

		for (int j = 0; j < sharers; j++) {
			int peer = asl_list(&l->sharers, w->row[i])[j];

			w->l.mine[peer] += own;
			w->l.theirs[peer] += asl_part_of(row, sharers, j).count;
		}
	}
}

/* Of x a rank sends what is its own; of y sums of what is the other's. */
static uint64_t words_out(const struct asl_wedge *w, int to, bool sums)
{
	return to < 0 ? 0 : (sums ? w->l.theirs : w->l.mine)[to];
}

static uint64_t words_in(const struct asl_wedge *w, int from, bool sums)
{
	return from < 0 ? 0 : (sums ? w->l.mine : w->l.theirs)[from];
}

static uint64_t longest(const struct asl_wedge *w)
{
	uint64_t most = 0;

	if (w->s->alltoall)
		return w->s->equal;
	for (int i = 0; i < steps(w->s); i++) {
		int to = pair_of(w, i).to;

		most = asl_larger(most, words_out(w, to, false));
		most = asl_larger(most, words_out(w, to, true));
	}
	return most;
}

void asl_wedge_meet(struct asl_wedge *w)
{
	count_words(w);
	w->longest = longest(w);
}

/* ---- Exchanges ---- */

/* What this rank or its peer has of a row block that they have in common. */
static struct asl_range part_of(const struct asl_wedge *w,
				const struct asl_common_row *x, int owner)
{
	return asl_layout_part(&w->s->layout, owner,
			       owner == w->rank ? x->of_a : x->of_b);
}

/*
 * The row blocks in common with a peer (-1: nobody), to w->l.common; and the words
 * of these that one of the two has.
 */
static int find_common(struct asl_wedge *w, int peer, int owner,
		       uint64_t *words)
{
	int count = peer < 0 ? 0
			     : asl_layout_common(&w->s->layout, w->rank, peer,
						 w->l.common);

	*words = 0;
	for (int i = 0; i < count; i++)
		*words += part_of(w, &w->l.common[i], owner).count;
	*words *= (uint64_t)w->columns;
	return count;
}

/* The owner's words of the common row blocks, into a message. */
static void pack(struct asl_rank *r, struct asl_wedge *w, struct asl_tile *from,
		 int count, int owner)
{
	uint64_t done = 0;

	for (int i = 0; i < count; i++) {
		struct asl_common_row *row = &w->l.common[i];
		struct asl_words x = asl_wedge_in_cache(
			w, from,
			asl_wedge_place(w, row->of_a, part_of(w, row, owner)));
		struct asl_words to = asl_tile_words(&w->pack, done, x.count);

		asl_copy(r, &to, &x);
		done += x.count;
	}
}

/* The same out of one: loaded as x, or added to y. */
static void unpack(struct asl_rank *r, struct asl_wedge *w, int count,
		   int owner, bool sums)
{
	uint64_t done = 0;

	for (int i = 0; i < count; i++) {
		struct asl_common_row *row = &w->l.common[i];
		struct asl_range rows =
			asl_wedge_place(w, row->of_a, part_of(w, row, owner));
		struct asl_words x =
			asl_wedge_in_cache(w, sums ? &w->y : &w->x, rows);
		struct asl_words from = asl_slice(&w->landing, done, x.count);
		struct asl_block block =
			asl_as_block(&from, rows.count, (uint64_t)w->columns);
		struct asl_tile tile;

		done += x.count;
		if (sums) {
			asl_add(r, &x, &x, &from);
			continue;
		}
		tile = asl_tile_rows(&w->x, rows.first, rows.count);
		asl_tile_load(r, &tile, &block);
	}
}

static void exchange(struct asl_rank *r, struct asl_wedge *w, int step,
		     bool sums)
{
	struct pair x = pair_of(w, step);
	int to_owner = sums ? x.to : w->rank,
	    from_owner = sums ? w->rank : x.from;
	struct asl_words out, in;
	uint64_t send, receive;
	int count = find_common(w, x.to, to_owner, &send);

	pack(r, w, sums ? &w->y : &w->x, count, to_owner);
	count = find_common(w, x.from, from_owner, &receive);
	if (w->s->alltoall)
		send = receive = w->s->equal * (uint64_t)w->columns;
	out = asl_tile_words(&w->pack, 0, send);
	in = asl_slice(&w->landing, 0, receive);
	if (send || receive)
		asl_exchange(r, x.to, send ? &out : NULL, x.from,
			     receive ? &in : NULL);
	unpack(r, w, count, from_owner, sums);
}

void asl_wedge_spread(struct asl_rank *r, struct asl_wedge *w)
{
	asl_phase(r, ASL_GATHER);
	for (int i = 0; i < steps(w->s) && !r->err; i++)
		exchange(r, w, i, false);
}

void asl_wedge_collect(struct asl_rank *r, struct asl_wedge *w)
{
	asl_phase(r, ASL_REDUCE);
	for (int i = 0; i < steps(w->s) && !r->err; i++)
		exchange(r, w, i, true);
}

/* ---- The closed form ---- */

static void predict_exchanges(struct asl_counts *x, const struct asl_wedge *w,
			      uint64_t columns, bool sums)
{
	enum asl_counter received = sums ? ASL_BOUNCE_READ : ASL_DRAM_READ;

	for (int i = 0; i < steps(w->s); i++) {
		struct pair p = pair_of(w, i);
		uint64_t out = words_out(w, p.to, sums) * columns;
		uint64_t in = words_in(w, p.from, sums) * columns;

		x->of[received] += in;
		if (w->s->alltoall)
			out = in = w->s->equal * columns;
		x->of[ASL_NET_SEND] += out;
		x->of[ASL_NET_RECV] += in;
		x->of[ASL_NET_MSGS] += out > 0;
		x->of[ASL_BH] += asl_larger(out, in);
	}
}

void asl_wedge_predict_product(struct asl_ledger *out,
			       const struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns, A = asl_wedge_tensor(w);

	predict_exchanges(&out->in[ASL_GATHER], w, c, false);
	predict_exchanges(&out->in[ASL_REDUCE], w, c, true);
	out->in[ASL_COMPUTE].of[ASL_NVM_READ] += A;
	out->in[ASL_COMPUTE].of[ASL_FLOPS] += 4 * A * c;
}
