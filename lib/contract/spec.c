/*
 * spec.c -- parsing einsum strings
 */
#include "lib/contract/spec.h"

#include <errno.h>

#include "lib/matrix/map.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int asl_einsum_index(const struct asl_einsum *e, char letter)
{
	for (int i = 0; i < e->indices; i++)
		if (e->letter[i] == letter)
			return i;
	return -1;
}

static void add_mode(struct asl_term *t, int index)
{
	t->mode[t->modes++] = index;
	if (!asl_term_has(t, index))
		t->index[t->count++] = index;
	t->has |= (uint32_t)1 << index;
}

struct asl_term asl_term_of(const int *index, int count)
{
	struct asl_term t = {0};

	for (int i = 0; i < count; i++)
		add_mode(&t, index[i]);
	return t;
}

/* ---- The string ---- */

static int bad_character(const char *spec, const char *at)
{
	char found[ASL_QUOTE];

	if (*at == '.')
		return asl_file_fail(-EINVAL,
				     "einsum '%s': '...' is not supported; "
				     "expected a letter for every mode",
				     spec);
	asl_quote(found, at, 1);
	return asl_file_fail(-EINVAL,
			     "einsum '%s': '%s' at place %d: expected letters, "
			     "',' between inputs and one '->'",
			     spec, found, (int)(at - spec) + 1);
}

static int take_letter(struct asl_einsum *e, struct asl_term *t,
		       const char *spec, char letter)
{
	int index = asl_einsum_index(e, letter);

	if (index < 0 && e->indices == ASL_MOST_INDICES)
		return asl_file_fail(-EINVAL,
				     "einsum '%s': more than %d indices", spec,
				     ASL_MOST_INDICES);
	if (t->modes == ASL_MOST_INDICES)
		return asl_file_fail(-EINVAL,
				     "einsum '%s': a term of more than %d "
				     "modes",
				     spec, ASL_MOST_INDICES);
	if (index < 0) {
		index = e->indices++;
		e->letter[index] = letter;
	}
	add_mode(t, index);
	return 0;
}

/* Up to the arrow or the end, where *at then is. */
static int parse_inputs(struct asl_einsum *e, const char *spec, const char **at)
{
	int err = 0;

	e->inputs = 1;
	for (; !err && **at && **at != '-'; ++*at) {
		if (**at == ',' && e->inputs == ASL_MOST_INPUTS)
			return asl_file_fail(-EINVAL,
					     "einsum '%s': more than %d inputs",
					     spec, ASL_MOST_INPUTS);
		if (**at == ',')
			e->inputs++;
		else if (is_letter(**at))
			err = take_letter(e, &e->term[e->inputs - 1], spec,
					  **at);
		else if (**at != ' ')
			err = bad_character(spec, *at);
	}
	return err;
}

static int take_output(struct asl_einsum *e, const char *spec, char letter)
{
	struct asl_term *out = &e->term[e->inputs];
	int index = asl_einsum_index(e, letter);

	if (index < 0)
		return asl_file_fail(-EINVAL,
				     "einsum '%s': the output has '%c', which "
				     "never appeared in an input",
				     spec, letter);
	if (asl_term_has(out, index))
		return asl_file_fail(-EINVAL,
				     "einsum '%s': the output has '%c' more "
				     "than once",
				     spec, letter);
	add_mode(out, index);
	return 0;
}

static int parse_output(struct asl_einsum *e, const char *spec, const char *at)
{
	int err = 0;

	if (at[1] != '>')
		return bad_character(spec, at);
	for (at += 2; !err && *at; at++) {
		if (is_letter(*at))
			err = take_output(e, spec, *at);
		else if (*at != ' ')
			err = bad_character(spec, at);
	}
	return err;
}

static int times_seen(const struct asl_einsum *e, int index)
{
	int times = 0;

	for (int t = 0; t < e->inputs; t++)
		for (int i = 0; i < e->term[t].modes; i++)
			times += e->term[t].mode[i] == index;
	return times;
}

/* NumPy's rule for strings without an arrow. */
static void imply_output(struct asl_einsum *e)
{
	for (int letter = 'A'; letter <= 'z'; letter++) {
		int index = asl_einsum_index(e, (char)letter);

		if (index >= 0 && times_seen(e, index) == 1)
			add_mode(&e->term[e->inputs], index);
	}
}

int asl_einsum_parse(struct asl_einsum *e, const char *spec)
{
	const char *at = spec;
	int err;

	*e = (struct asl_einsum){0};
	err = parse_inputs(e, spec, &at);
	if (err)
		return err;
	if (*at)
		return parse_output(e, spec, at);
	imply_output(e);
	return 0;
}

uint32_t asl_einsum_all(const struct asl_einsum *e)
{
	uint32_t all = 0;

	for (int t = 0; t <= e->inputs; t++)
		all |= e->term[t].has;
	return all;
}

uint64_t asl_term_words(const struct asl_einsum *e, const struct asl_term *t)
{
	uint64_t words = 1;

	for (int i = 0; i < t->count; i++)
		words *= e->size[t->index[i]];
	return words;
}
