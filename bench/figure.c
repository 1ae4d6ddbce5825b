/*
 * figure.c -- the figures of a machine profile
 *
 * Costs in nanoseconds and relative ones do not mix.
 */
#include "bench/figure.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/number.h"
#include "bench/options.h"
#include "bench/refuse.h"
#include "bench/say.h"
#include "bench/unit.h"

static const struct figure {
	const char *key;
	enum asl_unit_kind kind;
	size_t at; /* in struct asl_profile */
	bool needed;
} figures_known[] = {
#define AT(field) offsetof(struct asl_profile, field)
	{"read", ASL_UNIT_WORD, AT(costs.read), true},
	{"write", ASL_UNIT_WORD, AT(costs.write), true},
	{"net", ASL_UNIT_WORD, AT(costs.net), true},
	{"dram_read", ASL_UNIT_WORD, AT(costs.dram_read), false},
	{"dram_write", ASL_UNIT_WORD, AT(costs.dram_write), false},
	{"latency", ASL_UNIT_WAIT, AT(costs.latency), false},
	{"flop", ASL_UNIT_FLOP, AT(costs.flop), false},
	{"read_latency", ASL_UNIT_LAG, AT(read_latency), false},
	{"write_latency", ASL_UNIT_LAG, AT(write_latency), false},
	{"endurance", ASL_UNIT_WEAR, AT(endurance), false},
#undef AT
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
	struct asl_profile *out;
	const char *source, *where;
	const char *first; /* figure, whose unit is timed or not */
	char place[PATH_MAX + 256];
};

/* ---- What a figure consists of ---- */

/* "FILE: figure 'read': value", for as long as the next is not asked for. */
static const char *place(struct reader *r, const char *figure, const char *key)
{
	snprintf(r->place, sizeof r->place, "%s: figure '%.60s'%s%.60s",
		 r->where, figure, *key ? ": " : "", key);
	return r->place;
}

int asl_figure_text(char *to, size_t room, const json_t *value,
		    const char *where)
{
	const char *text = json_string_value(value);
	char expected[80];

	if (!text || !*text || strlen(text) >= room) {
		snprintf(expected, sizeof expected,
			 "a text of 1 to %zu characters", room - 1);
		return asl_json_reject(where, value, expected);
	}
	for (const char *c = text; *c; c++)
		if (asl_control_bytes(c))
			return asl_json_reject(where, value,
					       "no control characters");
	strcpy(to, text);
	return 0;
}

static int find_unit(const struct asl_unit **out, struct reader *r,
		     const struct figure *f, const json_t *value)
{
	const char *name = json_string_value(value);
	char names[128];

	*out = name ? asl_unit_find(name, f->kind) : NULL;
	if (*out)
		return 0;
	asl_unit_names(names, sizeof names, f->kind);
	if (!value)
		return asl_complain(ASL_BAD_INPUT, "%s is missing, expected %s",
				    place(r, f->key, "unit"), names);
	return asl_json_reject(place(r, f->key, "unit"), value, names);
}

static int check_mixed(struct reader *r, const struct figure *f,
		       const struct asl_unit *unit)
{
	if (!r->first) {
		r->first = f->key;
		r->out->timed = unit->timed;
	}
	if (r->out->timed == unit->timed)
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "%s is %s, but figure '%s' is %s; expected all "
			    "or none relative",
			    place(r, f->key, ""), unit->name, r->first,
			    r->out->timed ? "not" : "relative");
}

static int take_value(struct reader *r, const struct figure *f,
		      const struct asl_unit *unit, const json_t *json)
{
	double value = json_is_number(json) ? json_number_value(json) : -1;
	double cost = asl_unit_cost(unit, value);

	if (!json)
		return asl_complain(ASL_BAD_INPUT, "%s is missing",
				    place(r, f->key, "value"));
	if (!asl_is_cost(cost))
		return asl_json_reject(
			place(r, f->key, "value"), json,
			unit->inverse
				? "a number above 0, of a cost up to 1e100"
				: "a number from 0 on, of a cost up to 1e100");
	memcpy((char *)r->out + f->at, &cost, sizeof cost);
	return 0;
}

/* ---- Sources ---- */

/* Each once, as far as there is room. */
static void add_source(struct asl_profile *out, const char *source)
{
	size_t used = strlen(out->source);

	if (!strstr(out->source, source))
		snprintf(out->source + used, sizeof out->source - used, "%s%s",
			 used ? "; " : "", source);
}

static int take_source(struct reader *r, const struct figure *f,
		       const json_t *value)
{
	char source[512];
	int code;

	if (!value && !r->source)
		return asl_complain(ASL_BAD_INPUT, "%s is missing",
				    place(r, f->key, "source"));
	if (!value) {
		add_source(r->out, r->source);
		return 0;
	}
	code = asl_figure_text(source, sizeof source, value,
			       place(r, f->key, "source"));
	if (!code)
		add_source(r->out, source);
	return code;
}

/* ---- All of them ---- */

/* What measurements say beside their median. */
static bool is_spread(const char *key)
{
	static const char *const known[] = {"low", "high", "samples", NULL};

	return asl_is_one_of(key, known);
}

static int check_keys(struct reader *r, const char *figure, json_t *object)
{
	static const char *const known[] = {"value", "unit", "source", NULL};
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return asl_json_reject(place(r, figure, ""), object,
				       "an object with value, unit and "
				       "source");
	json_object_foreach(object, key, value)
	{
		if (!asl_is_one_of(key, known) && !is_spread(key))
			return asl_complain(ASL_BAD_INPUT,
					    "%s: unknown key '%.60s' (known: "
					    "value, unit, source, low, high, "
					    "samples)",
					    place(r, figure, ""), key);
		if (is_spread(key) &&
		    (!json_is_number(value) || json_number_value(value) < 0))
			return asl_json_reject(place(r, figure, key), value,
					       "a number from 0 on");
	}
	return 0;
}

static int take(struct reader *r, const struct figure *f, json_t *object)
{
	const struct asl_unit *unit = NULL;
	int code = check_keys(r, f->key, object);

	if (!code)
		code = find_unit(&unit, r, f, json_object_get(object, "unit"));
	if (!code)
		code = check_mixed(r, f, unit);
	if (!code)
		code = take_value(r, f, unit, json_object_get(object, "value"));
	if (!code)
		code = take_source(r, f, json_object_get(object, "source"));
	return code;
}

static const struct figure *find(const char *key)
{
	for (size_t i = 0; i < COUNT(figures_known); i++)
		if (!strcmp(key, figures_known[i].key))
			return &figures_known[i];
	return NULL;
}

static int check_names(json_t *figures, const char *where)
{
	const char *names[COUNT(figures_known) + 1] = {NULL}, *key;
	char known[256];
	json_t *value;

	for (size_t i = 0; i < COUNT(figures_known); i++)
		names[i] = figures_known[i].key;
	json_object_foreach(figures, key, value)
	{
		if (!find(key))
			return asl_complain(
				ASL_BAD_INPUT,
				"%s: unknown figure '%.60s' (known: %s)", where,
				key, asl_join(known, sizeof known, names));
	}
	return 0;
}

int asl_figures_read(struct asl_profile *out, json_t *figures,
		     const char *source, const char *where)
{
	struct reader r = {.out = out, .source = source, .where = where};
	int code = check_names(figures, where);

	for (size_t i = 0; !code && i < COUNT(figures_known); i++) {
		const struct figure *f = &figures_known[i];
		json_t *object = json_object_get(figures, f->key);

		if (object)
			code = take(&r, f, object);
	}
	return code;
}

int asl_figures_complete(struct asl_profile *out, json_t *figures,
			 const char *where)
{
	for (size_t i = 0; i < COUNT(figures_known); i++) {
		const struct figure *f = &figures_known[i];

		if (f->needed && !json_object_get(figures, f->key))
			return asl_complain(ASL_BAD_INPUT,
					    "%s: figure '%s' is missing", where,
					    f->key);
	}
	if (!json_object_get(figures, "dram_read"))
		out->costs.dram_read = out->costs.read;
	if (!json_object_get(figures, "dram_write"))
		out->costs.dram_write = out->costs.write;
	return 0;
}
