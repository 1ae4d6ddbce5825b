/*
 * profile.c -- what a machine's words cost, by name or from a file
 */
#include "bench/profile.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/number.h"
#include "bench/say.h"

const struct asl_profile asl_profiles[] = {
	{"dram",
	 "a word costs 1 wherever it goes, messages and flops nothing",
	 {.read = 1, .write = 1, .dram_read = 1, .dram_write = 1, .net = 1}},
	{.name = ""},
};

static double *cost_of(struct asl_costs *costs, const char *key)
{
	struct {
		const char *key;
		double *cost;
	} all[] = {
		{"read_cost", &costs->read},
		{"write_cost", &costs->write},
		{"net_cost", &costs->net},
		{"latency", &costs->latency},
		{"flop_cost", &costs->flop},
		{"dram_read_cost", &costs->dram_read},
		{"dram_write_cost", &costs->dram_write},
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(key, all[i].key))
			return all[i].cost;
	return NULL;
}

static int take_text(char *to, size_t room, const char *file, const char *key,
		     const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text || !*text || strlen(text) >= room)
		return asl_complain(ASL_BAD_INPUT,
				    "--profile: %s: key '%s': expected a "
				    "text of 1 to %zu characters",
				    file, key, room - 1);
	strcpy(to, text);
	return 0;
}

/* The name is printed, and no terminal shall obey it. */
static int check_name(const char *name, const char *file)
{
	for (; *name; name++)
		if (asl_control_bytes(name))
			return asl_complain(ASL_BAD_INPUT,
					    "--profile: %s: key 'name': "
					    "expected no control characters",
					    file);
	return 0;
}

static int take_cost(double *to, const char *file, const char *key,
		     const json_t *value)
{
	double cost = json_is_number(value) ? json_number_value(value) : -1;

	if (!asl_is_cost(cost)) {
		char *found = json_dumps(
			value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		int code = asl_complain(ASL_BAD_INPUT,
					"--profile: %s: key '%s': found %.60s, "
					"expected a number from 0 to 1e100",
					file, key, found ? found : "");

		free(found);
		return code;
	}
	*to = cost;
	return 0;
}

static int take(struct asl_profile *out, const char *file, const char *key,
		const json_t *value)
{
	double *cost = cost_of(&out->costs, key);
	int err;

	if (cost)
		return take_cost(cost, file, key, value);
	if (!strcmp(key, "name")) {
		err = take_text(out->name, sizeof out->name, file, key, value);
		return err ? err : check_name(out->name, file);
	}
	if (!strcmp(key, "source"))
		return take_text(out->source, sizeof out->source, file, key,
				 value);
	return asl_complain(ASL_BAD_INPUT,
			    "--profile: %s: unknown key '%s' (known: name, "
			    "source, read_cost, write_cost, net_cost, latency, "
			    "flop_cost, dram_read_cost, dram_write_cost)",
			    file, key);
}

static int read_object(struct asl_profile *out, const char *file, json_t *root)
{
	const char *key;
	json_t *value;
	int err = 0;

	if (!json_is_object(root))
		return asl_complain(ASL_BAD_INPUT,
				    "--profile: %s: expected one JSON object",
				    file);
	*out = asl_profiles[0];
	out->name[0] = out->source[0] = '\0';
	json_object_foreach(root, key, value) if (!err) err =
		take(out, file, key, value);
	if (!err && (!out->name[0] || !out->source[0]))
		err = asl_complain(ASL_BAD_INPUT,
				   "--profile: %s: key '%s' is missing", file,
				   out->name[0] ? "source" : "name");
	return err;
}

const struct asl_profile *asl_profile_built_in(const char *name)
{
	for (const struct asl_profile *x = asl_profiles; x->name[0]; x++)
		if (!strcmp(name, x->name))
			return x;
	return NULL;
}

/* 0 or a negative errno. */
static int check_readable(const char *path)
{
	struct stat st;

	if (access(path, R_OK) || stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? -EISDIR : 0;
}

int asl_profile_find(struct asl_profile *out, const char *name)
{
	const struct asl_profile *built_in = asl_profile_built_in(name);
	json_error_t why;
	json_t *root;
	int err;

	if (built_in) {
		*out = *built_in;
		return 0;
	}
	err = check_readable(name);
	if (err)
		return asl_complain(ASL_BAD_INPUT,
				    "--profile: found '%s', "
				    "which is neither a profile (aslant list "
				    "profiles) nor a readable file: %s",
				    name, strerror(-err));
	root = json_load_file(name, JSON_REJECT_DUPLICATES, &why);
	if (!root)
		return asl_complain(ASL_BAD_INPUT, "--profile: %s: line %d: %s",
				    name, why.line, why.text);
	err = read_object(out, name, root);
	json_decref(root);
	return err;
}
