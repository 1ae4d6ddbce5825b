/*
 * tiers.h -- the memories of a machine, as JSON, for the files of this folder
 */
#ifndef ASL_TIERS_H
#define ASL_TIERS_H

#include <jansson.h>
#include <stdint.h>

#include "lib/machine/topology.h"

/*
 * A list of NUMA nodes: what kind of memory each is, how much, next to which
 * processors, and how fast, where the firmware says so.
 */
json_t *asl_tiers(hwloc_topology_t t);

/* JSON is UTF-8; names may be anything: then what is not ASCII reads "?". */
json_t *asl_json_text(const char *from);
json_t *asl_json_count(uint64_t value);

#endif
