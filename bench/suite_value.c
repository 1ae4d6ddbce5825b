/*
 * suite_value.c -- a key and its value in a suite, as an option of a case
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/number.h"
#include "bench/refuse.h"
#include "bench/say.h"
#include "bench/suite.h"

static bool takes_number(const struct asl_option *option)
{
	return option->value == ASL_COUNT || option->value == ASL_INT ||
	       option->value == ASL_WORDS || option->value == ASL_COST ||
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

/* It is printed, and no terminal shall obey it. */
static int set_label(struct asl_suite_case *x, const json_t *value)
{
	int code = set_text(&x->label, "label", value);

	for (const char *c = x->label; !code && *c; c++)
		if (asl_control_bytes(c))
			code = asl_json_reject("label", value,
					       "no control characters");
	return code;
}

int asl_suite_set(struct asl_suite_case *x, const char *key,
		  const json_t *value)
{
	static const char *const elsewhere[] = {
		"launch",	"transport",   "provider", "interface",
		"peer-timeout", "cut-timeout", "csv",	   "out",
		"help",		NULL};
	const struct asl_option *option = asl_option_find(key);

	if (!strcmp(key, "algorithm"))
		return set_text(&x->o.algorithm, key, value);
	if (!strcmp(key, "label"))
		return set_label(x, value);
	if (asl_is_one_of(key, elsewhere))
		return asl_complain(ASL_BAD_INPUT,
				    "'%s' belongs on the command line", key);
	if (!option || !(option->commands & ASL_FOR_RUN))
		return asl_complain(ASL_BAD_INPUT,
				    "unknown option '%s' (aslant run --help "
				    "lists them)",
				    key);
	return set_value(option, &x->o, value);
}
