/*
 * steiner_file.c -- is it a Steiner system? and systems from text files
 */
#include "lib/symmetric/steiner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/text.h"

/*
 * Is every triple in exactly one block?
 *
 * Point by point: the blocks that have point a must have every pair of later
 * points once.  That takes only a bitmap of pairs; where a pair is wrong, the
 * blocks of a are searched for it.
 */

struct checker {
	const struct asl_steiner *x;
	struct asl_lists of_block, blocks_of; /* its points; every point */
	uint64_t *seen; /* bit b * m + c: the pair b < c */
	size_t words;
	struct asl_steiner_fault *fault;
	int missing; /* a triple is in no block: -EINVAL */
};

/* The first block with a, b and c; -1: none. */
static int first_with(const struct checker *k, int a, int b, int c)
{
	const int *list = asl_list(&k->blocks_of, a);

	for (int i = 0; i < asl_list_length(&k->blocks_of, a); i++)
		if (asl_list_find(&k->of_block, list[i], b) >= 0 &&
		    asl_list_find(&k->of_block, list[i], c) >= 0)
			return list[i];
	return -1;
}

/* Set the bit; was it set? */
static bool see(struct checker *k, int b, int c)
{
	size_t at = (size_t)b * (size_t)k->x->m + (size_t)c;
	uint64_t bit = (uint64_t)1 << at % 64, *word = &k->seen[at / 64];
	bool was = *word & bit;

	*word |= bit;
	return was;
}

static int fail(struct checker *k, int a, int b, int c, int block)
{
	int first = first_with(k, a, b, c);

	*k->fault = (struct asl_steiner_fault){{a, b, c}, {first, block}};
	return -EINVAL;
}

/* The pairs of a block's points behind a. */
static int see_block(struct checker *k, int a, int block, uint64_t *pairs)
{
	const int *p = asl_list(&k->of_block, block);
	int i = 0, s = k->x->s;

	while (p[i] <= a)
		if (++i == s)
			return 0;
	*pairs += (uint64_t)(s - i) * (uint64_t)(s - i - 1) / 2;
	for (; i < s; i++)
		for (int j = i + 1; j < s; j++)
			if (see(k, p[i], p[j]))
				return fail(k, a, p[i], p[j], block);
	return 0;
}

/* Note the first pair that is missing with a, if it is the first of all. */
static void note_missing(struct checker *k, int a)
{
	for (int b = a + 1; b < k->x->m && !k->missing; b++)
		for (int c = b + 1; c < k->x->m && !k->missing; c++)
			if (!see(k, b, c))
				k->missing = fail(k, a, b, c, -1);
}

static int check_point(struct checker *k, int a)
{
	const int *list = asl_list(&k->blocks_of, a);
	uint64_t later = (uint64_t)(k->x->m - a - 1), pairs = 0;

	memset(k->seen, 0, k->words * sizeof *k->seen);
	for (int i = 0; i < asl_list_length(&k->blocks_of, a); i++) {
		int err = see_block(k, a, list[i], &pairs);

		if (err)
			return err;
	}
	if (pairs < later * (later - 1) / 2)
		note_missing(k, a);
	return 0;
}

static int check(struct checker *k)
{
	int err = asl_steiner_lists(&k->of_block, k->x);

	if (!err)
		err = asl_lists_transpose(&k->blocks_of, &k->of_block, k->x->m);
	for (int a = 0; !err && a < k->x->m - 2; a++)
		err = check_point(k, a);
	return err ? err : k->missing;
}

int asl_steiner_check(const struct asl_steiner *x,
		      struct asl_steiner_fault *fault)
{
	size_t words = (size_t)x->m * (size_t)x->m / 64 + 1;
	struct checker k = {
		.x = x,
		.words = words,
		.seen = malloc(words * sizeof *k.seen),
		.fault = fault,
	};
	int err = k.seen ? check(&k) : -ENOMEM;

	asl_lists_free(&k.blocks_of);
	asl_lists_free(&k.of_block);
	free(k.seen);
	return err;
}

/*
 * A system from a text file
 *
 * Messages name the line that is wrong, so each block's line is kept until the
 * system has been checked.
 */

_Static_assert(ASL_STEINER_POINTS == 4096, "messages say so");

struct reader {
	struct asl_lines lines;
	struct asl_steiner *out;
	uint64_t *line_of; /* every block */
	size_t capacity;   /* in blocks */
	int block[ASL_STEINER_POINTS];
	int points; /* in `block` */
};

static int no_memory(const struct reader *r)
{
	return asl_fail(-ENOMEM, "%s: no memory", r->lines.path);
}

/* ---- A line ---- */

static void skip_blanks(struct asl_text *line)
{
	while (line->at < line->end && strchr(" \t\r", *line->at) && *line->at)
		line->at++;
}

/* Skip the character, and blanks behind it. */
static bool take_char(struct asl_text *line, char c)
{
	if (line->at == line->end || *line->at != c)
		return false;
	line->at++;
	skip_blanks(line);
	return true;
}

static bool is_digit(const struct asl_text *line)
{
	return line->at < line->end && *line->at >= '0' && *line->at <= '9';
}

static int take_point(struct reader *r, struct asl_text *line)
{
	struct asl_text begin = *line;
	int number = 0;

	/* Stop at the first digit too many. */
	for (; is_digit(line) && number <= ASL_STEINER_POINTS; line->at++)
		number = 10 * number + (*line->at - '0');
	if (number < 1 || number > ASL_STEINER_POINTS)
		return asl_unexpected(
			&r->lines, "the number of a point, 1 to 4096", begin);
	if (r->points == ASL_STEINER_POINTS)
		return asl_unexpected(&r->lines,
				      "no more than 4096 points in a block",
				      begin);
	r->block[r->points++] = number - 1;
	return 0;
}

static int take_points(struct reader *r, struct asl_text *line)
{
	bool more = true;

	r->points = 0;
	while (more) {
		int err = take_point(r, line);

		if (err)
			return err;
		skip_blanks(line);
		more = take_char(line, ',') || is_digit(line);
	}
	return 0;
}

static int take_block(struct reader *r, struct asl_text *line)
{
	const char *comment =
		memchr(line->at, '#', (size_t)(line->end - line->at));
	bool brace;
	int err;

	if (comment)
		line->end = comment;
	skip_blanks(line);
	brace = take_char(line, '{');
	err = take_points(r, line);
	if (err)
		return err;
	if (brace && !take_char(line, '}'))
		return asl_unexpected(&r->lines, "'}' behind the points",
				      *line);
	if (line->at < line->end)
		return asl_unexpected(&r->lines, "the end of the block", *line);
	return 0;
}

/* ---- A block ---- */

static int check_points(struct reader *r)
{
	qsort(r->block, (size_t)r->points, sizeof *r->block, asl_by_number);
	for (int i = 1; i < r->points; i++)
		if (r->block[i] == r->block[i - 1])
			return asl_fail(-EINVAL,
					"%s:%ju: expected different points, "
					"found %d twice",
					r->lines.path, r->lines.line,
					r->block[i] + 1);
	return 0;
}

static int check_block(const struct reader *r)
{
	const char *path = r->lines.path;
	uint64_t line = r->lines.line;

	if (r->points < 3)
		return asl_fail(-EINVAL,
				"%s:%ju: expected a block of 3 points or more, "
				"found %d",
				path, line, r->points);
	if (r->out->blocks && r->points != r->out->s)
		return asl_fail(
			-EINVAL,
			"%s:%ju: expected %d points, as in line %ju, found %d",
			path, line, r->out->s, r->line_of[0], r->points);
	if (r->out->blocks == ASL_STEINER_BLOCKS)
		return asl_fail(-EINVAL,
				"%s:%ju: expected no more than %d blocks, "
				"found another one",
				path, line, ASL_STEINER_BLOCKS);
	return 0;
}

/* Allocate room for one more block of s points. */
static int grow(struct reader *r, size_t s)
{
	size_t capacity = r->capacity ? 2 * r->capacity : 64;
	void *more;

	if ((size_t)r->out->blocks < r->capacity)
		return 0;
	more = realloc(r->out->point, capacity * s * sizeof *r->out->point);
	if (!more)
		return no_memory(r);
	r->out->point = more;
	more = realloc(r->line_of, capacity * sizeof *r->line_of);
	if (!more)
		return no_memory(r);
	r->line_of = more;
	r->capacity = capacity;
	return 0;
}

static int keep_block(struct reader *r)
{
	struct asl_steiner *x = r->out;
	size_t s = (size_t)r->points;
	int err = grow(r, s);

	if (err)
		return err;
	memcpy(x->point + (size_t)x->blocks * s, r->block, s * sizeof(int));
	r->line_of[x->blocks++] = r->lines.line;
	x->s = r->points;
	if (r->block[s - 1] >= x->m)
		x->m = r->block[s - 1] + 1;
	return 0;
}

/* ---- The file ---- */

static int read_blocks(struct reader *r)
{
	struct asl_text line;
	int err = 0;

	while (!err && asl_next_data_line(&r->lines, &line)) {
		err = take_block(r, &line);
		if (!err)
			err = check_points(r);
		if (!err)
			err = check_block(r);
		if (!err)
			err = keep_block(r);
	}
	if (!err && !r->out->blocks)
		err = asl_fail(-EINVAL,
			       "%s: expected a block a line, found none",
			       r->lines.path);
	return err;
}

static int check_system(const struct reader *r)
{
	struct asl_steiner_fault f = {{0}, {0}};
	int err = asl_steiner_check(r->out, &f);
	const int point[] = {f.point[0] + 1, f.point[1] + 1, f.point[2] + 1};

	if (!err)
		return 0;
	if (err != -EINVAL)
		return no_memory(r);
	if (f.block[0] < 0)
		return asl_fail(err,
				"%s: expected every three points in one block, "
				"found %d, %d, %d in none",
				r->lines.path, point[0], point[1], point[2]);
	return asl_fail(err,
			"%s:%ju: expected every three points in one block, "
			"found %d, %d, %d in line %ju, too",
			r->lines.path, r->line_of[f.block[1]], point[0],
			point[1], point[2], r->line_of[f.block[0]]);
}

static int read_file(struct reader *r, const char *path)
{
	void *map;
	size_t bytes;
	int err = asl_file_map(&map, &bytes, path);

	if (err)
		return err;
	err = asl_lines_open(&r->lines, path, map, bytes, '#');
	if (!err) {
		err = read_blocks(r);
		if (!err)
			err = check_system(r);
		asl_lines_close(&r->lines);
	}
	asl_file_unmap(map, bytes);
	return err;
}

static void name(struct asl_steiner *x, const char *path)
{
	const char *slash = strrchr(path, '/');
	char quote[ASL_QUOTE];

	path = slash ? slash + 1 : path;
	snprintf(x->name, sizeof x->name, "file %.58s",
		 asl_quote(quote, path, strlen(path)));
}

int asl_steiner_read(struct asl_steiner *out, const char *path)
{
	struct reader *r = calloc(1, sizeof *r);
	int err;

	*out = (struct asl_steiner){0};
	if (!r)
		return asl_fail(-ENOMEM, "%s: no memory", path);
	r->out = out;
	err = read_file(r, path);
	name(out, path);
	if (err)
		asl_steiner_free(out);
	free(r->line_of);
	free(r);
	return err;
}
