/*
 * machine_tiers.c -- of memories is said what hwloc knows, and nothing else
 *
 * Invented machines with two kinds of memory, to which random speeds are given,
 * or not, go to a file; what a process says that takes it for its machine is
 * held against what was given.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/machine/machine.h"
#include "tests/help/random.h"

enum { NODES = 4, SPEEDS = 4, GB = 1000000000 };

static const struct {
	hwloc_memattr_id_t id;
	const char *key;
} speeds[SPEEDS] = {
	{HWLOC_MEMATTR_ID_READ_BANDWIDTH, "read_bandwidth_mib_s"},
	{HWLOC_MEMATTR_ID_WRITE_BANDWIDTH, "write_bandwidth_mib_s"},
	{HWLOC_MEMATTR_ID_READ_LATENCY, "read_latency_ns"},
	{HWLOC_MEMATTR_ID_WRITE_LATENCY, "write_latency_ns"},
};

/* What was given to each node: 0, nothing. */
struct given {
	bool persistent[NODES];
	uint64_t speed[NODES][SPEEDS];
};

static char path[] = "/tmp/machine_tiers.XXXXXX";

static void give_speeds(struct given *g, hwloc_topology_t t, hwloc_obj_t node,
			struct dice *d)
{
	struct hwloc_location from = {
		.type = HWLOC_LOCATION_TYPE_CPUSET,
		.location.cpuset = node->cpuset,
	};

	for (int k = 0; k < SPEEDS; k++) {
		if (roll(d, 0, 1))
			continue;
		g->speed[node->logical_index][k] = roll(d, 1, 1u << 20);
		assert_int_equal(hwloc_memattr_set_value(
					 t, speeds[k].id, node, &from, 0,
					 g->speed[node->logical_index][k]),
				 0);
	}
}

static struct given record(struct dice *d)
{
	struct given g;
	hwloc_topology_t t;

	memset(&g, 0, sizeof g);
	assert_int_equal(hwloc_topology_init(&t), 0);
	assert_int_equal(
		hwloc_topology_set_synthetic(
			t, "pack:2 [numa(memory=16GB)] [numa(memory=64GB)] "
			   "core:3 pu:1"),
		0);
	assert_int_equal(hwloc_topology_load(t), 0);
	for (unsigned i = 0; i < NODES; i++) {
		hwloc_obj_t node =
			hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i);

		assert_non_null(node);
		g.persistent[i] = roll(d, 0, 1);
		if (g.persistent[i])
			node->subtype = strdup("NVM");
		give_speeds(&g, t, node, d);
	}
	assert_int_equal(hwloc_topology_export_xml(t, path, 0), 0);
	hwloc_topology_destroy(t);
	return g;
}

/* fail_msg would run the parent's tests again in the child. */
static void expect(bool ok, const char *what, int node)
{
	if (ok)
		return;
	fprintf(stderr, "node %d: %s is not as it was given\n", node, what);
	_exit(1);
}

static void check_speed(const json_t *node, const char *key, uint64_t given,
			int i)
{
	const json_t *list = json_object_get(node, key);
	const json_t *first = json_array_get(list, 0);
	const char *from =
		json_string_value(json_object_get(first, "from_cpus"));

	expect((list != NULL) == (given > 0), key, i);
	if (!given)
		return;
	expect(json_array_size(list) == 1, key, i);
	expect((uint64_t)json_integer_value(json_object_get(first, "value")) ==
		       given,
	       key, i);
	expect(from && !strcmp(from, i < 2 ? "0-2" : "3-5"), "from_cpus", i);
}

static void check_node(const json_t *node, const struct given *g, int i)
{
	const json_t *subtype = json_object_get(node, "subtype");
	const char *cpus =
		json_string_value(json_object_get(node, "local_cpus"));

	expect(json_integer_value(json_object_get(node, "node")) == i, "node",
	       i);
	expect(json_integer_value(json_object_get(node, "bytes")) ==
		       (json_int_t)(i % 2 ? 64 : 16) * GB,
	       "bytes", i);
	expect(cpus && !strcmp(cpus, i < 2 ? "0-2" : "3-5"), "local_cpus", i);
	expect((subtype != NULL) == g->persistent[i], "subtype", i);
	expect(!subtype || !strcmp(json_string_value(subtype), "NVM"),
	       "subtype", i);
	for (int k = 0; k < SPEEDS; k++)
		check_speed(node, speeds[k].key, g->speed[i][k], i);
	expect(!json_object_get(node, "bandwidth_mib_s"), "bandwidth", i);
	expect(!json_object_get(node, "latency_ns"), "latency", i);
}

static void check(const struct given *g)
{
	json_t *all, *numa;

	setenv("HWLOC_XMLFILE", path, 1);
	all = asl_machine_json();
	numa = json_object_get(all, "numa");
	expect(json_array_size(numa) == NODES, "their number", -1);
	for (int i = 0; i < NODES; i++)
		check_node(json_array_get(numa, (size_t)i), g, i);
	json_decref(all);
	_exit(0);
}

static void speeds_are_those_given(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 30; k++) {
		struct dice d = {1, k, 0};
		struct given g = record(&d);
		pid_t child = fork();
		int status;

		if (child == 0)
			check(&g);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("case %u", k);
	}
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	unsetenv("HWLOC_SYNTHETIC");
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speeds_are_those_given),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
