/*
 * options_text.c -- options as they would be given to aslant run
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/cache_model.h"
#include "bench/number.h"
#include "bench/options.h"

/* Where results go and how it is started: not what is done. */
static const char *const elsewhere[] = {
	"csv",	    "out",  "launch",	 "keep",    "resume",
	"checksum", "help", "transport", "nvm-dir", NULL};

static void put_quoted(FILE *f, const char *text)
{
	if (!text[strcspn(text, " \t\n'\"\\$&|;<>()*?[]#~`!{}")]) {
		fputs(text, f);
		return;
	}
	fputc('\'', f);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", f);
		else
			fputc(*text, f);
	fputc('\'', f);
}

static void put_text(FILE *f, const char *name, const char *text)
{
	fprintf(f, " --%s ", name);
	put_quoted(f, text);
}

static void put_number(FILE *f, const char *name, double x)
{
	char text[32];

	if (!isnan(x))
		put_text(f, name, asl_write_number(text, x));
}

static void put_cache(FILE *f, const char *name,
		      const struct asl_lru_shape *shape)
{
	char text[ASL_CACHE_MODEL_TEXT];

	if (asl_cache_model_write(text, shape))
		put_text(f, name, text);
}

static void put_grid(FILE *f, const char *name, const struct asl_grid *grid)
{
	if (grid->p[0])
		fprintf(f, " --%s %dx%dx%d", name, grid->p[0], grid->p[1],
			grid->p[2]);
}

/* Is it as if nothing had been given? */
static bool is_default(uint64_t x, const struct asl_option *option)
{
	struct asl_options none;
	const void *at = (const char *)&none + option->at;

	asl_options_init(&none);
	return x == (option->value == ASL_INT ? (uint64_t) * (const int *)at
					      : *(const uint64_t *)at);
}

static void put_count(FILE *f, const struct asl_option *option, uint64_t x)
{
	if (!is_default(x, option))
		fprintf(f, " --%s %ju", option->name, x);
}

static void put_option(FILE *f, const struct asl_option *option, const void *at)
{
	switch (option->value) {
	case ASL_FLAG:
		if (*(const bool *)at)
			fprintf(f, " --%s", option->name);
		break;
	case ASL_COUNT:
	case ASL_WORDS:
		put_count(f, option, *(const uint64_t *)at);
		break;
	case ASL_INT:
		put_count(f, option, (uint64_t) * (const int *)at);
		break;
	case ASL_COST:
	case ASL_REAL:
		put_number(f, option->name, *(const double *)at);
		break;
	case ASL_GRID:
		put_grid(f, option->name, at);
		break;
	case ASL_CACHE_SHAPE:
		put_cache(f, option->name, at);
		break;
	case ASL_FILES:
		for (const char *const *file = at; *file; file++)
			put_text(f, option->name, *file);
		break;
	case ASL_TEXT:
	case ASL_NAME:
		if (*(const char *const *)at)
			put_text(f, option->name, *(const char *const *)at);
	}
}

void asl_options_put(FILE *f, const struct asl_options *o)
{
	fputs(o->algorithm, f);
	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands & ASL_FOR_RUN &&
		    !asl_is_one_of(x->name, elsewhere))
			put_option(f, x, (const char *)o + x->at);
}

void asl_options_put_family(FILE *f, const struct asl_options *o)
{
	static const char *const planned[] = {
		"n",	  "m",	     "k",    "a",      "b",
		"tensor", "operand", "grid", "kernel", "panels",
		"panel",  "overlap", NULL};

	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!(x->commands & ASL_FOR_RUN) || !x->only ||
		    asl_is_one_of(x->name, planned))
			continue;
		fputs(x->name, f);
		put_option(f, x, (const char *)o + x->at);
		fputc('\n', f);
	}
}
