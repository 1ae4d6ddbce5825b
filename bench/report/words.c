/*
 * words.c -- a row in words, and what it cost
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/brief.h"
#include "bench/report/page.h"

/* ---- In words ---- */

const char *asl_say_size(char text[ASL_SAID], const struct asl_row *row)
{
	double m = row->number[ASL_COL_M], n = row->number[ASL_COL_N];
	double k = row->number[ASL_COL_K];

	if (*row->text[ASL_COL_SPEC])
		snprintf(text, ASL_SAID, "%.200s, %.200s",
			 row->text[ASL_COL_SPEC], row->text[ASL_COL_DIMS]);
	else if (isnan(m) || (m == n && n == k))
		snprintf(text, ASL_SAID, "n = %.0f", n);
	else
		snprintf(text, ASL_SAID, "%.0f x %.0f x %.0f", m, n, k);
	return text;
}

const char *asl_say_means(char text[ASL_SAID], const struct asl_row *row)
{
	char cache[ASL_BRIEF], memory[ASL_BRIEF];

	snprintf(text, ASL_SAID, "%.0f rank%s, cache %s, memory %s words",
		 row->number[ASL_COL_RANKS],
		 row->number[ASL_COL_RANKS] == 1 ? "" : "s",
		 asl_brief(cache, row->number[ASL_COL_CACHE_WORDS]),
		 asl_brief(memory, row->number[ASL_COL_MEMORY_WORDS]));
	return text;
}

const char *asl_say_costs(char text[ASL_SAID], const struct asl_row *row)
{
	snprintf(text, ASL_SAID, "r %.3g, w %.3g, \xce\xb2 %.3g%s",
		 row->number[ASL_COL_R], row->number[ASL_COL_W],
		 row->number[ASL_COL_BETA], asl_row_timed(row) ? " ns" : "");
	return text;
}

const char *asl_say_how(char text[ASL_SAID], const struct asl_row *row)
{
	snprintf(text, ASL_SAID, "%.60s %.200s", row->text[ASL_COL_ALGORITHM],
		 row->text[ASL_COL_GRID]);
	return text;
}

/* ---- Costs ---- */

static bool is_out_of_core(const struct asl_row *row)
{
	return !strcmp(row->text[ASL_COL_FAMILY], "contraction out of core");
}

bool asl_row_timed(const struct asl_row *row)
{
	return !strcmp(row->text[ASL_COL_COST_UNIT], "ns");
}

double asl_row_cost(const struct asl_row *row)
{
	return row
		->number[is_out_of_core(row) ? ASL_COL_Q_FULL : ASL_COL_Q_APM];
}

double asl_row_predicted(const struct asl_row *row)
{
	return row->number[is_out_of_core(row) ? ASL_COL_PREDICTED_FULL
					       : ASL_COL_PREDICTED_APM];
}

static double known(double x)
{
	return isnan(x) ? 0 : x;
}

void asl_row_parts(double part[4], const struct asl_row *row)
{
	const double *x = row->number;

	part[ASL_PART_NET] = known(x[ASL_COL_BETA] * x[ASL_COL_BH_WORDS]);
	part[ASL_PART_READ] = known(x[ASL_COL_R] * x[ASL_COL_READ]);
	part[ASL_PART_WRITE] = known(x[ASL_COL_W] * x[ASL_COL_WRITTEN]);
	part[ASL_PART_OTHER] = known(x[ASL_COL_ALPHA] * x[ASL_COL_MSGS]) +
			       known(x[ASL_COL_GAMMA] * x[ASL_COL_FLOPS_MOST]);
	if (!is_out_of_core(row))
		return;
	part[ASL_PART_READ] = known(
		x[ASL_COL_R] * (x[ASL_COL_POOL_READ] + x[ASL_COL_POOL_LIFTED]));
	part[ASL_PART_WRITE] = known(x[ASL_COL_W] * (x[ASL_COL_POOL_WRITTEN] +
						     x[ASL_COL_POOL_LANDED]));
	part[ASL_PART_OTHER] =
		fmax(0, known(x[ASL_COL_Q_FULL]) - part[ASL_PART_NET] -
				part[ASL_PART_READ] - part[ASL_PART_WRITE]);
}

/* ---- What has to be written ---- */

/* Of "i=64,j=32". */
static double size_of(char index, const char *dims)
{
	for (; dims && *dims;
	     dims = strchr(dims, ',') ? strchr(dims, ',') + 1 : NULL)
		if (dims[0] == index && dims[1] == '=')
			return strtod(dims + 2, NULL);
	return NAN;
}

static double words_of_result(const struct asl_row *row)
{
	const char *arrow = strstr(row->text[ASL_COL_SPEC], "->");
	double words = 1;

	if (!strcmp(row->text[ASL_COL_ALGORITHM], "sttsv"))
		return row->number[ASL_COL_N];
	if (!arrow)
		return row->number[ASL_COL_M] * row->number[ASL_COL_N];
	for (arrow += 2; *arrow; arrow++)
		words *= size_of(*arrow, row->text[ASL_COL_DIMS]);
	return words;
}

double asl_row_write_bound(const struct asl_row *row)
{
	return ceil(words_of_result(row) / row->number[ASL_COL_RANKS]);
}
