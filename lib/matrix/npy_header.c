/*
 * npy_header.c -- the Python dict at the head of a .npy file
 *
 * Its three keys may come in any order and with any spacing, each once and no
 * other; that is also what NumPy demands.
 */
#include <errno.h>
#include <string.h>

#include "lib/matrix/npy.h"

static const char *const keys[ASL_NPY_KEYS] = {"descr", "fortran_order",
					       "shape"};

static void skip_blanks(struct asl_text *t)
{
	while (t->at < t->end &&
	       (*t->at == ' ' || *t->at == '\t' || *t->at == '\n'))
		t->at++;
}

/* Each of these takes what it names, if that comes next. */
static bool take(struct asl_text *t, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(t);
	if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0)
		return false;
	t->at += n;
	return true;
}

static bool take_string(struct asl_text *t, struct asl_text *string)
{
	const char *close;

	skip_blanks(t);
	if (t->at == t->end || (*t->at != '\'' && *t->at != '"'))
		return false;
	close = memchr(t->at + 1, *t->at, (size_t)(t->end - t->at - 1));
	if (!close)
		return false;
	*string = (struct asl_text){t->at + 1, close};
	t->at = close + 1;
	return true;
}

/* Python 2 wrote long integers as 3L. */
static bool take_count(struct asl_text *t, uint64_t *count)
{
	const char *from;

	skip_blanks(t);
	*count = 0;
	for (from = t->at; t->at < t->end; t->at++) {
		uint64_t digit = (uint64_t)(unsigned char)*t->at - '0';

		if (digit > 9)
			break;
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, digit, count))
			return false;
	}
	if (t->at == from)
		return false;
	if (t->at < t->end && *t->at == 'L')
		t->at++;
	return true;
}

static int malformed(const char *path, const struct asl_text *t,
		     const char *expected)
{
	char found[ASL_QUOTE];
	size_t left = (size_t)(t->end - t->at);

	asl_quote(found, t->at, left < 24 ? left : 24);
	return asl_file_fail(-EINVAL,
			     "%s: the header should have %s where it has '%s'",
			     path, expected, found);
}

static int parse_descr(struct asl_npy_header *h, struct asl_text *t,
		       const char *path)
{
	if (take_string(t, &h->descr))
		return 0;
	if (take(t, "["))
		return asl_file_fail(-EINVAL,
				     "%s: entries are structured, expected "
				     "'<f8' (float64)",
				     path);
	return malformed(path, t, "a type of entries");
}

static int parse_order(struct asl_npy_header *h, struct asl_text *t,
		       const char *path)
{
	h->by_columns = take(t, "True");
	if (h->by_columns || take(t, "False"))
		return 0;
	return malformed(path, t, "True or False");
}

static int parse_shape(struct asl_npy_header *h, struct asl_text *t,
		       const char *path)
{
	if (!take(t, "("))
		return malformed(path, t, "a shape (rows, cols)");
	while (!take(t, ")")) {
		uint64_t size;

		if (!take_count(t, &size))
			return malformed(path, t, "a size below 2^64");
		if (h->dims < ASL_NPY_DIMS)
			h->size[h->dims] = size;
		h->dims++;
		if (!take(t, ",") && (t->at == t->end || *t->at != ')'))
			return malformed(path, t, "',' or ')'");
	}
	return 0;
}

static int parse_entry(struct asl_npy_header *h, struct asl_text *t,
		       const char *path)
{
	static int (*const parse[ASL_NPY_KEYS])(
		struct asl_npy_header *, struct asl_text *,
		const char *) = {parse_descr, parse_order, parse_shape};
	struct asl_text before = *t, key;
	size_t length;

	if (!take_string(t, &key))
		return malformed(path, t, "a key or '}'");
	length = (size_t)(key.end - key.at);
	for (int k = 0; k < ASL_NPY_KEYS; k++) {
		if (length != strlen(keys[k]) ||
		    memcmp(key.at, keys[k], length) != 0 || h->seen[k])
			continue;
		h->seen[k] = true;
		if (!take(t, ":"))
			return malformed(path, t, "':'");
		return parse[k](h, t, path);
	}
	return malformed(path, &before,
			 "one each of 'descr', 'fortran_order', 'shape'");
}

int asl_npy_parse(struct asl_npy_header *h, struct asl_text *t,
		  const char *path)
{
	if (!take(t, "{"))
		return malformed(path, t, "'{'");
	while (!take(t, "}")) {
		int err = parse_entry(h, t, path);

		if (err)
			return err;
		if (!take(t, ",") && (t->at == t->end || *t->at != '}'))
			return malformed(path, t, "',' or '}'");
	}
	skip_blanks(t);
	if (t->at < t->end)
		return malformed(path, t, "its end");
	for (int k = 0; k < ASL_NPY_KEYS; k++)
		if (!h->seen[k])
			return asl_file_fail(-EINVAL,
					     "%s: the header has no '%s'", path,
					     keys[k]);
	return 0;
}
