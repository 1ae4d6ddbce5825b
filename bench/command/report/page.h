/*
 * page.h -- the report as it is being written
 *
 * A section is a struct in a file of its own and a line in report.c.  If it has
 * nothing to show, it says so in a sentence, with the reason.  When memory runs
 * out, p->failed is set, nothing else is written, and the page is dropped.
 */
#ifndef ASL_PAGE_H
#define ASL_PAGE_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "bench/command/html.h"
#include "bench/command/results/ranking.h"

enum { ASL_PAGE_STYLES = 64 };

/* As many as fit on a page that people look at; the rest is counted. */
enum {
	ASL_MOST_PLOTS = 6,
	ASL_MOST_LINES = 60,	    /* of a table that is not folded */
	ASL_MOST_CURVES = 16,	    /* in a plot */
	ASL_MOST_BARS = 40,	    /* in a figure */
	ASL_MOST_CASES = 3000,	    /* in the table of all results */
	ASL_MOST_FIGURE_ROWS = 400, /* in the table of a figure */
};

enum { ASL_BRIEF = 32, ASL_SAID = 512 }; /* characters of texts */

struct asl_page {
	FILE *f;
	const struct asl_results *results;
	const struct asl_ranking *ranking;
	struct asl_measured **list;		/* has room for all cases */
	const char *algorithm[ASL_PAGE_STYLES]; /* by style */
	int styles;
	int figures;
	char title[3 * ASL_SAID]; /* of the figure that is being written */
	bool failed;
};

struct asl_section {
	const char *id;	    /* NULL: it has no heading */
	const char *name;   /* in the list of contents */
	const char *title;  /* its heading, */
	const char *titles; /* and with several directories, if not NULL */
	bool compares;	    /* it is there with several directories only */
	void (*write)(struct asl_page *p);
};

/* --export: is there such a format (NULL: none was asked for)?  And write it. */
int asl_export_check(const char *path);
int asl_export(const struct asl_page *p, const char *path);

/* --figures: the figures of a page, as files; 0, or the exit code. */
int asl_export_figures(const char *page, const char *dir);

/* style.css, which is part of the command; ends with '\0'. */
extern const char asl_style[];

/*
 * Text
 */

/* 1.23 M; k, M, G, T, P multiply by 1000.  "-": NaN. */
const char *asl_brief(char text[ASL_BRIEF], double x);

/* 1.23 ms, 12.3 s, 3.4 min, ..., 5.6 years. */
const char *asl_brief_seconds(char text[ASL_BRIEF], double s);

/* A row in words. */
struct asl_said {
	char size[ASL_SAID];  /* n = 640, 640 x 320 x 64, ij,jk->ik, i=64,... */
	char how[ASL_SAID];   /* em-jomma 4x4x2 */
	char means[ASL_SAID]; /* 64 ranks, cache 4.1 k, memory 262 k words */
	char costs[ASL_SAID]; /* r 1, w 2, beta 4 */
};

struct asl_said asl_say(const struct asl_runs_row *row);

/* Conditions that all cases share, which asl_say leaves out. */
void asl_page_shared(struct asl_page *p);

/* ", budget 1.05 M words"; "" for NAN, which is none. */
const char *asl_say_budget(char text[ASL_SAID], double budget);

/* Speeds of all ranked machines over the slowest, at each workload, with intervals. */
void asl_forest(FILE *f, const struct asl_ranking *r);

/* Cores, memory, medium, GB/s, GFLOP/s of a machine: on what a result stands. */
void asl_page_machine(struct asl_page *p, int place);

/* The name of a machine, and of that which a row is from. */
const char *asl_page_place(const struct asl_page *p, int place);
const char *asl_page_place_of(const struct asl_page *p,
			      const struct asl_runs_row *row);

/* The colour and dash of an algorithm, for plots. */
int asl_page_style(struct asl_page *p, const char *algorithm);

/*
 * Cases, and groups of them
 */

/* Pointers to the cases that fit, in p->list; bad ones never do. */
int asl_page_list(struct asl_page *p,
		  bool (*fits)(const struct asl_measured *x));

struct asl_packs {
	struct asl_pack *at; /* free it */
	int count;
};

/*
 * Groups of the first `count` cases of p->list that agree in the columns `by`,
 * each sorted by `order`, which begins with them.  keep: which groups; NULL: all.
 */
struct asl_packs asl_page_packs(struct asl_page *p, int count, const int *order,
				const int *by,
				bool (*keep)(const struct asl_pack *g));

/*
 * Contests: such groups, each once for every memory budget that cases of it
 * had.  A case with more is left out; a case with less may win, but is no rival,
 * as it could have done better with more.
 */
struct asl_packs asl_page_budgets(struct asl_page *p, int count,
				  const int *order, const int *by);

/* The groups of most cases come first. */
void asl_packs_sort(struct asl_packs *packs);

/* The figures of the first groups, side by side. */
void asl_page_figures(struct asl_page *p, const struct asl_packs *packs,
		      int most,
		      void (*figure)(struct asl_page *p,
				     const struct asl_pack *g));

/*
 * A small table: seen in the page, and taken away as CSV
 *
 * The first row is the heading.  Numbers are kept exactly, for the CSV; what
 * the page shows of them is shorter.
 */

struct asl_sheet {
	FILE *page, *csv; /* in memory; NULL: there was none */
	char *page_text, *csv_text;
	size_t page_bytes, csv_bytes;
	int row, column; /* that are being filled */
};

/* Names of columns with a | between; NULL: the first row follows. */
void asl_sheet_begin(struct asl_page *p, struct asl_sheet *s,
		     const char *names);

/* Cells: %s, %d and %g, of which NAN is empty; a line feed ends the row. */
void asl_sheet_put(struct asl_sheet *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * All close the table: shown, with a link that saves it under the name (NULL: no
 * link); folded, behind the summary; or not shown at all.
 */
void asl_page_table(struct asl_page *p, struct asl_sheet *s, const char *name);
void asl_page_details(struct asl_page *p, struct asl_sheet *s,
		      const char *summary, const char *name);
void asl_sheet_close(struct asl_sheet *s);

/* A note below a table or a figure, or in their place, as with asl_html. */
#define asl_note(p, ...)                                                       \
	do {                                                                   \
		fputs("<p class=\"note\">", (p)->f);                           \
		asl_html((p)->f, __VA_ARGS__);                                 \
		fputs("</p>\n", (p)->f);                                       \
	} while (0)

/*
 * A figure: begun with its title, then an SVG and a sentence on how to read it
 * (or NULL), ended with its data, which are closed.
 */
void asl_figure_begin(struct asl_page *p, const char *title, ...)
	__attribute__((format(printf, 2, 3)));
void asl_figure_end(struct asl_page *p, const char *note, struct asl_sheet *s);

/*
 * Costs
 */

enum asl_part {
	ASL_PART_NET,
	ASL_PART_READ,
	ASL_PART_WRITE,
	ASL_PART_OTHER,
	ASL_PART_WAIT, /* along the critical path, beyond the busiest rank's Q */
	ASL_PARTS,
	ASL_PART_FLOPS = ASL_PARTS, /* of times: arithmetic, */
	ASL_PART_MEMORY		    /* and reading and writing together */
};

/* For sums and limits: NAN is 0; what is shown of `count` things. */
static inline double asl_known(double x)
{
	return isnan(x) ? 0 : x;
}

static inline int asl_shown(int count, int most)
{
	return count < most ? count : most;
}

/*
 * Parts of asl_row_cost.  All but the last are of the busiest rank of each kind:
 * their sum may be larger.
 */
void asl_row_parts(double part[ASL_PARTS], const struct asl_runs_row *x);

#endif
