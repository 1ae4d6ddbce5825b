/*
 * task.h -- what a task of aslant.h is made of, for the files that do it
 */
#ifndef ASL_TASK_H
#define ASL_TASK_H

#include "bench/aslant.h"
#include "bench/case.h"
#include "bench/csv.h"

struct asl_texts {
	char **at;
	int count;
};

/* The fields of a table, by rows; the first are the names of columns. */
struct asl_fields {
	struct asl_texts field;
	int columns;
};

struct asl_task {
	char *algorithm;
	struct asl_options options; /* whose texts are kept here: */
	struct asl_texts texts;
	struct asl_given given[ASL_MOST_OPERANDS], into;
	bool joined; /* the ranks are those of a communicator */
	int comm;

	struct asl_csv rows, ranks;
	struct asl_fields fields; /* of rows */
};

/* A copy that lives as long as the list; NULL: no memory. */
const char *asl_texts_add(struct asl_texts *x, const char *text, size_t length);
void asl_texts_free(struct asl_texts *x);

/* What all functions that can fail begin with: complaints are kept, not printed. */
void asl_task_enter(void);

/*
 * Sizes of what was given, as options; 0 or an exit code.  Matrices of a
 * communicator are put together first: see task_join.c.
 */
int asl_task_sizes(const struct asl_task *task, struct asl_options *o,
		   struct asl_texts *texts);

/* ---- Communicators (task_join.c) ---- */

/* Which rows of A, B and C the ranks have; all NULL: they have all of them. */
struct asl_spread_rows {
	uint64_t *first[3];
};

/* Is this rank's memory only its rows? */
bool asl_task_has_rows(const struct asl_task *task);

/*
 * All ranks together: what each has, the least cache and memory of them, and the
 * sizes of the whole.  The same answer on all of them.
 */
int asl_task_join(const struct asl_task *task, struct asl_options *o,
		  struct asl_spread_rows *rows);
void asl_task_part(struct asl_spread_rows *rows);

/* Has any rank an exit code?  Then all do, and the words of the first. */
int asl_task_agree(const struct asl_task *task, int code);

/* Rank 0's rows, and its exit code, on every rank. */
int asl_task_share(struct asl_task *task, int code);

/* ---- Rows (task_rows.c) ---- */

int asl_task_read(struct asl_task *task);
void asl_task_forget(struct asl_task *task);

#endif
