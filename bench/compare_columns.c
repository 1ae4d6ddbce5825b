/*
 * compare_columns.c -- what tells cases apart
 *
 * Only columns that every side has: one that an older version did not write
 * says nothing about it.
 */
#include <stdio.h>
#include <string.h>

#include "bench/compare.h"

static const char *const asked[] = {"algorithm",
				    "kernel",
				    "m",
				    "n",
				    "k",
				    "spec",
				    "dims",
				    "ranks",
				    "grid",
				    "ranks_used",
				    "cache_words",
				    "store",
				    "panels",
				    "seed",
				    "overlap",
				    "cache_model",
				    "blocks",
				    "initial",
				    "memory_budget_words",
				    NULL};
static const char *const costed[] = {"r", "w", "beta", "alpha", "gamma", NULL};
static const char *const placed[] = {
	"memory_words", "medium", "emulated", "transport",
	"provider",	"bind",	  NULL};

static void add(struct asl_side *sides, int count, int *at, const char *name)
{
	for (int i = 0; i < count; i++) {
		int column = asl_rows_column(&sides[i].rows, name);

		if (column < 0)
			return;
		sides[i].identity.column[*at] = column;
	}
	++*at;
}

static void add_list(struct asl_side *sides, int count, int *at,
		     const char *const *names)
{
	for (; *names; names++)
		add(sides, count, at, *names);
}

static void add_counters(struct asl_side *sides, int count, int *at)
{
	for (int c = 0; c < ASL_COUNTERS; c++) {
		char name[64];

		snprintf(name, sizeof name, "%s_max", asl_counter_name(c));
		add(sides, count, at, name);
		snprintf(name, sizeof name, "%s_total", asl_counter_name(c));
		add(sides, count, at, name);
	}
}

void asl_identify(struct asl_side *sides, int count)
{
	int at = 0, end[ASL_ROLES];

	add_list(sides, count, &at, asked);
	end[ASL_ASKED] = at;
	add_counters(sides, count, &at);
	end[ASL_COUNTED] = at;
	add_list(sides, count, &at, costed);
	end[ASL_COSTED] = at;
	add_list(sides, count, &at, placed);
	end[ASL_PLACED] = at;
	for (int i = 0; i < count; i++)
		memcpy(sides[i].identity.end, end, sizeof end);
}

static const char *cell(const struct asl_side *side, size_t row, int i)
{
	return asl_rows_text(&side->rows, row, side->identity.column[i]);
}

int asl_identity_order(const struct asl_side *a, size_t row_a,
		       const struct asl_side *b, size_t row_b,
		       enum asl_role last)
{
	int order = 0;

	for (int i = 0; !order && i < a->identity.end[last]; i++)
		order = strcmp(cell(a, row_a, i), cell(b, row_b, i));
	return order;
}

static const char *or_none(const char *text)
{
	return *text ? text : "none";
}

int asl_identity_differences(char *words, size_t room, const struct asl_side *a,
			     size_t row_a, const struct asl_side *b,
			     size_t row_b, enum asl_role role)
{
	int count = 0;
	size_t used = 0;

	*words = '\0';
	for (int i = role ? a->identity.end[role - 1] : 0;
	     i < a->identity.end[role]; i++) {
		const char *x = cell(a, row_a, i), *y = cell(b, row_b, i);

		if (!strcmp(x, y))
			continue;
		count++;
		if (used < room)
			used += (size_t)snprintf(
				words + used, room - used, "%s%s %s and %s",
				used ? ", " : "",
				asl_rows_name(&a->rows, a->identity.column[i]),
				or_none(x), or_none(y));
	}
	return count;
}
