/*
 * text.h -- files of lines of words and numbers, read strictly
 *
 * Lines that are blank, or begin with the comment's character, are passed over
 * where data is looked for.  Numbers are written in the C language's way, with
 * a point, whatever the user's language has.  A word that is not what it should
 * be gives -EINVAL and a message with the file, the line, what was expected and
 * what was found.
 */
#ifndef ASL_TEXT_H
#define ASL_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asl_text {
	const char *at, *end;
};

struct asl_lines {
	const char *path;
	struct asl_text rest;
	uint64_t line; /* number of the last one taken, from 1 */
	char comment;
	locale_t c;
};

/* The text and the path are borrowed. */
int asl_lines_open(struct asl_lines *lines, const char *path, const void *text,
		   size_t bytes, char comment);
void asl_lines_close(struct asl_lines *lines);

/* False: there is none. */
bool asl_next_line(struct asl_lines *lines, struct asl_text *line);
bool asl_next_data_line(struct asl_lines *lines, struct asl_text *line);

/* An empty word means that the line has no more. */
struct asl_text asl_next_word(struct asl_text *line);

/* Says that `expected` was expected where `found` was found; -EINVAL. */
int asl_unexpected(const struct asl_lines *lines, const char *expected,
		   struct asl_text found);

/* Each takes what it names, if that comes next; messages say `what`. */
int asl_take_count(const struct asl_lines *lines, struct asl_text *line,
		   const char *what, uint64_t *count);
int asl_take_end(const struct asl_lines *lines, struct asl_text *line);

/* An index from 1 to `most`; *index counts from 0. */
int asl_take_index(const struct asl_lines *lines, struct asl_text *line,
		   const char *what, uint64_t *index, uint64_t most);

/* A finite decimal number; or an integer that a double holds exactly. */
int asl_take_value(const struct asl_lines *lines, struct asl_text *line,
		   bool integer, double *value);

#endif
