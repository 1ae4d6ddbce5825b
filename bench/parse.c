/*
 * parse.c -- from argv to struct asl_options, by the table of options
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/cache_model.h"
#include "bench/number.h"
#include "bench/options.h"
#include "bench/say.h"

enum { MOST_OPTIONS = 96, FIRST_VALUE = 256 };

static int refuse(const struct asl_option *option, const char *found,
		  const char *expected)
{
	return asl_complain(ASL_BAD_INPUT, "--%s: found '%s', expected %s",
			    option->name, found, expected);
}

static int set_count(const struct asl_option *option, void *at,
		     const char *text)
{
	uint64_t x;
	char expected[128];

	if (!asl_read_count(&x, text) || x < option->least ||
	    x > option->most) {
		snprintf(expected, sizeof expected,
			 "a whole number from %ju to %ju (k, m and g multiply "
			 "by 1000)",
			 option->least, option->most);
		return refuse(option, text, expected);
	}
	if (option->value == ASL_INT)
		*(int *)at = (int)x;
	else
		*(uint64_t *)at = x;
	return 0;
}

static int set_words(const struct asl_option *option, void *at,
		     const char *text)
{
	uint64_t x;

	if (!asl_read_words(&x, text) || x < option->least || x > option->most)
		return refuse(option, text,
			      "words, from 1 to 2^63-1 (k, m and g multiply by "
			      "1000; KiB, MiB, GiB and TiB are bytes)");
	*(uint64_t *)at = x;
	return 0;
}

static int set_name(const struct asl_option *option, void *at, const char *text)
{
	char names[256];

	if (!asl_is_one_of(text, option->names()))
		return refuse(option, text,
			      asl_join(names, sizeof names, option->names()));
	*(const char **)at = text;
	return 0;
}

static int set_cache(const struct asl_option *option, void *at,
		     const char *text)
{
	char expected[ASL_CACHE_MODEL_TEXT];
	struct asl_lru_shape shape;

	if (!asl_cache_model_read(&shape, text, expected))
		return refuse(option, text, expected);
	*(struct asl_lru_shape *)at = shape;
	return 0;
}

static int add_file(const struct asl_option *option, const char **at,
		    const char *text)
{
	int count = 0;

	if (!*text)
		return refuse(option, text, option->argument);
	while (at[count])
		count++;
	if (count == ASL_MOST_OPERANDS - 1)
		return asl_complain(ASL_BAD_INPUT, "--%s: more than %d",
				    option->name, count);
	at[count] = text;
	return 0;
}

int asl_option_set(const struct asl_option *option, struct asl_options *o,
		   const char *text)
{
	void *at = (char *)o + option->at;

	switch (option->value) {
	case ASL_FLAG:
		*(bool *)at = true;
		return 0;
	case ASL_COUNT:
	case ASL_INT:
		return set_count(option, at, text);
	case ASL_WORDS:
		return set_words(option, at, text);
	case ASL_COST:
		if (!asl_read_cost(at, text))
			return refuse(option, text, "a number from 0 to 1e100");
		return 0;
	case ASL_REAL:
		if (!asl_read_real(at, text))
			return refuse(option, text,
				      "a number from -1e100 to 1e100");
		return 0;
	case ASL_GRID:
		if (!asl_read_grid(at, text, ASL_MOST_RANKS))
			return refuse(option, text,
				      "three sides, as in 4x4x2,"
				      " of 1000000 ranks at most");
		return 0;
	case ASL_NAME:
		return set_name(option, at, text);
	case ASL_CACHE_SHAPE:
		return set_cache(option, at, text);
	case ASL_FILES:
		return add_file(option, at, text);
	case ASL_TEXT:
		if (!*text)
			return refuse(option, text, option->argument);
		*(const char **)at = text;
	}
	return 0;
}

/* getopt's table for one command; val is FIRST_VALUE + index in ours. */
static void fill_long(struct option to[MOST_OPTIONS], unsigned command)
{
	int count = 0;

	for (int i = 0; asl_option_table[i].name; i++) {
		const struct asl_option *from = &asl_option_table[i];

		if (!(ASL_TAKEN(from->commands) & command))
			continue;
		to[count++] = (struct option){
			.name = from->name,
			.has_arg = from->argument ? required_argument
						  : no_argument,
			.val = FIRST_VALUE + i,
		};
	}
	to[count] = (struct option){0};
}

static int unknown(const char *command, const char *found)
{
	return asl_complain(ASL_BAD_INPUT,
			    "unknown option '%.*s' (aslant %s --help lists "
			    "them)",
			    (int)strcspn(found, "="), found, command);
}

/* getopt_long takes any unique beginning of a name; we do not. */
static bool is_name_of(const char *found, const struct asl_option *option)
{
	return strcspn(found + 2, "=") == strlen(option->name);
}

/* What getopt could not make sense of. */
static int misused(int what, const char *command, const char *found)
{
	const struct asl_option *option;

	if (optopt < FIRST_VALUE)
		return unknown(command, found);
	option = &asl_option_table[optopt - FIRST_VALUE];
	if (!is_name_of(found, option))
		return unknown(command, found);
	if (what == ':')
		return asl_complain(ASL_BAD_INPUT, "--%s: expected %s after it",
				    option->name, option->argument);
	return asl_complain(ASL_BAD_INPUT,
			    "--%s: found '%s', but it takes "
			    "no value",
			    option->name, strchr(found, '=') + 1);
}

static int take_results(struct asl_options *o, const char *dir)
{
	int count = 0;

	while (o->dir[count])
		count++;
	if (count == ASL_MOST_RESULTS)
		return asl_complain(ASL_BAD_INPUT,
				    "found more than %d directories", count);
	o->dir[count] = dir;
	return 0;
}

static int take_argument(struct asl_options *o, const char *text,
			 unsigned command)
{
	if (command & ASL_TAKES_RESULTS)
		return take_results(o, text);
	if (o->algorithm)
		return asl_complain(ASL_BAD_INPUT,
				    "unexpected argument '%s' after '%s'", text,
				    o->algorithm);
	o->algorithm = text;
	return 0;
}

static int step(struct asl_options *o, int what, const char *found, int at,
		const char *name, unsigned command)
{
	const struct asl_option *option;

	if (what == 1)
		return take_argument(o, optarg, command);
	if (what == 'h') {
		o->help = true;
		return 0;
	}
	if (what == '?' || what == ':')
		return misused(what, name, found);
	option = &asl_option_table[what - FIRST_VALUE];
	if (!is_name_of(found, option))
		return unknown(name, found);
	if (option->at == offsetof(struct asl_options, launch)) {
		if (o->launch)
			return asl_complain(ASL_BAD_INPUT,
					    "--launch: given twice");
		o->launch_at = at;
	}
	return asl_option_set(option, o, optarg);
}

void asl_options_init(struct asl_options *o)
{
	*o = (struct asl_options){
		.seed = 1,
		.reps = 1,
		.peer_timeout = 60,
		.cut_timeout = 6,
		.top = 10,
		.read_cost = NAN,
		.write_cost = NAN,
		.net_cost = NAN,
		.latency = NAN,
		.flop_cost = NAN,
		.shift = NAN,
		.tol = NAN,
		.fail_below = NAN,
	};
}

int asl_options_parse(struct asl_options *o, int argc, char **argv,
		      unsigned command)
{
	asl_options_init(o);
	return asl_options_add(o, argc, argv, command);
}

int asl_options_add(struct asl_options *o, int argc, char **argv,
		    unsigned command)
{
	struct option names[MOST_OPTIONS];
	int err = 0, what, at = 1;

	fill_long(names, command);
	opterr = 0;
	optind = 0; /* anew, however often it was asked before */
	/* '-': arguments come in order, as 1; ':' tells a missing value. */
	while (!err &&
	       (what = getopt_long(argc, argv, "-:h", names, NULL)) != -1) {
		err = step(o, what, argv[at], at, argv[0], command);
		at = optind;
	}
	for (; !err && optind < argc; optind++)
		err = take_argument(o, argv[optind], command);
	return err;
}
