/*
 * task.c -- tasks of aslant.h: what they are told, before anything is done
 */
#include "bench/task.h"

#include <stdlib.h>
#include <string.h>

#include "bench/face.h"
#include "bench/say.h"

const char *asl_version(void)
{
	return ASLANT_VERSION;
}

const char *asl_why(void)
{
	return asl_last_complaint();
}

void asl_task_enter(void)
{
	asl_complain_aside();
}

static int no_memory(void)
{
	return asl_complain(ASL_NO_MACHINE, "out of memory");
}

/* ---- Texts ---- */

const char *asl_texts_add(struct asl_texts *x, const char *text, size_t length)
{
	char **more = realloc(x->at, ((size_t)x->count + 1) * sizeof *more);

	if (!more)
		return NULL;
	x->at = more;
	more[x->count] = strndup(text, length);
	return more[x->count] ? more[x->count++] : NULL;
}

void asl_texts_free(struct asl_texts *x)
{
	for (int i = 0; i < x->count; i++)
		free(x->at[i]);
	free(x->at);
	*x = (struct asl_texts){0};
}

/* ---- Open and close ---- */

static int check_algorithm(const char *name)
{
	char names[512];

	if (name && asl_is_one_of(name, asl_algorithm_names()))
		return 0;
	return asl_complain(
		ASL_BAD_INPUT, "unknown algorithm '%s' (known: %s)",
		name ? name : "",
		asl_join(names, sizeof names, asl_algorithm_names()));
}

int asl_task_open(struct asl_task **out, const char *algorithm)
{
	struct asl_task *task;
	int code;

	asl_task_enter();
	*out = NULL;
	code = check_algorithm(algorithm);
	if (code)
		return code;
	task = calloc(1, sizeof *task);
	if (!task)
		return no_memory();
	asl_options_init(&task->options);
	task->options.algorithm =
		asl_texts_add(&task->texts, algorithm, strlen(algorithm));
	if (!task->options.algorithm) {
		asl_task_close(task);
		return no_memory();
	}
	*out = task;
	return 0;
}

void asl_task_close(struct asl_task *task)
{
	if (!task)
		return;
	asl_task_forget(task);
	asl_texts_free(&task->texts);
	free(task);
}

/* ---- Options ---- */

static const struct asl_option *find_option(const char *name)
{
	static const char *const others[] = {"launch", "csv", "out", "help",
					     NULL};
	const struct asl_option *x =
		asl_is_one_of(name, others) ? NULL : asl_option_find(name);

	return x && x->commands & (ASL_FOR_RUN | ASL_FOR_PLAN) ? x : NULL;
}

int asl_task_set(struct asl_task *task, const char *option, const char *value)
{
	const struct asl_option *x = find_option(option);

	asl_task_enter();
	if (!x)
		return asl_complain(ASL_BAD_INPUT, "there is no option '%s'",
				    option);
	if (!x->argument != !value)
		return asl_complain(ASL_BAD_INPUT, "option '%s': expected %s%s",
				    option, x->argument ? "" : "no value",
				    x->argument ? x->argument : "");
	if (value)
		value = asl_texts_add(&task->texts, value, strlen(value));
	if (x->argument && !value)
		return no_memory();
	return asl_option_set(x, &task->options, value);
}

/* ---- Operands and result ---- */

static int set_array(struct asl_given *to, const char *what, double *at,
		     int dims, const uint64_t *size, const uint64_t *step)
{
	uint64_t all = 1;

	*to = (struct asl_given){0};
	if (dims < 0 || dims > ASL_GIVEN_DIMS)
		return asl_complain(ASL_BAD_INPUT,
				    "%s: found %d dimensions, expected 0 to %d",
				    what, dims, ASL_GIVEN_DIMS);
	for (int i = dims - 1; i >= 0; i--) {
		to->size[i] = size[i];
		to->step[i] = step ? step[i] : all;
		all *= size[i];
	}
	if (!at && all)
		return asl_complain(ASL_BAD_INPUT,
				    "%s: %ju entries at no address", what, all);
	to->dims = dims;
	/* A rank that has no rows may have no memory for them either. */
	to->at = at ? at : (double *)to;
	return 0;
}

int asl_task_operand(struct asl_task *task, int which, const double *at,
		     int dims, const uint64_t *size, const uint64_t *step)
{
	char what[32];

	asl_task_enter();
	snprintf(what, sizeof what, "operand %d", which);
	if (which < 0 || which >= ASL_MOST_OPERANDS - 1)
		return asl_complain(ASL_BAD_INPUT, "%s: expected 0 to %d", what,
				    ASL_MOST_OPERANDS - 2);
	/* Nobody writes to it. */
	return set_array(&task->given[which], what, (double *)at, dims, size,
			 step);
}

int asl_task_result(struct asl_task *task, double *at, int dims,
		    const uint64_t *size, const uint64_t *step)
{
	asl_task_enter();
	return set_array(&task->into, "the result", at, dims, size, step);
}

int asl_task_matrix(struct asl_task *task, int which, const double *at,
		    uint64_t rows, uint64_t cols, uint64_t ld)
{
	const uint64_t size[] = {rows, cols}, step[] = {ld, 1};

	return asl_task_operand(task, which, at, 2, size, step);
}

int asl_task_result_matrix(struct asl_task *task, double *at, uint64_t rows,
			   uint64_t cols, uint64_t ld)
{
	const uint64_t size[] = {rows, cols}, step[] = {ld, 1};

	return asl_task_result(task, at, 2, size, step);
}

int asl_task_communicator(struct asl_task *task, int comm)
{
	asl_task_enter();
	task->joined = true;
	task->comm = comm;
	return 0;
}
