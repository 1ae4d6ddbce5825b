/*
 * wedge_pieces.c -- a rank's product where x and y do not fit into the cache
 *
 * x and y of the rank's W words of row blocks are in DRAM.  Row blocks are cut
 * into parts (layout.h), and a tensor block's pieces pass one after another,
 * the last of their d parts changing fastest.  x and y of d parts are in the
 * cache: when a part changes, y of it and of those that follow is stored, and
 * their next x and y are loaded.  A part that is the one before it, too, is there
 * already.  So 2d words of cache are enough.
 *
 * Messages are packed, and sums added, in DRAM.  All words sent are those of a
 * large cache; the words of x and y that come and go are, for a tensor block
 * whose row blocks are b words in t parts each and all differ,
 *
 *	loaded		2b (1 + t + ... + t^(d-1))
 *	stored		b (1 + t + ... + t^(d-1))
 *
 * Where a row block is named repeatedly, for the (p + 1)-th time in a row, the
 * part is below the p parts before it, which may be equal: part v then comes
 * with (t - 2 - v + p over p) of these.  Over all v that is (t - 1 + p over
 * p + 1), and over the first u only, which may be one word longer, the same less
 * (t - 1 - u + p over p + 1).
 */
#include "lib/symmetric/wedge.h"

uint64_t asl_pieces_longest(const struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;

	return asl_ceil_div(asl_layout_row(l, 0).count, (uint64_t)l->cuts);
}

uint64_t asl_pieces_cache(const struct asl_symmetric *s)
{
	return 2 * (uint64_t)s->order * asl_pieces_longest(s);
}

void asl_pieces_take(struct asl_rank *r, struct asl_wedge *w)
{
	uint64_t words = asl_wedge_rows(w);

	for (int i = 0; i < w->s->order; i++) {
		asl_tile_take(r, &w->part_x[i], 1, asl_pieces_longest(w->s));
		asl_tile_take(r, &w->part_y[i], 1, asl_pieces_longest(w->s));
	}
	asl_take(r, &w->far_x, ASL_DRAM, words);
	asl_take(r, &w->far_y, ASL_DRAM, words);
	asl_take(r, &w->parcel, ASL_DRAM, w->longest);
}

void asl_pieces_give(struct asl_rank *r, struct asl_wedge *w)
{
	asl_give(r, &w->parcel);
	asl_give(r, &w->far_y);
	asl_give(r, &w->far_x);
	for (int i = 0; i < w->s->order; i++) {
		asl_tile_give(r, &w->part_y[i]);
		asl_tile_give(r, &w->part_x[i]);
	}
}

/* ---- Vectors in DRAM, a part at a time ---- */

static struct asl_block far_block(const struct asl_words *v, uint64_t first,
				  uint64_t count)
{
	struct asl_words x = asl_slice(v, first, count);

	return asl_as_block(&x, count, 1);
}

static void load(struct asl_rank *r, struct asl_tile *to,
		 const struct asl_words *v, struct asl_range at)
{
	struct asl_block from = far_block(v, at.first, at.count);

	asl_tile_load(r, to, &from);
}

static void store(struct asl_rank *r, const struct asl_words *v,
		  struct asl_range at, const struct asl_tile *from)
{
	struct asl_block to = far_block(v, at.first, at.count);

	asl_tile_store(r, &to, from);
}

/* The words from `done` on that fit into a part; false: there are none. */
static bool next_part(struct asl_range *x, const struct asl_wedge *w,
		      uint64_t done, uint64_t count)
{
	*x = (struct asl_range){
		done, asl_min(count - done, asl_pieces_longest(w->s))};
	return x->count > 0;
}

void asl_pieces_load(struct asl_rank *r, struct asl_wedge *w, uint64_t first,
		     const struct asl_block *from)
{
	struct asl_range x;

	for (uint64_t done = 0; next_part(&x, w, done, from->rows) && !r->err;
	     done += x.count) {
		struct asl_block part =
			asl_sub_block(from, done, 0, x.count, 1);

		asl_tile_load(r, &w->part_x[0], &part);
		x.first += first;
		store(r, &w->far_x, x, &w->part_x[0]);
	}
}

void asl_pieces_store(struct asl_rank *r, struct asl_wedge *w,
		      enum asl_wedge_vector which, uint64_t first,
		      const struct asl_block *to)
{
	const struct asl_words *v =
		which == ASL_WEDGE_X ? &w->far_x : &w->far_y;
	struct asl_range x;

	for (uint64_t done = 0; next_part(&x, w, done, to->rows) && !r->err;
	     done += x.count) {
		struct asl_block part = asl_sub_block(to, done, 0, x.count, 1);

		x.first += first;
		load(r, &w->part_x[0], v, x);
		asl_tile_store(r, &part, &w->part_x[0]);
	}
}

struct working {
	const struct asl_wedge_work *work;
	double *x, *y;
	uint64_t words;
};

static void use_words(const double *at, void *arg)
{
	const struct working *p = arg;

	(void)at;
	for (uint64_t i = 0; i < p->words; i++)
		p->work->use(p->work->arg, p->x + i, p->y + i);
}

static void work_on(struct asl_rank *r, struct asl_wedge *w,
		    const struct asl_wedge_work *x, struct asl_range at)
{
	struct working p = {x, w->part_x[0].at, w->part_y[0].at, at.count};

	load(r, &w->part_x[0], &w->far_x, at);
	if (x->reads_y)
		load(r, &w->part_y[0], &w->far_y, at);
	asl_compute(r, NULL, x->flops * at.count, use_words, &p);
	if (x->writes_x)
		store(r, &w->far_x, at, &w->part_x[0]);
}

void asl_pieces_do(struct asl_rank *r, struct asl_wedge *w,
		   const struct asl_wedge_work *work)
{
	for (int i = 0; i < w->rows; i++) {
		struct asl_range mine = asl_wedge_share(w, i), x;

		for (uint64_t done = 0;
		     next_part(&x, w, done, mine.count) && !r->err;
		     done += x.count) {
			x.first += mine.first;
			work_on(r, w, work, x);
		}
	}
}

void asl_pieces_zero(struct asl_rank *r, struct asl_wedge *w)
{
	struct asl_range x;

	for (uint64_t done = 0;
	     next_part(&x, w, done, asl_wedge_rows(w)) && !r->err;
	     done += x.count) {
		asl_tile_zero(&w->part_y[0], x.count, 1);
		store(r, &w->far_y, x, &w->part_y[0]);
	}
}

/* ---- Multiply ---- */

/* A part's words of far_x and far_y. */
static struct asl_range place_of(const struct asl_wedge *w,
				 const struct asl_order_block *piece, int i)
{
	const struct asl_layout *l = &w->s->layout;
	int row = asl_layout_row_of(l, piece->row.at[i]);
	int place = asl_list_find(&l->rows, w->rank, row);
	struct asl_range x = piece->in[i];

	x.first += w->l.at[place] - asl_layout_row(l, row).first;
	return x;
}

/* Store y of the parts held from the i-th on. */
static void let_go(struct asl_rank *r, struct asl_wedge *w, int first)
{
	for (int i = first; i < w->held.order; i++)
		if (!asl_order_repeats(&w->held, i))
			store(r, &w->far_y, place_of(w, &w->held, i),
			      &w->part_y[i]);
}

/* Replace the parts from the first one on that differs. */
static void hold(struct asl_rank *r, struct asl_wedge *w,
		 const struct asl_order_block *next)
{
	int first = 0;

	while (first < w->held.order &&
	       w->held.row.at[first] == next->row.at[first])
		first++;
	let_go(r, w, first);
	for (int i = first; i < next->order; i++) {
		struct asl_range at = place_of(w, next, i);

		if (asl_order_repeats(next, i))
			continue;
		load(r, &w->part_x[i], &w->far_x, at);
		load(r, &w->part_y[i], &w->far_y, at);
	}
	w->held = *next;
}

static void update(const double *A, void *arg)
{
	const struct asl_wedge *w = arg;
	const double *x[ASL_MOST_ORDER];
	double *y[ASL_MOST_ORDER];

	for (int i = 0; i < w->held.order; i++) {
		bool own = !asl_order_repeats(&w->held, i);

		x[i] = own ? w->part_x[i].at : x[i - 1];
		y[i] = own ? w->part_y[i].at : y[i - 1];
	}
	asl_order_update(&w->held, A, x, y);
}

void asl_pieces_multiply(struct asl_rank *r, struct asl_wedge *w,
			 const struct asl_words *A, size_t block)
{
	struct asl_pieces pieces = asl_pieces(&w->s->layout, block);
	uint64_t done = 0;

	w->held.order = 0;
	do {
		struct asl_order_block piece = asl_piece_now(&pieces);
		uint64_t words = asl_order_words(&piece);
		struct asl_words from = asl_slice(A, done, words);

		hold(r, w, &piece);
		asl_compute(r, &from, 4 * words, update, w);
		done += words;
	} while (asl_piece_next(&pieces) && !r->err);
	let_go(r, w, 0);
}

/* ---- Predict ---- */

/* Words of the i-th part that come while those before it stay. */
static uint64_t parts_loaded(const struct asl_layout *l, int row, uint64_t p)
{
	uint64_t words = asl_layout_row(l, row).count;
	uint64_t t = (uint64_t)asl_layout_parts(l, row);
	uint64_t all, longer;

	if (p == 0)
		return words;
	all = asl_choose(t - 1 + p, (int)p + 1);
	longer = all - asl_choose(t - 1 + p - words % t, (int)p + 1);
	return words / t * all + longer;
}

static uint64_t block_loads(const struct asl_layout *l,
			    const struct asl_order_block *block)
{
	uint64_t before = 1, words = 0; /* pieces of the rows before this run */
	uint64_t p = 0;

	for (int i = 0; i < block->order; i++) {
		int row = block->row.at[i];
		uint64_t t = (uint64_t)asl_layout_parts(l, row);

		p = !asl_order_repeats(block, i) ? 0 : p + 1;
		words += before * parts_loaded(l, row, p);
		if (i + 1 < block->order && !asl_order_repeats(block, i + 1))
			before *= asl_choose(t + p, (int)p + 1);
	}
	return words;
}

void asl_pieces_predict(struct asl_counts *out, const struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;
	uint64_t words = 0;

	for (size_t i = l->first[w->rank]; i < l->first[w->rank + 1]; i++) {
		struct asl_order_block block = asl_layout_order_block(l, i);

		words += block_loads(l, &block);
	}
	out->of[ASL_DRAM_READ] += 2 * words;
	out->of[ASL_DRAM_WRITE] += words + asl_wedge_rows(w);
}
