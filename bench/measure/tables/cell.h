/*
 * cell.h -- a cell of the out-of-core paper's tables, and the model's value
 *
 * Cells are lines of a CSV file, tests/outofcore-golden.csv, with the inputs
 * that reproduce them: M and the factors F and L of replication and
 * accumulation differ from table to table and are in none.  The tables' volumes
 * are in millions of words, V of a replication without F; the seconds are of
 * words of 8 bytes.
 */
#ifndef ASL_TABLES_CELL_H
#define ASL_TABLES_CELL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/outofcore/model.h"

/* The cheapest real counts, in closed form; extents may be cut at will. */
struct asl_ooc_tiles asl_ooc_ideal(const struct asl_ooc_model *x);

/* Whole counts: rounded up or, with `beyond`, up to the next larger one. */
struct asl_ooc_tiles asl_ooc_round(const struct asl_ooc_tiles *t, bool beyond);

struct cell {
	char text[512], *field[19];
	const char *table, *what, *method, *order, *tiles, *quantity, *unit;
	const char *paper, *why; /* "" where the model gives what was printed */
	struct asl_ooc_model model;
};

static inline const char *cell_field(const struct cell *c, int i)
{
	return c->field[i] ? c->field[i] : "";
}

/* outside-replication-A, inside-rotation, ... */
static inline void cell_method(struct cell *c)
{
	struct asl_ooc_model *x = &c->model;

	x->inside = strncmp(c->method, "inside", 6) == 0;
	x->method = strstr(c->method, "rotation")      ? ASL_ROTATION
		    : strstr(c->method, "replication") ? ASL_REPLICATION
						       : ASL_ACCUMULATION;
	x->replicated = strstr(c->method, "-B") ? ASL_B : ASL_A;
	for (int i = 0; i < 3; i++)
		x->order.at[i] = (enum asl_operand)(c->order[i] - 'A');
}

static inline void cell_model(struct cell *c)
{
	struct asl_ooc_model *x = &c->model;
	double number[9];

	for (int i = 0; i < 9; i++)
		number[i] = strtod(cell_field(c, 4 + i), NULL);
	x->shape.m = (uint64_t)number[0];
	x->shape.n = (uint64_t)number[1];
	x->shape.k = (uint64_t)number[2];
	x->ranks = (int)number[3];
	x->tile = number[4];
	x->net = 8 / number[5];
	x->read = x->write = 8 / number[6];
	x->replicate = number[7];
	x->accumulate = number[8];
	x->in_core = *cell_field(c, 14) == '1';
}

/* Read the next cell; false: there is none.  The first line has no cell. */
static inline bool cell_read(FILE *file, struct cell *c)
{
	char *at = c->text;

	memset(c, 0, sizeof *c);
	if (!fgets(c->text, sizeof c->text, file))
		return false;
	c->text[strcspn(c->text, "\n")] = '\0';
	for (int i = 0; i < 19; i++)
		c->field[i] = strsep(&at, ",");
	c->table = cell_field(c, 0);
	c->what = cell_field(c, 1);
	c->method = cell_field(c, 2);
	c->order = cell_field(c, 3);
	c->tiles = cell_field(c, 13);
	c->quantity = cell_field(c, 15);
	c->unit = cell_field(c, 16);
	c->paper = cell_field(c, 17);
	c->why = cell_field(c, 18);
	cell_method(c);
	cell_model(c);
	return true;
}

/* Counts of tiles, made whole as the table's were. */
static inline struct asl_ooc_tiles cell_tiles(const struct cell *c)
{
	struct asl_ooc_tiles t = asl_ooc_ideal(&c->model);

	if (strcmp(c->tiles, "search") == 0)
		asl_ooc_search(&t, &c->model);
	if (strcmp(c->tiles, "beyond") == 0)
		t = asl_ooc_round(&t, true);
	return t;
}

static inline double cell_ours(const struct cell *c)
{
	struct asl_ooc_tiles t = cell_tiles(c);
	struct asl_ooc_volume v = asl_ooc_volume(&c->model, &t);
	bool replicates = c->model.method == ASL_REPLICATION;

	if (*c->quantity == 'D')
		return 1e-6 * (v.read + v.write);
	if (*c->quantity == 'V')
		return 1e-6 * v.net / (replicates ? c->model.replicate : 1);
	return asl_ooc_cost(&c->model, &v);
}

/* The value of the last digit printed: less is a matter of rounding. */
static inline double cell_unit(const struct cell *c)
{
	const char *point = strchr(c->paper, '.');

	return point ? pow(10, -(double)strlen(point + 1)) : 1;
}

static inline bool cell_agrees(const struct cell *c, double ours)
{
	return fabs(ours - strtod(c->paper, NULL)) < cell_unit(c);
}

#endif
