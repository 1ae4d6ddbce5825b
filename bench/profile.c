/*
 * profile.c -- what a machine's words cost, by name or from a file
 */
#include "bench/profile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bench/figure.h"
#include "bench/files.h"
#include "bench/options.h"
#include "bench/profile_files.h"
#include "bench/refuse.h"
#include "bench/say.h"

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
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static int unknown(const char *key, const char *where)
{
	const char *names[KEYS + 1] = {NULL};
	char known[256];

	for (int i = 0; i < KEYS; i++)
		names[i] = keys[i].name;
	return asl_complain(ASL_BAD_INPUT,
			    "%s: unknown key '%.60s' (known: %s)", where, key,
			    asl_join(known, sizeof known, names));
}

static int check_text(enum takes takes, const json_t *value, const char *place)
{
	static const char *const how[] = {"nt-store", "clwb", "store", "msync",
					  NULL};
	char text[512];
	int code = asl_figure_text(text, sizeof text, value, place);

	if (code || takes != HOW || asl_is_one_of(text, how))
		return code;
	return asl_json_reject(place, value, "nt-store, clwb, store or msync");
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
	return asl_complain(ASL_BAD_INPUT, "%s: key '%s' is missing", where,
			    key);
}

static int take_text(char *to, size_t room, json_t *root, const char *key,
		     const char *where)
{
	char place[PATH_MAX + 128];
	json_t *value = json_object_get(root, key);

	if (!value)
		return 0;
	snprintf(place, sizeof place, "%s: key '%s'", where, key);
	return asl_figure_text(to, room, value, place);
}

/* ---- The file ---- */

static int check_root(json_t *root, const char *where)
{
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		return asl_complain(ASL_BAD_INPUT,
				    "%s: expected one JSON object", where);
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

/* Of no use for costs, but whoever reads the file shall not be misled. */
static int check_alone(json_t *alone, const char *source, const char *where)
{
	struct asl_profile unused = {0};
	char place[PATH_MAX + 64];

	snprintf(place, sizeof place, "%s: alone", where);
	return alone ? asl_figures_read(&unused, alone, source, place) : 0;
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
		code = asl_figures_read(out, figures, source, where);
	if (!code)
		code = asl_figures_complete(out, figures, where);
	if (!code)
		code = check_alone(json_object_get(root, "alone"), source,
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

bool asl_profile_built_in(const char *name)
{
	return built_in(name);
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
	json_error_t why;
	json_t *root;
	int err;

	errno = 0;
	if (file) {
		root = json_loadb(file->text, file->bytes,
				  JSON_REJECT_DUPLICATES, &why);
		return read_json(out, root, &why, name);
	}
	err = asl_readable(name);
	if (err)
		return asl_complain(ASL_BAD_INPUT,
				    "--profile: found '%s', "
				    "which is neither a profile (aslant list "
				    "profiles) nor a readable file: %s",
				    name, strerror(-err));
	errno = 0;
	root = json_load_file(name, JSON_REJECT_DUPLICATES, &why);
	return read_json(out, root, &why, name);
}
