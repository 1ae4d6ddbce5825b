/*
 * results.c -- result directories: rows, and the cases whose repetitions they are
 */
#include "bench/command/results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "net/net.h"

/* ---- Columns ---- */

static const struct column {
	const char *name; /* NULL: not in the file */
	bool is_text;
	enum asl_role role;
	size_t offset; /* in a row */
} columns[ASL_COLUMNS] = {
	[COL_family] = {NULL, true, ASL_FOUND,
			offsetof(struct asl_runs_row, family)},
	[COL_place] = {NULL, false, ASL_FOUND,
		       offsetof(struct asl_runs_row, place)},
	[COL_work] = {NULL, false, ASL_FOUND,
		      offsetof(struct asl_runs_row, work)},
#define COLUMN(name, role, is_text)                                            \
	[COL_##name] = {#name, is_text, ASL_##role,                            \
			offsetof(struct asl_runs_row, name)},
#define TEXT(name, role, value) COLUMN(name, role, true)
#define COUNT(name, role, known, value) COLUMN(name, role, false)
#define NUMBER(name, role, known, value) COLUMN(name, role, false)
#include "bench/library/columns.def"
};

const char *asl_column_name(enum asl_column column)
{
	return columns[column].name;
}

static const void *field(const struct asl_runs_row *row, enum asl_column column)
{
	return (const char *)row + columns[column].offset;
}

const char *asl_row_cell(const struct asl_runs_row *row, enum asl_column column)
{
	int place = (int)row->place;

	return asl_table_text(&row->results->table[place], row->line,
			      row->results->at[place][column]);
}

/* All roles but ASL_FOUND, each a part of r->identity. */
static void identify(struct asl_results *r)
{
	int count = 0;

	for (int role = 0; role < ASL_FOUND; role++) {
		for (int c = 0; c < ASL_COLUMNS; c++) {
			bool everywhere = (int)columns[c].role == role;

			for (int i = 0; i < r->places; i++)
				everywhere = everywhere && r->at[i][c] >= 0;
			if (everywhere)
				r->identity[count++] = c;
		}
		r->end[role] = count;
	}
}

/* ---- Orders and groups ---- */

const int asl_by_problem[] = {ASL_PROBLEM, ASL_END};

int asl_cells_compare(const struct asl_runs_row *a,
		      const struct asl_runs_row *b, enum asl_column column)
{
	double x, y;

	if (columns[column].is_text)
		return strcmp(*(const char *const *)field(a, column),
			      *(const char *const *)field(b, column));
	x = *(const double *)field(a, column);
	y = *(const double *)field(b, column);
	if (isnan(x) || isnan(y))
		return isnan(y) - isnan(x);
	if (x == y && fabs(x) >= 0x1p53 && columns[column].name)
		return strcmp(asl_row_cell(a, column), asl_row_cell(b, column));
	return (x > y) - (x < y);
}

int asl_rows_compare(const struct asl_runs_row *a, const struct asl_runs_row *b,
		     const int *list)
{
	int order = 0;

	for (; !order && *list != ASL_END; list++)
		order = asl_cells_compare(a, b, (enum asl_column) * list);
	return order;
}

int asl_rows_compare_roles(const struct asl_runs_row *a,
			   const struct asl_runs_row *b, enum asl_role last)
{
	const struct asl_results *r = a->results;
	int order = 0;

	for (int i = 0; !order && i < r->end[last]; i++)
		order = asl_cells_compare(a, b,
					  (enum asl_column)r->identity[i]);
	return order;
}

static double limit(double budget)
{
	return isnan(budget) ? INFINITY : budget;
}

int asl_budget_compare(const struct asl_runs_row *row, double budget)
{
	double a = limit(row->memory_budget_words), b = limit(budget);

	return (a > b) - (a < b);
}

static int compare_cases(const void *a, const void *b, void *list)
{
	const struct asl_measured *x = *(struct asl_measured *const *)a;
	const struct asl_measured *y = *(struct asl_measured *const *)b;
	int order = asl_rows_compare(x->row, y->row, list);

	return order ? order : (x > y) - (x < y);
}

void asl_cases_sort(struct asl_measured **list, int count, const int *by)
{
	qsort_r(list, (size_t)count, sizeof *list, compare_cases, (void *)by);
}

bool asl_pack_next(struct asl_pack *g, struct asl_measured **list, int count,
		   const int *by)
{
	struct asl_measured **end = list + count;

	g->at = g->at ? g->at + g->count : list;
	for (g->count = 0; g->at + g->count < end; g->count++)
		if (asl_rows_compare(g->at[0]->row, g->at[g->count]->row, by))
			break;
	return g->count > 0;
}

/* ---- What a row says ---- */

const char *const asl_trouble_text[] = {
	[ASL_FAILED] = "failed verification",
	[ASL_MISCOUNTED] = "was not counted as predicted",
	[ASL_MISEMULATED] = "was not emulated well enough",
	[ASL_ONLY_COUNTED] = "was only counted",
	[ASL_INTERRUPTED] = "was interrupted",
	[ASL_REPLAYED] = "replayed a cache",
	[ASL_UNVERIFIED] = "was not verified",
	[ASL_NO_TIME] = "took no time",
	[ASL_BUSY] = "the machine was busy",
	[ASL_NO_TROUBLE] = NULL,
};

static enum asl_trouble trouble_of(const struct asl_runs_row *x)
{
	if (x->verified == 0)
		return ASL_FAILED;
	if (x->predicted_equal == 0)
		return ASL_MISCOUNTED;
	if (x->emulation_valid == 0)
		return ASL_MISEMULATED;
	if (isnan(x->wall_s))
		return ASL_ONLY_COUNTED;
	if (!isnan(x->lives) && x->lives != 1)
		return ASL_INTERRUPTED;
	if (*x->cache_model)
		return ASL_REPLAYED;
	if (x->verified != 1)
		return ASL_UNVERIFIED;
	return x->wall_s > 0 && isfinite(x->wall_s) ? ASL_NO_TROUBLE
						    : ASL_NO_TIME;
}

bool asl_row_is_bad(const struct asl_runs_row *row)
{
	return row->trouble <= ASL_MISCOUNTED;
}

double asl_row_bytes(const struct asl_runs_row *row, double words)
{
	return words * (isnan(row->word_bytes) ? 8 : row->word_bytes);
}

bool asl_row_moved(const struct asl_runs_row *row)
{
	return strcmp(row->medium, "model") != 0;
}

bool asl_row_simulated(const struct asl_runs_row *row)
{
	return asl_net_can(row->transport)->simulated;
}

bool asl_row_crowded(const struct asl_runs_row *row)
{
	const int *cores = row->results->cores;

	if (!isnan(row->crowded))
		return row->crowded == 1;
	return asl_row_moved(row) && !asl_row_simulated(row) && cores &&
	       cores[(int)row->place] > 0 &&
	       row->ranks > cores[(int)row->place];
}

bool asl_row_unverified(const struct asl_runs_row *row)
{
	return !asl_row_is_bad(row) && asl_row_moved(row) &&
	       isnan(row->verified);
}

bool asl_row_timed(const struct asl_runs_row *row)
{
	return !strcmp(row->cost_unit, "ns");
}

bool asl_row_out_of_core(const struct asl_runs_row *row)
{
	return !strcmp(row->family, "contraction out of core");
}

double asl_row_busiest_cost(const struct asl_runs_row *row)
{
	return asl_row_out_of_core(row) ? row->q_full_max : row->q_apm_max;
}

double asl_row_cost(const struct asl_runs_row *row)
{
	return asl_row_out_of_core(row) ? row->q_full_path : row->q_apm_path;
}

/*
 * Only what computes the same can be compared: a family, but for symmetric
 * tensors, where sttsv-... do what sttsv does.
 */
static const char *family_of(const char *algorithm)
{
	static const char *const alone[] = {"sttsv", "hopm", "cpgrad"};
	const struct asl_algorithm *x = asl_cli_algorithm(algorithm);

	for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
		if (!strncmp(algorithm, alone[i], strlen(alone[i])))
			return alone[i];
	return x ? x->family->name : "algorithms unknown to this version";
}

/*
 * Times that include the replay of a cache are not the algorithm's, nor those of
 * memory that was emulated too late; costs do not depend on times.  Of a run
 * that was interrupted all measurements began at its last restart.
 */
static void drop_times(struct asl_runs_row *x)
{
	bool resumed = x->lives > 1;

	if (resumed || *x->cache_model || x->emulation_valid == 0)
		x->wall_s = x->compute_s = x->comm_s = x->io_s = x->gflops =
			NAN;
	if (resumed)
		x->hwc_read_bytes = x->hwc_write_bytes = x->hwc_miss_bytes =
			x->energy_j = NAN;
}

static void take_row(struct asl_runs_row *to, struct asl_results *r, int place,
		     size_t line)
{
	struct asl_table *from = &r->table[place];
	const int *at = r->at[place];

	*to = (struct asl_runs_row){
		.results = r,
		.line = line,
		.place = place,
#define TEXT(name, role, value)                                                \
	.name = asl_table_text(from, line, at[COL_##name]),
#define COUNT(name, role, known, value)                                        \
	.name = asl_table_number(from, line, at[COL_##name]),
#define NUMBER(name, role, known, value) COUNT(name, role, known, value)
#include "bench/library/columns.def"
	};
	to->work = round(2 * log2(to->flops_total / to->ranks));
	to->family = family_of(to->algorithm);
	to->trouble = trouble_of(to);
	drop_times(to);
}

static void take_table(struct asl_results *r, int place)
{
	for (size_t i = 0; i < r->table[place].count; i++) {
		struct asl_runs_row *to = &r->row[r->rows];

		take_row(to, r, place, i);
		r->sorted[r->rows++] = to;
	}
}

/* ---- Cases ---- */

/* What rows that are not bad say in a column; how many do. */
static int collect(double *to, const struct asl_measured *x,
		   enum asl_column column)
{
	int count = 0;

	for (int i = 0; i < x->count; i++) {
		double value = *(const double *)field(x->rows[i], column);

		if (!asl_row_is_bad(x->rows[i]) && !isnan(value))
			to[count++] = value;
	}
	return count;
}

double asl_case_median(double *scratch, const struct asl_measured *x,
		       enum asl_column column)
{
	int count = collect(scratch, x, column);

	return count ? asl_median(scratch, count) : NAN;
}

static void sum_up(struct asl_measured *x)
{
	double *scratch = x->wall_s;

	x->row = x->rows[0];
	x->trouble = ASL_NO_TROUBLE;
	for (int i = 0; i < x->count; i++) {
		const struct asl_runs_row *row = x->rows[i];

		if (row->trouble < x->trouble)
			x->trouble = row->trouble;
		x->unverified += asl_row_unverified(row);
		x->busy += row->busy == 1;
	}
	if (x->trouble == ASL_NO_TROUBLE && 2 * x->busy >= x->count && x->busy)
		x->trouble = ASL_BUSY;
	x->compute = asl_case_median(scratch, x, COL_compute_s);
	x->comm = asl_case_median(scratch, x, COL_comm_s);
	x->io = asl_case_median(scratch, x, COL_io_s);
	x->gflops = asl_case_median(scratch, x, COL_gflops);
	x->time = asl_estimate(x->wall_s, collect(x->wall_s, x, COL_wall_s));
}

static int compare_identity(const struct asl_runs_row *x,
			    const struct asl_runs_row *y)
{
	int order = (x->place > y->place) - (x->place < y->place);

	return order ? order : asl_rows_compare_roles(x, y, ASL_HOSTED);
}

/* Equal rows stay in the order of the file: rows lie in memory as there. */
static int compare_rows(const void *a, const void *b)
{
	const struct asl_runs_row *x = *(const struct asl_runs_row *const *)a;
	const struct asl_runs_row *y = *(const struct asl_runs_row *const *)b;
	int order = compare_identity(x, y);

	return order ? order : (x > y) - (x < y);
}

static int compare_for_people(const void *a, const void *b)
{
	static const int by[] = {
		ASL_PROBLEM,   COL_place,  ASL_COSTS,
		COL_algorithm, COL_kernel, COL_grid,
		COL_overlap,   ASL_WAY,	   COL_memory_budget_words,
		COL_blocks,    ASL_END};
	const struct asl_measured *x = a, *y = b;
	int order = asl_rows_compare(x->row, y->row, by);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static void find_cases(struct asl_results *r)
{
	qsort(r->sorted, (size_t)r->rows, sizeof *r->sorted, compare_rows);
	for (int i = 0, end; i < r->rows; i = end) {
		const struct asl_runs_row *const *rows =
			(const struct asl_runs_row *const *)r->sorted + i;
		struct asl_measured *x = &r->cases[r->count++];

		for (end = i + 1; end < r->rows; end++)
			if (compare_identity(r->sorted[i], r->sorted[end]))
				break;
		*x = (struct asl_measured){.rows = rows,
					   .count = end - i,
					   .wall_s = r->wall_s + i};
		sum_up(x);
	}
	qsort(r->cases, (size_t)r->count, sizeof *r->cases, compare_for_people);
}

/* ---- Expectations ---- */

struct expectation {
	char column[32], order[3];
	double than;
};

/* The next of "COLUMN ORDER NUMBER; ..."; false: there is none, or it is wrong. */
static bool next_expectation(const char **at, struct expectation *x)
{
	char number[32];
	int used = 0;

	if (sscanf(*at, "%31[a-z_0-9] %2[<>=] %31[-+.0-9e]%n", x->column,
		   x->order, number, &used) != 3)
		return false;
	*at += used;
	if ((*at)[0] == ';' && (*at)[1] == ' ')
		*at += 2;
	else if (**at)
		return false;
	return asl_read_cost(&x->than, number);
}

/* The numeric column of that name, or ASL_COLUMNS. */
static enum asl_column number_called(const char *name)
{
	int c = 0;

	while (c < ASL_COLUMNS && (!columns[c].name || columns[c].is_text ||
				   strcmp(columns[c].name, name) != 0))
		c++;
	return (enum asl_column)c;
}

static bool holds(double x, const char *order, double than)
{
	return (x < than && *order == '<') || (x > than && *order == '>') ||
	       (x == than && strchr(order, '='));
}

const char *asl_expect_wrong(const char *text)
{
	static const char *const orders[] = {"<", "<=", ">", ">=", "==", NULL};
	struct expectation x;

	if (!*text)
		return "nothing";
	while (*text) {
		if (!next_expectation(&text, &x) ||
		    !asl_is_one_of(x.order, orders))
			return "no comparison, as \">= 40\"";
		if (number_called(x.column) == ASL_COLUMNS)
			return "no number of runs.csv";
	}
	return NULL;
}

bool asl_expect_met(const char *text,
		    double (*value)(void *arg, const char *column), void *arg,
		    char why[ASL_EXPECT_WHY])
{
	struct expectation x;

	*why = '\0';
	while (*text && next_expectation(&text, &x)) {
		double found = value(arg, x.column);

		if (isnan(found) || holds(found, x.order, x.than))
			continue;
		snprintf(why, ASL_EXPECT_WHY, "%s is %.6g, expected %s %.6g",
			 x.column, found, x.order, x.than);
		return false;
	}
	return true;
}

struct case_scratch {
	const struct asl_measured *x;
	double *scratch;
};

static double median_of(void *arg, const char *column)
{
	struct case_scratch *s = arg;
	enum asl_column c = number_called(column);

	return c == ASL_COLUMNS ? NAN : asl_case_median(s->scratch, s->x, c);
}

bool asl_case_expected(double *scratch, const struct asl_measured *x,
		       char why[ASL_EXPECT_WHY])
{
	struct case_scratch s = {x, scratch};

	return asl_expect_met(x->row->expected, median_of, &s, why);
}

/* ---- Drift ---- */

static bool is_timed(const struct asl_runs_row *row)
{
	return !asl_row_is_bad(row) && row->wall_s > 0 && isfinite(row->wall_s);
}

/* Runs of the same case; *good: rows with a time. */
static int count_runs(int *good, const struct asl_measured *x)
{
	const char *run = "";
	int runs = 0;

	*good = 0;
	for (int i = 0; i < x->count; i++)
		if (is_timed(x->rows[i])) {
			runs += strcmp(run, x->rows[i]->run_id) != 0;
			run = x->rows[i]->run_id;
			++*good;
		}
	return runs;
}

int asl_case_blocks(struct asl_blocks *b, double *steady,
		    const struct asl_measured *x)
{
	int good, half = 0, runs = count_runs(&good, x);
	const char *run = "";

	if (runs == 1)
		half = good >= ASL_LEAST_SAMPLES ? good / 2 : -1;
	*b = (struct asl_blocks){.blocks = 0};
	for (int i = 0; i < x->count; i++) {
		const struct asl_runs_row *row = x->rows[i];

		if (!is_timed(row))
			continue;
		asl_blocks_add(b,
			       runs > 1 ? strcmp(run, row->run_id) != 0
					: b->count == half,
			       log(row->wall_s));
		run = row->run_id;
		if (steady)
			steady[b->count - 1] = row->wall_s;
	}
	if (!steady)
		return 0;
	if (runs > 1)
		return asl_blocks_steady(steady, b);
	memcpy(steady, x->wall_s, (size_t)x->time.samples * sizeof *steady);
	return 0;
}

/* When a block of a place begins: the least run_id begins with its time. */
static const char *begins(const struct asl_results *r, int place, int block)
{
	const char *least = "";

	for (int i = 0; i < r->count; i++) {
		const struct asl_measured *x = &r->cases[i];
		const char *run = "";
		int b = -1;

		for (int k = 0; k < x->count && b < block; k++) {
			b += strcmp(run, x->rows[k]->run_id) != 0;
			run = x->rows[k]->run_id;
		}
		if ((int)x->row->place == place && b == block &&
		    (!*least || strcmp(run, least) < 0))
			least = run;
	}
	return least;
}

/* Did blocks of a and b take turns? */
static bool took_turns(const struct asl_results *r, int a, int b)
{
	int blocks = r->drift[a].blocks;

	if (blocks < 2 || r->drift[b].blocks != blocks)
		return false;
	for (int i = 0; i < blocks; i++)
		if (strcmp(begins(r, a, i), begins(r, b, i)) > 0 ||
		    (i + 1 < blocks &&
		     strcmp(begins(r, b, i), begins(r, a, i + 1)) > 0))
			return false;
	return true;
}

static void find_drift(struct asl_results *r, struct asl_blocks *scratch,
		       int place)
{
	struct asl_drift *d = &r->drift[place];
	bool halves = true;
	int count = 0, good;

	for (int i = 0; i < r->count; i++)
		if ((int)r->cases[i].row->place == place) {
			halves &= count_runs(&good, &r->cases[i]) < 2;
			asl_case_blocks(&scratch[count++], NULL, &r->cases[i]);
		}
	asl_drift_of(d, scratch, count, halves);
	d->stream = (uint32_t)place;
	for (int i = place - 1; i >= 0; i--)
		if (took_turns(r, i, place))
			d->stream = r->drift[i].stream;
}

static int find_drifts(struct asl_results *r)
{
	struct asl_blocks *scratch =
		calloc((size_t)r->count + 1, sizeof *scratch);
	bool turns = r->places > 1;

	if (!scratch)
		return asl_no_memory();
	for (int i = 0; i < r->places; i++)
		find_drift(r, scratch, i);
	free(scratch);
	for (int i = 1; i < r->places; i++)
		turns &= r->drift[i].stream == r->drift[0].stream;
	for (int i = 0; i < r->places; i++)
		r->drift[i].turns = turns;
	return 0;
}

/* ---- All of it ---- */

static int read_tables(struct asl_results *r, size_t *rows)
{
	int code = 0;

	for (int i = 0; !code && i < r->places; i++) {
		code = asl_table_read(&r->table[i], r->dir[i], "runs.csv");
		*rows += r->table[i].count;
		for (int c = 0; !code && c < ASL_COLUMNS; c++)
			r->at[i][c] =
				columns[c].name
					? asl_table_column(&r->table[i],
							   columns[c].name)
					: -1;
	}
	return code;
}

static void find_same(struct asl_results *r)
{
	for (int c = 0; c < ASL_COLUMNS; c++) {
		int i = 1;

		while (i < r->rows && !asl_cells_compare(&r->row[0], &r->row[i],
							 (enum asl_column)c))
			i++;
		r->same[c] = i >= r->rows;
	}
}

static int take_tables(struct asl_results *r)
{
	int code = 0;

	identify(r);
	for (int i = 0; !code && i < r->places; i++) {
		take_table(r, i);
		code = r->table[i].code;
	}
	if (code)
		return code;
	find_same(r);
	find_cases(r);
	return find_drifts(r);
}

int asl_results_read(struct asl_results *r, const char **dir, int places)
{
	size_t rows = 0;
	int code;

	*r = (struct asl_results){.places = places, .dir = dir};
	r->table = calloc((size_t)places, sizeof *r->table);
	r->at = calloc((size_t)places, sizeof *r->at);
	if (!r->table || !r->at)
		return asl_no_memory();
	code = read_tables(r, &rows);
	if (code)
		return code;
	r->row = calloc(rows + 1, sizeof *r->row);
	r->sorted = calloc(rows + 1, sizeof *r->sorted);
	r->cases = calloc(rows + 1, sizeof *r->cases);
	r->wall_s = calloc(rows + 1, sizeof *r->wall_s);
	r->draws = calloc(rows + 1, sizeof *r->draws);
	r->drift = calloc((size_t)places, sizeof *r->drift);
	if (!r->row || !r->sorted || !r->cases || !r->wall_s || !r->draws ||
	    !r->drift)
		return asl_no_memory();
	return take_tables(r);
}

void asl_results_close(struct asl_results *r)
{
	for (int i = 0; r->table && i < r->places; i++)
		asl_table_close(&r->table[i]);
	for (int i = 0; r->draws && i < r->count; i++)
		free(r->draws[i]);
	free(r->draws);
	free(r->drift);
	free(r->table);
	free(r->at);
	free(r->row);
	free(r->sorted);
	free(r->cases);
	free(r->wall_s);
}
