/*
 * machine_memories.c -- what nodes are made of, and memory that lies on one of them
 *
 * DAX devices that became memory are those of an invented /sys; kinds are those of
 * invented machines; memory is taken from a node of this one, and found there.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/machine/machine.h"
#include "lib/machine/memories.h"
#include "lib/machine/topology.h"

static char root[] = "/tmp/machine_memories.XXXXXX";

/* ---- DAX devices ---- */

static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	assert_int_equal(system(command), 0);
}

/* A device on a bus, with a driver, its node and its bytes. */
static void plug(const char *name, const char *bus, const char *driver,
		 int node, uint64_t bytes)
{
	run("cd %s/sys && mkdir -p devices/%s/%s bus/dax/devices "
	    "bus/dax/drivers/%s && ln -s ../../../devices/%s/%s "
	    "bus/dax/devices/ && ln -s %s/sys/bus/dax/drivers/%s "
	    "devices/%s/%s/driver && echo %d >devices/%s/%s/target_node && "
	    "echo %ju >devices/%s/%s/size",
	    root, bus, name, driver, bus, name, root, driver, bus, name, node,
	    bus, name, bytes, bus, name);
}

static void expect(int node, uint64_t bytes, const char *kind)
{
	const char *found = "";

	assert_int_equal(asl_memory_plugged(&found, root, node), bytes);
	assert_string_equal(found, kind);
}

static void devices_are_those_of_the_node(void **state)
{
	(void)state;
	run("mkdir %s/sys", root);
	expect(1, 0, "");
	plug("dax0.0", "ndbus0/region0", "kmem", 1, 1000);
	plug("dax0.1", "ndbus0/region0", "kmem", 1, 500);
	plug("dax1.0", "ndbus0/region1", "device_dax", 2, 700);
	plug("dax2.0", "cxl_host/cxl_mem0", "kmem", 3, 900);
	plug("dax3.0", "hmem.0", "kmem", 4, 800);
	expect(0, 0, "");
	expect(1, 1500, "nvm");
	expect(2, 0, "");
	expect(3, 900, "cxl");
	expect(4, 800, "memory");
}

/* ---- Kinds ---- */

static void check_kinds(void)
{
	static const char *const kinds[] = {"dram", "memory", "dram", "hbm"};
	struct asl_memory_node x;

	for (int i = 0; i < 4; i++)
		if (asl_memory_node(&x, i) || x.node != i ||
		    x.bytes != (i % 2 ? 64 : 16) * UINT64_C(1000000000) ||
		    strcmp(x.kind, kinds[i])) {
			fprintf(stderr, "node %d: found %s, expected %s\n", i,
				x.kind, kinds[i]);
			_exit(1);
		}
	if (asl_memory_node(&x, 4) != -EINVAL ||
	    asl_memory_node(&x, -1) != -EINVAL)
		_exit(2);
	/* That machine is not here. */
	_exit(asl_memory_bind(&x, sizeof x, 0) == -ENODEV ? 0 : 3);
}

/* The second node of each socket has no cores of its own. */
static void kinds_are_those_of_the_machine(void **state)
{
	char path[64];
	hwloc_topology_t t;
	hwloc_obj_t hbm;
	pid_t child;
	int status;

	(void)state;
	snprintf(path, sizeof path, "%s/machine.xml", root);
	assert_int_equal(hwloc_topology_init(&t), 0);
	hwloc_topology_set_synthetic(t, "pack:2 [numa(memory=16GB)] "
					"[numa(memory=64GB)] core:2 pu:1");
	assert_int_equal(hwloc_topology_load(t), 0);
	hbm = hwloc_get_numanode_obj_by_os_index(t, 3);
	hbm->subtype = strdup("MCDRAM");
	assert_int_equal(hwloc_topology_export_xml(t, path, 0), 0);
	hwloc_topology_destroy(t);
	child = fork();
	if (child == 0) {
		setenv("HWLOC_XMLFILE", path, 1);
		check_kinds();
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- This machine ---- */

static void pages_come_from_the_node(void **state)
{
	enum { BYTES = 1 << 20 };
	hwloc_topology_t t = asl_topology();
	hwloc_obj_t node = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, 0);
	hwloc_bitmap_t found = hwloc_bitmap_alloc();
	void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hwloc_membind_policy_t policy;

	(void)state;
	assert_ptr_not_equal(at, MAP_FAILED);
	if (asl_memory_bind(at, BYTES, (int)node->os_index) != 0)
		skip(); /* a sandbox may forbid it */
	assert_int_equal(hwloc_get_area_membind(t, at, BYTES, found, &policy,
						HWLOC_MEMBIND_BYNODESET),
			 0);
	assert_int_equal(policy, HWLOC_MEMBIND_BIND);
	assert_int_equal(hwloc_bitmap_weight(found), 1);
	assert_true(hwloc_bitmap_isset(found, node->os_index));
	memset(at, 1, BYTES);
	munmap(at, BYTES);
	hwloc_bitmap_free(found);
}

static int make_root(void **state)
{
	(void)state;
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	run("rm -r %s", root);
	return 0;
}

int main(void)
{
	/* The machine is asked once: the invented one in a child, before. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_those_of_the_node),
		cmocka_unit_test(kinds_are_those_of_the_machine),
		cmocka_unit_test(pages_come_from_the_node),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
