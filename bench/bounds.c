/*
 * bounds.c -- aslant bounds: what no algorithm can better, and who says so
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/answer.h"
#include "bench/case.h"
#include "bench/commands.h"
#include "bench/face.h"
#include "bench/say.h"
#include "bench/table.h"

static int write_csv(const struct asl_bound *bound, int count, const char *path)
{
	struct asl_csv csv;
	int code;

	if (asl_csv_open(&csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	asl_put_bounds(&csv, bound, count);
	code = asl_table_write(&csv, path);
	asl_csv_close(&csv);
	return code;
}

/* Ranks move whole words; costs are what they are. */
static void print_bound(const struct asl_bound *x)
{
	char value[40];

	if (!strcmp(x->unit, "words"))
		snprintf(value, sizeof value, "%.0f", ceil(x->value));
	else
		snprintf(value, sizeof value, "%.10g", x->value);
	printf("\n%-32s%s %s\n    %s\n", x->name, value, x->unit, x->source);
}

static void print(const struct asl_plan *plan, const struct asl_bound *bound,
		  int count)
{
	printf("Lower bounds for the busiest of %d ranks:\n"
	       "%s,\n"
	       "S = %ju words of cache, M = %ju words of memory\n",
	       plan->ranks, asl_show(plan).problem, plan->cache, plan->memory);
	for (int i = 0; i < count; i++)
		print_bound(&bound[i]);
}

/* A name says which problem is meant; of multiplication nothing has to. */
static int check_argument(const char *name)
{
	const struct asl_algorithm *a = name ? asl_face_algorithm(name) : NULL;

	if (!name || (a && a->family != asl_faces[0]->family))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "bounds: unexpected argument '%s': bounds hold for "
			    "every algorithm; expected none, or one of another "
			    "problem: sttsv, hopm, cpgrad, einsum, ooc-auto",
			    name);
}

int asl_command_bounds(int argc, char **argv, const struct asl_command *self)
{
	struct asl_options o;
	struct asl_case c;
	struct asl_bound bound[ASL_BOUNDS];
	int count;
	int code = asl_options_parse(&o, argc - 1, argv + 1, self->options);

	if (code)
		return code;
	if (o.help)
		return asl_command_help(self);
	code = check_argument(o.algorithm);
	if (code)
		return code;
	code = asl_case_to_plan(&c, &o);
	if (!code) {
		count = asl_face_of(&c.want.plan)->bounds(bound, &c.want.plan);
		if (o.csv)
			code = write_csv(bound, count, o.csv);
		else
			print(&c.want.plan, bound, count);
	}
	asl_case_close(&c);
	return code;
}
