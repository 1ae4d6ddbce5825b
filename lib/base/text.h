/*
 * text.h -- files in memory, and lines of words and numbers, read strictly
 *
 * Blank lines, and lines that begin with the comment character, hold no data.
 * Numbers are written as in C, with a point, whatever the user's language.  A
 * word that is not as expected gives -EINVAL and a message with the file, the
 * line, what was expected and what was found.
 *
 * Errors	0, or a negative errno, described by asl_failure().
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
	uint64_t line; /* number of the last one read, from 1 */
	char comment;
	locale_t c;
};

/* Borrows the text and the path. */
int asl_lines_open(struct asl_lines *lines, const char *path, const void *text,
		   size_t bytes, char comment);
void asl_lines_close(struct asl_lines *lines);

/* False: there is none. */
bool asl_next_line(struct asl_lines *lines, struct asl_text *line);
bool asl_next_data_line(struct asl_lines *lines, struct asl_text *line);

/* An empty word: the line has no more. */
struct asl_text asl_next_word(struct asl_text *line);

/* Fail: `expected` was expected where `found` was found; -EINVAL. */
int asl_unexpected(const struct asl_lines *lines, const char *expected,
		   struct asl_text found);

/* Take digits, which must be some and fit; else *t is where they end. */
bool asl_take_digits(struct asl_text *t, uint64_t *count);

/* Take the next word, which must be of this kind; messages call it `what`. */
int asl_take_count(const struct asl_lines *lines, struct asl_text *line,
		   const char *what, uint64_t *count);
int asl_take_end(const struct asl_lines *lines, struct asl_text *line);

/* An index from 1 to `most`; *index counts from 0. */
int asl_take_index(const struct asl_lines *lines, struct asl_text *line,
		   const char *what, uint64_t *index, uint64_t most);

/* A finite decimal number, or an integer that a double holds exactly. */
int asl_take_value(const struct asl_lines *lines, struct asl_text *line,
		   bool integer, double *value);

/* ---- Files in memory ---- */

/* Can the file be read?  0 or a negative errno; -EISDIR: it is a directory. */
int asl_file_readable(const char *path);

/* Text for a message: shortened, without control characters. */
#define ASL_QUOTE 64
const char *asl_quote(char to[ASL_QUOTE], const char *text, size_t length);

/* Does the name end so, in letters of either case? */
bool asl_file_ends(const char *path, const char *ending);

/* Map a whole file, which must be regular and not empty, for reading. */
int asl_file_map(void **map, size_t *map_bytes, const char *path);

/*
 * Allocate `words` doubles for `what` in the file `path`: zeros after those that
 * *map has already (NULL: none); on failure these stay.  `words` is a double, so
 * that no product of sizes overflows before it is refused with -ENOMEM as more
 * memory than this machine has.
 */
int asl_file_allocate(void **map, size_t *map_bytes, const char *path,
		      const char *what, double words);

void asl_file_unmap(void *map, size_t map_bytes); /* NULL is allowed */

#endif
