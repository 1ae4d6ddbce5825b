/*
 * memories.h -- NUMA nodes as memories: what they are made of, and how to use one
 */
#ifndef ASL_MEMORIES_H
#define ASL_MEMORIES_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASL_MEMORY_KIND = 16 };

struct asl_memory_node {
	int node;
	uint64_t bytes;
	/*
	 * dram, hbm, nvm (persistent DIMMs as memory), cxl, as hwloc or the
	 * kernel's list of DAX devices has it; "dram+nvm": DIMMs were plugged
	 * into a node of DRAM; memory: a node without cores that nobody names.
	 */
	char kind[ASL_MEMORY_KIND];
};

/* -EINVAL: there is no such node, or it has no memory. */
int asl_memory_node(struct asl_memory_node *out, int node);

/*
 * Take the pages of an area, not yet touched, from a node alone.  -ENODEV: hwloc
 * describes another machine.
 */
int asl_memory_bind(void *at, size_t bytes, int node);

/* ---- For the files of this folder ---- */

/*
 * As in struct asl_memory_node.  Returns whether there is other memory beside that
 * of DAX devices, as far as this machine's kernel says.
 */
bool asl_memory_kind(char kind[ASL_MEMORY_KIND], hwloc_topology_t t,
		     hwloc_obj_t node);

/*
 * Bytes of DAX devices that became memory of a node, on the machine in `root`, and
 * the kind of the first one (nvm, cxl, memory); 0: none.
 */
uint64_t asl_memory_plugged(const char **kind, const char *root, int node);

#endif
