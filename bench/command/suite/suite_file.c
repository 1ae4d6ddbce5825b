/*
 * suite_file.c -- from a suite's JSON to the options of its cases
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/results/results.h"
#include "bench/command/suite/suite.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/base/text.h"
#include "nvm/store.h"

/*
 * {"from": 1, "to": 64, "times": 2} in place of a list
 *
 * With "by" the next is that much larger, with "times" so many times as large;
 * "to" is the last if it is met, and is never passed.
 */

#define EXPECTED                                                               \
	"{\"from\": LEAST, \"to\": MOST, \"by\": STEP} or \"times\": FACTOR "  \
	"in place of \"by\""

struct range {
	double from, to, step;
	bool times, whole;
	size_t count;
};

static bool take(double *x, bool *whole, const json_t *value, const char *key)
{
	const json_t *number = json_object_get(value, key);

	*x = json_number_value(number);
	*whole = *whole && json_is_integer(number);
	return json_is_number(number);
}

static bool read_range(struct range *r, const json_t *value)
{
	double steps;

	*r = (struct range){.whole = true};
	r->times = json_object_get(value, "times");
	if (json_object_size(value) != 3 ||
	    !take(&r->from, &r->whole, value, "from") ||
	    !take(&r->to, &r->whole, value, "to") ||
	    !take(&r->step, &r->whole, value, r->times ? "times" : "by") ||
	    r->to < r->from)
		return false;
	if (r->times ? !(r->from > 0 && r->step > 1) : !(r->step > 0))
		return false;
	steps = r->times ? log(r->to / r->from) / log(r->step)
			 : (r->to - r->from) / r->step;
	/* The last is not to be missed by rounding. */
	steps = floor(steps * (1 + 1e-12) + 1e-9) + 1;
	r->count =
		steps < ASL_MOST_CASES + 1 ? (size_t)steps : ASL_MOST_CASES + 1;
	return true;
}

/* Decimal steps give 0.3, not 0.1 + 0.1 + 0.1. */
static json_t *element(const struct range *r, size_t i)
{
	double x = r->times ? r->from * pow(r->step, (double)i)
			    : r->from + r->step * (double)i;
	char text[32];

	if (r->whole)
		return json_integer((json_int_t)llround(x));
	snprintf(text, sizeof text, "%.12g", x);
	return json_real(strtod(text, NULL));
}

static json_t *list_of(const struct range *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(list, element(r, i));
	return list;
}

static int expand(json_t *keys)
{
	const char *key;
	json_t *value;
	struct range r;
	void *next;

	json_object_foreach_safe(keys, next, key, value)
	{
		if (!json_is_object(value))
			continue;
		if (!read_range(&r, value))
			return asl_json_reject(key, value, EXPECTED);
		if (r.count > ASL_MOST_CASES)
			return asl_refuse("more than %d cases in one",
					  ASL_MOST_CASES);
		json_object_set_new(keys, key, list_of(&r));
	}
	return 0;
}

/*
 * A key and its value in a suite, as an option of a case
 */

static bool takes_number(const struct asl_option *option)
{
	return option->value == ASL_COUNT || option->value == ASL_INT ||
	       option->value == ASL_INT_OR_AUTO || option->value == ASL_WORDS ||
	       option->value == ASL_COST || option->value == ASL_RATIO ||
	       option->value == ASL_REAL;
}

static int set_flag(const struct asl_option *option, struct asl_options *o,
		    const json_t *value)
{
	if (!json_is_boolean(value))
		return asl_json_reject(option->name, value, "true or false");
	*(bool *)((char *)o + option->at) = json_is_true(value);
	return 0;
}

/* Like that many options. */
static int set_files(const struct asl_option *option, struct asl_options *o,
		     const json_t *value)
{
	int code = 0;

	for (size_t i = 0; !code && i < json_array_size(value); i++) {
		const json_t *file = json_array_get(value, i);

		if (json_is_string(file))
			code = asl_option_set(option, o,
					      json_string_value(file));
		else
			code = asl_json_reject(option->name, file, "a text");
	}
	return code;
}

/* As if it stood on the command line. */
static int set_value(const struct asl_option *option, struct asl_options *o,
		     const json_t *value)
{
	char text[32];

	if (option->value == ASL_FLAG)
		return set_flag(option, o, value);
	if (option->value == ASL_FILES && json_is_array(value))
		return set_files(option, o, value);
	if (json_is_string(value))
		return asl_option_set(option, o, json_string_value(value));
	if (!takes_number(option))
		return asl_json_reject(option->name, value, "a text");
	if (json_is_integer(value))
		snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	else if (json_is_real(value))
		asl_write_number(text, json_real_value(value));
	else
		return asl_json_reject(option->name, value,
				       "a number or a text");
	return asl_option_set(option, o, text);
}

static int set_text(const char **to, const char *key, const json_t *value)
{
	*to = json_string_value(value);
	return *to && **to ? 0 : asl_json_reject(key, value, "a text");
}

/* Labels are printed, and no terminal shall obey them. */
static int set_label(struct asl_suite_case *x, const json_t *value)
{
	int code = set_text(&x->label, "label", value);

	for (const char *c = x->label; !code && *c; c++)
		if (asl_control_bytes(c))
			code = asl_json_reject("label", value,
					       "no control characters");
	x->pattern = x->label;
	return code;
}

static int set_key(struct asl_suite_case *x, const char *key,
		   const json_t *value)
{
	const struct asl_option *option = asl_option_find(key);

	if (!strcmp(key, "algorithm"))
		return set_text(&x->o.algorithm, key, value);
	if (!strcmp(key, "label"))
		return set_label(x, value);
	if (!strcmp(key, "expect"))
		return set_text(&x->expected, key, value);
	if (option && option->roles & ASL_NOT_IN_SUITES)
		return asl_refuse("'%s' belongs on the command line", key);
	if (!option || !(option->commands & ASL_FOR_RUN))
		return asl_refuse(
			"unknown option '%s' (aslant run --help lists them)",
			key);
	return set_value(option, &x->o, value);
}

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

/* ---- Cases from lists ---- */

/* A list of files is one value of an option that takes files. */
static bool is_list(const char *key, const json_t *value)
{
	const struct asl_option *option = asl_option_find(key);

	return json_is_array(value) &&
	       !(option && option->value == ASL_FILES &&
		 !json_is_array(json_array_get(value, 0)));
}

/* Element i of a list; a value alone is a list of one. */
static const json_t *suite_file_element(const char *key, const json_t *value,
					size_t i)
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
			asl_refuse("%s: the list is empty", key);
			return 0;
		}
		if (length_of(key, value) > ASL_MOST_CASES / count) {
			asl_refuse("more than %d cases in one", ASL_MOST_CASES);
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
			code = set_key(
				x, key,
				suite_file_element(key, value, which / count));
		which %= count;
	}
	return code;
}

/* Costs in units are another machine's: a profile has its own. */
static void drop_costs(struct asl_options *o, int argc, char **argv)
{
	double *const costs[] = {&o->read_cost, &o->write_cost, &o->net_cost,
				 &o->latency, &o->flop_cost};
	bool profile = false;

	for (int i = 1; i < argc; i++)
		profile |= !strncmp(argv[i], "--profile", 9);
	for (size_t i = 0; profile && i < sizeof costs / sizeof *costs; i++)
		if (!signbit(*costs[i]))
			*costs[i] = NAN;
}

/* The value of the option whose name ends at the brace; behind the brace. */
static const char *put_value(FILE *f, const struct asl_suite_case *x,
			     const char *name)
{
	size_t length = strcspn(name, "}");
	char option[64], text[ASL_CACHE_MODEL_TEXT];
	const struct asl_option *found = NULL;

	snprintf(option, sizeof option, "%.*s", (int)length, name);
	if (!strcmp(option, "algorithm"))
		fputs(x->o.algorithm, f);
	else
		found = asl_option_find(option);
	if (found && found->commands & ASL_FOR_RUN)
		fputs(asl_option_text(text, found, &x->o), f);
	else if (strcmp(option, "algorithm") != 0)
		fprintf(f, "{%s}", option);
	return name + length + (name[length] == '}');
}

/* "w = {write-cost}" is "w = 4r" of one case, and "w = 8r" of another. */
static int name_case(struct asl_suite_case *x)
{
	const char *at = x->pattern ? x->pattern : "";
	size_t bytes;
	FILE *f;

	if (!strchr(at, '{'))
		return 0;
	free(x->named);
	x->named = NULL;
	f = open_memstream(&x->named, &bytes);
	if (!f)
		return asl_no_memory();
	while (*at)
		if (*at == '{')
			at = put_value(f, x, at + 1);
		else
			fputc(*at++, f);
	if (fclose(f))
		return asl_no_memory();
	x->label = x->named;
	for (const char *c = x->label; *c; c++)
		if (asl_control_bytes(c))
			return asl_refuse("label: found '%s', expected no "
					  "control characters",
					  x->label);
	return 0;
}

int asl_suite_options(struct asl_suite *s, struct asl_suite_case *x)
{
	const char *algorithm = x->o.algorithm;
	int code;

	if (!algorithm)
		return asl_refuse("'algorithm' is missing");
	x->o.algorithm = NULL; /* the command line's is the suite's name */
	drop_costs(&x->o, s->argc, s->argv);
	code = asl_options_add(&x->o, s->argc, s->argv, ASL_FOR_SUITE);
	x->o.algorithm = algorithm;
	return code ? code : name_case(x);
}

static int finish(struct asl_suite *s, struct asl_suite_case *x)
{
	x->own = x->o;
	return asl_suite_options(s, x);
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
	s->made++;
	return &s->cases[s->count++];
}

static int add_cases(struct asl_suite *s, json_t *keys, int item)
{
	const char *label = json_string_value(
		suite_file_element("label", json_object_get(keys, "label"), 0));
	struct asl_suite_case from = {.label = label ? label : "",
				      .item = item};
	size_t count;
	int code = 0;

	asl_suite_about(s, &from);
	asl_options_init(&from.o);
	code = expand(keys);
	if (code)
		return code;
	count = count_cases(keys);
	if (!count)
		return ASL_BAD_INPUT;
	if (count > (size_t)(ASL_MOST_CASES - s->count))
		return asl_refuse("more than %d cases", ASL_MOST_CASES);
	for (size_t i = 0; !code && i < count; i++) {
		struct asl_suite_case *x = add_case(s);

		if (!x)
			return asl_no_memory();
		*x = from;
		x->number = s->count;
		code = set_all(x, keys, i, count);
		if (!code)
			code = finish(s, x);
	}
	return code;
}

/* ---- The file ---- */

static const char *unknown_key(json_t *root)
{
	static const char *const known[] = {"about",  "calibrate", "scale",
					    "blocks", "options",   "cases",
					    NULL};
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
		return asl_refuse("expected one JSON object");
	unknown = unknown_key(root);
	if (unknown)
		return asl_refuse("unknown key '%s' (known: about, calibrate, "
				  "scale, blocks, options, cases)",
				  unknown);
	value = json_object_get(root, "about");
	if (value && !json_is_string(value))
		return asl_json_reject("about", value, "a text");
	value = json_object_get(root, "scale");
	if (value && (!json_is_string(value) ||
		      strcmp(json_string_value(value), "machine") != 0))
		return asl_json_reject("scale", value, "\"machine\"");
	value = json_object_get(root, "blocks");
	if (value &&
	    (!json_is_integer(value) || json_integer_value(value) < 1 ||
	     json_integer_value(value) > ASL_MOST_REPS))
		return asl_json_reject("blocks", value,
				       "a whole number from 1 to 50");
	value = json_object_get(root, "options");
	if (value && !json_is_object(value))
		return asl_json_reject("options", value, "an object");
	value = json_object_get(root, "cases");
	if (!value)
		return asl_refuse("'cases' is missing");
	if (!json_is_array(value))
		return asl_json_reject("cases", value, "a list of objects");
	if (!json_array_size(value))
		return asl_refuse("cases: the list is empty");
	return 0;
}

/* An object of columns becomes a text, as it stands in runs.csv. */
static int join_expectations(json_t *object)
{
	json_t *value, *expect = json_object_get(object, "expect");
	char text[256] = "";
	const char *key, *wrong;
	size_t used = 0;

	if (!json_is_object(expect))
		return expect ? asl_json_reject("expect", expect,
						"{\"COLUMN\": \">= NUMBER\"}")
			      : 0;
	json_object_foreach(expect, key, value)
	{
		if (used < sizeof text)
			used += (size_t)snprintf(
				text + used, sizeof text - used, "%s%s %s",
				used ? "; " : "", key,
				json_is_string(value) ? json_string_value(value)
						      : "");
	}
	wrong = used < sizeof text ? asl_expect_wrong(text) : "too much";
	if (wrong)
		return asl_refuse("expect: found '%.200s', which is %s", text,
				  wrong);
	return json_object_set_new(object, "expect", json_string(text))
		       ? asl_no_memory()
		       : 0;
}

static int read_case(struct asl_suite *s, json_t *common, json_t *own, int item)
{
	json_t *keys;
	int code;

	if (!json_is_object(own)) {
		asl_suite_about(s, NULL);
		return asl_json_reject("cases", own, "a list of objects");
	}
	asl_suite_about(s, &(struct asl_suite_case){.label = "", .item = item});
	code = join_expectations(own);
	if (code)
		return code;
	/* A key of both keeps its place and takes the case's value. */
	keys = common ? json_copy(common) : json_object();
	if (!keys || json_object_update(keys, own))
		code = asl_no_memory();
	else
		code = add_cases(s, keys, item);
	json_decref(keys);
	return code;
}

static int read_cases(struct asl_suite *s)
{
	json_t *common = json_object_get(s->json, "options");
	json_t *list = json_object_get(s->json, "cases");
	int code = check_keys(s->json);

	if (!code)
		code = read_calibrate(s);
	s->scaled = json_object_get(s->json, "scale") != NULL;
	s->blocks = (int)json_integer_value(json_object_get(s->json, "blocks"));
	if (!code)
		code = join_expectations(common);
	for (size_t i = 0; !code && i < json_array_size(list); i++)
		code = read_case(s, common, json_array_get(list, i),
				 (int)i + 1);
	return code;
}

int asl_suite_read(struct asl_suite *s, const char *name, int argc, char **argv)
{
	const char *meant;
	json_error_t why;
	int err, code;

	*s = (struct asl_suite){.argc = argc, .argv = argv};
	if (!asl_suite_find(s->path, name)) {
		snprintf(s->path, sizeof s->path, "%s", name);
		err = asl_file_readable(name);
		meant = asl_suite_meant(name);
		if (err)
			return asl_refuse(
				"suite: found '%s', which is neither a suite "
				"(aslant list suites) nor a readable file%s%s",
				name, *meant ? "" : ": ",
				*meant ? meant : strerror(-err));
	}
	errno = 0;
	s->json = json_load_file(s->path, JSON_REJECT_DUPLICATES, &why);
	if (!s->json)
		return asl_refuse_json(s->path, &why);
	asl_suite_about(s, NULL);
	code = read_cases(s);
	asl_complain_about(NULL);
	s->total = s->count;
	return code;
}

/* A case of a later block borrows the texts of the first block's. */
static void add_block(struct asl_suite *s, int cases, int block)
{
	for (int i = 0; i < cases; i++) {
		struct asl_suite_case *x = &s->cases[block * cases + i];

		if (block) {
			*x = s->cases[i];
			x->text = x->named = NULL;
		}
		x->number += block * s->total;
		x->block = block + 1;
		if (isnan(x->o.precision))
			x->o.reps = (x->o.reps + block) / s->blocks;
		x->o.reps += !x->o.reps;
	}
}

/*
 * A machine drifts: what is measured within seconds agrees better than what is
 * measured an hour apart.  Only repetitions that are apart show by how much.
 */
int asl_suite_block(struct asl_suite *s, const struct asl_options *o)
{
	int cases = s->count, most, rest = s->made - s->count;
	struct asl_suite_case *all;

	if (o->store && !asl_store_can(o->store)->has_data)
		s->blocks = 1; /* counts do not drift */
	s->blocks = o->blocks ? o->blocks : s->blocks ? s->blocks : 1;
	if (o->block > s->blocks)
		return asl_refuse("--block: found %d, expected one of %d "
				  "--blocks",
				  o->block, s->blocks);
	most = ASL_MOST_CASES / (cases + rest);
	if (s->blocks > most)
		return asl_refuse("--blocks: found %d, expected at most %d "
				  "(%d cases)",
				  s->blocks, most, ASL_MOST_CASES);
	all = calloc((size_t)s->blocks * (size_t)cases + (size_t)rest, sizeof *all);
	if (!all)
		return asl_no_memory();
	memcpy(all, s->cases, (size_t)cases * sizeof *all);
	memcpy(all + s->blocks * cases, s->cases + cases,
	       (size_t)rest * sizeof *all);
	free(s->cases);
	s->cases = all;
	s->count = s->blocks * cases;
	s->room = s->made = s->count + rest;
	for (int block = s->blocks - 1; block >= 0; block--)
		add_block(s, cases, block);
	s->total *= s->blocks;
	s->left_out *= s->blocks;
	return 0;
}

void asl_suite_close(struct asl_suite *s)
{
	for (int i = 0; i < s->made; i++) {
		asl_case_close(&s->cases[i].c);
		free(s->cases[i].text);
		free(s->cases[i].named);
	}
	free(s->cases);
	json_decref(s->json);
}
