/*
 * machine.h -- this machine as results have it, and for people
 */
#ifndef ASL_BENCH_MACHINE_H
#define ASL_BENCH_MACHINE_H

#include <jansson.h>

/* Of a directory for pools, NULL being where they go by default. */
json_t *asl_pool_json(const char *dir);

/* aslant list machine. */
void asl_list_machine(void);

#endif
