/*
 * csv.h -- rows of CSV, in memory
 *
 * Every field is put with its column's name.  While `naming` is set the names
 * are written in place of the values, so that one function, called twice,
 * writes the heading and the row, and the two cannot differ.
 */
#ifndef ASL_CSV_H
#define ASL_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct asl_csv {
	FILE *f;
	char *text; /* what f has written; after asl_csv_flush */
	size_t bytes;
	bool naming;
	bool in_row;
};

/* 0 or -ENOMEM. */
int asl_csv_open(struct asl_csv *csv);
void asl_csv_close(struct asl_csv *csv);

/* Forget all rows; 0 or -ENOMEM. */
int asl_csv_clear(struct asl_csv *csv);

/* Bring text and bytes up to date; 0 or -ENOMEM. */
int asl_csv_flush(struct asl_csv *csv);

/* Text is quoted if it has to be; NULL, and a length of 0, is an empty field. */
void asl_csv_put(struct asl_csv *csv, const char *name, const char *text);
void asl_csv_put_count(struct asl_csv *csv, const char *name, uint64_t x);
void asl_csv_put_length(struct asl_csv *csv, const char *name, uint64_t x);
void asl_csv_put_number(struct asl_csv *csv, const char *name, double x);
void asl_csv_end_row(struct asl_csv *csv);

/* Write it to the file, '-' being stdout, and close it.  The exit code. */
int asl_table_write(struct asl_csv *csv, const char *path);

#endif
