/*
 * page.h -- the report as it is being written
 *
 * A section is a function in a file of its own and a line in report.c.  What it
 * has nothing to show for, it says in a sentence, with the reason.
 */
#ifndef ASL_PAGE_H
#define ASL_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "bench/command/report/rows.h"

/*
 * Numbers for people: three digits and a unit
 */

enum { ASL_BRIEF = 32 };

/* 1.23 M; k, M, G, T, P multiply by 1000.  "-": not a number. */
const char *asl_brief(char text[ASL_BRIEF], double x);

/* 1.23 ms, 12.3 s, 3.4 min, ..., 5.6 years. */
const char *asl_brief_seconds(char text[ASL_BRIEF], double s);

/*
 * Style.css, which is part of the command
 */

extern const char asl_style[]; /* ends with '\0' */

/*
 * A small table: seen in the page, and taken away as CSV
 *
 * The first row is the heading.  Numbers are kept exactly, for the CSV; what
 * the page shows of them is shorter.
 */

struct asl_sheet {
	FILE *page, *csv; /* in memory */
	char *page_text, *csv_text;
	size_t page_bytes, csv_bytes;
	int row, column; /* that are being filled */
};

void asl_sheet_close(struct asl_sheet *s);

void asl_sheet_text(struct asl_sheet *s, const char *text);
void asl_sheet_number(struct asl_sheet *s, double x); /* NAN: empty */
void asl_sheet_end_row(struct asl_sheet *s);

/* The table; and a link that saves it under the name.  0 or -ENOMEM. */
int asl_sheet_table(struct asl_sheet *s, FILE *f);

enum { ASL_PAGE_STYLES = 64, ASL_SAID = 512 };

/* As many as fit on a page that people look at; the rest is counted. */
enum {
	ASL_MOST_PLOTS = 6,
	ASL_MOST_LINES = 60,	    /* of a table that is in sight */
	ASL_MOST_CURVES = 16,	    /* in a plot */
	ASL_MOST_BARS = 40,	    /* in a figure */
	ASL_MOST_ENTRIES = 3000,    /* in the table of all results */
	ASL_MOST_FIGURE_ROWS = 400, /* in the table of a figure */
};

struct asl_page {
	FILE *f;
	const struct asl_results *results;
	json_t **machine; /* of every directory; NULL: it cannot be read */
	struct asl_entry **list;		/* room for all entries */
	const char *algorithm[ASL_PAGE_STYLES]; /* by style */
	int styles;
	int figures;
	bool failed; /* there was no memory */
};

/* Text; of which what was given is escaped: %s, %d, %g and the like. */
void asl_page_say(struct asl_page *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void asl_page_section(struct asl_page *p, const char *id, const char *title);

/*
 * A figure: begun with its title, then an SVG and a sentence on how to read it,
 * ended with its data, which are closed.
 */
void asl_figure_begin(struct asl_page *p, const char *title);
void asl_figure_end(struct asl_page *p, const char *note, struct asl_sheet *s);

/* With a heading of these names, NULL-ended; NULL: without one yet. */
void asl_sheet_begin(struct asl_page *p, struct asl_sheet *s,
		     const char *const *names);

/* A table in sight, or one that opens on demand, with a link; closes it. */
void asl_page_table(struct asl_page *p, struct asl_sheet *s, const char *name);
void asl_page_details(struct asl_page *p, struct asl_sheet *s,
		      const char *summary, const char *name);

/* Pointers to the entries that fit, in p->list; those that are bad are not. */
int asl_page_list(struct asl_page *p, bool (*fits)(const struct asl_entry *x));

int asl_page_style(struct asl_page *p, const char *algorithm);

/*
 * The last part of the directory's name, by which people know it; all of it if
 * there is another one of that name.
 */
const char *asl_page_place(const struct asl_page *p, int place);

/* ---- In words ---- */

/* "n = 640", "640 x 320 x 64", "ij,jk->ik with i=64,j=32,k=16". */
const char *asl_say_size(char text[ASL_SAID], const struct asl_row *row);
/* "64 ranks, cache 4.1 k, memory 262 k words"; "r 1, w 2, beta 4". */
const char *asl_say_means(char text[ASL_SAID], const struct asl_row *row);
const char *asl_say_costs(char text[ASL_SAID], const struct asl_row *row);
/* "em-jomma vomm 4x4x2": enough to tell it from the others. */
const char *asl_say_how(char text[ASL_SAID], const struct asl_row *row);

/* ---- Costs ---- */

enum asl_part { ASL_PART_NET, ASL_PART_READ, ASL_PART_WRITE, ASL_PART_OTHER };

/*
 * Q by the accounting that the family is judged by, which is `full` out of
 * core, as the other does not tell pool from DRAM.
 */
double asl_row_cost(const struct asl_row *row);
double asl_row_predicted(const struct asl_row *row);
/* Its parts, of the busiest ranks: their sum may be larger. */
void asl_row_parts(double part[4], const struct asl_row *row);

/* Words that some rank must write, as it owns them; NAN: not known. */
double asl_row_write_bound(const struct asl_row *row);

/* Costs are nanoseconds, says the profile. */
bool asl_row_timed(const struct asl_row *row);

/* ---- Sections, in this order ---- */

void asl_section_trouble(struct asl_page *p);
void asl_section_short(struct asl_page *p);
void asl_section_machines(struct asl_page *p);
void asl_section_beside(struct asl_page *p); /* machines side by side */
void asl_section_cost(struct asl_page *p);
void asl_section_bounds(struct asl_page *p);
void asl_section_hardware(struct asl_page *p);
void asl_section_prices(struct asl_page *p);
void asl_section_pareto(struct asl_page *p);
void asl_section_roofline(struct asl_page *p);
void asl_section_wear(struct asl_page *p);
void asl_section_scaling(struct asl_page *p);
void asl_section_time(struct asl_page *p);
void asl_section_all(struct asl_page *p);

#endif
