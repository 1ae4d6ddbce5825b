/*
 * task_rows.c -- what a task found, field by field
 */
#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "bench/number.h"
#include "bench/say.h"
#include "bench/task.h"

void asl_task_forget(struct asl_task *task)
{
	asl_texts_free(&task->fields.field);
	task->fields = (struct asl_fields){0};
	asl_csv_close(&task->rows);
	asl_csv_close(&task->ranks);
}

/* ---- From CSV ---- */

struct reading {
	struct asl_fields *fields;
	bool failed;
};

static void add_field(void *text, size_t length, void *arg)
{
	struct reading *r = arg;

	r->failed |=
		!asl_texts_add(&r->fields->field, text ? text : "", length);
}

static void end_row(int end, void *arg)
{
	struct reading *r = arg;

	(void)end;
	if (!r->fields->columns)
		r->fields->columns = r->fields->field.count;
}

int asl_task_read(struct asl_task *task)
{
	struct reading r = {.fields = &task->fields};
	struct csv_parser parser;
	size_t bytes;

	if (asl_csv_flush(&task->rows) || asl_csv_flush(&task->ranks) ||
	    csv_init(&parser, CSV_STRICT))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	bytes = task->rows.bytes;
	r.failed = csv_parse(&parser, task->rows.text, bytes, add_field,
			     end_row, &r) != bytes;
	csv_free(&parser);
	return r.failed ? asl_complain(ASL_NO_MACHINE, "out of memory") : 0;
}

/* ---- To the caller ---- */

int asl_task_rows(const struct asl_task *task)
{
	const struct asl_fields *x = &task->fields;

	return x->columns ? x->field.count / x->columns - 1 : 0;
}

const char *asl_task_text(const struct asl_task *task, int row,
			  const char *column)
{
	const struct asl_fields *x = &task->fields;

	if (row < 0 || row >= asl_task_rows(task))
		return NULL;
	for (int i = 0; i < x->columns; i++)
		if (!strcmp(x->field.at[i], column))
			return x->field.at[(row + 1) * x->columns + i];
	return NULL;
}

static int no_number(const struct asl_task *task, int row, const char *column)
{
	const char *text = asl_task_text(task, row, column);

	return asl_complain(ASL_BAD_INPUT,
			    "column '%s' of row %d: found %s%s%s, expected a "
			    "number",
			    column, row, text ? "'" : "no such thing",
			    text ? text : "", text ? "'" : "");
}

int asl_task_count(const struct asl_task *task, int row, const char *column,
		   uint64_t *out)
{
	const char *text = asl_task_text(task, row, column);

	asl_task_enter();
	return text && asl_read_count(out, text) ? 0
						 : no_number(task, row, column);
}

int asl_task_number(const struct asl_task *task, int row, const char *column,
		    double *out)
{
	const char *text = asl_task_text(task, row, column);
	char *rest;

	asl_task_enter();
	if (!text || !*text)
		return no_number(task, row, column);
	*out = strtod(text, &rest);
	return *rest ? no_number(task, row, column) : 0;
}

const char *asl_task_csv(const struct asl_task *task)
{
	return task->rows.text ? task->rows.text : "";
}

const char *asl_task_ranks_csv(const struct asl_task *task)
{
	return task->ranks.text ? task->ranks.text : "";
}
