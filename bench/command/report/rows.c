/*
 * rows.c -- what a report is about: rows, and what they are repetitions of
 */
#include "bench/command/report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"

/*
 * Rows and entries in order, and in groups of what agrees
 */

const int asl_by_problem[] = {ASL_PROBLEM, ASL_END};
const int asl_by_case[] = {ASL_CASE, ASL_END};
const int asl_by_entry[] = {
	ASL_CASE,	  ASL_COL_ALGORITHM, ASL_COL_KERNEL,
	ASL_COL_GRID,	  ASL_COL_PANELS,    ASL_COL_OVERLAP,
	ASL_COL_STORE,	  ASL_COL_MEDIUM,    ASL_COL_TRANSPORT,
	ASL_COL_PROVIDER, ASL_COL_EMULATED,  ASL_COL_PROFILE,
	ASL_COL_HOST,	  ASL_COL_SEED,	     ASL_COL_ITERATIONS,
	ASL_COL_READ,	  ASL_COL_WRITTEN,   ASL_COL_BH_WORDS,
	ASL_END};

/* Nothing comes before all numbers. */
static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

int asl_rows_compare(const struct asl_row *a, const struct asl_row *b,
		     const int *columns)
{
	int order = 0;

	for (; !order && *columns != ASL_END; columns++)
		order = *columns < ASL_TEXTS
				? strcmp(a->text[*columns], b->text[*columns])
				: compare_numbers(a->number[*columns],
						  b->number[*columns]);
	return order;
}

static int compare_entries(const void *a, const void *b, void *columns)
{
	const struct asl_entry *x = *(struct asl_entry *const *)a;
	const struct asl_entry *y = *(struct asl_entry *const *)b;
	int order = asl_rows_compare(x->row, y->row, columns);

	return order ? order : (x > y) - (x < y);
}

void asl_entries_sort(struct asl_entry **list, int count, const int *columns)
{
	qsort_r(list, (size_t)count, sizeof *list, compare_entries,
		(void *)columns);
}

bool asl_pack_next(struct asl_pack *g, struct asl_entry **list, int count,
		   const int *columns)
{
	struct asl_entry **end = list + count;

	g->at = g->at ? g->at + g->count : list;
	for (g->count = 0; g->at + g->count < end; g->count++)
		if (asl_rows_compare(g->at[0]->row, g->at[g->count]->row,
				     columns))
			break;
	return g->count > 0;
}

static int compare_packs(const void *a, const void *b)
{
	const struct asl_pack *x = a, *y = b;

	if (x->count != y->count)
		return y->count - x->count;
	return (x->at > y->at) - (x->at < y->at);
}

void asl_packs_sort(struct asl_pack *packs, int count)
{
	qsort(packs, (size_t)count, sizeof *packs, compare_packs);
}

static const char *const names[ASL_COLUMNS] = {
	[ASL_COL_RUN_ID] = "run_id",
	[ASL_COL_ALGORITHM] = "algorithm",
	[ASL_COL_KERNEL] = "kernel",
	[ASL_COL_SPEC] = "spec",
	[ASL_COL_DIMS] = "dims",
	[ASL_COL_GRID] = "grid",
	[ASL_COL_STORE] = "store",
	[ASL_COL_MEDIUM] = "medium",
	[ASL_COL_PANELS] = "panels",
	[ASL_COL_TRANSPORT] = "transport",
	[ASL_COL_PROVIDER] = "provider",
	[ASL_COL_SEED] = "seed",
	[ASL_COL_HOST] = "host",
	[ASL_COL_TIME] = "time_utc",
	[ASL_COL_PROFILE] = "profile",
	[ASL_COL_COST_UNIT] = "cost_unit",
	[ASL_COL_EMULATED] = "emulated",
	[ASL_COL_EMULATION_VALID] = "emulation_valid",
	[ASL_COL_CACHE_MODEL] = "cache_model",
	[ASL_COL_HWC_BACKEND] = "hwc_backend",
	[ASL_COL_HWC_NOTE] = "hwc_note",
	[ASL_COL_HWC_SOCKETS] = "hwc_sockets",
	[ASL_COL_REP] = "rep",
	[ASL_COL_M] = "m",
	[ASL_COL_N] = "n",
	[ASL_COL_K] = "k",
	[ASL_COL_RANKS] = "ranks",
	[ASL_COL_USED] = "ranks_used",
	[ASL_COL_CACHE_WORDS] = "cache_words",
	[ASL_COL_MEMORY_WORDS] = "memory_words",
	[ASL_COL_R] = "r",
	[ASL_COL_W] = "w",
	[ASL_COL_BETA] = "beta",
	[ASL_COL_ALPHA] = "alpha",
	[ASL_COL_GAMMA] = "gamma",
	[ASL_COL_OVERLAP] = "overlap",
	[ASL_COL_OUTSIDE] = "outside_apm",
	[ASL_COL_ITERATIONS] = "iterations",
	[ASL_COL_READ] = "read_words_max",
	[ASL_COL_WRITTEN] = "write_words_max",
	[ASL_COL_BH_WORDS] = "bh_words_max",
	[ASL_COL_MSGS] = "net_msgs_max",
	[ASL_COL_FLOPS_MOST] = "flops_max",
	[ASL_COL_FLOPS_ALL] = "flops_total",
	[ASL_COL_POOL_READ] = "nvm_read_words_max",
	[ASL_COL_POOL_WRITTEN] = "nvm_write_words_max",
	[ASL_COL_POOL_LIFTED] = "nvm_lift_words_max",
	[ASL_COL_POOL_LANDED] = "nvm_land_words_max",
	[ASL_COL_WRITTEN_ALL] = "nvm_write_words_total",
	[ASL_COL_LANDED_ALL] = "nvm_land_words_total",
	[ASL_COL_POOL_READ_ALL] = "nvm_read_words_total",
	[ASL_COL_DRAM_READ_ALL] = "dram_read_words_total",
	[ASL_COL_DRAM_WRITTEN_ALL] = "dram_write_words_total",
	[ASL_COL_Q_APM] = "q_apm_max",
	[ASL_COL_Q_FULL] = "q_full_max",
	[ASL_COL_PREDICTED_APM] = "predicted_q_apm_max",
	[ASL_COL_PREDICTED_FULL] = "predicted_q_full_max",
	[ASL_COL_EQUAL] = "predicted_equal",
	[ASL_COL_NET_BOUND] = "net_bound_words",
	[ASL_COL_NET_RATIO] = "net_bound_ratio",
	[ASL_COL_IO_BOUND] = "io_bound_words",
	[ASL_COL_HELD] = "memory_high_words",
	[ASL_COL_WALL] = "wall_s",
	[ASL_COL_COMPUTE] = "compute_s",
	[ASL_COL_COMM] = "comm_s",
	[ASL_COL_IO] = "io_s",
	[ASL_COL_GFLOPS] = "gflops",
	[ASL_COL_RESIDUAL] = "residual",
	[ASL_COL_VERIFIED] = "verified",
	[ASL_COL_ENDURANCE] = "endurance_bytes",
	[ASL_COL_HWC_READ] = "hwc_read_bytes",
	[ASL_COL_HWC_WRITTEN] = "hwc_write_bytes",
	[ASL_COL_HWC_MISSES] = "hwc_miss_bytes",
	[ASL_COL_LIVES] = "lives",
};

/* ---- Rows ---- */

/*
 * Only what computes the same can be compared: of a family, but for symmetric
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

bool asl_row_moved(const struct asl_row *x)
{
	return strcmp(x->text[ASL_COL_MEDIUM], "model") != 0;
}

static enum asl_verdict judge(const struct asl_row *x)
{
	if (x->number[ASL_COL_VERIFIED] == 0 || x->number[ASL_COL_EQUAL] == 0 ||
	    !strcmp(x->text[ASL_COL_EMULATION_VALID], "0"))
		return ASL_BAD;
	if (isnan(x->number[ASL_COL_VERIFIED]) && asl_row_moved(x))
		return ASL_UNKNOWN;
	return ASL_GOOD;
}

/*
 * A cache that is replayed takes its time, and of a run that was interrupted
 * there is only what its last life took: neither says anything of the row.
 */
static void forget_times(struct asl_row *x)
{
	static const enum asl_column measured[] = {
		ASL_COL_WALL, ASL_COL_COMPUTE, ASL_COL_COMM, ASL_COL_IO,
		ASL_COL_GFLOPS,
		/* Of a replay these are not forgotten: */
		ASL_COL_HWC_READ, ASL_COL_HWC_WRITTEN, ASL_COL_HWC_MISSES};
	int count = x->number[ASL_COL_LIVES] > 1    ? 8
		    : *x->text[ASL_COL_CACHE_MODEL] ? 5
						    : 0;

	for (int i = 0; i < count; i++)
		x->number[measured[i]] = NAN;
}

static void take_row(struct asl_row *to, struct asl_rows *from, size_t i,
		     const int *at)
{
	for (int c = 0; c < ASL_TEXTS; c++)
		to->text[c] = asl_rows_text(from, i, at[c]);
	for (int c = ASL_TEXTS; c < ASL_COLUMNS; c++)
		to->number[c] = asl_rows_number(from, i, at[c]);
	to->number[ASL_COL_WORK] =
		round(2 * log2(to->number[ASL_COL_FLOPS_ALL] /
			       to->number[ASL_COL_RANKS]));
	to->text[ASL_COL_FAMILY] = family_of(to->text[ASL_COL_ALGORITHM]);
	to->verdict = judge(to);
	forget_times(to);
}

static void take_file(struct asl_results *r, int place)
{
	struct asl_rows *from = &r->file[place];
	int at[ASL_COLUMNS];

	for (int c = 0; c < ASL_COLUMNS; c++)
		at[c] = names[c] ? asl_rows_column(from, names[c]) : -1;
	for (size_t i = 0; i < from->count; i++) {
		struct asl_row *to = &r->row[r->rows];

		take_row(to, from, i, at);
		to->number[ASL_COL_PLACE] = place;
		r->sorted[r->rows++] = to;
	}
}

/* ---- Entries ---- */

/* Of the rows that are not bad; into room for all. */
static int collect(double *to, const struct asl_entry *x,
		   enum asl_column column)
{
	int count = 0;

	for (int i = 0; i < x->count; i++)
		if (x->rows[i]->verdict != ASL_BAD &&
		    !isnan(x->rows[i]->number[column]))
			to[count++] = x->rows[i]->number[column];
	return count;
}

static double median(double *room, const struct asl_entry *x,
		     enum asl_column column)
{
	int count = collect(room, x, column);

	return count ? asl_median(room, count) : NAN;
}

static void sum_up(struct asl_entry *x, double *room)
{
	for (int i = 0; i < x->count; i++)
		x->of[x->rows[i]->verdict]++;
	x->wall = asl_estimate(room, collect(room, x, ASL_COL_WALL));
	x->compute = median(room, x, ASL_COL_COMPUTE);
	x->comm = median(room, x, ASL_COL_COMM);
	x->io = median(room, x, ASL_COL_IO);
	x->gflops = median(room, x, ASL_COL_GFLOPS);
}

static void find_entries(struct asl_results *r, double *room)
{
	for (int i = 0; i < r->rows; i++) {
		const struct asl_row *const *at =
			(const struct asl_row *const *)&r->sorted[i];

		if (i > 0 && !asl_rows_compare(r->entry[r->entries - 1].row,
					       *at, asl_by_entry)) {
			r->entry[r->entries - 1].count++;
			continue;
		}
		r->entry[r->entries++] =
			(struct asl_entry){.row = *at, .rows = at, .count = 1};
	}
	for (int i = 0; i < r->entries; i++)
		sum_up(&r->entry[i], room);
}

/* ---- All of it ---- */

/* Equal rows stay in the order of the file: rows lie in memory as there. */
static int compare_rows(const void *a, const void *b)
{
	const struct asl_row *x = *(const struct asl_row *const *)a;
	const struct asl_row *y = *(const struct asl_row *const *)b;
	int order = asl_rows_compare(x, y, asl_by_entry);

	return order ? order : (x > y) - (x < y);
}

static int read_files(struct asl_results *r, size_t *rows)
{
	int code = 0;

	for (int i = 0; !code && i < r->places; i++) {
		code = asl_rows_read(&r->file[i], r->dir[i], "runs.csv");
		*rows += r->file[i].count;
	}
	if (!code && !*rows)
		return asl_complain(ASL_BAD_INPUT,
				    "%s: found no rows, expected one or more",
				    r->file[0].path);
	return code;
}

static int sort_out(struct asl_results *r, size_t rows)
{
	double *room = calloc(rows, sizeof *room);
	int code = 0;

	r->row = calloc(rows, sizeof *r->row);
	r->sorted = calloc(rows, sizeof *r->sorted);
	r->entry = calloc(rows, sizeof *r->entry);
	if (!room || !r->row || !r->sorted || !r->entry) {
		free(room);
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	}
	for (int i = 0; i < r->places; i++)
		take_file(r, i);
	for (int i = 0; !code && i < r->places; i++)
		code = r->file[i].code;
	qsort(r->sorted, rows, sizeof *r->sorted, compare_rows);
	find_entries(r, room);
	free(room);
	return code;
}

int asl_results_read(struct asl_results *r, const char **dir, int places)
{
	size_t rows = 0;
	int code;

	*r = (struct asl_results){.places = places, .dir = dir};
	r->file = calloc((size_t)places, sizeof *r->file);
	if (!r->file)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	code = read_files(r, &rows);
	return code ? code : sort_out(r, rows);
}

void asl_results_close(struct asl_results *r)
{
	for (int i = 0; r->file && i < r->places; i++)
		asl_rows_close(&r->file[i]);
	free(r->file);
	free(r->row);
	free(r->sorted);
	free(r->entry);
}
