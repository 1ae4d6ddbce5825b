/*
 * memories.c -- NUMA nodes as memories: what they are made of, and how to use one
 *
 * hwloc names the kind of a node for each DAX device in it, even if the device is
 * only a part of the node: the kernel's list of these devices, with their sizes,
 * says whether there is other memory beside them.
 */
#include "lib/machine/memories.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/error.h"
#include "lib/base/system.h"
#include "lib/machine/near.h"
#include "lib/machine/topology.h"

/* ---- DAX devices that became memory ---- */

static bool leads_to(const char *path, const char *part)
{
	char real[PATH_MAX];

	return realpath(path, real) && strstr(real, part);
}

/* Devices of the NVDIMM bus, of CXL, or memory that firmware set apart. */
static const char *kind_of_device(const char *path)
{
	return leads_to(path, "/ndbus") ? "nvm"
	       : leads_to(path, "/cxl") ? "cxl"
					: "memory";
}

static bool is_of_node(const char *path, int node)
{
	char driver[PATH_MAX + 512], line[32];

	snprintf(driver, sizeof driver, "%s/driver", path);
	return leads_to(driver, "/kmem") &&
	       asl_system_line(line, sizeof line, "", "%s/target_node", path) &&
	       atoi(line) == node;
}

uint64_t asl_memory_plugged(const char **kind, const char *root, int node)
{
	char dir[PATH_MAX], path[PATH_MAX + 300], line[32];
	const struct dirent *e;
	uint64_t bytes = 0;
	DIR *d;

	snprintf(dir, sizeof dir, "%s/sys/bus/dax/devices", root);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || !is_of_node(path, node) ||
		    !asl_system_line(line, sizeof line, "", "%s/size", path))
			continue;
		if (!bytes)
			*kind = kind_of_device(path);
		bytes += strtoull(line, NULL, 10);
	}
	if (d)
		closedir(d);
	return bytes;
}

/* ---- Nodes ---- */

static const char *kind_of_subtype(const char *subtype)
{
	static const struct {
		const char *subtype, *kind;
	} known[] = {
		{"DRAM", "dram"}, {"HBM", "hbm"}, {"MCDRAM", "hbm"},
		{"NVM", "nvm"},	  {"CXL", "cxl"},
	};

	for (size_t i = 0; subtype && i < sizeof known / sizeof *known; i++)
		if (!strncasecmp(subtype, known[i].subtype,
				 strlen(known[i].subtype)))
			return known[i].kind;
	return NULL;
}

static bool has_cores(hwloc_topology_t t, hwloc_obj_t node)
{
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)))
		if (asl_near_from(t, pu->cpuset, -1).core_node ==
		    (int)node->os_index)
			return true;
	return false;
}

/* A device is a little larger than the memory that it becomes. */
bool asl_memory_kind(char kind[ASL_MEMORY_KIND], hwloc_topology_t t,
		     hwloc_obj_t node)
{
	const char *subtype = kind_of_subtype(node->subtype), *of_devices;
	uint64_t plugged = hwloc_topology_is_thissystem(t)
				   ? asl_memory_plugged(&of_devices, "",
							(int)node->os_index)
				   : 0;
	bool mixed = plugged && node->attr->numanode.local_memory > plugged;

	if (plugged && strcmp(of_devices, "memory"))
		subtype = of_devices;
	if (!subtype)
		subtype = has_cores(t, node) ? "dram" : "memory";
	snprintf(kind, ASL_MEMORY_KIND, "%s%s",
		 mixed && strcmp(subtype, "dram") ? "dram+" : "", subtype);
	return mixed;
}

static int no_node(hwloc_topology_t t, int node)
{
	char list[128] = "";
	hwloc_obj_t o = NULL;

	while (t && (o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)))
		if (strlen(list) < sizeof list - 16)
			sprintf(list + strlen(list), "%s%u", *list ? ", " : "",
				o->os_index);
	return asl_fail(-EINVAL,
			"--memory-node: found %d, expected a node with memory, "
			"which are: %s",
			node, list);
}

int asl_memory_node(struct asl_memory_node *out, int node)
{
	hwloc_topology_t t = asl_topology();
	hwloc_obj_t o =
		t && node >= 0
			? hwloc_get_numanode_obj_by_os_index(t, (unsigned)node)
			: NULL;

	*out = (struct asl_memory_node){.node = node};
	if (!o || !o->attr->numanode.local_memory)
		return no_node(t, node);
	out->bytes = o->attr->numanode.local_memory;
	asl_memory_kind(out->kind, t, o);
	return 0;
}

/* ---- Using one ---- */

static int bind_to(hwloc_topology_t t, void *at, size_t bytes, int node)
{
	hwloc_nodeset_t set = hwloc_bitmap_alloc();
	int err = 0;

	if (!set)
		return -ENOMEM;
	hwloc_bitmap_set(set, (unsigned)node);
	if (hwloc_set_area_membind(t, at, bytes, set, HWLOC_MEMBIND_BIND,
				   HWLOC_MEMBIND_BYNODESET |
					   HWLOC_MEMBIND_STRICT) != 0)
		err = -errno;
	hwloc_bitmap_free(set);
	return err;
}

int asl_memory_bind(void *at, size_t bytes, int node)
{
	hwloc_topology_t t = asl_topology();
	int err = t && hwloc_topology_is_thissystem(t)
			  ? bind_to(t, at, bytes, node)
			  : -ENODEV;

	if (!err)
		return 0;
	return asl_fail(err == -ENOMEM ? err : -ENODEV,
			"memory can't be bound to node %d: %s", node,
			err == -ENODEV
				? "hwloc has been told of another machine"
				: strerror(-err));
}
