/*
 * profile.c -- what a machine's words cost, by name or from a file
 */
#include "bench/library/profile.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/library/number.h"
#include "bench/library/options.h"
#include "bench/library/say.h"
#include "lib/base/text.h"
#include "lib/rank/blas.h"

/*
 * Units of a machine profile's figures
 *
 * A bandwidth becomes the time of a word, so that costs of one profile are all
 * in nanoseconds; relative figures are costs already.
 */

enum unit_kind {
	WORD = 1, /* the cost of a word */
	WAIT = 2, /* of a message */
	FLOP = 4,
	LAG = 8, /* of an access, which is a time or nothing */
	WEAR = 16,
	WORD_ENERGY = 32,
	FLOP_ENERGY = 64,
	ENERGY = WORD_ENERGY | FLOP_ENERGY,
};

static const struct unit {
	const char *name;
	unsigned kinds;
	double factor;
	bool inverse; /* cost = factor / value, else factor * value */
	bool timed;
} units[] = {
	{"ns/word", WORD, 1, false, true},
	{"GB/s", WORD, 8, true, true},
	{"GiB/s", WORD, 8 / 1.073741824, true, true},
	{"ns", WAIT | LAG, 1, false, true},
	{"us", WAIT | LAG, 1000, false, true},
	{"ns/flop", FLOP, 1, false, true},
	{"GFLOP/s", FLOP, 1, true, true},
	{"TB", WEAR, 1e12, false, true},
	{"PB", WEAR, 1e15, false, true},
	{"nJ/word", WORD_ENERGY, 1, false, true},
	{"pJ/bit", WORD_ENERGY, 0.064, false, true},
	{"nJ/flop", FLOP_ENERGY, 1, false, true},
	{"pJ/flop", FLOP_ENERGY, 0.001, false, true},
	{"relative", WORD | WAIT | FLOP, 1, false, false},
};

enum { UNITS = sizeof units / sizeof units[0] };

/* NULL: no unit of that name is of this kind. */
static const struct unit *unit_find(const char *name, enum unit_kind kind)
{
	for (int i = 0; i < UNITS; i++)
		if (units[i].kinds & kind && !strcmp(name, units[i].name))
			return &units[i];
	return NULL;
}

/* All of a kind, "GB/s, GiB/s"; returns the text. */
static const char *unit_names(char *text, size_t room, enum unit_kind kind)
{
	const char *names[UNITS + 1];
	int count = 0;

	for (int i = 0; i < UNITS; i++)
		if (units[i].kinds & kind)
			names[count++] = units[i].name;
	names[count] = NULL;
	return asl_join(text, room, names);
}

/*
 * The figures of a profile: nanoseconds and relative costs do not mix; energies go
 * with either.
 */
static const struct figure {
	const char *key;
	enum unit_kind kind;
	size_t at; /* in struct asl_profile */
	bool needed;
} figures_known[] = {
#define AT(field) offsetof(struct asl_profile, field)
	{"read", WORD, AT(costs.read), true},
	{"write", WORD, AT(costs.write), true},
	{"net", WORD, AT(costs.net), true},
	{"dram_read", WORD, AT(costs.dram_read), false},
	{"dram_write", WORD, AT(costs.dram_write), false},
	{"latency", WAIT, AT(costs.latency), false},
	{"flop", FLOP, AT(costs.flop), false},
	{"read_latency", LAG, AT(read_latency), false},
	{"write_latency", LAG, AT(write_latency), false},
	{"endurance", WEAR, AT(endurance), false},
	{"read_energy", WORD_ENERGY, AT(energy.read), false},
	{"write_energy", WORD_ENERGY, AT(energy.write), false},
	{"dram_read_energy", WORD_ENERGY, AT(energy.dram_read), false},
	{"dram_write_energy", WORD_ENERGY, AT(energy.dram_write), false},
	{"net_energy", WORD_ENERGY, AT(energy.net), false},
	{"flop_energy", FLOP_ENERGY, AT(energy.flop), false},
	{"product_flop", FLOP, AT(times.flop), false},
	{"product_call", WAIT, AT(times.call), false},
	{"product_left", WORD, AT(times.left), false},
	{"product_right", WORD, AT(times.right), false},
	{"product_result", WORD, AT(times.result), false},
	{"product_far", WORD, AT(times.far), false},
	{"product_edge", FLOP, AT(times.edge), false},
	{"product_zero", WORD, AT(times.zero), false},
	{"product_vector", WORD, AT(times.vector), false},
	{"simple_flop", FLOP, AT(times.simple), false},
	{"stream", WORD, AT(times.stream), false},
	{"add", WORD, AT(times.add), false},
#undef AT
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
	struct asl_profile *out;
	const char *source, *where;
	const char *first; /* figure, whose unit is timed or not */
	char place[PATH_MAX + 256];
};

/* ---- The parts of a figure ---- */

/* "FILE: figure 'read': value", for as long as the next is not asked for. */
static const char *place(struct reader *r, const char *figure, const char *key)
{
	snprintf(r->place, sizeof r->place, "%s: figure '%.60s'%s%.60s",
		 r->where, figure, *key ? ": " : "", key);
	return r->place;
}

/* A text of 1 to room - 1 characters, none of which controls a terminal. */
static int figure_text(char *to, size_t room, const json_t *value,
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

static int find_unit(const struct unit **out, struct reader *r,
		     const struct figure *f, const json_t *value)
{
	const char *name = json_string_value(value);
	char names[128];

	*out = name ? unit_find(name, f->kind) : NULL;
	if (*out)
		return 0;
	unit_names(names, sizeof names, f->kind);
	if (!value)
		return asl_refuse("%s is missing, expected %s",
				  place(r, f->key, "unit"), names);
	return asl_json_reject(place(r, f->key, "unit"), value, names);
}

static int check_mixed(struct reader *r, const struct figure *f,
		       const struct unit *unit)
{
	if (!r->first) {
		r->first = f->key;
		r->out->timed = unit->timed;
	}
	if (r->out->timed == unit->timed)
		return 0;
	return asl_refuse("%s is %s, but figure '%s' is %s; expected all or "
			  "none relative",
			  place(r, f->key, ""), unit->name, r->first,
			  r->out->timed ? "not" : "relative");
}

static int take_value(struct reader *r, const struct figure *f,
		      const struct unit *unit, const json_t *json)
{
	double value = json_is_number(json) ? json_number_value(json) : -1;
	double cost =
		unit->inverse ? unit->factor / value : unit->factor * value;

	if (!json)
		return asl_refuse("%s is missing", place(r, f->key, "value"));
	if (!asl_is_cost(cost))
		return asl_json_reject(
			place(r, f->key, "value"), json,
			unit->inverse
				? "a number above 0, of a cost up to 1e100"
				: "a number from 0 on, of a cost up to 1e100");
	memcpy((char *)r->out + f->at, &cost, sizeof cost);
	return 0;
}

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
		return asl_refuse("%s is missing", place(r, f->key, "source"));
	if (!value) {
		add_source(r->out, r->source);
		return 0;
	}
	code = figure_text(source, sizeof source, value,
			   place(r, f->key, "source"));
	if (!code)
		add_source(r->out, source);
	return code;
}

/* Figures of a measurement beside its median. */
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
			return asl_refuse(
				"%s: unknown key '%.60s' (known: value, unit, "
				"source, low, high, samples)",
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
	const struct unit *unit = NULL;
	int code = check_keys(r, f->key, object);

	if (!code)
		code = find_unit(&unit, r, f, json_object_get(object, "unit"));
	if (!code && !(f->kind & ENERGY))
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
	char known[512];
	json_t *value;

	for (size_t i = 0; i < COUNT(figures_known); i++)
		names[i] = figures_known[i].key;
	json_object_foreach(figures, key, value)
	{
		if (!find(key))
			return asl_refuse(
				"%s: unknown figure '%.60s' (known: %s)", where,
				key, asl_join(known, sizeof known, names));
	}
	return 0;
}

/*
 * Fill costs and latencies of *out from an object of figures, and add their
 * sources to out->source; `source` is that of figures without one of their own,
 * or NULL.  `where` begins complaints.  0, or the exit code.
 */
static int figures_read(struct asl_profile *out, json_t *figures,
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

/* Are all there that costs need?  DRAM that is not there is as the pool, in energy, too. */
static int figures_complete(struct asl_profile *out, json_t *figures,
			    const char *where)
{
	for (size_t i = 0; i < COUNT(figures_known); i++) {
		const struct figure *f = &figures_known[i];

		if (f->needed && !json_object_get(figures, f->key))
			return asl_refuse("%s: figure '%s' is missing", where,
					  f->key);
	}
	if (!json_object_get(figures, "dram_read"))
		out->costs.dram_read = out->costs.read;
	if (!json_object_get(figures, "dram_write"))
		out->costs.dram_write = out->costs.write;
	if (!json_object_get(figures, "dram_read_energy"))
		out->energy.dram_read = out->energy.read;
	if (!json_object_get(figures, "dram_write_energy"))
		out->energy.dram_write = out->energy.write;
	return 0;
}

/* ---- Keys of the file ---- */

enum takes { TEXT, HOW, NUMBER, OBJECT };

static const struct key {
	const char *name;
	enum takes takes;
} keys[] = {
	{"name", TEXT},	     {"about", TEXT},	     {"source", TEXT},
	{"device", TEXT},    {"access", TEXT},	     {"persist", HOW},
	{"dimms", NUMBER},   {"line_bytes", NUMBER}, {"ranks", NUMBER},
	{"figures", OBJECT}, {"alone", OBJECT},	     {"provenance", OBJECT},
	{"steps", OBJECT},   {"transfers", OBJECT},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static int unknown(const char *key, const char *where)
{
	const char *names[KEYS + 1] = {NULL};
	char known[256];

	for (int i = 0; i < KEYS; i++)
		names[i] = keys[i].name;
	return asl_refuse("%s: unknown key '%.60s' (known: %s)", where, key,
			  asl_join(known, sizeof known, names));
}

static int check_text(enum takes takes, const json_t *value, const char *place)
{
	static const char *const how[] = {"nt-store", "clwb",	"store",
					  "msync",    "direct", NULL};
	char text[512];
	int code = figure_text(text, sizeof text, value, place);

	if (code || takes != HOW || asl_is_one_of(text, how))
		return code;
	return asl_json_reject(place, value,
			       "nt-store, clwb, store, msync or direct");
}

static int check(enum takes takes, const json_t *value, const char *place)
{
	if (takes == TEXT || takes == HOW)
		return check_text(takes, value, place);
	if (takes == OBJECT)
		return json_is_object(value)
			       ? 0
			       : asl_json_reject(place, value, "an object");
	if (json_integer_value(value) < 1 ||
	    json_integer_value(value) > ASL_MOST_RANKS)
		return asl_json_reject(place, value,
				       "a whole number from 1 to 1000000");
	return 0;
}

static int check_key(const char *key, const json_t *value, const char *where)
{
	char place[PATH_MAX + 128];

	for (int i = 0; i < KEYS; i++)
		if (!strcmp(key, keys[i].name)) {
			snprintf(place, sizeof place, "%s: key '%s'", where,
				 key);
			return check(keys[i].takes, value, place);
		}
	return unknown(key, where);
}

static int missing(const char *key, const char *where)
{
	return asl_refuse("%s: key '%s' is missing", where, key);
}

static int take_text(char *to, size_t room, json_t *root, const char *key,
		     const char *where)
{
	char place[PATH_MAX + 128];
	json_t *value = json_object_get(root, key);

	if (!value)
		return 0;
	snprintf(place, sizeof place, "%s: key '%s'", where, key);
	return figure_text(to, room, value, place);
}

/* ---- The file ---- */

static int check_root(json_t *root, const char *where)
{
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		return asl_refuse("%s: expected one JSON object", where);
	json_object_foreach(root, key, value)
	{
		int code = check_key(key, value, where);

		if (code)
			return code;
	}
	if (!json_object_get(root, "name"))
		return missing("name", where);
	return json_object_get(root, "figures") ? 0 : missing("figures", where);
}

static int take_some(double *to, size_t count, json_t *steps, const char *key,
		     bool grow, const char *where)
{
	json_t *all = json_object_get(steps, key);

	for (size_t i = 0; i < count; i++) {
		double least = grow && i ? to[i - 1] : 0;

		to[i] = json_number_value(json_array_get(all, i));
		if (to[i] <= least || !asl_is_cost(to[i]))
			return asl_refuse("%s: %s: expected %zu numbers "
					  "above 0%s",
					  where, key, count,
					  grow ? ", which grow" : "");
	}
	return 0;
}

/* A number that may be missing: then 0. */
static int take_number(double *to, json_t *x, const char *key,
		       const char *where)
{
	json_t *value = json_object_get(x, key);

	*to = json_number_value(value);
	if (!value || (json_is_number(value) && asl_is_cost(*to)))
		return 0;
	return asl_refuse("%s: %s: expected a number, 0 or more", where, key);
}

static int take_rows(struct asl_disk_times *to, json_t *x, const char *whose,
		     const char *where)
{
	static const char *const verbs[] = {"read", "write"};
	char key[64];
	int code = take_some(to->words, ASL_ROW_SIZES, x, "words", true, where);

	for (int i = 0; !code && i < 2; i++) {
		snprintf(key, sizeof key, "%s%s_ns", whose, verbs[i]);
		code = take_some(to->row[i], ASL_ROW_SIZES, x, key, false,
				 where);
		snprintf(key, sizeof key, "%s%s_begin_ns", whose, verbs[i]);
		if (!code)
			code = take_number(&to->begin[i], x, key, where);
		snprintf(key, sizeof key, "%s%s_near_ns", whose, verbs[i]);
		if (!code)
			code = take_number(&to->near[i], x, key, where);
	}
	return code;
}

static int take_transfers(struct asl_profile *out, json_t *x, const char *where)
{
	char place[PATH_MAX + 64];
	int code;

	if (!x)
		return 0;
	snprintf(place, sizeof place, "%s: transfers", where);
	out->disk_ranks = (int)json_integer_value(json_object_get(x, "ranks"));
	if (out->disk_ranks < 1)
		return asl_refuse("%s: ranks: expected a whole number above 0",
				  place);
	code = take_rows(&out->times.disk, x, "", place);
	return code ? code : take_rows(&out->disk_alone, x, "alone_", place);
}

/* Without any, every step takes alpha + beta x. */
static int take_steps(struct asl_profile *out, json_t *steps, const char *where)
{
	struct asl_times *t = &out->times;
	char place[PATH_MAX + 64];
	int code;

	snprintf(place, sizeof place, "%s: steps", where);
	if (steps) {
		code = take_some(t->words, ASL_STEP_SIZES, steps, "words", true,
				 place);
		if (!code)
			code = take_some(t->step, ASL_STEP_SIZES, steps, "ns",
					 false, place);
		if (!code && json_object_get(steps, "crowded_ns"))
			code = take_some(t->crowded, ASL_STEP_SIZES, steps,
					 "crowded_ns", false, place);
		if (!code)
			code = take_number(&t->row, steps, "crowded_row_ns",
					   place);
		return code ? code
			    : take_number(&t->message, steps,
					  "crowded_message_ns", place);
	}
	for (int i = 0; i < ASL_STEP_SIZES; i++) {
		t->words[i] = 1 << i;
		t->step[i] = out->costs.latency + t->words[i] * out->costs.net;
	}
	return 0;
}

static void take_memory(struct asl_times *t, const struct asl_costs *costs)
{
	t->read[ASL_POOL] = costs->read;
	t->write[ASL_POOL] = costs->write;
	t->read[ASL_DRAM] = costs->dram_read;
	t->write[ASL_DRAM] = costs->dram_write;
}

/* What was not measured on one rank alone is as on all. */
static int take_alone(struct asl_profile *out, json_t *alone,
		      const char *source, const char *where)
{
	struct asl_profile one = *out;
	char place[PATH_MAX + 64];
	int code = 0;

	snprintf(place, sizeof place, "%s: alone", where);
	if (alone)
		code = figures_read(&one, alone, source, place);
	take_memory(&one.times, &one.costs);
	out->alone = one.times;
	return code;
}

static int read_root(struct asl_profile *out, json_t *root, const char *where)
{
	json_t *figures = json_object_get(root, "figures");
	const char *source = json_string_value(json_object_get(root, "source"));
	int code = check_root(root, where);

	*out = (struct asl_profile){0};
	if (!code)
		code = take_text(out->name, sizeof out->name, root, "name",
				 where);
	if (!code)
		code = take_text(out->about, sizeof out->about, root, "about",
				 where);
	if (!code)
		code = figures_read(out, figures, source, where);
	if (!code)
		code = figures_complete(out, figures, where);
	if (!code)
		code = take_steps(out, json_object_get(root, "steps"), where);
	if (!code)
		code = take_transfers(out, json_object_get(root, "transfers"),
				      where);
	take_memory(&out->times, &out->costs);
	if (!code)
		code = take_alone(out, json_object_get(root, "alone"), source,
				  where);
	out->line_bytes =
		(int)json_integer_value(json_object_get(root, "line_bytes"));
	return code;
}

static int read_json(struct asl_profile *out, json_t *root,
		     const json_error_t *why, const char *name)
{
	char where[PATH_MAX + 32];
	int code;

	snprintf(where, sizeof where, "--profile: %s", name);
	if (!root)
		return asl_refuse_json(where, why);
	code = read_root(out, root, where);
	json_decref(root);
	return code;
}

/* ---- By name ---- */

static const struct asl_profile_file *built_in(const char *name)
{
	for (const struct asl_profile_file *x = asl_profile_files; x->name; x++)
		if (!strcmp(name, x->name))
			return x;
	return NULL;
}

const char *const *asl_profile_names(void)
{
	enum { MOST = 64 };
	static const char *names[MOST + 1];

	for (int i = 0; i < MOST && asl_profile_files[i].name; i++)
		names[i] = asl_profile_files[i].name;
	return names;
}

int asl_profile_find(struct asl_profile *out, const char *name)
{
	const struct asl_profile_file *file = built_in(name);
	const char *meant = asl_meant(name, "", asl_profile_names());
	json_error_t why;
	json_t *root;
	int err;

	errno = 0;
	if (file) {
		root = json_loadb(file->text, file->bytes,
				  JSON_REJECT_DUPLICATES, &why);
		return read_json(out, root, &why, name);
	}
	err = asl_file_readable(name);
	if (err)
		return asl_refuse(
			"--profile: found '%s', which is neither a profile "
			"(aslant list profiles) nor a readable file%s%s",
			name, *meant ? "" : ": ",
			*meant ? meant : strerror(-err));
	errno = 0;
	root = json_load_file(name, JSON_REJECT_DUPLICATES, &why);
	return read_json(out, root, &why, name);
}

bool asl_profile_has_times(const struct asl_profile *profile)
{
	return profile->timed && profile->times.flop > 0;
}

const char *asl_profile_of_class(void)
{
	return !strcmp(asl_blas().uses, "AVX-512") ? "x86-64-avx512"
						   : "x86-64-avx2";
}

/* On a line through one rank and all that were measured; 1 rank takes no more. */
static double between(double alone, double all, int measured, int ranks)
{
	double more = measured > 1 ? (all - alone) / (measured - 1) : 0;

	return alone + fmax(0, more) * (ranks - 1);
}

/* Ranks share a disk, whatever cores they have. */
static void take_disk(struct asl_disk_times *to, const struct asl_profile *x,
		      int ranks)
{
	const struct asl_disk_times *one = &x->disk_alone,
				    *all = &x->times.disk;

	*to = *one;
	for (int i = 0; i < 2; i++) {
		to->begin[i] = between(one->begin[i], all->begin[i],
				       x->disk_ranks, ranks);
		to->near[i] = between(one->near[i], all->near[i], x->disk_ranks,
				      ranks);
		for (int j = 0; j < ASL_ROW_SIZES; j++)
			to->row[i][j] = between(one->row[i][j], all->row[i][j],
						x->disk_ranks, ranks);
	}
}

/* A device's profile knows memory, and perhaps the network. */
int asl_profile_times(struct asl_times *out, const struct asl_profile *profile,
		      int ranks)
{
	const struct asl_times *own =
		ranks == 1 ? &profile->alone : &profile->times;
	struct asl_profile measured;
	int code;

	if (asl_profile_has_times(profile)) {
		*out = *own;
		if (profile->disk_ranks)
			take_disk(&out->disk, profile, ranks);
		return 0;
	}
	code = asl_profile_find(&measured, asl_profile_of_class());
	*out = ranks == 1 ? measured.alone : measured.times;
	if (!code && profile->timed) {
		take_memory(out, &profile->costs);
		if (profile->costs.latency > 0) {
			memcpy(out->words, own->words, sizeof out->words);
			memcpy(out->step, own->step, sizeof out->step);
			memcpy(out->crowded, own->crowded, sizeof out->crowded);
			out->row = own->row;
			out->message = own->message;
		}
	}
	return code;
}
