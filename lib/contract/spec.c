/*
 * spec.c -- einsum strings, and the sizes of their indices
 */
#include "lib/contract/spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/text.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* -1: no term has the letter. */
static int index_of(const struct asl_einsum *e, char letter)
{
	for (int i = 0; i < e->indices; i++)
		if (e->letter[i] == letter)
			return i;
	return -1;
}

uint32_t asl_einsum_kept(const struct asl_einsum *e, int set)
{
	uint32_t inside = 0, outside = e->term[e->inputs].has;

	for (int i = 0; i < e->inputs; i++)
		*(set >> i & 1 ? &inside : &outside) |= e->term[i].has;
	return inside & outside;
}

void asl_term_add(struct asl_term *t, int index)
{
	t->mode[t->modes++] = (unsigned char)index;
	if (!asl_term_has(t, index))
		t->index[t->count++] = (unsigned char)index;
	t->has |= (uint32_t)1 << index;
}

struct asl_term asl_term_without(const struct asl_term *t, uint32_t set)
{
	struct asl_term rest = {0};

	for (int i = 0; i < t->count; i++)
		if (!(set >> t->index[i] & 1))
			asl_term_add(&rest, t->index[i]);
	return rest;
}

uint64_t asl_term_words(const struct asl_term *t, const uint64_t *len)
{
	uint64_t words = 1;

	for (int i = 0; i < t->count; i++)
		words *= len[t->index[i]];
	return words;
}

/* ---- The string ---- */

static int bad_character(const char *spec, const char *at)
{
	char found[ASL_QUOTE];

	if (*at == '.')
		return asl_fail(
			-EINVAL,
			"einsum '%s': '...' is for operands from files; "
			"expected a letter for every mode",
			spec);
	asl_quote(found, at, 1);
	return asl_fail(-EINVAL,
			"einsum '%s': '%s' at place %d: expected letters, ',' "
			"between inputs and one '->'",
			spec, found, (int)(at - spec) + 1);
}

static int take_letter(struct asl_einsum *e, struct asl_term *t,
		       const char *spec, char letter)
{
	int index = index_of(e, letter);

	if (index < 0 && e->indices == ASL_MOST_INDICES)
		return asl_fail(-EINVAL, "einsum '%s': more than %d indices",
				spec, ASL_MOST_INDICES);
	if (t->modes == ASL_MOST_INDICES)
		return asl_fail(-EINVAL,
				"einsum '%s': a term of more than %d modes",
				spec, ASL_MOST_INDICES);
	if (index < 0) {
		index = e->indices++;
		e->letter[index] = letter;
	}
	asl_term_add(t, index);
	return 0;
}

/* *at ends at the arrow or at the end of the string. */
static int parse_inputs(struct asl_einsum *e, const char *spec, const char **at)
{
	int err = 0;

	e->inputs = 1;
	for (; !err && **at && **at != '-'; ++*at) {
		if (**at == ',' && e->inputs == ASL_MOST_INPUTS)
			return asl_fail(-EINVAL,
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
	int index = index_of(e, letter);

	if (index < 0)
		return asl_fail(-EINVAL,
				"einsum '%s': the output has '%c', which never "
				"appeared in an input",
				spec, letter);
	if (asl_term_has(out, index))
		return asl_fail(
			-EINVAL,
			"einsum '%s': the output has '%c' more than once", spec,
			letter);
	asl_term_add(out, index);
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

/* NumPy's rule for a string without an arrow. */
static void imply_output(struct asl_einsum *e)
{
	for (int letter = 'A'; letter <= 'z'; letter++) {
		int index = index_of(e, (char)letter);

		if (index >= 0 && times_seen(e, index) == 1)
			asl_term_add(&e->term[e->inputs], index);
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

/* ---- Dots ---- */

/* A string that grows; what does not fit is left out. */
struct growing {
	char *at;
	size_t used;
};

static void grow(struct growing *t, const char *from, size_t count)
{
	for (size_t i = 0; i < count && t->used < ASL_SPEC_TEXT - 1; i++)
		if (from[i] != ' ')
			t->at[t->used++] = from[i];
	t->at[t->used] = '\0';
}

/* The letters that the string does not have. */
static int list_unused(char unused[2 * 26 + 1], const char *spec)
{
	int count = 0;

	for (int letter = 'A'; letter <= 'z'; letter++)
		if (is_letter((char)letter) && !strchr(spec, letter))
			unused[count++] = (char)letter;
	unused[count] = '\0';
	return count;
}

static size_t letters_in(const char *term, size_t length)
{
	size_t letters = 0;

	for (size_t i = 0; i < length; i++)
		letters += is_letter(term[i]);
	return letters;
}

/* The dots of a term of so many characters; NULL: there are none. */
static const char *dots_of(const char *term, size_t length)
{
	const char *dots = strstr(term, "...");

	return dots && dots + 3 <= term + length ? dots : NULL;
}

/* Each term has dots once at most, and three of them. */
static int check_dots(const char *spec)
{
	const char *term = spec;

	while (*term) {
		size_t length = strcspn(term, ",->"), dots = 0;

		for (size_t i = 0; i < length; i++)
			dots += term[i] == '.';
		if (dots != (dots_of(term, length) ? 3 : 0))
			return asl_fail(-EINVAL,
					"einsum '%s': expected dots as '...', "
					"once in a term",
					spec);
		term += length;
		term += *term != '\0';
	}
	return 0;
}

/* The last `width` of the letters instead of dots. */
static void grow_term(struct growing *t, const char *term, size_t length,
		      const char *letters, size_t width)
{
	const char *dots = dots_of(term, length);
	size_t before = dots ? (size_t)(dots - term) : length;

	grow(t, term, before);
	if (!dots)
		return;
	grow(t, letters + strlen(letters) - width, width);
	grow(t, dots + 3, length - before - 3);
}

/* How many dimensions the dots of every input stand for, and the most of them. */
static int measure_dots(size_t *width, size_t *most, const char *spec,
			const int *dims, int operands)
{
	const char *end = spec + strcspn(spec, "-"), *term = spec;
	int inputs = 0;

	*most = 0;
	for (bool more = true; more && inputs < operands; inputs++) {
		size_t length = strcspn(term, ",-");
		size_t letters = letters_in(term, length);

		width[inputs] = 0;
		if (dots_of(term, length) && letters > (size_t)dims[inputs])
			return asl_fail(-EINVAL,
					"einsum '%s': operand %d has %d "
					"dimensions, fewer than letters",
					spec, inputs, dims[inputs]);
		if (dots_of(term, length))
			width[inputs] = (size_t)dims[inputs] - letters;
		*most = width[inputs] > *most ? width[inputs] : *most;
		more = term[length] == ',';
		term += length + more;
	}
	if (inputs != operands || term != end)
		return asl_fail(-EINVAL,
				"einsum '%s': found %d operands, expected one "
				"for each input",
				spec, operands);
	return 0;
}

/* Letters that occur in the inputs once, capitals first. */
static void grow_single(struct growing *t, const char *spec, size_t length)
{
	for (int letter = 'A'; letter <= 'z'; letter++) {
		size_t times = 0;

		for (size_t i = 0; i < length; i++)
			times += spec[i] == letter;
		if (is_letter((char)letter) && times == 1)
			grow(t, &(char){(char)letter}, 1);
	}
}

int asl_einsum_expand(char text[ASL_SPEC_TEXT], const char *spec,
		      const int *dims, int operands)
{
	struct growing t = {.at = text};
	size_t width[ASL_MOST_INPUTS], most, inputs = strcspn(spec, "-");
	char letters[2 * 26 + 1];
	const char *term = spec;
	int err = check_dots(spec);

	if (!err)
		err = measure_dots(width, &most, spec, dims, operands);
	if (err)
		return err;
	if (most > (size_t)list_unused(letters, spec))
		return asl_fail(-EINVAL, "einsum '%s': more than %d indices",
				spec, ASL_MOST_INDICES);
	letters[most] = '\0';
	for (int i = 0; i < operands; i++) {
		size_t length = strcspn(term, ",-");

		grow(&t, ",", i > 0);
		grow_term(&t, term, length, letters, width[i]);
		term += length + 1;
	}
	grow(&t, "->", 2);
	if (!spec[inputs]) {
		grow(&t, letters, most);
		grow_single(&t, spec, inputs);
		return 0;
	}
	if (spec[inputs + 1] != '>')
		return bad_character(spec, spec + inputs);
	term = spec + inputs + 2;
	if (most && !dots_of(term, strlen(term)))
		return asl_fail(-EINVAL,
				"einsum '%s': the output lacks '...', which "
				"inputs have",
				spec);
	grow_term(&t, term, strlen(term), letters, most);
	return 0;
}

/* ---- Arrays that are the same for all values of an index ---- */

/* Is the mode's index in no other mode of the term? */
static bool is_single(const struct asl_term *t, int mode)
{
	int times = 0;

	for (int i = 0; i < t->modes; i++)
		times += t->mode[i] == t->mode[mode];
	return times == 1;
}

static void stretch(struct asl_term *t, const uint64_t *most, uint64_t *shape,
		    int *dims)
{
	struct asl_term kept = {0};

	for (int i = 0; i < t->modes; i++) {
		bool once = shape[i] == 1 && most[t->mode[i]] > 1 &&
			    is_single(t, i);

		if (once) {
			kept.stretched |= UINT32_C(1) << i;
			continue;
		}
		shape[kept.modes] = shape[i];
		asl_term_add(&kept, t->mode[i]);
	}
	*t = kept;
	*dims = t->modes;
}

void asl_einsum_stretch(struct asl_einsum *e,
			uint64_t shape[][ASL_MOST_INDICES], int *dims)
{
	uint64_t most[ASL_MOST_INDICES] = {0};

	for (int k = 0; k < e->inputs; k++)
		for (int i = 0; i < dims[k] && i < e->term[k].modes; i++) {
			int mode = e->term[k].mode[i];

			most[mode] = shape[k][i] > most[mode] ? shape[k][i]
							      : most[mode];
		}
	for (int k = 0; k < e->inputs; k++)
		if (dims[k] == e->term[k].modes)
			stretch(&e->term[k], most, shape[k], &dims[k]);
}

uint32_t asl_einsum_all(const struct asl_einsum *e)
{
	uint32_t all = 0;

	for (int t = 0; t <= e->inputs; t++)
		all |= e->term[t].has;
	return all;
}

/* ---- Sizes, from lists and from operands ---- */

static int set_size(struct asl_einsum *e, int index, uint64_t size,
		    const char *source)
{
	uint64_t *known = &e->size[index];

	if (size == 0)
		return asl_fail(-EINVAL,
				"%s: index '%c' has size 0, expected 1 or more",
				source, e->letter[index]);
	if (*known && *known != size)
		return asl_fail(
			-EINVAL,
			"%s: index '%c' has size %" PRIu64
			", elsewhere %" PRIu64 "%s",
			source, e->letter[index], size, *known,
			size == 1 || *known == 1 ? "; 1 is not stretched" : "");
	*known = size;
	return 0;
}

/* A number with its suffix, up to a comma or the end. */
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
			return asl_fail(-EINVAL,
					"sizes '%s': '%.16s': expected "
					"LETTER=SIZE, as i=64",
					dims, at);
		index = index_of(e, letter);
		if (index < 0)
			return asl_fail(-EINVAL,
					"sizes '%s': no term has an index '%c'",
					dims, letter);
		at += 2;
		if (!take_size(&at, &size))
			return asl_fail(-EINVAL,
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
		return asl_fail(-EINVAL, "sizes '%s': '%.16s': expected ','",
				dims, at);
	return 0;
}

int asl_einsum_shape(struct asl_einsum *e, int which, int modes,
		     const uint64_t *shape, const char *name)
{
	const struct asl_term *t = &e->term[which];
	int err = 0;

	if (modes != t->modes)
		return asl_fail(-EINVAL,
				"%s: has %d dimension%s, but the einsum gives "
				"operand %d %d ind%s",
				name, modes, modes == 1 ? "" : "s", which,
				t->modes, t->modes == 1 ? "ex" : "ices");
	for (int i = 0; !err && i < modes; i++)
		err = set_size(e, t->mode[i], shape[i], name);
	return err;
}

double asl_points(uint32_t set, const uint64_t *len)
{
	double points = 1;

	for (; set; set &= set - 1)
		points *= (double)len[__builtin_ctz(set)];
	return points;
}

int asl_einsum_check(const struct asl_einsum *e)
{
	for (int i = 0; i < e->indices; i++)
		if (!e->size[i])
			return asl_fail(-EINVAL,
					"the size of index '%c' is missing",
					e->letter[i]);
	for (int k = 0; k <= e->inputs; k++)
		if (asl_points(e->term[k].has, e->size) > ASL_MOST_POINTS)
			return asl_fail(-EINVAL, "the sizes make a tensor of "
						 "more than 2^58 words");
	if (e->inputs < 3 &&
	    asl_points(asl_einsum_all(e), e->size) > ASL_MOST_POINTS)
		return asl_fail(-EINVAL, "the sizes make more than 2^58 "
					 "multiplications");
	return 0;
}
