/*
 * sheet.h -- a small table: seen in the page, and taken away as CSV
 *
 * The first row is the heading.  Numbers are kept exactly, for the CSV; what
 * the page shows of them is shorter.
 */
#ifndef ASL_SHEET_H
#define ASL_SHEET_H

#include <stdio.h>

struct asl_sheet {
	FILE *page, *csv; /* in memory */
	char *page_text, *csv_text;
	size_t page_bytes, csv_bytes;
	int row, column; /* that are being filled */
};

/* 0 or -ENOMEM; close it either way. */
int asl_sheet_open(struct asl_sheet *s);
void asl_sheet_close(struct asl_sheet *s);

void asl_sheet_text(struct asl_sheet *s, const char *text);
void asl_sheet_number(struct asl_sheet *s, double x); /* NAN: empty */
void asl_sheet_end_row(struct asl_sheet *s);

/* The table; and a link that saves it under the name.  0 or -ENOMEM. */
int asl_sheet_table(struct asl_sheet *s, FILE *f);
int asl_sheet_link(struct asl_sheet *s, FILE *f, const char *name);

#endif
