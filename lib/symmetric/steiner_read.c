/*
 * steiner_read.c -- a Steiner system from a text file
 *
 * steiner.h describes the format.  Messages name the line that is wrong, so
 * each block's line is kept until the system has been checked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/symmetric/steiner.h"

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
