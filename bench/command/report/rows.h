/*
 * rows.h -- what a report is about: rows, and what they are repetitions of
 *
 * Row	a repetition, as in runs.csv, and which directory it is from.
 * Entry	all repetitions of one algorithm in one way on one case on one
 *	machine: what they counted, and medians of what they measured.
 *
 * Rows and entries are put in order, and taken in groups, by lists of columns.
 */
#ifndef ASL_REPORT_ROWS_H
#define ASL_REPORT_ROWS_H

#include "bench/command/rows_read.h"
#include "lib/base/estimate.h"

enum asl_column {
	/* Texts. */
	ASL_COL_FAMILY, /* what is computed; not a column of the file */
	ASL_COL_RUN_ID,
	ASL_COL_ALGORITHM,
	ASL_COL_KERNEL,
	ASL_COL_SPEC,
	ASL_COL_DIMS,
	ASL_COL_GRID,
	ASL_COL_STORE,
	ASL_COL_MEDIUM,
	ASL_COL_PANELS,
	ASL_COL_TRANSPORT,
	ASL_COL_PROVIDER,
	ASL_COL_SEED,
	ASL_COL_HOST,
	ASL_COL_TIME,
	ASL_COL_PROFILE,
	ASL_COL_COST_UNIT,
	ASL_COL_EMULATED,
	ASL_COL_EMULATION_VALID,
	ASL_COL_CACHE_MODEL,
	ASL_COL_HWC_BACKEND,
	ASL_COL_HWC_NOTE,
	ASL_COL_HWC_SOCKETS,
	ASL_TEXTS, /* how many; numbers from here on */

	ASL_COL_PLACE =
		ASL_TEXTS, /* which directory; not a column of the file */
	ASL_COL_WORK,	   /* flops of a rank, in steps of 1.41; likewise */
	ASL_COL_REP,
	ASL_COL_M,
	ASL_COL_N,
	ASL_COL_K,
	ASL_COL_RANKS,
	ASL_COL_USED,
	ASL_COL_CACHE_WORDS,
	ASL_COL_MEMORY_WORDS,
	ASL_COL_R,
	ASL_COL_W,
	ASL_COL_BETA,
	ASL_COL_ALPHA,
	ASL_COL_GAMMA,
	ASL_COL_OVERLAP,
	ASL_COL_OUTSIDE,
	ASL_COL_ITERATIONS,
	ASL_COL_READ,
	ASL_COL_WRITTEN,
	ASL_COL_BH_WORDS,
	ASL_COL_MSGS,
	ASL_COL_FLOPS_MOST,
	ASL_COL_FLOPS_ALL,
	ASL_COL_POOL_READ,
	ASL_COL_POOL_WRITTEN,
	ASL_COL_POOL_LIFTED,
	ASL_COL_POOL_LANDED,
	ASL_COL_WRITTEN_ALL,
	ASL_COL_LANDED_ALL,
	ASL_COL_POOL_READ_ALL,
	ASL_COL_DRAM_READ_ALL,
	ASL_COL_DRAM_WRITTEN_ALL,
	ASL_COL_Q_APM,
	ASL_COL_Q_FULL,
	ASL_COL_PREDICTED_APM,
	ASL_COL_PREDICTED_FULL,
	ASL_COL_EQUAL,
	ASL_COL_NET_BOUND,
	ASL_COL_NET_RATIO,
	ASL_COL_IO_BOUND,
	ASL_COL_HELD,
	ASL_COL_WALL,
	ASL_COL_COMPUTE,
	ASL_COL_COMM,
	ASL_COL_IO,
	ASL_COL_GFLOPS,
	ASL_COL_RESIDUAL,
	ASL_COL_VERIFIED,
	ASL_COL_ENDURANCE,
	ASL_COL_HWC_READ,
	ASL_COL_HWC_WRITTEN,
	ASL_COL_HWC_MISSES,
	ASL_COL_LIVES,
	ASL_COLUMNS,
};

enum asl_verdict {
	ASL_GOOD,    /* verified, or there was nothing to verify */
	ASL_UNKNOWN, /* words were moved, and nobody looked at the result */
	ASL_BAD,     /* wrong, miscounted, or badly emulated */
};

struct asl_row {
	const char *text[ASL_TEXTS]; /* "": empty */
	double number[ASL_COLUMNS];  /* NAN: empty; from ASL_TEXTS on */
	enum asl_verdict verdict;
};

/* Words were moved, not just counted. */
bool asl_row_moved(const struct asl_row *x);

struct asl_entry {
	const struct asl_row *row; /* the first: what all have in common */
	const struct asl_row *const *rows;
	int count, of[ASL_BAD + 1];	  /* rows; by verdict */
	struct asl_estimate wall;	  /* of those that are not bad */
	double compute, comm, io, gflops; /* medians; NAN: not measured */
};

/* A list of columns ends with this. */
#define ASL_END (-1)

/* What makes a problem, a case of it, and an entry. */
#define ASL_PROBLEM                                                            \
	ASL_COL_FAMILY, ASL_COL_SPEC, ASL_COL_M, ASL_COL_N, ASL_COL_K,         \
		ASL_COL_DIMS, ASL_COL_RANKS, ASL_COL_CACHE_WORDS,              \
		ASL_COL_MEMORY_WORDS
#define ASL_COSTS                                                              \
	ASL_COL_R, ASL_COL_W, ASL_COL_BETA, ASL_COL_ALPHA, ASL_COL_GAMMA
#define ASL_CASE ASL_PROBLEM, ASL_COL_PLACE, ASL_COSTS

extern const int asl_by_problem[], asl_by_case[], asl_by_entry[];

struct asl_results {
	int places; /* directories */
	const char **dir;
	struct asl_rows *file; /* as read; texts of rows are in it */
	struct asl_row *row;
	const struct asl_row **sorted; /* by entry */
	int rows;
	struct asl_entry *entry;
	int entries;
};

/* All runs.csv; 0, or the exit code after a complaint.  Close it either way. */
int asl_results_read(struct asl_results *r, const char **dir, int places);
void asl_results_close(struct asl_results *r);

/* Below 0, 0, above 0. */
int asl_rows_compare(const struct asl_row *a, const struct asl_row *b,
		     const int *columns);

/* A group in a sorted list: entries that agree in these columns. */
struct asl_pack {
	struct asl_entry **at;
	int count;
};

/* Put pointers to entries in order. */
void asl_entries_sort(struct asl_entry **list, int count, const int *columns);

/*
 * The next group of a list that is sorted by the columns, beginning with
 * *g zero; false: no more.
 */
bool asl_pack_next(struct asl_pack *g, struct asl_entry **list, int count,
		   const int *columns);

/* Those of most entries first. */
void asl_packs_sort(struct asl_pack *packs, int count);

#endif
