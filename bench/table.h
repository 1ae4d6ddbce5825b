/*
 * table.h -- the answer of plan and bounds: CSV, to where --csv says
 */
#ifndef ASL_TABLE_H
#define ASL_TABLE_H

#include "bench/csv.h"

/* Write what csv holds to the file, '-' being stdout.  The exit code. */
int asl_table_write(struct asl_csv *csv, const char *path);

#endif
