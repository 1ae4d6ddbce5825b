/*
 * aslant.h -- multiply matrices and tensors in memory, and count the words
 *
 * A task is one operation by one algorithm.  It has the algorithms, options and
 * values of `aslant run`.  Operands and result are arrays in this process's
 * memory, in DRAM or in a mapped pool.
 *
 *	struct asl_task *task;
 *
 *	asl_task_open(&task, "em-jomma");
 *	asl_task_set(task, "ranks", "4");
 *	asl_task_matrix(task, 0, A, m, k, k);
 *	asl_task_matrix(task, 1, B, k, n, n);
 *	asl_task_result_matrix(task, C, m, n, n);
 *	if (asl_task_run(task))
 *		puts(asl_why());
 *	asl_task_number(task, 0, "q_apm_path", &cost);
 *	asl_task_close(task);
 *
 * Order	Open; set, operands and result, in any order; run, plan or
 *		bounds, any number of times, with changes in between; close.
 *		Each of run, plan and bounds leaves rows.
 * Memory	Arrays stay the caller's.  Only asl_task_run reads and writes
 *		them, and it copies: ranks have their words in pools or in DRAM
 *		of their own (option "store").  Entries must be finite; a result
 *		in a mapped pool or file is durable when asl_task_run returns.
 *		Operands and result must not overlap.
 * Errors	Functions that return int return 0, or one of enum asl_exit, and
 *		then asl_why() returns a line about it.  After ASL_CHECK_FAILED
 *		the result is there, and the rows say what is wrong; after any
 *		other error there are no rows, and the result is undefined.
 * Threads	Any may call, each with tasks of its own: one call at a time is in
 *		the library, and others wait.  asl_why() is about the calling
 *		thread's last error.  Tasks over communicators are collective:
 *		all ranks call them in one order.  While a task runs, OpenBLAS
 *		has one thread, and a rank those of option "threads";
 *		afterwards as before.
 * Ranks	Without a communicator they are simulated in this process, one
 *		after another, even within an MPI job; counts are those of
 *		processes.
 */
#ifndef ASLANT_H
#define ASLANT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASL_API __attribute__((visibility("default")))

/* The exit codes of the command. */
enum asl_exit {
	ASL_FINE = 0,
	ASL_CHECK_FAILED = 1, /* a wrong result, or counts not as predicted */
	ASL_BAD_INPUT = 2,    /* options or operands */
	ASL_NO_MACHINE = 3,   /* the machine lacks capacity, a network, ... */
	ASL_INTERNAL = 4,     /* an error of the library */
	ASL_PEER_LOST = 5,    /* another process was lost */
	ASL_CANCELLED = 130   /* by asl_interrupt */
};

struct asl_task;

/*
 * `algorithm` is one of `aslant list algorithms`, or "auto".  On success the
 * caller closes *out; on failure it is NULL.  Closing NULL is allowed.
 */
ASL_API int asl_task_open(struct asl_task **out, const char *algorithm);
ASL_API void asl_task_close(struct asl_task *task);

/*
 * Set an option of `aslant run` (or `plan`), named without dashes; the value of
 * a flag is NULL.  If an option is set twice the last value counts; each
 * "operand" adds a file.  "launch", "csv", "out" and "help" are refused.  The
 * text is copied.
 */
ASL_API int asl_task_set(struct asl_task *task, const char *option,
			 const char *value);

/*
 * Operand `which`, from 0 on: A and B of a multiplication; the tensor, then x
 * (or X, n x R) of a symmetric one; the inputs of an einsum, in order.
 * size[dims] are its sizes, step[dims] the distances between entries in
 * entries; step NULL: by rows, without gaps.  Sizes need no options then.  A
 * missing operand is generated, as by the command, or read from the file that
 * an option names.
 *
 * Out of core there may be one more: the result as it was, which is added to what is
 * computed (options "ab-factor" and "c-factor").
 *
 * With the option "type" of an einsum, entries and those of the result are float
 * ("float32"), float _Complex ("complex64") or double _Complex ("complex128"): `at`
 * is cast.
 *
 * A symmetric tensor has no gaps.  It is n x n x n, or in one dimension packed:
 * entries i >= j >= k, the last index changing fastest.
 */
ASL_API int asl_task_operand(struct asl_task *task, int which, const double *at,
			     int dims, const uint64_t *size,
			     const uint64_t *step);

/* Where the result goes; without it words are counted, and nothing is kept. */
ASL_API int asl_task_result(struct asl_task *task, double *at, int dims,
			    const uint64_t *size, const uint64_t *step);

/* Matrices stored by rows, with `ld` doubles from one row to the next. */
ASL_API int asl_task_matrix(struct asl_task *task, int which, const double *at,
			    uint64_t rows, uint64_t cols, uint64_t ld);
ASL_API int asl_task_result_matrix(struct asl_task *task, double *at,
				   uint64_t rows, uint64_t cols, uint64_t ld);

/*
 * The ranks are the processes of an MPI communicator: MPI_Comm_c2f(comm), of
 * the MPICH that the library was built with.  The caller starts and ends MPI;
 * messages travel in a copy of the communicator (option "transport": "mpi", the
 * default, or "ofi").  All ranks set the same options, and call run, plan and
 * bounds together. Every rank gets the rows, and the same return value.
 *
 * For a multiplication each process gives its block of rows of A, B and C, any
 * number or none, in the order of the ranks; columns are the same everywhere.
 * For all other operations it gives the whole operands, and rank 0 gets the
 * result.
 *
 * Errors found before ranks begin are returned.  Later, a rank that is lost or
 * runs out of memory ends the job, as MPI itself would.
 */
ASL_API int asl_task_communicator(struct asl_task *task, int comm);

/* Run the task: a row a repetition, with the columns of aslant-csv(5). */
ASL_API int asl_task_run(struct asl_task *task);

/*
 * Without running it: the candidates, cheapest first, a row each, at most as
 * many as the option "top" says, with the columns of aslant plan --csv ("auto":
 * all algorithms); and the lower bounds, with the columns of aslant bounds
 * --csv.
 */
ASL_API int asl_task_plan(struct asl_task *task);
ASL_API int asl_task_bounds(struct asl_task *task);

/* ---- Rows of the last run, plan or bounds ---- */

ASL_API int asl_task_rows(const struct asl_task *task);

/*
 * The field of a row, from 0 on, in a column; "" where it does not apply, or
 * was not measured; NULL: there is no such row or column.  It is valid until
 * the next run, plan, bounds or close.
 */
ASL_API const char *asl_task_text(const struct asl_task *task, int row,
				  const char *column);

/* The field as a number; ASL_BAD_INPUT: it is empty, or no (whole) number. */
ASL_API int asl_task_count(const struct asl_task *task, int row,
			   const char *column, uint64_t *out);
ASL_API int asl_task_number(const struct asl_task *task, int row,
			    const char *column, double *out);

/*
 * All rows as CSV, with a heading; and, after asl_task_run, the counters of
 * every rank and phase, as in ranks.csv.  "" if there are none.
 */
ASL_API const char *asl_task_csv(const struct asl_task *task);
ASL_API const char *asl_task_ranks_csv(const struct asl_task *task);

/* One line about the last error; "" if there was none. */
ASL_API const char *asl_why(void);

/*
 * End the asl_task_run that is under way, in whatever thread, at its next word: it
 * returns ASL_CANCELLED.  Nothing happens if none is.  Signal handlers may
 * call it; the library itself catches no signals.
 */
ASL_API void asl_interrupt(void);

/*
 * The options and results of tasks, as CSV with a heading:
 *
 *	"options"	name, argument, only (the algorithms or families that take
 *			it; "": all) and help
 *	"commands"	the options of each command of aslant: command, name,
 *			argument and help
 *	"columns"	of runs.csv: name, type (text, count or number) and always
 *			(1: never empty)
 *	"algorithms"	name, family, summary and when
 *
 * "" for any other word.  The text is valid until the thread's next call.
 */
ASL_API const char *asl_catalogue(const char *what);

/* "0.1.0" */
ASL_API const char *asl_version(void);

#ifdef __cplusplus
}
#endif

#endif
