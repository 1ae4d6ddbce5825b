/*
 * npy.c -- NumPy's files
 *
 *	6 bytes		\x93NUMPY
 *	2 bytes		version: 1.0, 2.0 or 3.0
 *	2 or 4 bytes	length of the header (2 in version 1.0)
 *	the header	a Python dict: 'descr', 'fortran_order', 'shape'
 *	the entries	to the end of the file
 *
 * The entries are read in place, from the mapped file, and written in place, to
 * a file whose blocks were all allocated when it was created.
 *
 * NumPy enhancement proposal 1, "A simple file format for NumPy arrays".
 */
#include "lib/matrix/npy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/error.h"

/*
 * ---- The header: a Python dict ----
 *
 * Its three keys come in any order and with any spacing, each once, and no other;
 * NumPy demands the same.
 */

static const char *const keys[ASL_NPY_KEYS] = {"descr", "fortran_order",
					       "shape"};

static void skip_blanks(struct asl_text *t)
{
	while (t->at < t->end &&
	       (*t->at == ' ' || *t->at == '\t' || *t->at == '\n'))
		t->at++;
}

/* These take the next word if it is of their kind. */
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
	skip_blanks(t);
	if (!asl_take_digits(t, count))
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
	return asl_fail(-EINVAL,
			"%s: the header should have %s where it has '%s'", path,
			expected, found);
}

static int parse_descr(struct asl_npy_header *h, struct asl_text *t,
		       const char *path)
{
	if (take_string(t, &h->descr))
		return 0;
	if (take(t, "["))
		return asl_fail(-EINVAL,
				"%s: entries are structured, expected numbers",
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

/* *h must be zero; consumes *t. */
static int parse(struct asl_npy_header *h, struct asl_text *t, const char *path)
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
			return asl_fail(-EINVAL, "%s: the header has no '%s'",
					path, keys[k]);
	return 0;
}

/* ---- The file ---- */

#define ALIGN_BYTES 64
#define SIZES (ASL_NPY_DIMS * 23 + 1) /* characters of all sizes */

static const char *sizes(char to[SIZES], const struct asl_npy_header *h)
{
	int n = 0;

	to[0] = '\0';
	for (uint64_t i = 0; i < h->dims; i++)
		n += snprintf(to + n, (size_t)(SIZES - n), "%s%ju",
			      i ? " x " : "", h->size[i]);
	return to;
}

static int check(const struct asl_npy_header *h, const char *path,
		 enum asl_type type, uint64_t dims)
{
	const struct asl_type_facts *expected = asl_type(type);
	size_t length = (size_t)(h->descr.end - h->descr.at);
	enum asl_type found_type;
	char found[ASL_QUOTE], size[SIZES];

	if (!asl_type_described(&found_type, h->descr.at, length) ||
	    found_type != type)
		return asl_fail(-EINVAL,
				"%s: entries are '%s', expected '%s' (%s)",
				path, asl_quote(found, h->descr.at, length),
				expected->descr, expected->name);
	if (dims == ASL_NPY_ANY && h->dims > ASL_NPY_DIMS)
		return asl_fail(-EINVAL,
				"%s: has %ju dimensions, expected at most %d",
				path, h->dims, ASL_NPY_DIMS);
	if (dims != ASL_NPY_ANY && h->dims != dims)
		return asl_fail(-EINVAL,
				"%s: has %ju dimension%s, expected %ju", path,
				h->dims, h->dims == 1 ? "" : "s", dims);
	for (uint64_t i = 0; i < h->dims; i++)
		if (h->size[i] == 0)
			return asl_fail(-EINVAL,
					"%s: an array of %s has no entries",
					path, sizes(size, h));
	return 0;
}

static int wrong_length(const char *path, uint64_t expected, uint64_t found)
{
	return asl_fail(-EINVAL, "%s: is %s: expected %ju bytes, found %ju",
			path, found < expected ? "cut off" : "too long",
			expected, found);
}

/* Find the header; the entries begin at its end. */
static int find_header(struct asl_text *t, const char *path, const void *map,
		       size_t map_bytes)
{
	const unsigned char *b = map;
	size_t at, length;

	if (map_bytes < 8)
		return wrong_length(path, 8, map_bytes);
	if (b[6] < 1 || b[6] > 3 || b[7] != 0)
		return asl_fail(-EINVAL,
				"%s: is of format version %d.%d, expected 1.0, "
				"2.0 or 3.0",
				path, b[6], b[7]);
	at = b[6] == 1 ? 10 : 12;
	if (map_bytes < at)
		return wrong_length(path, at, map_bytes);
	length = b[8] | (size_t)b[9] << 8;
	if (at == 12)
		length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
	if (map_bytes - at < length)
		return wrong_length(path, at + length, map_bytes);
	*t = (struct asl_text){(const char *)b + at,
			       (const char *)b + at + length};
	return 0;
}

static int check_length(const struct asl_npy_header *h, enum asl_type type,
			size_t header, size_t map_bytes, const char *path)
{
	bool overflow = false;
	char size[SIZES];
	size_t bytes = asl_type_bytes(type);

	for (uint64_t i = 0; i < h->dims; i++)
		overflow |= __builtin_mul_overflow(bytes, h->size[i], &bytes);
	if (__builtin_add_overflow(bytes, header, &bytes) || overflow)
		return asl_fail(-EINVAL,
				"%s: %s entries are more than any file holds",
				path, sizes(size, h));
	return bytes == map_bytes ? 0 : wrong_length(path, bytes, map_bytes);
}

int asl_npy_open(struct asl_npy_header *h, const char **entries,
		 const char *path, const void *map, size_t map_bytes,
		 enum asl_type type, uint64_t dims)
{
	struct asl_text t;
	int err = find_header(&t, path, map, map_bytes);

	*h = (struct asl_npy_header){0};
	if (!err)
		err = parse(h, &t, path);
	if (!err)
		err = check(h, path, type, dims);
	if (err)
		return err;
	*entries = t.end;
	return check_length(h, type, (size_t)(t.end - (const char *)map),
			    map_bytes, path);
}

enum asl_type asl_npy_type(const char *path, const void *map, size_t map_bytes)
{
	enum asl_type type = ASL_FLOAT64;
	struct asl_npy_header h = {0};
	struct asl_text t;

	if (!find_header(&t, path, map, map_bytes) && !parse(&h, &t, path))
		asl_type_described(&type, h.descr.at,
				   (size_t)(h.descr.end - h.descr.at));
	return type;
}

static int not_finite(const struct asl_matrix_in *in, uint64_t at, double value,
		      const char *path)
{
	bool by_columns = in->col_step != 1;
	uint64_t across = by_columns ? in->rows : in->cols;
	uint64_t row = by_columns ? at % across : at / across;
	uint64_t col = by_columns ? at / across : at % across;

	return asl_fail(
		-EINVAL,
		"%s: entry [%ju, %ju] (from 0) is %g, expected a finite number",
		path, row, col, value);
}

static int check_finite(const struct asl_matrix_in *in, const char *path)
{
	uint64_t n = in->rows * in->cols;
	double value;

	madvise(in->map, in->map_bytes, MADV_SEQUENTIAL);
	for (uint64_t i = 0; i < n; i++) {
		memcpy(&value, in->entries + 8 * i, 8);
		if (!isfinite(value))
			return not_finite(in, i, value, path);
	}
	madvise(in->map, in->map_bytes, MADV_NORMAL);
	return 0;
}

static int npy_open(struct asl_matrix_in *in, const char *path)
{
	struct asl_npy_header h;
	int err = asl_npy_open(&h, &in->entries, path, in->map, in->map_bytes,
			       ASL_FLOAT64, 2);

	if (err)
		return err;
	in->rows = h.size[0];
	in->cols = h.size[1];
	in->row_step = h.by_columns ? 1 : in->cols;
	in->col_step = h.by_columns ? in->rows : 1;
	return check_finite(in, path);
}

/* Spaces up to a newline make the entries begin at a multiple of 64. */
size_t asl_npy_head(char head[ASL_NPY_HEAD], enum asl_type type,
		    const uint64_t *size, int dims)
{
	int n = 10, end;

	n += snprintf(head + n, (size_t)(ASL_NPY_HEAD - n),
		      "{'descr': '%s', 'fortran_order': False, 'shape': (",
		      asl_type(type)->descr);
	for (int i = 0; i < dims; i++)
		n += snprintf(head + n, (size_t)(ASL_NPY_HEAD - n), "%s%ju",
			      i ? ", " : "", size[i]);
	n += snprintf(head + n, (size_t)(ASL_NPY_HEAD - n), "%s), }",
		      dims == 1 ? "," : "");
	end = (n + 1 + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
	memcpy(head, "\x93NUMPY\x01\x00", 8);
	head[8] = (char)((end - 10) & 0xff);
	head[9] = (char)((end - 10) >> 8);
	memset(head + n, ' ', (size_t)(end - n));
	head[end - 1] = '\n';
	return (size_t)end;
}

static int npy_create(struct asl_matrix_out *out)
{
	uint64_t size[] = {out->rows, out->cols}, bytes;
	char head[ASL_NPY_HEAD];
	int err;

	out->data_at = asl_npy_head(head, ASL_FLOAT64, size, 2);
	if (__builtin_mul_overflow(out->rows, out->cols, &bytes) ||
	    bytes > (INT64_MAX - sizeof(head)) / 8)
		return asl_fail(
			-EFBIG,
			"%s: %ju x %ju entries are more than any file holds",
			out->file.path, out->rows, out->cols);
	err = asl_atomic_file_reserve(&out->file, out->data_at + 8 * bytes);
	return err ? err
		   : asl_atomic_file_write(&out->file, head, out->data_at, 0);
}

static int npy_write(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	return asl_atomic_file_write(&out->file, at, count * 8,
				     out->data_at +
					     (row * out->cols + col) * 8);
}

const struct asl_format asl_format_npy = {
	.name = "NumPy",
	.ending = ".npy",
	.magic = "\x93NUMPY",
	.open = npy_open,
	.create = npy_create,
	.write = npy_write,
};
