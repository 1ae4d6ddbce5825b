/*
 * table.h -- runs.csv and ranks.csv, read back by the names of columns
 *
 * What is read must be a table of schema 1 (results/README.md): a heading whose
 * first column is `schema`, whole lines with a cell for each column, and 1 in
 * the first of them.  Columns may stand in any order and be more than this
 * version of aslant knows.  All is kept as text.
 */
#ifndef ASL_TABLE_H
#define ASL_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asl_table {
	char path[PATH_MAX];
	int columns;
	size_t count; /* of rows, without the heading */
	char *text;   /* of all cells, each ended by '\0', heading first */
	size_t *at;   /* where they begin in it */
	int *line;    /* [1 + count] in the file, of the heading and the rows */
	int code;     /* 0, or the exit code of what was complained about */
};

/* DIR/name.  0, or the exit code after a complaint; close it either way. */
int asl_table_read(struct asl_table *table, const char *dir, const char *name);
void asl_table_close(struct asl_table *table); /* all zero is allowed */

/* The column of that name; -1: there is none. */
int asl_table_column(const struct asl_table *table, const char *name);

/* A cell; "" if it is empty, or column is -1. */
const char *asl_table_text(const struct asl_table *table, size_t row,
			   int column);

/*
 * The number in a cell; NAN if it is empty, or column is -1.  A cell that is no
 * number is NAN, too, after a complaint, and table->code says so.
 */
double asl_table_number(struct asl_table *table, size_t row, int column);

/*
 * A whole number from 0 to `most`, which a cell must have; else 0, after a
 * complaint.
 */
int64_t asl_table_count(struct asl_table *table, size_t row, const char *name,
			int64_t most);

#endif
