/*
 * results.h -- result directories: rows, and the cases whose repetitions they are
 *
 * A row is a repetition, as in runs.csv; its fields are called as the columns of
 * bench/library/columns.def.  A case is the rows of one directory that agree in
 * the request, the counts, the costs, the place and the host, as far as all
 * directories have these columns: one that an older version did not write says
 * nothing about a row.
 */
#ifndef ASL_RESULTS_H
#define ASL_RESULTS_H

#include "bench/command/results/stats.h"
#include "bench/command/results/table.h"
#include "lib/base/estimate.h"

/* The columns of runs.csv, and three that are derived from them. */
enum asl_column {
	COL_family,
	COL_place,
	COL_work,
#define TEXT(name, role, value) COL_##name,
#define COUNT(name, role, known, value) COL_##name,
#define NUMBER(name, role, known, value) COL_##name,
#include "bench/library/columns.def"
	ASL_COLUMNS
};

/* What a column says of a row, in the order in which rows are compared. */
enum asl_role {
	ASL_ASKED,
	ASL_COUNTED,
	ASL_COSTED,
	ASL_PLACED,
	ASL_HOSTED,
	ASL_FOUND,
	ASL_VARIES,
};

/* Why the times of a row are not compared: the worst reason first. */
enum asl_trouble {
	ASL_FAILED,
	ASL_MISCOUNTED, /* these two: the row is bad */
	ASL_MISEMULATED,
	ASL_ONLY_COUNTED,
	ASL_INTERRUPTED,
	ASL_REPLAYED,
	ASL_UNVERIFIED,
	ASL_NO_TIME,
	ASL_BUSY, /* of half of a case's rows, or more */
	ASL_NO_TROUBLE,
};

/* "failed verification", ...; NULL for ASL_NO_TROUBLE. */
extern const char *const asl_trouble_text[];

struct asl_runs_row {
	const struct asl_results *results;
	size_t line; /* in its table */
	enum asl_trouble trouble;
	const char *family; /* algorithms that compute the same */
	double place;	    /* the number of its directory */
	double work;	    /* flops of a rank, in steps of 1.41 */
	/* A text is "" and a number NAN if the field is empty. */
#define TEXT(name, role, value) const char *name;
#define COUNT(name, role, known, value) double name;
#define NUMBER(name, role, known, value) double name;
#include "bench/library/columns.def"
};

/* A case of one directory. */
struct asl_measured {
	const struct asl_runs_row *row; /* the first: what all agree in */
	const struct asl_runs_row *const *rows;
	int count, unverified;	  /* rows; words moved, but not verified */
	int busy;		  /* rows that other programs disturbed */
	enum asl_trouble trouble; /* the worst of its rows */
	double *wall_s;		  /* [time.samples], in ascending order */
	struct asl_estimate time; /* of rows that are not bad */
	double compute, comm, io, gflops; /* medians; NAN: not measured */
};

struct asl_results {
	int places; /* directories */
	const char **dir;
	struct asl_table *table;	    /* [places], as read */
	int (*at)[ASL_COLUMNS];		    /* [places]: columns in the table */
	int identity[ASL_COLUMNS];	    /* columns of all places, by role */
	int end[ASL_FOUND];		    /* of each role in identity */
	struct asl_runs_row *row;	    /* as in the files */
	const struct asl_runs_row **sorted; /* by case */
	int rows;
	struct asl_measured *cases; /* by problem, then by algorithm */
	int count;
	double *wall_s;		 /* of all cases */
	double **draws;		 /* [count], see asl_case_draws */
	struct asl_drift *drift; /* [places] */
	bool same[ASL_COLUMNS];	 /* all rows agree in it */
	const int *cores;	 /* [places], of a host; NULL: not known */
};

/* All runs.csv; 0, or the exit code after a complaint.  Close it either way. */
int asl_results_read(struct asl_results *r, const char **dir, int places);
void asl_results_close(struct asl_results *r);

/*
 * The blocks of a case: its runs, or the halves of the only one; and in *steady, if
 * not NULL, its times without what runs are off by, sorted.  -ENOMEM, or 0.
 */
int asl_case_blocks(struct asl_blocks *b, double *steady,
		    const struct asl_measured *x);

/* The name of a column, NULL if it is derived; and its cell, as in the file. */
const char *asl_column_name(enum asl_column column);
const char *asl_row_cell(const struct asl_runs_row *row,
			 enum asl_column column);

bool asl_row_is_bad(const struct asl_runs_row *row);

/* Words were moved, not just counted. */
bool asl_row_moved(const struct asl_runs_row *row);

/* The bytes of a row's words; rows of older versions have words of 8. */
double asl_row_bytes(const struct asl_runs_row *row, double words);

/* All ranks took turns in one process: more of them are not faster. */
bool asl_row_simulated(const struct asl_runs_row *row);

/* Its ranks outnumbered the cores, and took turns; where rows do not say so, by
 * the cores of one host. */
bool asl_row_crowded(const struct asl_runs_row *row);

/* Words were moved, and the result was not checked. */
bool asl_row_unverified(const struct asl_runs_row *row);

/* Costs are nanoseconds, says the profile. */
bool asl_row_timed(const struct asl_runs_row *row);

bool asl_row_out_of_core(const struct asl_runs_row *row);

/*
 * Q along the critical path, and the busiest rank's, by the accounting that the
 * family is judged by, which is `full` out of core, as the other does not tell
 * pool from DRAM.
 */
double asl_row_cost(const struct asl_runs_row *row);
double asl_row_busiest_cost(const struct asl_runs_row *row);

/*
 * Orders and groups of cases, by lists of columns
 */

/* A list ends with this. */
#define ASL_END (-1)

/*
 * Rows are the same work if they agree in problem and data, in ranks, cache and
 * memory, and in all options that decide counts.  The memory budget is apart: a
 * case that does better with less of it than another is the better one, see
 * asl_budget_compare.
 */
#define ASL_SIZE                                                               \
	COL_type, COL_spec, COL_m, COL_n, COL_k, COL_dims, COL_ab_factor,      \
		COL_c_factor
#define ASL_GIVEN COL_panels, COL_initial, COL_store
#define ASL_PROBLEM                                                            \
	COL_family, ASL_SIZE, COL_ranks, COL_cache_words, COL_memory_words,    \
		ASL_GIVEN, COL_seed
#define ASL_COSTS COL_r, COL_w, COL_beta, COL_alpha, COL_gamma
#define ASL_WAY COL_medium, COL_transport, COL_provider, COL_emulated

extern const int asl_by_problem[];

/* Below 0, 0, above 0; empty cells come first. */
int asl_cells_compare(const struct asl_runs_row *a,
		      const struct asl_runs_row *b, enum asl_column column);
int asl_rows_compare(const struct asl_runs_row *a, const struct asl_runs_row *b,
		     const int *list);

/* By all columns of roles up to `last` that all directories have. */
int asl_rows_compare_roles(const struct asl_runs_row *a,
			   const struct asl_runs_row *b, enum asl_role last);

void asl_cases_sort(struct asl_measured **list, int count, const int *by);

/*
 * The median of what rows that are not bad say in a column; NAN: they say
 * nothing.  Scratch for a number a row.
 */
double asl_case_median(double *scratch, const struct asl_measured *x,
		       enum asl_column column);

enum { ASL_EXPECT_WHY = 160 };

/* Below 0: less memory was allowed than the budget; NAN is no limit. */
int asl_budget_compare(const struct asl_runs_row *row, double budget);

/*
 * A suite's thresholds for a case: "gflops >= 40; wall_s < 2", columns whose median
 * decides.  NULL, or what is wrong with the text.
 */
const char *asl_expect_wrong(const char *text);

/*
 * Is it met?  If not, `why` says what was found; numbers that are NAN were not
 * measured, and decide nothing.
 */
bool asl_expect_met(const char *text,
		    double (*value)(void *arg, const char *column), void *arg,
		    char why[ASL_EXPECT_WHY]);

/* By the medians of a case, with its row's own expectations; scratch as above. */
bool asl_case_expected(double *scratch, const struct asl_measured *x,
		       char why[ASL_EXPECT_WHY]);

/* A group in a sorted list: cases that agree in these columns. */
struct asl_pack {
	struct asl_measured **at;
	int count;
	double budget; /* for contests under it, see asl_page_budgets */
};

/*
 * The next group of a list that is sorted by the columns, beginning with
 * *g zero; false: no more.
 */
bool asl_pack_next(struct asl_pack *g, struct asl_measured **list, int count,
		   const int *columns);

#endif
