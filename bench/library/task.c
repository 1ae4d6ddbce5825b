/*
 * task.c -- the tasks of aslant.h: run, plan and bounds for programs
 *
 * A task is an algorithm, options and arrays.  Sizes come from the arrays, the
 * result is the command's CSV, read back field by field.  The ranks of a
 * communicator each bring their rows, and agree on every exit code.  Every
 * function that can fail begins by keeping complaints, which are not printed.
 *
 * A process has one network, one team of threads and one job: one call at a time
 * runs, and others wait.
 */
#include <csv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/answer.h"
#include "bench/library/aslant.h"
#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/csv.h"
#include "bench/library/number.h"
#include "bench/library/rows.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/contract/contract.h"
#include "lib/machine/machine.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/symmetric.h"
#include "net/net.h"

static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
	pthread_mutex_lock(&inside);
	asl_complain_aside();
}

static int leave(int code)
{
	pthread_mutex_unlock(&inside);
	return code;
}

struct texts {
	char **at;
	int count;
};

/* The fields of a table, row by row; the first row names the columns. */
struct fields {
	struct texts field;
	int columns;
};

struct asl_task {
	char *algorithm;
	struct asl_options options;
	struct texts texts; /* what options point to */
	struct asl_given given[ASL_MOST_OPERANDS], into;
	bool joined; /* the ranks are those of a communicator */
	int comm;

	struct asl_csv rows, ranks;
	struct fields fields; /* read back from rows */
};

/* A copy that is freed with the list; NULL: no memory. */
static const char *add_text(struct texts *x, const char *text, size_t length)
{
	char **more = realloc(x->at, ((size_t)x->count + 1) * sizeof *more);

	if (!more)
		return NULL;
	x->at = more;
	more[x->count] = strndup(text, length);
	return more[x->count] ? more[x->count++] : NULL;
}

static void free_texts(struct texts *x)
{
	for (int i = 0; i < x->count; i++)
		free(x->at[i]);
	free(x->at);
	*x = (struct texts){0};
}

const char *asl_version(void)
{
	return ASLANT_VERSION;
}

const char *asl_why(void)
{
	return asl_last_complaint();
}

static void forget(struct asl_task *task)
{
	free_texts(&task->fields.field);
	task->fields = (struct fields){0};
	asl_csv_close(&task->rows);
	asl_csv_close(&task->ranks);
}

static int open_task(struct asl_task **out, const char *algorithm)
{
	struct asl_task *task;
	int code;

	*out = NULL;
	code = asl_algorithm_check(algorithm ? algorithm : "");
	if (code)
		return code;
	task = calloc(1, sizeof *task);
	if (!task)
		return asl_no_memory();
	asl_options_init(&task->options);
	task->options.algorithm =
		add_text(&task->texts, algorithm, strlen(algorithm));
	if (!task->options.algorithm) {
		asl_task_close(task);
		return asl_no_memory();
	}
	*out = task;
	return 0;
}

int asl_task_open(struct asl_task **out, const char *algorithm)
{
	enter();
	return leave(open_task(out, algorithm));
}

void asl_task_close(struct asl_task *task)
{
	if (!task)
		return;
	forget(task);
	free_texts(&task->texts);
	free(task);
}

static const struct asl_option *find_option(const char *name)
{
	const struct asl_option *x = asl_option_find(name);

	if (!x || x->roles & ASL_NOT_IN_TASKS)
		return NULL;
	return x->commands & (ASL_FOR_RUN | ASL_FOR_PLAN) ? x : NULL;
}

static const char *option_meant(const char *found)
{
	const char *names[128];
	int count = 0;

	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands && find_option(x->name) && count < 127)
			names[count++] = x->name;
	names[count] = NULL;
	return asl_meant(found, "", names);
}

static int set_option(struct asl_task *task, const char *option,
		      const char *value)
{
	const struct asl_option *x = find_option(option);

	if (!x)
		return asl_refuse("there is no option '%s'%s", option,
				  option_meant(option));
	if (!x->argument != !value)
		return asl_refuse("option '%s': expected %s%s", option,
				  x->argument ? "" : "no value",
				  x->argument ? x->argument : "");
	if (value)
		value = add_text(&task->texts, value, strlen(value));
	if (x->argument && !value)
		return asl_no_memory();
	return asl_option_set(x, &task->options, value);
}

int asl_task_set(struct asl_task *task, const char *option, const char *value)
{
	enter();
	return leave(set_option(task, option, value));
}

/* ---- Operands and result ---- */

static int set_array(struct asl_given *to, const char *what, double *at,
		     int dims, const uint64_t *size, const uint64_t *step)
{
	uint64_t all = 1;

	*to = (struct asl_given){0};
	if (dims < 0 || dims > ASL_GIVEN_DIMS)
		return asl_refuse("%s: found %d dimensions, expected 0 to %d",
				  what, dims, ASL_GIVEN_DIMS);
	for (int i = dims - 1; i >= 0; i--) {
		to->size[i] = size[i];
		to->step[i] = step ? step[i] : all;
		all *= size[i];
	}
	if (!at && all)
		return asl_refuse("%s: %ju entries at no address", what, all);
	to->dims = dims;
	/* A rank that has no rows may have no memory for them either. */
	to->at = at ? at : (double *)to;
	return 0;
}

int asl_task_operand(struct asl_task *task, int which, const double *at,
		     int dims, const uint64_t *size, const uint64_t *step)
{
	char what[32];

	enter();
	snprintf(what, sizeof what, "operand %d", which);
	if (which < 0 || which >= ASL_MOST_OPERANDS - 1)
		return leave(asl_refuse("%s: expected 0 to %d", what,
					ASL_MOST_OPERANDS - 2));
	/* It is only read. */
	return leave(set_array(&task->given[which], what, (double *)at, dims,
			       size, step));
}

int asl_task_result(struct asl_task *task, double *at, int dims,
		    const uint64_t *size, const uint64_t *step)
{
	enter();
	return leave(
		set_array(&task->into, "the result", at, dims, size, step));
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
	asl_complain_aside();
	task->joined = true;
	task->comm = comm;
	return 0;
}

/* Is this rank's memory only its rows? */
static bool has_rows(const struct asl_task *task)
{
	const struct asl_algorithm *a =
		asl_cli_algorithm(task->options.algorithm);

	return task->joined && (!a || a->family->open == asl_multiply_open) &&
	       (task->given[ASL_A].at || task->given[ASL_B].at ||
		task->into.at);
}

/* ---- Sizes, from operands to options ---- */

static int settle(uint64_t *known, uint64_t size, const char *what)
{
	if (!size || (*known && *known != size))
		return asl_refuse("%s: found %ju, expected %s%.0ju", what, size,
				  *known ? "" : "1 or more", *known);
	*known = size;
	return 0;
}

static bool is_contraction(const struct asl_options *o)
{
	const struct asl_algorithm *a = asl_cli_algorithm(o->algorithm);

	return a && a->family == &asl_family_contract;
}

/* The result as it was, behind the inputs: where it is given, it is added to. */
static int add_to(const struct asl_task *task, struct asl_options *o,
		  int inputs)
{
	const struct asl_algorithm *a = asl_cli_algorithm(o->algorithm);

	if (!task->given[inputs].at)
		return 0;
	if (!a || !a->family->dram_budget)
		return asl_refuse("operand %d: found more than %d, expected "
				  "that only out of core, where the result is "
				  "added to it",
				  inputs, inputs);
	if (isnan(o->c_factor))
		o->c_factor = 1;
	return 0;
}

static int matrix_sizes(const struct asl_task *task, struct asl_options *o)
{
	const struct asl_given *A = &task->given[ASL_A],
			       *B = &task->given[ASL_B];
	int code = 0;

	if ((A->at && A->dims != 2) || (B->at && B->dims != 2))
		return asl_refuse(
			"A and B: found %d and %d dimensions, expected 2",
			A->dims, B->dims);
	if (A->at)
		code = settle(&o->m, A->size[0], "rows of A");
	if (!code && A->at)
		code = settle(&o->k, A->size[1], "columns of A");
	if (!code && B->at)
		code = settle(&o->k, B->size[0], "rows of B");
	if (!code && B->at)
		code = settle(&o->n, B->size[1], "columns of B");
	return code ? code : add_to(task, o, ASL_C);
}

/* n of a tensor, from the number of entries if it is packed. */
static uint64_t side_of(const struct asl_given *A)
{
	uint64_t n = (uint64_t)cbrt(6 * (double)A->size[0]);

	if (A->dims != 1)
		return A->size[0];
	return asl_tetrahedron(n) > A->size[0] && n ? n - 1 : n;
}

static int tensor_sizes(const struct asl_task *task, struct asl_options *o)
{
	const struct asl_given *A = &task->given[ASL_TENSOR];
	const struct asl_given *X = &task->given[ASL_X];
	uint64_t R = (uint64_t)o->cp_rank;
	int code = A->at ? settle(&o->n, side_of(A), "n of the tensor") : 0;

	if (!code && X->at)
		code = settle(&o->n, X->size[0], "rows of X");
	if (code || !X->at || strcmp(o->algorithm, "cpgrad"))
		return code;
	code = settle(&R, X->dims == 2 ? X->size[1] : 1, "columns of X");
	o->cp_rank = (int)R;
	return code;
}

/* The known sizes as text: i=64,j=32. */
static const char *dims_text(const struct asl_einsum *e, struct texts *texts)
{
	char text[ASL_MOST_INDICES * 24] = "";
	size_t used = 0;

	for (int i = 0; i < e->indices; i++)
		if (e->size[i])
			used += (size_t)snprintf(
				text + used, sizeof text - used, "%s%c=%ju",
				used ? "," : "", e->letter[i], e->size[i]);
	return used ? add_text(texts, text, used) : NULL;
}

static bool is_one_array(const struct asl_given *a, const struct asl_given *b)
{
	bool same = a->at && a->at == b->at && a->dims == b->dims;

	for (int i = 0; same && i < a->dims; i++)
		same = a->size[i] == b->size[i] && a->step[i] == b->step[i];
	return same;
}

static int einsum_sizes(const struct asl_task *task, struct asl_options *o,
			struct texts *texts)
{
	struct asl_einsum e;
	int err = o->spec ? asl_einsum_parse(&e, o->spec) : 0;
	char name[32];

	/* A missing string is refused later. */
	if (!o->spec)
		return 0;
	if (!err && o->dims)
		err = asl_einsum_dims(&e, o->dims);
	for (int i = 0; !err && i < e.inputs; i++) {
		const struct asl_given *x = &task->given[i];

		snprintf(name, sizeof name, "operand %d", i);
		if (x->at)
			err = asl_einsum_shape(&e, i, x->dims, x->size, name);
	}
	if (err)
		return asl_refuse("%s", asl_failure());
	o->twice |= is_contraction(o) && e.inputs == 2 &&
		    is_one_array(&task->given[0], &task->given[1]);
	o->dims = dims_text(&e, texts);
	return add_to(task, o, e.inputs);
}

/* Options from the sizes of operands; matrices of a communicator have theirs. */
static int find_sizes(const struct asl_task *task, struct asl_options *o,
		      struct texts *texts)
{
	const struct asl_algorithm *a = asl_cli_algorithm(o->algorithm);

	if (o->spec || is_contraction(o))
		return einsum_sizes(task, o, texts);
	if (a && a->family == &asl_family_symmetric)
		return tensor_sizes(task, o);
	return has_rows(task) ? 0 : matrix_sizes(task, o);
}

/*
 * The ranks of a communicator
 *
 * What one rank cannot do, all refuse, with its words.  All make the same plan,
 * which needs the same sizes, cache and memory.
 */

/* First rows of every rank, for A, B and C; NULL: every rank has all rows. */
struct spread_rows {
	uint64_t *first[3];
};

struct answer {
	int code;
	char why[252];
};

static int lost(void)
{
	return asl_complain(ASL_PEER_LOST, "%s", asl_failure());
}

static struct answer answer(int code)
{
	struct answer x = {.code = code};

	if (code)
		snprintf(x.why, sizeof x.why, "%.*s", (int)sizeof x.why - 1,
			 asl_last_complaint());
	return x;
}

/* If a rank fails all do, with the exit code and the words of the first. */
static int agree(const struct asl_task *task, int code)
{
	struct answer mine = answer(code), *all;
	int size = asl_job().size, who = 0;

	if (!task->joined)
		return code;
	all = calloc((size_t)size, sizeof *all);
	if (!all)
		return asl_no_memory();
	code = asl_net_comm_gather(task->comm, all, &mine, sizeof mine) ? lost()
									: 0;
	while (!code && who < size && !all[who].code)
		who++;
	if (!code && who < size)
		code = asl_complain(all[who].code, "rank %d: %s", who,
				    all[who].why);
	free(all);
	return code;
}

static void share(const struct asl_task *task, struct asl_csv *csv)
{
	bool mine = asl_job().rank == 0;
	uint64_t bytes = mine && !asl_csv_flush(csv) ? csv->bytes : 0;
	char *text;

	if (asl_net_comm_share(task->comm, &bytes, sizeof bytes) || !bytes)
		return;
	text = mine ? csv->text : malloc(bytes);
	/* A rank without memory for the text leaves the others waiting. */
	if (text && !asl_net_comm_share(task->comm, text, (int)bytes) && !mine)
		fwrite(text, 1, bytes, csv->f);
	if (!mine)
		free(text);
}

/* Rank 0's rows, and its exit code, on every rank. */
static int share_answer(struct asl_task *task, int code)
{
	struct answer said = answer(code);

	if (!task->joined)
		return code;
	if (asl_net_comm_share(task->comm, &said, sizeof said))
		return lost();
	share(task, &task->rows);
	share(task, &task->ranks);
	return said.code ? asl_complain(said.code, "%s", said.why) : 0;
}

/* A rank's share of the operands, its cache and its memory. */
struct part {
	uint64_t rows[3], cols[3];
	uint64_t cache, memory;
};

static int look(struct part *mine, const struct asl_task *task,
		const struct asl_options *o)
{
	const struct asl_given *x[] = {&task->given[ASL_A], &task->given[ASL_B],
				       &task->into};
	int here = asl_job().here;

	mine->cache = o->cache ? o->cache
			       : asl_machine_cache_words(
					 here, asl_case_threads(o, here));
	mine->memory = asl_case_memory(o, false, here);
	for (int i = 0; has_rows(task) && i < 3; i++) {
		if (!x[i]->at || x[i]->dims != 2)
			return asl_refuse("every rank has to give its rows of "
					  "A, B and the result, or 0 rows");
		mine->rows[i] = x[i]->size[0];
		mine->cols[i] = x[i]->size[1];
	}
	return 0;
}

static int add_up(struct spread_rows *rows, uint64_t total[3],
		  const struct part *all)
{
	int size = asl_job().size;

	for (int i = 0; i < 3; i++) {
		uint64_t *first = calloc((size_t)size + 1, sizeof *first);

		rows->first[i] = first;
		if (!first)
			return asl_no_memory();
		for (int rank = 0; rank < size; rank++) {
			if (all[rank].cols[i] != all[0].cols[i])
				return asl_refuse("%c has %ju columns on rank "
						  "%d, but %ju on rank 0",
						  "ABC"[i], all[rank].cols[i],
						  rank, all[0].cols[i]);
			first[rank + 1] = first[rank] + all[rank].rows[i];
		}
		total[i] = first[size];
	}
	return 0;
}

static int fit(struct asl_options *o, const uint64_t rows[3],
	       const uint64_t cols[3])
{
	if (cols[ASL_A] != rows[ASL_B] || rows[ASL_A] != rows[ASL_C] ||
	    cols[ASL_B] != cols[ASL_C])
		return asl_refuse(
			"A is %ju x %ju, B %ju x %ju and C %ju x %ju, all "
			"ranks' rows together: expected m x k, k x n and m x n",
			rows[0], cols[0], rows[1], cols[1], rows[2], cols[2]);
	o->m = rows[ASL_A];
	o->k = cols[ASL_A];
	o->n = cols[ASL_B];
	return 0;
}

static int put_together(const struct asl_task *task, struct asl_options *o,
			struct spread_rows *rows, const struct part *all)
{
	uint64_t total[3] = {0};
	int code;

	o->cache = all[0].cache;
	o->memory = all[0].memory;
	for (int i = 1; i < asl_job().size; i++) {
		o->cache = asl_min(o->cache, all[i].cache);
		o->memory = asl_min(o->memory, all[i].memory);
	}
	if (!has_rows(task))
		return 0;
	code = add_up(rows, total, all);
	return code ? code : fit(o, total, all[0].cols);
}

/* Sizes of the whole, and the smallest cache and memory; alike on all ranks. */
static int join_ranks(const struct asl_task *task, struct asl_options *o,
		      struct spread_rows *rows)
{
	struct part mine = {0}, *all;
	int code = agree(task, look(&mine, task, o));

	if (code)
		return code;
	all = calloc((size_t)asl_job().size, sizeof *all);
	code = agree(task, all ? 0 : asl_no_memory());
	if (!code && asl_net_comm_gather(task->comm, all, &mine, sizeof mine))
		code = lost();
	if (!code)
		code = put_together(task, o, rows, all);
	free(all);
	return agree(task, code);
}

static void free_rows(struct spread_rows *rows)
{
	for (int i = 0; i < 3; i++)
		free(rows->first[i]);
}

/* ---- Results, field by field ---- */

struct reading {
	struct fields *fields;
	bool failed;
};

static void add_field(void *text, size_t length, void *arg)
{
	struct reading *r = arg;

	r->failed |= !add_text(&r->fields->field, text ? text : "", length);
}

static void end_row(int end, void *arg)
{
	struct reading *r = arg;

	(void)end;
	if (!r->fields->columns)
		r->fields->columns = r->fields->field.count;
}

static int read_fields(struct asl_task *task)
{
	struct reading r = {.fields = &task->fields};
	struct csv_parser parser;
	size_t bytes;

	if (asl_csv_flush(&task->rows) || asl_csv_flush(&task->ranks) ||
	    csv_init(&parser, CSV_STRICT))
		return asl_no_memory();
	bytes = task->rows.bytes;
	r.failed = csv_parse(&parser, task->rows.text, bytes, add_field,
			     end_row, &r) != bytes;
	csv_free(&parser);
	return r.failed ? asl_no_memory() : 0;
}

int asl_task_rows(const struct asl_task *task)
{
	const struct fields *x = &task->fields;

	return x->columns ? x->field.count / x->columns - 1 : 0;
}

const char *asl_task_text(const struct asl_task *task, int row,
			  const char *column)
{
	const struct fields *x = &task->fields;

	if (row < 0 || row >= asl_task_rows(task))
		return NULL;
	for (int i = 0; i < x->columns; i++)
		if (!strcmp(x->field.at[i], column))
			return x->field.at[(row + 1) * x->columns + i];
	return NULL;
}

static const char *column_meant(const struct asl_task *task, const char *found)
{
	const struct fields *x = &task->fields;
	const char **names = calloc((size_t)x->columns + 1, sizeof *names);
	const char *meant;

	if (!names)
		return "";
	if (x->columns)
		memcpy(names, x->field.at, (size_t)x->columns * sizeof *names);
	meant = asl_meant(found, "", names);
	free(names);
	return meant;
}

static int no_number(const struct asl_task *task, int row, const char *column)
{
	const char *text = asl_task_text(task, row, column);

	return asl_refuse(
		"column '%s' of row %d: found %s%s%s, expected a number%s",
		column, row, text ? "'" : "no such thing", text ? text : "",
		text ? "'" : "", text ? "" : column_meant(task, column));
}

int asl_task_count(const struct asl_task *task, int row, const char *column,
		   uint64_t *out)
{
	const char *text = asl_task_text(task, row, column);
	bool is_count = text && asl_read_count(out, text);

	enter();
	return leave(is_count ? 0 : no_number(task, row, column));
}

int asl_task_number(const struct asl_task *task, int row, const char *column,
		    double *out)
{
	const char *text = asl_task_text(task, row, column);
	char *rest;

	enter();
	if (!text || !*text)
		return leave(no_number(task, row, column));
	*out = strtod(text, &rest);
	return leave(*rest ? no_number(task, row, column) : 0);
}

const char *asl_task_csv(const struct asl_task *task)
{
	return task->rows.text ? task->rows.text : "";
}

const char *asl_task_ranks_csv(const struct asl_task *task)
{
	return task->ranks.text ? task->ranks.text : "";
}

/* ---- What there is ---- */

static void list_options(struct asl_csv *csv)
{
	char only[128];

	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!x->commands || find_option(x->name) != x)
			continue;
		asl_csv_put(csv, "name", x->name);
		asl_csv_put(csv, "argument", x->argument);
		asl_csv_put(csv, "only",
			    x->only ? asl_join(only, sizeof only, x->only)
				    : NULL);
		asl_csv_put(csv, "help", x->help);
		asl_csv_end_row(csv);
		if (csv->naming)
			return;
	}
}

/* Whatever is listed by the --help of a command. */
static void list_commands(struct asl_csv *csv)
{
	static const struct {
		const char *name;
		unsigned flag;
	} commands[] = {
		{"run", ASL_FOR_RUN},
		{"trace", ASL_FOR_TRACE},
		{"plan", ASL_FOR_PLAN},
		{"bounds", ASL_FOR_BOUNDS},
		{"suite", ASL_FOR_SUITE},
		{"report", ASL_FOR_REPORT},
		{"calibrate", ASL_FOR_CALIBRATE},
		{"sweep", ASL_FOR_SWEEP},
		{"compare", ASL_FOR_COMPARE},
		{"pack", ASL_FOR_PACK},
	};

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		for (const struct asl_option *x = asl_option_table; x->name;
		     x++) {
			if (!(x->commands & commands[i].flag))
				continue;
			asl_csv_put(csv, "command", commands[i].name);
			asl_csv_put(csv, "name", x->name);
			asl_csv_put(csv, "argument", x->argument);
			asl_csv_put(csv, "help", x->help);
			asl_csv_end_row(csv);
			if (csv->naming)
				return;
		}
}

static void list_columns(struct asl_csv *csv)
{
	static const struct {
		const char *name, *type, *known;
	} columns[] = {
#define TEXT(name, role, value) {#name, "text", "true"},
#define COUNT(name, role, known, ...) {#name, "count", #known},
#define NUMBER(name, role, known, ...) {#name, "number", #known},
#include "bench/library/columns.def"
	};

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		asl_csv_put(csv, "name", columns[i].name);
		asl_csv_put(csv, "type", columns[i].type);
		asl_csv_put(csv, "always",
			    strcmp(columns[i].known, "true") ? "0" : "1");
		asl_csv_end_row(csv);
		if (csv->naming)
			return;
	}
}

static void list_algorithms(struct asl_csv *csv)
{
	for (const char *const *name = asl_algorithm_names(); *name; name++) {
		const struct asl_algorithm *x = asl_cli_algorithm(*name);
		const struct asl_family *family =
			x ? x->family : asl_family_clis[0]->family;

		asl_csv_put(csv, "name", *name);
		asl_csv_put(csv, "family", family->name);
		asl_csv_put(csv, "summary",
			    x ? x->summary : "the best of them");
		asl_csv_put(csv, "when", x ? x->when : NULL);
		asl_csv_end_row(csv);
		if (csv->naming)
			return;
	}
}

static void write_list(struct asl_csv *csv, const char *what)
{
	if (!strcmp(what, "options"))
		list_options(csv);
	else if (!strcmp(what, "commands"))
		list_commands(csv);
	else if (!strcmp(what, "columns"))
		list_columns(csv);
	else if (!strcmp(what, "algorithms"))
		list_algorithms(csv);
}

const char *asl_catalogue(const char *what)
{
	static _Thread_local char *text;
	struct asl_csv csv;

	free(text);
	text = NULL;
	if (asl_csv_open(&csv))
		return "";
	for (int naming = 1; naming >= 0; naming--) {
		csv.naming = naming;
		write_list(&csv, what);
	}
	if (!asl_csv_flush(&csv) && csv.text)
		text = strdup(csv.text);
	asl_csv_close(&csv);
	return text ? text : "";
}

/* ---- Run, plan, bounds ---- */

/* A task under way: its options with sizes, and its case. */
struct doing {
	struct asl_task *task;
	struct asl_options o;
	struct texts texts;
	struct spread_rows rows;
	struct asl_case c;
};

/* To job->here: a host's own ranks; its M is one of which the least is taken. */
static int count_here(struct asl_job *job, const struct asl_task *task)
{
	const struct asl_machine *m = asl_machine();
	char(*all)[sizeof m->host] = calloc((size_t)job->size, sizeof *all);
	int code = agree(task, all ? 0 : asl_no_memory());

	if (!code && asl_net_comm_gather(task->comm, all, m->host, sizeof *all))
		code = lost();
	for (int i = 0; !code && i < job->size; i++)
		job->here += !strcmp(all[i], m->host);
	free(all);
	asl_job_assume(*job);
	return code;
}

static int begin_joined(struct doing *x)
{
	struct asl_job job = {0};
	int code;

	if (asl_net_comm(x->task->comm, &job.rank, &job.size))
		return asl_refuse("%s", asl_failure());
	asl_job_assume(job);
	code = count_here(&job, x->task);
	if (code)
		return code;
	if (!x->o.transport)
		x->o.transport = "mpi";
	return join_ranks(x->task, &x->o, &x->rows);
}

static int begin_alone(struct doing *x)
{
	const char *transport = x->o.transport;

	asl_job_assume((struct asl_job){0});
	if (!transport || asl_net_can(transport)->simulated)
		return 0;
	return asl_refuse(
		"transport %s needs a communicator (asl_task_communicator)",
		transport);
}

static int begin(struct doing *x, struct asl_task *task)
{
	int code;

	forget(task);
	*x = (struct doing){.task = task, .o = task->options};
	code = task->joined ? begin_joined(x) : begin_alone(x);
	if (!code)
		code = agree(task, find_sizes(task, &x->o, &x->texts));
	if (!code && (asl_csv_open(&task->rows) || asl_csv_open(&task->ranks)))
		code = asl_no_memory();
	return code;
}

/* Rows remain only after success or a failed check. */
static int end(struct doing *x, int code)
{
	asl_case_close(&x->c);
	free_rows(&x->rows);
	free_texts(&x->texts);
	if (!code || code == ASL_CHECK_FAILED) {
		int late = read_fields(x->task);

		code = late ? late : code;
	}
	if (code && code != ASL_CHECK_FAILED)
		forget(x->task);
	return code;
}

struct running {
	struct asl_task *task;
	int done;
	bool wrong;
};

static int each(const struct asl_rep *rep, void *arg)
{
	struct running *x = arg;

	for (int naming = x->done == 0; naming >= 0; naming--) {
		x->task->rows.naming = x->task->ranks.naming = naming;
		asl_put_run(&x->task->rows, rep);
		asl_put_ranks(&x->task->ranks, rep);
	}
	x->done++;
	x->wrong |= !asl_rep_check(rep);
	return 0;
}

static int run_case(struct doing *x)
{
	struct running r = {.task = x->task};
	struct asl_run_want *want = &x->c.want;
	int threads = asl_blas_threads(), err;

	for (int i = 0; i < ASL_MOST_OPERANDS; i++)
		x->task->given[i].type = want->plan.type;
	x->task->into.type = want->plan.type;
	want->given = x->task->given;
	want->into = x->task->into.at ? &x->task->into : NULL;
	want->comm = x->task->joined ? &x->task->comm : NULL;
	if (x->rows.first[0])
		want->first_rows = (const uint64_t *const *)x->rows.first;
	err = asl_run(want, each, &r);
	asl_blas_set_threads(threads);
	/* On sim it has been printed, too. */
	if (err)
		return asl_complain(asl_exit_code(err), "%s", asl_failure());
	return r.wrong ? ASL_CHECK_FAILED : 0;
}

static int check_verify(const struct doing *x)
{
	if (!x->rows.first[0] || x->c.want.verify != ASL_VERIFY_ORACLE)
		return 0;
	return asl_refuse("verify: found oracle, which needs the whole "
			  "matrices; expected freivalds or none");
}

/* Memory of the program may hold other operands at the restart. */
static int check_resume(const struct doing *x)
{
	bool given = x->rows.first[0];

	for (int i = 0; i < ASL_MOST_OPERANDS; i++)
		given |= x->task->given[i].at != NULL;
	if (!x->o.resume || !given)
		return 0;
	return asl_refuse(
		"resume: found operands in the program's memory, which ends "
		"with it; expected them in files, or generated");
}

void asl_interrupt(void)
{
	asl_rank_interrupt(true);
}

static int run_task(struct asl_task *task)
{
	struct doing x;
	int code = begin(&x, task);

	asl_rank_interrupt(false);

	if (!code)
		code = agree(task, asl_case_to_run(&x.c, &x.o));
	if (!code)
		code = agree(task, check_verify(&x));
	if (!code)
		code = agree(task, check_resume(&x));
	if (!code)
		code = share_answer(task, run_case(&x));
	return end(&x, code);
}

int asl_task_run(struct asl_task *task)
{
	enter();
	return leave(run_task(task));
}

static int find_plans(struct doing *x)
{
	struct asl_candidates list = asl_candidates(x->o.top);
	int code = asl_plans_find(&list, &x->c.want.plan);

	if (!code)
		asl_put_plans(&x->task->rows, &list);
	asl_candidates_free(&list);
	return code;
}

static int find_bounds(struct doing *x)
{
	const struct asl_plan *plan = &x->c.want.plan;
	struct asl_bound bound[ASL_BOUNDS];
	int count = asl_cli_of(plan)->bounds(bound, plan);

	asl_put_bounds(&x->task->rows, bound, count);
	return 0;
}

static int run_answer(struct asl_task *task, int (*find)(struct doing *x))
{
	struct doing x;
	int code = begin(&x, task);

	if (!strcmp(x.o.algorithm, ASL_AUTO))
		x.o.algorithm = NULL;
	if (!code)
		code = asl_case_to_plan(&x.c, &x.o);
	if (!code)
		code = find(&x);
	return end(&x, code);
}

int asl_task_plan(struct asl_task *task)
{
	enter();
	return leave(run_answer(task, find_plans));
}

int asl_task_bounds(struct asl_task *task)
{
	enter();
	return leave(run_answer(task, find_bounds));
}
