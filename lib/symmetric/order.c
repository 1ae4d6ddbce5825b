/*
 * order.c -- tensor blocks of any order: rows, words, and the kernel
 */
#include "lib/symmetric/order.h"

#include <stdlib.h>

#include "lib/base/team.h"
#include "lib/rank/row.h"
#include "lib/symmetric/block.h"

uint64_t asl_choose(uint64_t n, int k)
{
	uint64_t ways = 1;

	/* After step i: ways to choose i of n - k + i. */
	for (int i = 1; i <= k; i++)
		ways = ways * (n - (uint64_t)(k - i)) / (uint64_t)i;
	return ways;
}

/* ---- Rows ---- */

struct asl_order_block asl_order_block(uint64_t n, int m, int order,
				       const struct asl_tuple *row)
{
	struct asl_order_block block = {.order = order, .row = *row};

	for (int i = 0; i < order; i++)
		block.in[i] = asl_part(n, m, row->at[i]);
	return block;
}

/* How often a row block is named, up to its last place i; else 0. */
static int times_named(const struct asl_order_block *block, int i)
{
	int times = 1;

	if (i + 1 < block->order && asl_order_repeats(block, i + 1))
		return 0;
	for (; asl_order_repeats(block, i); i--)
		times++;
	return times;
}

uint64_t asl_order_words(const struct asl_order_block *block)
{
	uint64_t words = 1;

	for (int i = 0; i < block->order; i++) {
		int times = times_named(block, i);

		if (times)
			words *= asl_choose(block->in[i].count +
						    (uint64_t)times - 1,
					    times);
	}
	return words;
}

/* Each index is in m / (b + m - 1) of the multisets of m of b indices. */
uint64_t asl_order_products(const struct asl_order_block *block)
{
	uint64_t words = asl_order_words(block), products = 0;

	for (int i = 0; i < block->order; i++) {
		uint64_t b = block->in[i].count;
		uint64_t times = (uint64_t)times_named(block, i);

		if (times)
			products += words * b * times / (b + times - 1);
	}
	return products;
}

static void begin_from(const struct asl_order_block *block,
		       struct asl_order_row *row, int i)
{
	const struct asl_range *last = &block->in[block->order - 1];

	for (; i < block->order; i++)
		row->at[i] = block->in[i].first;
	row->length = last->count;
	if (asl_order_repeats(block, block->order - 1))
		row->length = row->at[block->order - 2] - last->first + 1;
}

struct asl_order_row asl_order_first(const struct asl_order_block *block)
{
	struct asl_order_row row;

	begin_from(block, &row, 0);
	return row;
}

bool asl_order_next(const struct asl_order_block *block,
		    struct asl_order_row *row)
{
	for (int i = block->order - 2; i >= 0; i--) {
		uint64_t end = block->in[i].first + block->in[i].count;

		if (asl_order_repeats(block, i))
			end = row->at[i - 1] + 1;
		if (++row->at[i] < end) {
			begin_from(block, row, i + 1);
			return true;
		}
	}
	return false;
}

/*
 * Updates
 *
 * The entries of a row have all indices but the last in common, the head.  With
 * c for the last:
 *
 *	y_c += A h, h = the orders of the head times its x
 *	y_i += D (d - 1) times the orders of the head without i times its x, for
 *	each i of the head, where D is the row's product with x
 *
 * A c that is the head's last index, too, only the last entry of a row can have:
 * it is updated by itself.
 */

/* Some indices of an entry, descending, with the words of x and y there. */
struct head {
	int count;
	uint64_t at[ASL_MOST_ORDER];
	double x[ASL_MOST_ORDER];
	double *y[ASL_MOST_ORDER];
};

/*
 * The product of x over all indices but one, times their different orders.  The
 * one left out (-1: none) is the first of those that equal it.
 */
static double product_without(const struct head *h, int left_out)
{
	double product = 1;
	int orders = 1, placed = 0, alike = 0;

	for (int i = 0; i < h->count; i++) {
		bool again =
			i > 0 && i - 1 != left_out && h->at[i] == h->at[i - 1];

		if (i == left_out)
			continue;
		alike = again ? alike + 1 : 1;
		orders = orders * ++placed / alike;
		product *= h->x[i];
	}
	return orders * product;
}

/* y_i += times the product without i, for all i that differ. */
static void add_each(const struct head *h, double times)
{
	for (int i = 0; i < h->count; i++)
		if (i == 0 || h->at[i] != h->at[i - 1])
			*h->y[i] += times * product_without(h, i);
}

static void update_row(const struct asl_order_block *block,
		       const struct asl_order_row *row, const double *A,
		       const double *const x[], double *const y[])
{
	int last = block->order - 1;
	bool corner = asl_order_repeats(block, last);
	uint64_t length = row->length - corner;
	struct head h = {.count = last};
	double D;

	for (int i = 0; i < last; i++) {
		uint64_t at = row->at[i] - block->in[i].first;

		h.at[i] = row->at[i];
		h.x[i] = x[i][at];
		h.y[i] = y[i] + at;
	}
	D = asl_row_update(A, product_without(&h, -1), y[last], x[last],
			   length);
	add_each(&h, last * D);
	if (!corner)
		return;
	h.at[last] = h.at[last - 1];
	h.x[last] = h.x[last - 1];
	h.y[last] = h.y[last - 1];
	h.count++;
	add_each(&h, A[length]);
}

/*
 * Threads, as block.c has them: pieces of as many words, and a y for each but the
 * first.
 */

/* The row that a piece begins with, and the words before it. */
struct start {
	struct asl_order_row row;
	uint64_t done;
};

struct pieces {
	const struct asl_order_block *block;
	const double *A;
	const double *const *x;
	double *const *y;
	double *more;
	uint64_t each; /* words of a y in `more` */
	int count;
	struct start at[ASL_BLOCK_PIECES + 1];
};

static uint64_t own_words(const struct asl_order_block *block)
{
	uint64_t words = 0;

	for (int i = 0; i < block->order; i++)
		words += asl_order_repeats(block, i) ? 0 : block->in[i].count;
	return words;
}

static void choose_y(double *y[ASL_MOST_ORDER], const struct pieces *p,
		     int piece)
{
	uint64_t at = (uint64_t)piece * p->each - p->each;

	for (int i = 0; i < p->block->order; i++) {
		bool again = asl_order_repeats(p->block, i);

		y[i] = again ? y[i - 1] : piece ? p->more + at : p->y[i];
		at += again ? 0 : p->block->in[i].count;
	}
}

/* A piece's rows begin in its part of the words. */
static void cut(struct pieces *p, uint64_t words)
{
	struct asl_order_row row = asl_order_first(p->block);
	uint64_t done = 0;
	int i = 0;

	do {
		while (i < p->count &&
		       asl_part(words, p->count, i).first <= done)
			p->at[i++] = (struct start){row, done};
		done += row.length;
	} while (i < p->count && asl_order_next(p->block, &row));
	for (; i <= p->count; i++)
		p->at[i].done = words;
}

static void update_piece(void *arg, int piece)
{
	const struct pieces *p = arg;
	struct start at = p->at[piece];
	double *y[ASL_MOST_ORDER];

	choose_y(y, p, piece);
	while (at.done < p->at[piece + 1].done) {
		update_row(p->block, &at.row, p->A + at.done, p->x, y);
		at.done += at.row.length;
		asl_order_next(p->block, &at.row);
	}
}

static void add_piece(const struct pieces *p, int piece)
{
	double *from[ASL_MOST_ORDER];

	choose_y(from, p, piece);
	for (int i = 0; i < p->block->order; i++)
		for (uint64_t j = 0; j < p->block->in[i].count; j++)
			if (!asl_order_repeats(p->block, i))
				p->y[i][j] += from[i][j];
}

void asl_order_update(const struct asl_order_block *block, const double *A,
		      const double *const x[], double *const y[])
{
	uint64_t words = asl_order_words(block), own = own_words(block);
	struct pieces p; /* its table of starts is long, and mostly unused */

	p.block = block;
	p.A = A;
	p.x = x;
	p.y = y;
	p.each = own;
	p.more = NULL;
	p.count = asl_block_pieces(words, 1, own);
	if (p.count > 1)
		p.more = calloc((uint64_t)p.count - 1, own * sizeof(double));
	if (!p.more)
		p.count = 1;
	cut(&p, words);
	asl_team_run(p.count, update_piece, &p);
	for (int i = 1; i < p.count; i++)
		add_piece(&p, i);
	free(p.more);
}
