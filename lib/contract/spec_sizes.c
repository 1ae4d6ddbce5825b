/*
 * spec_sizes.c -- the sizes of an einsum's indices, from lists and from operands
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/contract/spec.h"
#include "lib/matrix/map.h"

#define MOST_VOLUME ((uint64_t)1 << 58) /* so that flops fit 64 bits */

static int set_size(struct asl_einsum *e, int index, uint64_t size,
		    const char *source)
{
	uint64_t *known = &e->size[index];

	if (size == 0)
		return asl_file_fail(-EINVAL,
				     "%s: index '%c' has size 0, expected 1 or "
				     "more",
				     source, e->letter[index]);
	if (*known && *known != size)
		return asl_file_fail(
			-EINVAL,
			"%s: index '%c' has size %" PRIu64
			", elsewhere %" PRIu64 "%s",
			source, e->letter[index], size, *known,
			size == 1 || *known == 1 ? "; 1 is not stretched" : "");
	*known = size;
	return 0;
}

/* A number with its suffix, up to a comma or the end; false: there is none. */
static bool take_size(const char **at, uint64_t *size)
{
	static const char suffix[] = "kmg";
	const char *from = *at, *which;

	*size = 0;
	for (; isdigit((unsigned char)**at); ++*at)
		if (__builtin_mul_overflow(*size, 10, size) ||
		    __builtin_add_overflow(*size, (uint64_t)(**at - '0'), size))
			return false;
	if (*at == from)
		return false;
	which = **at ? strchr(suffix, **at) : NULL;
	for (int i = 0; which && i <= which - suffix; i++)
		if (__builtin_mul_overflow(*size, 1000, size))
			return false;
	*at += which != NULL;
	return **at == '\0' || **at == ',' || **at == ' ';
}

static void skip_spaces(const char **at)
{
	while (**at == ' ')
		++*at;
}

int asl_einsum_dims(struct asl_einsum *e, const char *dims)
{
	const char *at = dims;
	bool ends = false;

	while (!ends) {
		uint64_t size;
		char letter;
		int index, err;

		skip_spaces(&at);
		letter = *at;
		if (!isalpha((unsigned char)letter) || at[1] != '=')
			return asl_file_fail(-EINVAL,
					     "sizes '%s': '%.16s': expected "
					     "LETTER=SIZE",
					     dims, at);
		index = asl_einsum_index(e, letter);
		if (index < 0)
			return asl_file_fail(-EINVAL,
					     "sizes '%s': no term has an index "
					     "'%c'",
					     dims, letter);
		at += 2;
		if (!take_size(&at, &size))
			return asl_file_fail(-EINVAL,
					     "sizes '%s': '%c=' needs a whole "
					     "number, with k, m or g",
					     dims, letter);
		err = set_size(e, index, size, "sizes");
		if (err)
			return err;
		skip_spaces(&at);
		ends = *at != ',';
		at += !ends;
	}
	if (*at)
		return asl_file_fail(
			-EINVAL, "sizes '%s': '%.16s': expected ','", dims, at);
	return 0;
}

int asl_einsum_shape(struct asl_einsum *e, int which, int modes,
		     const uint64_t *shape, const char *name)
{
	const struct asl_term *t = &e->term[which];
	int err = 0;

	if (modes != t->modes)
		return asl_file_fail(-EINVAL,
				     "%s: has %d dimension%s, but the einsum "
				     "gives operand %d %d ind%s",
				     name, modes, modes == 1 ? "" : "s", which,
				     t->modes, t->modes == 1 ? "ex" : "ices");
	for (int i = 0; !err && i < modes; i++)
		err = set_size(e, t->mode[i], shape[i], name);
	return err;
}

int asl_einsum_check(const struct asl_einsum *e)
{
	uint64_t volume = 1;

	for (int i = 0; i < e->indices; i++) {
		if (!e->size[i])
			return asl_file_fail(-EINVAL,
					     "the size of index '%c' is "
					     "missing",
					     e->letter[i]);
		if (__builtin_mul_overflow(volume, e->size[i], &volume) ||
		    volume > MOST_VOLUME)
			return asl_file_fail(-EINVAL,
					     "the sizes make more than 2^58 "
					     "multiplications");
	}
	return 0;
}
