/*
 * rows.h -- runs.csv and ranks.csv, schema 1 (results/README.md)
 */
#ifndef ASL_ROWS_H
#define ASL_ROWS_H

#include "bench/library/csv.h"
#include "lib/run/run.h"

/* Are its result and its counts right?  False after a complaint. */
bool asl_rep_check(const struct asl_rep *rep);

/* As asl_rep_check, without a word. */
bool asl_rep_good(const struct asl_rep *rep);

/* Did other programs take time from it, as far as is known? */
bool asl_rep_busy(const struct asl_rep *rep);

enum { ASL_SCHEMA = 1 };

/* The row of one repetition in runs.csv; with csv->naming the heading. */
void asl_put_run(struct asl_csv *csv, const struct asl_rep *rep);

/* The label of rows from here on, in this thread; NULL: none. */
void asl_rows_label(const char *text);

/* What a suite expects of them, likewise. */
void asl_rows_expected(const char *text);

/* The rows of one repetition in ranks.csv; with csv->naming the heading. */
void asl_put_ranks(struct asl_csv *csv, const struct asl_rep *rep);

#endif
