/*
 * aslant.h -- multiply matrices and tensors that you have, and get the counters
 *
 * A task is one operation by one algorithm.  It is told what is to be done in the
 * words of `aslant run`: the same algorithms, the same options, the same values.
 * Operands are arrays that lie somewhere in this process's memory, in DRAM or in
 * a pool that is mapped; the result goes to another.
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
 *	asl_task_number(task, 0, "q_apm_max", &cost);
 *	asl_task_close(task);
 *
 * Order	Open; set, operands and result, in any order; run, plan or
 *		bounds, as often as is wanted, with changes in between; close.
 *		After each of these three there are rows to be asked for.
 * Memory	Arrays stay the caller's.  They are read and written by
 *		asl_task_run only, and copied: ranks have their words in pools
 *		or in DRAM of their own (option "store").  Entries must be
 *		finite.  A result that lies in a mapped pool or file is durable
 *		when asl_task_run returns.  Operands and result must not overlap.
 * Errors	Functions that return int return 0, or one of enum asl_exit, and
 *		then asl_why() is a line about it.  After ASL_CHECK_FAILED the
 *		result is there, and the rows say what is wrong; after any other
 *		the result is not to be used, and there are no rows.
 * Threads	One at a time in a process, for all tasks together.  While a task
 *		runs, OpenBLAS has one thread a rank; afterwards what it had.
 * Ranks	Without a communicator they are simulated in this process, one
 *		after another, whatever MPI job it may be part of; counts are the
 *		same as of processes.
 */
#ifndef ASLANT_H
#define ASLANT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASL_API __attribute__((visibility("default")))

/* What goes wrong, as the exit codes of the command. */
enum asl_exit {
	ASL_FINE = 0,
	ASL_CHECK_FAILED = 1, /* a wrong result, or counts not as predicted */
	ASL_BAD_INPUT = 2,    /* options or operands */
	ASL_NO_MACHINE = 3,   /* the machine lacks something: room, a network */
	ASL_INTERNAL = 4,     /* our fault */
	ASL_PEER_LOST = 5     /* another process is gone */
};

struct asl_task;

/*
 * `algorithm` is one of `aslant list algorithms`, or "auto".  On success *out is
 * the caller's to close; on failure it is NULL.  Closing NULL is allowed.
 */
ASL_API int asl_task_open(struct asl_task **out, const char *algorithm);
ASL_API void asl_task_close(struct asl_task *task);

/*
 * An option of `aslant run` (or `plan`) by its name without dashes, with a value
 * as there; flags have the value NULL.  Of an option set twice the last value
 * counts; "operand" is one more file each time.  Not taken are "launch", "csv",
 * "out" and "help".  The text is copied.
 */
ASL_API int asl_task_set(struct asl_task *task, const char *option,
			 const char *value);

/*
 * Operand `which`, from 0 on: A and B of a multiplication; the tensor, then x (or
 * X, n x R) of a symmetric one; the inputs of an einsum, in order.  size[dims] are
 * its sizes, step[dims] how many doubles further the next entry is in each
 * dimension; step NULL: by rows, without gaps.  Sizes need no options then.  An
 * operand that is not given is generated, as by the command, or from the file
 * that an option names.
 *
 * A symmetric tensor has no gaps.  It is n x n x n, or in one dimension packed:
 * entries i >= j >= k, the last index changing fastest.
 */
ASL_API int asl_task_operand(struct asl_task *task, int which, const double *at,
			     int dims, const uint64_t *size,
			     const uint64_t *step);

/* Where the result goes; without it there is none, but it is counted. */
ASL_API int asl_task_result(struct asl_task *task, double *at, int dims,
			    const uint64_t *size, const uint64_t *step);

/* The same of matrices by rows, with `ld` doubles from one row to the next. */
ASL_API int asl_task_matrix(struct asl_task *task, int which, const double *at,
			    uint64_t rows, uint64_t cols, uint64_t ld);
ASL_API int asl_task_result_matrix(struct asl_task *task, double *at,
				   uint64_t rows, uint64_t cols, uint64_t ld);

/*
 * The ranks are the processes of an MPI communicator: MPI_Comm_c2f(comm), of the
 * MPICH that the library was built with.  MPI has been started by the caller and
 * stays so; messages travel in a copy of the communicator (option "transport":
 * "mpi", which is what is taken, or "ofi").  All ranks call run, plan and bounds
 * together, having set the same.  Every rank gets the rows, and the same return
 * value.
 *
 * Of a multiplication a process gives its block of rows of A, B and C: as many as
 * it has, or none, in the order of the ranks; columns are the same everywhere.
 * Of all other operations it gives the whole operands, and rank 0 gets the result.
 *
 * What is found before ranks begin is returned.  A rank that is lost, or fails
 * for lack of memory, later ends the job, as MPI itself would.
 */
ASL_API int asl_task_communicator(struct asl_task *task, int comm);

/*
 * Do it: a row a repetition, with the columns of runs.csv (aslant-csv(5)).
 */
ASL_API int asl_task_run(struct asl_task *task);

/*
 * Do not: the ways of doing it, of least predicted cost first, a row each; as
 * many as the option "top" says, with the columns of aslant plan --csv.  Of
 * "auto", of all algorithms; and the lower bounds, with those of bounds --csv.
 */
ASL_API int asl_task_plan(struct asl_task *task);
ASL_API int asl_task_bounds(struct asl_task *task);

/* ---- Rows of the last of these three ---- */

ASL_API int asl_task_rows(const struct asl_task *task);

/*
 * The field of a row, from 0 on, in a column; "" where it does not apply, or was
 * not measured; NULL: there is no such row or column.  Until the next of these
 * three, or close.
 */
ASL_API const char *asl_task_text(const struct asl_task *task, int row,
				  const char *column);

/* The same as a number; ASL_BAD_INPUT: it is empty, none, or no whole one. */
ASL_API int asl_task_count(const struct asl_task *task, int row,
			   const char *column, uint64_t *out);
ASL_API int asl_task_number(const struct asl_task *task, int row,
			    const char *column, double *out);

/*
 * All of them as CSV, with a heading; and, of asl_task_run, the counters of every
 * rank and phase, as ranks.csv.  "" if there are none.
 */
ASL_API const char *asl_task_csv(const struct asl_task *task);
ASL_API const char *asl_task_ranks_csv(const struct asl_task *task);

/* What the last error was about, in one line; "" if there was none. */
ASL_API const char *asl_why(void);

/* "0.1.0" */
ASL_API const char *asl_version(void);

#ifdef __cplusplus
}
#endif

#endif
