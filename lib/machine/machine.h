/*
 * machine.h -- what machine this is: cores, caches, memory
 *
 * hwloc answers; nothing outside this folder asks it.
 */
#ifndef ASL_MACHINE_H
#define ASL_MACHINE_H

#include <jansson.h>
#include <stdint.h>

struct asl_machine {
	int cores;	      /* that this process may use */
	uint64_t cache_bytes; /* of one last-level cache */
	int cache_cores;      /* usable cores that share it */
	uint64_t memory_bytes;
	char cpu[128], host[128];
};

/* Of this host; asked once, then remembered. */
const struct asl_machine *asl_machine(void);

/*
 * A rank's fair share, in words, when `ranks` ranks run on this host: ranks
 * that outnumber the cores take turns on them, and on their caches.
 */
uint64_t asl_machine_cache_words(int ranks);
uint64_t asl_machine_memory_words(int ranks);

/* hwloc's own description, in XML.  0 or a negative errno. */
int asl_machine_write_topology(const char *path);

/* Everything worth knowing about a result's origin, as a new JSON object. */
json_t *asl_machine_json(void);

#endif
