/*
 * text.c -- lines, words and numbers; mapped files
 */
#include "lib/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/system.h"

/* 770 digits tell any double from its neighbours. */
#define NUMBER_BYTES 1024

int asl_lines_open(struct asl_lines *lines, const char *path, const void *text,
		   size_t bytes, char comment)
{
	*lines = (struct asl_lines){
		.path = path,
		.rest = {text, (const char *)text + bytes},
		.comment = comment,
		.c = newlocale(LC_NUMERIC_MASK, "C", 0),
	};
	return lines->c ? 0 : asl_fail(-ENOMEM, "%s: no memory", path);
}

void asl_lines_close(struct asl_lines *lines)
{
	if (lines->c)
		freelocale(lines->c);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool asl_next_line(struct asl_lines *lines, struct asl_text *line)
{
	struct asl_text *rest = &lines->rest;
	const char *end;

	if (rest->at == rest->end)
		return false;
	end = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
	*line = (struct asl_text){rest->at, end ? end : rest->end};
	rest->at = end ? end + 1 : rest->end;
	lines->line++;
	return true;
}

struct asl_text asl_next_word(struct asl_text *line)
{
	struct asl_text word;

	while (line->at < line->end && is_blank(*line->at))
		line->at++;
	word.at = line->at;
	while (line->at < line->end && !is_blank(*line->at))
		line->at++;
	word.end = line->at;
	return word;
}

bool asl_next_data_line(struct asl_lines *lines, struct asl_text *line)
{
	while (asl_next_line(lines, line)) {
		struct asl_text look = *line, word = asl_next_word(&look);

		if (word.at < word.end && *word.at != lines->comment)
			return true;
	}
	return false;
}

int asl_unexpected(const struct asl_lines *lines, const char *expected,
		   struct asl_text found)
{
	char quote[ASL_QUOTE];

	asl_quote(quote, found.at, (size_t)(found.end - found.at));
	return asl_fail(-EINVAL, "%s:%ju: expected %s, found %s%s%s",
			lines->path, lines->line, expected, *quote ? "'" : "",
			*quote ? quote : "the end of the line",
			*quote ? "'" : "");
}

int asl_take_end(const struct asl_lines *lines, struct asl_text *line)
{
	struct asl_text word = asl_next_word(line);

	if (word.at == word.end)
		return 0;
	return asl_unexpected(lines, "the end of the line", word);
}

bool asl_take_digits(struct asl_text *t, uint64_t *count)
{
	const char *from = t->at;

	for (*count = 0; t->at < t->end; t->at++) {
		uint64_t digit = (uint64_t)(unsigned char)*t->at - '0';

		if (digit > 9)
			break;
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, digit, count))
			return false;
	}
	return t->at > from;
}

int asl_take_count(const struct asl_lines *lines, struct asl_text *line,
		   const char *what, uint64_t *count)
{
	struct asl_text word = asl_next_word(line), rest = word;

	if (asl_take_digits(&rest, count) && rest.at == rest.end)
		return 0;
	return asl_unexpected(lines, what, word);
}

int asl_take_index(const struct asl_lines *lines, struct asl_text *line,
		   const char *what, uint64_t *index, uint64_t most)
{
	int err = asl_take_count(lines, line, what, index);

	if (err)
		return err;
	if (*index == 0 || *index > most)
		return asl_fail(-EINVAL, "%s:%ju: %s is %ju, expected 1 to %ju",
				lines->path, lines->line, what, *index, most);
	--*index;
	return 0;
}

/* Letters are refused before strtod can see hexadecimals, nan or inf in them. */
int asl_take_value(const struct asl_lines *lines, struct asl_text *line,
		   bool integer, double *value)
{
	const char *alphabet = integer ? "+-0123456789" : "+-.0123456789eE";
	const char *what =
		integer ? "an integer up to 2^53" : "a finite decimal number";
	struct asl_text word = asl_next_word(line);
	size_t n = (size_t)(word.end - word.at);
	char number[NUMBER_BYTES], *end;

	if (n == 0 || n >= sizeof(number))
		return asl_unexpected(lines, what, word);
	memcpy(number, word.at, n);
	number[n] = '\0';
	*value = strtod_l(number, &end, lines->c);
	if (strspn(number, alphabet) != n || end != number + n ||
	    !isfinite(*value) ||
	    /* Larger integers would share doubles. */
	    (integer && fabs(*value) > 0x1p53))
		return asl_unexpected(lines, what, word);
	return 0;
}

/* ---- Files in memory ---- */

const char *asl_quote(char to[ASL_QUOTE], const char *text, size_t length)
{
	size_t n = length < ASL_QUOTE - 4 ? length : ASL_QUOTE - 4;

	for (size_t i = 0; i < n; i++)
		to[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
	strcpy(to + n, n < length ? "..." : "");
	return to;
}

bool asl_file_ends(const char *path, const char *ending)
{
	size_t length = strlen(path), n = strlen(ending);

	return length >= n && strcasecmp(path + length - n, ending) == 0;
}

static int check_kind(const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return asl_fail(-EISDIR, "%s: is a directory", path);
	if (!S_ISREG(st->st_mode))
		return asl_fail(-EINVAL,
				"%s: is no regular file (pipes and devices "
				"can't be read as matrices)",
				path);
	if (st->st_size == 0)
		return asl_fail(-EINVAL, "%s: is empty", path);
	return 0;
}

static int map_fd(void **map, size_t *map_bytes, const char *path, int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st) != 0)
		return asl_fail(-errno, "%s: %s", path, strerror(errno));
	err = check_kind(path, &st);
	if (err)
		return err;
	*map_bytes = (size_t)st.st_size;
	*map = mmap(NULL, *map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (*map != MAP_FAILED) {
		asl_mapped_note(*map, *map_bytes, "the file", path);
		return 0;
	}
	*map = NULL;
	return asl_fail(-errno, "%s: can't be mapped: %s", path,
			strerror(errno));
}

/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
int asl_file_map(void **map, size_t *map_bytes, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return asl_fail(-errno, "%s: %s", path, strerror(errno));
	err = map_fd(map, map_bytes, path, fd);
	close(fd);
	return err;
}

static void *grow(void *map, size_t before, size_t bytes)
{
	if (map)
		return mremap(map, before, bytes, MREMAP_MAYMOVE);
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int asl_file_allocate(void **map, size_t *map_bytes, const char *path,
		      const char *what, double words)
{
	double limit = (double)asl_memory_limit("");
	size_t bytes;
	void *at;

	if (words * sizeof(double) > limit)
		return asl_fail(
			-ENOMEM,
			"%s: %s need %.4g GiB of memory, this machine has %.4g",
			path, what, ldexp(words, -27), ldexp(limit, -30));
	bytes = (size_t)words * sizeof(double);
	at = grow(*map, *map_bytes, bytes);
	if (at == MAP_FAILED)
		return asl_fail(-ENOMEM, "%s: no memory for %zu bytes", path,
				bytes);
	*map = at;
	*map_bytes = bytes;
	return 0;
}

void asl_file_unmap(void *map, size_t map_bytes)
{
	asl_mapped_forget(map);
	if (map)
		munmap(map, map_bytes);
}

int asl_file_readable(const char *path)
{
	struct stat st;

	if (access(path, R_OK) || stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? -EISDIR : 0;
}
