/*
 * permute.c -- a tensor in another order, block by block
 *
 * Two dimensions matter: the one that is contiguous in dst, `across`, and the
 * one with the smallest steps in src, `down`.  A block of both is read with the
 * steps of src into a tile, line by line of src, so that none is fetched twice,
 * and stored as rows of dst.  Where both are one dimension its rows are copied
 * as they are.
 */
#include "lib/contract/view.h"

#include "lib/kernels/kernel.h"
#include "lib/matrix/parts.h"
#include "lib/rank/resume.h"

enum { SIDE = 64, MOST = SIDE * SIDE };

/* A dimension of several indices that both sides step through evenly. */
struct dimension {
	uint64_t len, dst, src;
};

struct shape {
	int count;
	struct dimension of[ASL_MOST_INDICES + 1]; /* all but the two */
	struct dimension down, across;
	uint64_t rows, cols; /* of a block */
};

/* Indices longer than 1 as dst steps through them, the widest steps first. */
static int sort(struct dimension *d, const struct asl_view *dst,
		const struct asl_view *src, const uint64_t *len)
{
	int count = 0;

	for (int i = 0; i < dst->term->count; i++) {
		int index = dst->term->index[i], at = count;

		if (len[index] == 1)
			continue;
		for (; at > 0 && d[at - 1].dst < dst->stride[index]; at--)
			d[at] = d[at - 1];
		d[at] = (struct dimension){len[index], dst->stride[index],
					   src->stride[index]};
		count++;
	}
	return count;
}

static int join(struct dimension *d, int count)
{
	int joined = 0;

	for (int i = 0; i < count; i++) {
		struct dimension *last = &d[joined - 1];

		if (joined && last->dst == d[i].dst * d[i].len &&
		    last->src == d[i].src * d[i].len)
			*last = (struct dimension){last->len * d[i].len,
						   d[i].dst, d[i].src};
		else
			d[joined++] = d[i];
	}
	return joined;
}

/* Take one out of the list. */
static struct dimension pick(struct shape *s, int which)
{
	struct dimension x = s->of[which];

	s->count--;
	for (int i = which; i < s->count; i++)
		s->of[i] = s->of[i + 1];
	return x;
}

static int finest(const struct shape *s)
{
	int best = s->count - 1;

	for (int i = 0; i < s->count; i++)
		if (s->of[i].src < s->of[best].src)
			best = i;
	return best;
}

static struct shape shape_of(const struct asl_view *dst,
			     const struct asl_view *src, const uint64_t *len,
			     uint64_t cache)
{
	struct shape s = {.down = {1, 1, 1}, .across = {1, 1, 1}};
	uint64_t room = asl_least(cache, MOST), side;

	s.count = join(s.of, sort(s.of, dst, src, len));
	if (s.count && s.of[s.count - 1].dst == 1)
		s.across = pick(&s, s.count - 1);
	if (s.count)
		s.down = pick(&s, finest(&s));
	side = s.across.src == 1 ? room : asl_isqrt(room);
	s.cols = asl_least(s.across.len, side);
	s.rows = asl_least(s.down.len, room / s.cols);
	return s;
}

/* A block of src on its way into a tile. */
struct block {
	uint64_t rows, cols, down, across; /* down, across: steps in src */
	double *to;
};

static void read_block(const double *at, void *arg)
{
	const struct block *b = arg;

	if (b->across <= b->down) {
		for (uint64_t i = 0; i < b->rows; i++)
			for (uint64_t j = 0; j < b->cols; j++)
				b->to[i * b->cols + j] =
					at[i * b->down + j * b->across];
		return;
	}
	for (uint64_t j = 0; j < b->cols; j++)
		for (uint64_t i = 0; i < b->rows; i++)
			b->to[i * b->cols + j] =
				at[i * b->down + j * b->across];
}

static double *shifted(double *at, uint64_t by)
{
	return at ? at + by : NULL;
}

/* Where in dst and in src something is. */
struct place {
	uint64_t dst, src;
};

static void move_block(struct asl_rank *r, const struct asl_view *dst,
		       const struct asl_view *src, const struct shape *s,
		       struct place at, struct asl_tile *tile)
{
	struct asl_block to = {dst->where, tile->rows, tile->cols, s->down.dst,
			       shifted(dst->at, at.dst)};
	struct asl_words in = asl_tile_words(tile, 0, tile->rows * tile->cols);
	struct asl_words from = {src->where, in.count,
				 shifted(src->at, at.src)};
	struct block b = {tile->rows, tile->cols, s->down.src, s->across.src,
			  in.at};

	if (to.rows == 1)
		to.ld = to.cols;
	asl_compute(r, &from, 0, read_block, &b);
	asl_tile_store(r, &to, tile);
	asl_commit(r, &to);
}

static void move_plane(struct asl_rank *r, const struct asl_view *dst,
		       const struct asl_view *src, const struct shape *s,
		       struct place corner, struct asl_tile *tile)
{
	for (uint64_t i = 0; i < s->down.len; i += s->rows)
		for (uint64_t j = 0; j < s->across.len; j += s->cols) {
			struct place at = {corner.dst + i * s->down.dst + j,
					   corner.src + i * s->down.src +
						   j * s->across.src};

			asl_tile_zero(tile, asl_least(s->rows, s->down.len - i),
				      asl_least(s->cols, s->across.len - j));
			move_block(r, dst, src, s, at, tile);
		}
}

void asl_permute(struct asl_rank *r, const struct asl_view *dst,
		 const struct asl_view *src, const uint64_t *len)
{
	struct shape s = shape_of(dst, src, len, r->cache);
	struct asl_tile tile;
	uint64_t planes = 1;

	for (int i = 0; i < s.count; i++)
		planes *= s.of[i].len;
	asl_tile_take(r, &tile, s.rows, s.cols);
	for (uint64_t p = 0; !r->err && p < planes; p++) {
		struct place at = {0, 0};
		uint64_t rest = p;

		for (int i = s.count - 1; i >= 0; i--) {
			at.dst += rest % s.of[i].len * s.of[i].dst;
			at.src += rest % s.of[i].len * s.of[i].src;
			rest /= s.of[i].len;
		}
		move_plane(r, dst, src, &s, at, &tile);
	}
	asl_tile_give(r, &tile);
}

void asl_permute_predict(struct asl_counts *x, enum asl_where dst,
			 enum asl_where src, uint64_t words)
{
	x->of[asl_read_counter(src)] += words;
	x->of[asl_write_counter(dst)] += words;
}

uint64_t asl_permute_room(const struct asl_view *dst,
			  const struct asl_view *src, const uint64_t *len,
			  uint64_t cache)
{
	struct shape s = shape_of(dst, src, len, cache);

	return s.rows * s.cols;
}
