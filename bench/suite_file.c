/*
 * suite_file.c -- from a suite's JSON to the options of its cases
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/files.h"
#include "bench/refuse.h"
#include "bench/say.h"
#include "bench/suite.h"

void asl_suite_about(const struct asl_suite *s, const struct asl_suite_case *x)
{
	if (!x)
		asl_complain_about("%s: ", s->path);
	else if (*x->label)
		asl_complain_about("%s: case %d, '%.60s': ", s->path, x->item,
				   x->label);
	else
		asl_complain_about("%s: case %d: ", s->path, x->item);
}

/* ---- A case, and the cases that its lists make of it ---- */

/* Of an option that takes files, one list of them is one value. */
static bool is_list(const char *key, const json_t *value)
{
	const struct asl_option *option = asl_option_find(key);

	return json_is_array(value) &&
	       !(option && option->value == ASL_FILES &&
		 !json_is_array(json_array_get(value, 0)));
}

/* Element i of a list; a value alone is a list of one. */
static const json_t *element(const char *key, const json_t *value, size_t i)
{
	return is_list(key, value) ? json_array_get(value, i) : value;
}

static size_t length_of(const char *key, const json_t *value)
{
	return is_list(key, value) ? json_array_size(value) : 1;
}

/* How many cases; 0 after a complaint. */
static size_t count_cases(json_t *keys)
{
	size_t count = 1;
	const char *key;
	json_t *value;

	json_object_foreach(keys, key, value)
	{
		if (!length_of(key, value)) {
			asl_complain(ASL_BAD_INPUT, "%s: the list is empty",
				     key);
			return 0;
		}
		if (length_of(key, value) > ASL_MOST_CASES / count) {
			asl_complain(ASL_BAD_INPUT, "more than %d cases in one",
				     ASL_MOST_CASES);
			return 0;
		}
		count *= length_of(key, value);
	}
	return count;
}

/* Which of `count` cases: the first key's list is gone through slowest. */
static int set_all(struct asl_suite_case *x, json_t *keys, size_t which,
		   size_t count)
{
	const char *key;
	json_t *value;
	int code = 0;

	json_object_foreach(keys, key, value)
	{
		count /= length_of(key, value);
		if (!code)
			code = asl_suite_set(
				x, key, element(key, value, which / count));
		which %= count;
	}
	return code;
}

static int finish(struct asl_suite_case *x, int argc, char **argv)
{
	const char *algorithm = x->o.algorithm;
	int code;

	if (!algorithm)
		return asl_complain(ASL_BAD_INPUT, "'algorithm' is missing");
	x->o.algorithm = NULL; /* the command line's is the suite's name */
	code = asl_options_add(&x->o, argc, argv, ASL_FOR_SUITE);
	x->o.algorithm = algorithm;
	return code;
}

static struct asl_suite_case *add_case(struct asl_suite *s)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * (size_t)s->room : 64;
		void *more = reallocarray(s->cases, room, sizeof *s->cases);

		if (!more)
			return NULL;
		s->cases = more;
		s->room = (int)room;
	}
	return &s->cases[s->count++];
}

static int add_cases(struct asl_suite *s, json_t *keys, int item, int argc,
		     char **argv)
{
	const char *label = json_string_value(
		element("label", json_object_get(keys, "label"), 0));
	struct asl_suite_case from = {.label = label ? label : "",
				      .item = item};
	size_t count;
	int code = 0;

	asl_suite_about(s, &from);
	asl_options_init(&from.o);
	code = asl_suite_expand(keys);
	if (code)
		return code;
	count = count_cases(keys);
	if (!count)
		return ASL_BAD_INPUT;
	if (count > (size_t)(ASL_MOST_CASES - s->count))
		return asl_complain(ASL_BAD_INPUT, "more than %d cases",
				    ASL_MOST_CASES);
	for (size_t i = 0; !code && i < count; i++) {
		struct asl_suite_case *x = add_case(s);

		if (!x)
			return asl_complain(ASL_NO_MACHINE, "out of memory");
		*x = from;
		x->number = s->count;
		code = set_all(x, keys, i, count);
		if (!code)
			code = finish(x, argc, argv);
	}
	return code;
}

/* ---- The file ---- */

static const char *unknown_key(json_t *root)
{
	static const char *const known[] = {"about", "calibrate", "options",
					    "cases", NULL};
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value)
	{
		if (!asl_is_one_of(key, known))
			return key;
	}
	return NULL;
}

static int read_calibrate(struct asl_suite *s)
{
	const json_t *value = json_object_get(s->json, "calibrate");
	const char *text = json_string_value(value);

	if (!value || json_is_boolean(value))
		s->calibrate = json_is_true(value) ? ASL_CALIBRATE_FULLY
						   : ASL_CALIBRATE_NOT;
	else if (text && !strcmp(text, "quick"))
		s->calibrate = ASL_CALIBRATE_QUICK;
	else
		return asl_json_reject("calibrate", value,
				       "true, false or \"quick\"");
	return 0;
}

static int check_keys(json_t *root)
{
	const char *unknown;
	const json_t *value;

	if (!json_is_object(root))
		return asl_complain(ASL_BAD_INPUT, "expected one JSON object");
	unknown = unknown_key(root);
	if (unknown)
		return asl_complain(ASL_BAD_INPUT,
				    "unknown key '%s' (known: about, "
				    "calibrate, options, cases)",
				    unknown);
	value = json_object_get(root, "about");
	if (value && !json_is_string(value))
		return asl_json_reject("about", value, "a text");
	value = json_object_get(root, "options");
	if (value && !json_is_object(value))
		return asl_json_reject("options", value, "an object");
	value = json_object_get(root, "cases");
	if (!value)
		return asl_complain(ASL_BAD_INPUT, "'cases' is missing");
	if (!json_is_array(value))
		return asl_json_reject("cases", value, "a list of objects");
	if (!json_array_size(value))
		return asl_complain(ASL_BAD_INPUT, "cases: the list is empty");
	return 0;
}

static int read_case(struct asl_suite *s, json_t *common, json_t *own, int item,
		     int argc, char **argv)
{
	json_t *keys;
	int code;

	if (!json_is_object(own)) {
		asl_suite_about(s, NULL);
		return asl_json_reject("cases", own, "a list of objects");
	}
	/* What both have keeps its place, and takes the case's value. */
	keys = common ? json_copy(common) : json_object();
	if (!keys || json_object_update(keys, own))
		code = asl_complain(ASL_NO_MACHINE, "out of memory");
	else
		code = add_cases(s, keys, item, argc, argv);
	json_decref(keys);
	return code;
}

static int read_cases(struct asl_suite *s, int argc, char **argv)
{
	json_t *common = json_object_get(s->json, "options");
	json_t *list = json_object_get(s->json, "cases");
	int code = check_keys(s->json);

	if (!code)
		code = read_calibrate(s);
	for (size_t i = 0; !code && i < json_array_size(list); i++)
		code = read_case(s, common, json_array_get(list, i), (int)i + 1,
				 argc, argv);
	return code;
}

int asl_suite_read(struct asl_suite *s, const char *name, int argc, char **argv)
{
	json_error_t why;
	int err, code;

	*s = (struct asl_suite){0};
	if (!asl_suite_find(s->path, name)) {
		snprintf(s->path, sizeof s->path, "%s", name);
		err = asl_readable(name);
		if (err)
			return asl_complain(
				ASL_BAD_INPUT,
				"suite: found '%s', which is neither a suite "
				"(aslant list suites) nor a readable file: %s",
				name, strerror(-err));
	}
	errno = 0;
	s->json = json_load_file(s->path, JSON_REJECT_DUPLICATES, &why);
	if (!s->json)
		return asl_refuse_json(s->path, &why);
	asl_suite_about(s, NULL);
	code = read_cases(s, argc, argv);
	asl_complain_about(NULL);
	s->total = s->count;
	return code;
}

void asl_suite_keep(struct asl_suite *s, int ranks)
{
	int kept = 0;

	for (int i = 0; i < s->count; i++) {
		int of = s->cases[i].o.ranks;

		if (of == ranks || !of)
			s->cases[kept++] = s->cases[i];
	}
	s->count = kept;
}

void asl_suite_close(struct asl_suite *s)
{
	for (int i = 0; i < s->count; i++)
		asl_case_close(&s->cases[i].c);
	free(s->cases);
	json_decref(s->json);
}
