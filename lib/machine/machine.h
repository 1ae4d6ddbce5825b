/*
 * machine.h -- this machine: cores, caches, memory, and binding to them
 *
 * hwloc answers; nothing outside this folder asks it.  It obeys HWLOC_XMLFILE
 * and HWLOC_SYNTHETIC: a machine recorded elsewhere, or invented, is described
 * as if it were this one.
 *
 * Threads	Any.
 * Errors	Asking can't fail: unknown values are assumed, as said below.
 */
#ifndef ASL_MACHINE_H
#define ASL_MACHINE_H

#include <hwloc.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A data cache and the allowed cores that share it. */
struct asl_cache {
	uint64_t bytes; /* 0: none, or unknown */
	int cores;
};

enum { ASL_CACHE_LEVELS = 4 };

struct asl_machine {
	int cores;   /* allowed, and within this process's binding */
	int sockets; /* that these cores are in */
	bool bound;  /* its launcher bound it to a part of the allowed cores */

	/*
	 * The last-level data cache of cores (no cache in front of memory), and
	 * the allowed cores that share it, whether this process is bound to
	 * them or, as likely, other ranks.  If there are several, the one with
	 * the least per core.
	 */
	uint64_t cache_bytes;
	int cache_cores;
	int cache_level;    /* 0: assumed */
	bool cache_assumed; /* the machine (a virtual one) hides its caches */

	/* Caches that every core has: level[0] is L1. */
	struct asl_cache level[ASL_CACHE_LEVELS];

	uint64_t memory_bytes; /* physical, or a control group's limit */
	char cpu[128], host[128];
};

/* This host; hwloc is asked once. */
const struct asl_machine *asl_machine(void);

/*
 * A rank's fair share, in words, when `ranks` ranks of so many threads run on
 * this host: ranks that outnumber the cores take turns on them, and on their
 * caches, and threads have the caches of as many cores.  A cache has at least 3
 * words: a multiplication holds three operands.
 */
uint64_t asl_machine_cache_words(int ranks, int threads);
uint64_t asl_machine_level_words(int level, int ranks,
				 int threads); /* 0: none */
uint64_t asl_machine_memory_words(int ranks);

/*
 * Bind this process to a `core`, to the cores of a `socket`, or (`none`) to its
 * first binding again.  It is number `mate`, from 0 on, of `mates` processes that
 * do so and that started with the same binding.  0 or a negative errno,
 * described by asl_failure(): -ENODEV if hwloc describes another machine.
 */
int asl_machine_bind(const char *to, int mate, int mates);
const char *const *asl_bind_names(void); /* NULL-ended */

/* The cores that it then shares with no other of them; at least 1. */
int asl_machine_own_cores(const char *to, int mate, int mates);

/* The processors that it may run on, as Linux numbers them: "0-3,8". */
void asl_machine_cpus(char *text, size_t capacity);

/* Write hwloc's own description, in XML.  -ENODEV: it has none. */
int asl_machine_write_topology(const char *path);

/* The version of hwloc, as a line: "hwloc 2.9.0\n". */
const char *asl_machine_versions(void);

/*
 * The origin of a result, as a new JSON object; NULL: no memory.  The caller adds
 * transport, store and command line.
 */
json_t *asl_machine_json(void);

/* ---- For the files of this folder, and tests ---- */

/* Cores or, on a machine that reports none, processors. */
hwloc_obj_type_t asl_core_type(hwloc_topology_t t);

/*
 * Choose for number `mate` of `mates` processes that may run on `within`: a core,
 * or all of `within` in the same socket.  Processes are spread evenly: each has a
 * core to itself as long as there are enough, and neighbours in number are
 * neighbours on the machine.  0 or a negative errno.
 */
int asl_bind_choose(hwloc_bitmap_t out, hwloc_topology_t t,
		    hwloc_const_bitmap_t within, bool socket, int mate,
		    int mates);

/* The cores chosen, over the processes for which the choice is the same. */
int asl_bind_own_cores(hwloc_topology_t t, hwloc_const_bitmap_t within,
		       bool socket, int mate, int mates);

/* NUMA nodes, as JSON: their memory, processors nearby, speed if known. */
json_t *asl_tiers(hwloc_topology_t t);

/* JSON is UTF-8; in names that are not, "?" replaces what is not ASCII. */
json_t *asl_json_text(const char *from);
json_t *asl_json_count(uint64_t value);

#endif
