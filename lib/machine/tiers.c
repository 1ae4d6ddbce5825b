/*
 * tiers.c -- the memories of a machine
 *
 * A node with memory that is not like the others says so by its subtype (NVM,
 * HBM, ...), or by the DAX device that it was made of.  How fast memories are
 * firmware tells in a table (HMAT) that most machines do not have: then nothing
 * is said.
 */
#include "lib/machine/tiers.h"

#include <stdlib.h>
#include <string.h>

static const struct attribute {
	const char *key;
	hwloc_memattr_id_t id;
} attributes[] = {
	{"bandwidth_mib_s", HWLOC_MEMATTR_ID_BANDWIDTH},
	{"read_bandwidth_mib_s", HWLOC_MEMATTR_ID_READ_BANDWIDTH},
	{"write_bandwidth_mib_s", HWLOC_MEMATTR_ID_WRITE_BANDWIDTH},
	{"latency_ns", HWLOC_MEMATTR_ID_LATENCY},
	{"read_latency_ns", HWLOC_MEMATTR_ID_READ_LATENCY},
	{"write_latency_ns", HWLOC_MEMATTR_ID_WRITE_LATENCY},
};

#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

json_t *asl_json_text(const char *from)
{
	json_t *json = json_string(from);
	char *plain;

	if (json)
		return json;
	plain = strdup(from);
	if (!plain)
		return NULL;
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c > 0x7e)
			*c = '?';
	json = json_string(plain);
	free(plain);
	return json;
}

json_t *asl_json_count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Processors as Linux numbers them: "0-3,8". */
static json_t *processors(hwloc_const_cpuset_t set)
{
	char *list = NULL;
	json_t *json = NULL;

	if (set && hwloc_bitmap_list_asprintf(&list, set) >= 0)
		json = json_string(list);
	free(list);
	return json;
}

/* Who reads or writes: processors, or an object (a GPU) that has some near. */
static hwloc_const_cpuset_t place_of(const struct hwloc_location *x)
{
	return x->type == HWLOC_LOCATION_TYPE_CPUSET
		       ? x->location.cpuset
		       : x->location.object->cpuset;
}

/* A value for each set of processors that it holds for; NULL: there is none. */
static json_t *values(hwloc_topology_t t, hwloc_obj_t node,
		      hwloc_memattr_id_t id)
{
	enum { MOST = 64 };
	struct hwloc_location from[MOST];
	hwloc_uint64_t value[MOST];
	unsigned count = MOST;
	json_t *list;

	if (hwloc_memattr_get_initiators(t, id, node, 0, &count, from, value) ||
	    !count)
		return NULL;
	list = json_array();
	for (unsigned i = 0; i < count && i < MOST; i++)
		json_array_append_new(
			list, json_pack("{s:o*, s:o}", "from_cpus",
					processors(place_of(&from[i])), "value",
					asl_json_count(value[i])));
	return list;
}

/* A cache in front of memory: how persistent memory looks in Memory Mode. */
static void add_cache(json_t *node, hwloc_obj_t o)
{
	if (o->parent && o->parent->type == HWLOC_OBJ_MEMCACHE)
		json_object_set_new(
			node, "memory_side_cache_bytes",
			asl_json_count(o->parent->attr->cache.size));
}

static void add_text(json_t *node, const char *key, const char *value)
{
	if (value)
		json_object_set_new(node, key, asl_json_text(value));
}

/* NULL, which leaves a key out: hwloc was not told. */
static json_t *known(uint64_t bytes)
{
	return bytes ? asl_json_count(bytes) : NULL;
}

static json_t *describe(hwloc_topology_t t, hwloc_obj_t o)
{
	json_t *node = json_pack("{s:i, s:o*, s:o*}", "node", (int)o->os_index,
				 "bytes", known(o->attr->numanode.local_memory),
				 "local_cpus", processors(o->cpuset));

	add_text(node, "subtype", o->subtype);
	add_text(node, "dax_device",
		 hwloc_obj_get_info_by_name(o, "DAXDevice"));
	add_cache(node, o);
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		json_t *list = values(t, o, attributes[i].id);

		if (list)
			json_object_set_new(node, attributes[i].key, list);
	}
	return node;
}

json_t *asl_tiers(hwloc_topology_t t)
{
	json_t *all = json_array();
	hwloc_obj_t o = NULL;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)))
		json_array_append_new(all, describe(t, o));
	return all;
}
