/*
 * machine.h -- what machine this is: cores, caches, memory
 *
 * hwloc answers; nothing outside this folder asks it.  It obeys HWLOC_XMLFILE
 * and HWLOC_SYNTHETIC: a machine recorded elsewhere, or invented, is described
 * as if all of it were ours.
 *
 * Threads	Any.
 * Errors	Asking can't fail: what is not known is assumed, as said below.
 */
#ifndef ASL_MACHINE_H
#define ASL_MACHINE_H

#include <hwloc.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Hwloc's answer, for the files of this folder
 */

/* Loaded once; NULL if hwloc failed. */
hwloc_topology_t asl_topology(void);

/* Of cores; or of processors, where a machine has no cores. */
hwloc_obj_type_t asl_core_type(hwloc_topology_t t);

struct asl_machine;

/*
 * The memories of a machine, as JSON, for the files of this folder
 */

/*
 * A list of NUMA nodes: what kind of memory each is, how much, next to which
 * processors, and how fast, where the firmware says so.
 */
json_t *asl_tiers(hwloc_topology_t t);

/* JSON is UTF-8; names may be anything: then what is not ASCII reads "?". */
json_t *asl_json_text(const char *from);
json_t *asl_json_count(uint64_t value);

/* Of data, and the allowed cores that share it; of several, least per core. */
struct asl_cache {
	uint64_t bytes; /* 0: there is none, or the machine does not say */
	int cores;
};

enum { ASL_CACHE_LEVELS = 4 };

struct asl_machine {
	int cores;  /* that this process may use: allowed, and bound to */
	bool bound; /* to a part of what is allowed, by who started it */

	/*
	 * One last-level cache (of the data caches of cores; not one in front
	 * of memory), and the allowed cores that share it, whether this process
	 * is bound to them or, as likely, its fellow ranks.  Of several, the
	 * one with least per core.
	 */
	uint64_t cache_bytes;
	int cache_cores;
	int cache_level;    /* 0: of no cache that is known, but assumed */
	bool cache_assumed; /* the machine (a virtual one) does not say */

	/* Caches that every core has: level[0] is L1. */
	struct asl_cache level[ASL_CACHE_LEVELS];

	uint64_t memory_bytes; /* physical, or a control group's limit */
	char cpu[128], host[128];
};

/* Of this host; asked once, then remembered. */
const struct asl_machine *asl_machine(void);

/*
 * A rank's fair share, in words, when `ranks` ranks run on this host: ranks
 * that outnumber the cores take turns on them, and on their caches.  Of cache
 * at least 3 words: a multiplication holds three operands.
 */
uint64_t asl_machine_cache_words(int ranks);
uint64_t asl_machine_level_words(int level, int ranks); /* 0: it has none */
uint64_t asl_machine_memory_words(int ranks);

/*
 * Bind this process: to a `core`, the cores of a `socket`, or, `none`, to what it
 * was started on again.  Of that, `mates` processes do so alike, of which this is
 * number `mate`, from 0 on.  0 or a negative errno, with asl_failure() saying
 * more: -ENODEV if the machine that hwloc describes is not this one.
 */
int asl_machine_bind(const char *to, int mate, int mates);
const char *const *asl_bind_names(void); /* NULL-ended */

/* The processors that it may run on now, as Linux numbers them: "0-3,8". */
void asl_machine_cpus(char *text, size_t room);

/*
 * hwloc's own description, in XML, written aside and renamed.  0 or a negative
 * errno, with asl_failure() saying more: -ENODEV if hwloc has
 * none.
 */
int asl_machine_write_topology(const char *path);

/* What looks at the machine, as a line: "hwloc 2.9.0\n". */
const char *asl_machine_versions(void);

/*
 * Everything worth knowing about a result's origin, as a new JSON object; NULL
 * when there is no memory.  The caller adds what is not known here: transport,
 * store, command line.
 */
json_t *asl_machine_json(void);

#endif
