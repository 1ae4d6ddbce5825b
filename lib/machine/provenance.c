/*
 * provenance.c -- the origin of a result, as JSON
 *
 * Others need it to judge a measurement, or to repeat it: the program and its
 * build, the host, its processors and memories, and environment variables that
 * may change what is measured.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/machine/machine.h"
#include "lib/machine/topology.h"

#ifndef ASLANT_VERSION
#define ASLANT_VERSION "unknown"
#endif
#ifndef ASLANT_BUILD_TYPE
#define ASLANT_BUILD_TYPE "unknown"
#endif
#ifndef ASLANT_BUILD_FLAGS
#define ASLANT_BUILD_FLAGS "unknown"
#endif

static const char *const measured[] = {
	"FI_",	   "MPIR_CVAR_", "PMEM", "OPENBLAS_", "OMP_",
	"ASLANT_", "SLURM_",	 "PMI_", "HWLOC_",
};

/* Parts of names whose values must not be published, such as SLURM_JWT. */
static const char *const secret[] = {
	"JWT", "TOKEN", "SECRET", "PASSW", "KEY", "CREDENTIAL",
};

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_measured(const char *variable)
{
	for (size_t i = 0; i < COUNT(measured); i++)
		if (strncmp(variable, measured[i], strlen(measured[i])) == 0)
			return true;
	return false;
}

static bool is_secret(const char *name)
{
	for (size_t i = 0; i < COUNT(secret); i++)
		if (strstr(name, secret[i]))
			return true;
	return false;
}

static json_t *environment(void)
{
	json_t *all = json_object();

	for (char **e = environ; *e; e++) {
		const char *value = strchr(*e, '=');
		char *name;

		if (!value || !is_measured(*e))
			continue;
		name = strndup(*e, (size_t)(value - *e));
		if (!name)
			continue;
		json_object_set_new(all, name,
				    is_secret(name)
					    ? asl_json_text("(withheld)")
					    : asl_json_text(value + 1));
		free(name);
	}
	return all;
}

static bool same_cache(const json_t *entry, hwloc_obj_t cache)
{
	return json_integer_value(json_object_get(entry, "level")) ==
		       (json_int_t)cache->attr->cache.depth &&
	       json_integer_value(json_object_get(entry, "bytes")) ==
		       (json_int_t)cache->attr->cache.size;
}

static void add_cache(json_t *all, hwloc_obj_t cache)
{
	json_t *entry, *count;
	size_t i;

	json_array_foreach(all, i, entry)
	{
		if (!same_cache(entry, cache))
			continue;
		count = json_object_get(entry, "count");
		json_integer_set(count, json_integer_value(count) + 1);
		return;
	}
	json_array_append_new(
		all,
		json_pack("{s:i, s:o, s:i, s:i}", "level",
			  (int)cache->attr->cache.depth, "bytes",
			  asl_json_count(cache->attr->cache.size), "line_bytes",
			  (int)cache->attr->cache.linesize, "count", 1));
}

/* Data and unified caches, counted by kind. */
static json_t *caches(hwloc_topology_t t)
{
	json_t *all = json_array();
	int depth = hwloc_topology_get_depth(t);

	for (int d = 0; d < depth; d++)
		for (hwloc_obj_t o = hwloc_get_obj_by_depth(t, d, 0); o;
		     o = o->next_cousin)
			if (hwloc_obj_type_is_dcache(o->type))
				add_cache(all, o);
	return all;
}

static json_t *kernel(void)
{
	struct utsname u;

	if (uname(&u) != 0)
		return asl_json_text("unknown");
	return json_sprintf("%s %s %s %s", u.sysname, u.release, u.version,
			    u.machine);
}

static json_t *now(void)
{
	char stamp[32];
	time_t t = time(NULL);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(stamp);
}

static const char *hwloc_version(void)
{
	static char text[32];
	unsigned v = hwloc_get_api_version();

	snprintf(text, sizeof text, "%u.%u.%u", v >> 16, v >> 8 & 0xff,
		 v & 0xff);
	return text;
}

const char *asl_machine_versions(void)
{
	static char text[64];

	snprintf(text, sizeof text, "hwloc %s\n", hwloc_version());
	return text;
}

/* None: hwloc does not know. */
static void add_count(json_t *all, const char *key, hwloc_topology_t t,
		      hwloc_obj_type_t type)
{
	int count = hwloc_get_nbobjs_by_type(t, type);

	if (count > 0)
		json_object_set_new(all, key, json_integer(count));
}

static void add_topology(json_t *all, hwloc_topology_t t)
{
	add_count(all, "packages", t, HWLOC_OBJ_PACKAGE);
	add_count(all, "threads", t, HWLOC_OBJ_PU);
	json_object_set_new(all, "caches", caches(t));
	json_object_set_new(all, "numa", asl_tiers(t));
	json_object_set_new(all, "topology_is_of_this_machine",
			    json_boolean(hwloc_topology_is_thissystem(t)));
}

json_t *asl_machine_json(void)
{
	const struct asl_machine *m = asl_machine();
	json_t *all = json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:i, s:o, s:i, s:b, "
		"s:o, s:s, s:o}",
		"aslant", ASLANT_VERSION, "compiler", COMPILER, "build_type",
		ASLANT_BUILD_TYPE, "build_flags", ASLANT_BUILD_FLAGS,
		"time_utc", now(), "host", asl_json_text(m->host), "kernel",
		kernel(), "cpu", asl_json_text(m->cpu), "cores", m->cores,
		"cache_bytes", asl_json_count(m->cache_bytes), "cache_cores",
		m->cache_cores, "cache_assumed", m->cache_assumed,
		"memory_bytes", asl_json_count(m->memory_bytes), "hwloc_api",
		hwloc_version(), "environment", environment());

	if (all && asl_topology())
		add_topology(all, asl_topology());
	return all;
}
