/*
 * cuts_cells.c -- cells of each operand, from the leaves up
 */
#include "lib/multiply/cuts_cells.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more element of `size` bytes; NULL, and nothing freed: none. */
static void *grown(void *at, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *new = at;

	if (count == *room) {
		new = realloc(at, more * size);
		if (new)
			*room = more;
	}
	return new;
}

static void add_member(struct asl_cuts_cells *x, int rank)
{
	int *members =
		grown(x->members, x->count, &x->room, sizeof *x->members);

	x->failed |= !members;
	if (x->failed)
		return;
	x->members = members;
	x->members[x->count++] = rank;
}

static void add_cell(struct asl_cuts_cells *x, enum asl_operand which,
		     const struct asl_cuts_draft *new)
{
	struct asl_cuts_draft *cell =
		grown(x->of[which].cell, x->of[which].count, &x->of[which].room,
		      sizeof *cell);

	x->failed |= !cell;
	if (x->failed)
		return;
	x->of[which].cell = cell;
	cell[x->of[which].count++] = *new;
}

struct asl_cuts_mark asl_cuts_mark(const struct asl_cuts_cells *x)
{
	struct asl_cuts_mark mark;

	for (int i = 0; i < ASL_OPERANDS; i++)
		mark.of[i] = x->of[i].count;
	return mark;
}

void asl_cuts_add_box(struct asl_cuts_cells *x, const struct asl_cuts_box *box,
		      int rank)
{
	size_t set = x->count;

	add_member(x, rank);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		struct asl_piece face = asl_cuts_face(box, i);
		struct asl_cuts_draft whole = {face.rows, face.cols, set, 1};

		add_cell(x, i, &whole);
	}
}

static struct asl_range common(struct asl_range a, struct asl_range b)
{
	uint64_t first = asl_larger(a.first, b.first);
	uint64_t end = asl_least(a.first + a.count, b.first + b.count);

	return (struct asl_range){first, end > first ? end - first : 0};
}

/* What the cells have in common, if anything, is a cell of both sets. */
static void add_common(struct asl_cuts_cells *x, enum asl_operand which,
		       struct asl_cuts_draft a, struct asl_cuts_draft b)
{
	struct asl_cuts_draft new = {common(a.rows, b.rows),
				     common(a.cols, b.cols), x->count,
				     a.size + b.size};

	if (!new.rows.count || !new.cols.count)
		return;
	for (int i = 0; i < a.size; i++)
		add_member(x, x->members[a.set + (size_t)i]);
	for (int i = 0; i < b.size; i++)
		add_member(x, x->members[b.set + (size_t)i]);
	add_cell(x, which, &new);
}

static void overlay(struct asl_cuts_cells *x, enum asl_operand which,
		    size_t first, size_t second)
{
	size_t end = x->of[which].count, made;

	for (size_t i = first; i < second && !x->failed; i++)
		for (size_t j = second; j < end && !x->failed; j++)
			add_common(x, which, x->of[which].cell[i],
				   x->of[which].cell[j]);
	made = x->of[which].count - end;
	if (x->failed)
		return;
	/* They take the place of those that they were made of. */
	memmove(x->of[which].cell + first, x->of[which].cell + end,
		made * sizeof *x->of[which].cell);
	x->of[which].count = first + made;
}

void asl_cuts_join(struct asl_cuts_cells *x, enum asl_cuts_axis cut,
		   struct asl_cuts_mark first, struct asl_cuts_mark second)
{
	/* The operand without the axis has the same face on both sides. */
	static const enum asl_operand lacks[] = {[ASL_CUTS_M] = ASL_B,
						 [ASL_CUTS_K] = ASL_C,
						 [ASL_CUTS_N] = ASL_A};
	enum asl_operand which = lacks[cut];

	overlay(x, which, first.of[which], second.of[which]);
}

void asl_cuts_free_cells(struct asl_cuts_cells *x)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		free(x->of[i].cell);
	free(x->members);
}
