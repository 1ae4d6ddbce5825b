/*
 * cli.c -- the families that the command knows
 */
#include "bench/library/cli.h"

#include <string.h>

#include "bench/library/say.h"

const char *asl_grid_text(char text[40], const struct asl_grid *g)
{
	snprintf(text, 40, "%dx%dx%d", g->p[0], g->p[1], g->p[2]);
	return text;
}

extern const struct asl_family_cli asl_cli_multiply, asl_cli_symmetric,
	asl_cli_contract, asl_cli_outofcore, asl_cli_program;

const struct asl_family_cli *const asl_family_clis[] = {
	&asl_cli_multiply,  &asl_cli_symmetric, &asl_cli_contract,
	&asl_cli_outofcore, &asl_cli_program,	NULL,
};

const struct asl_family_cli *asl_cli_of(const struct asl_plan *plan)
{
	int i = 0;

	while (plan->algorithm && asl_family_clis[i + 1] &&
	       asl_family_clis[i]->family != plan->algorithm->family)
		i++;
	return asl_family_clis[i];
}

struct asl_shown asl_show(const struct asl_plan *plan)
{
	struct asl_shown x = {0};

	asl_cli_of(plan)->show(&x, plan);
	return x;
}

/* n alone if that says all; else C's rows, its columns, and what is between. */
void asl_show_sizes(struct asl_shown *out, const struct asl_shape *x)
{
	out->m = x->m;
	out->n = x->n;
	out->k = x->k;
	if (x->m == x->n && x->n == x->k)
		snprintf(out->size, sizeof out->size, "%ju", x->n);
	else
		snprintf(out->size, sizeof out->size, "%jux%jux%ju", x->m, x->n,
			 x->k);
	snprintf(out->problem, sizeof out->problem, "m = %ju, n = %ju, k = %ju",
		 x->m, x->n, x->k);
}

void asl_print_product(FILE *f, const struct asl_plan *plan)
{
	fprintf(f, "%s with kernel %s: C = A B, %s", plan->algorithm->name,
		plan->kernel->name, asl_show(plan).problem);
}

const struct asl_algorithm *asl_cli_algorithm(const char *name)
{
	for (int i = 0; asl_family_clis[i]; i++)
		for (int j = 0; asl_family_clis[i]->algorithms[j]; j++)
			if (!strcmp(asl_family_clis[i]->algorithms[j]->name,
				    name))
				return asl_family_clis[i]->algorithms[j];
	return NULL;
}

int asl_fits_cache(const struct asl_plan *plan)
{
	if (plan->kernel && plan->cache < plan->kernel->least_cache)
		return asl_refuse("--cache: found %ju words, but kernel %s "
				  "needs at least %ju",
				  asl_type_doubles(plan->type, plan->cache),
				  plan->kernel->name,
				  asl_type_doubles(plan->type,
						   plan->kernel->least_cache));
	return 0;
}

int asl_fits_budget(const struct asl_plan *plan)
{
	uint64_t need;

	if (!plan->budget)
		return 0;
	need = asl_forecast(plan).memory_needed;
	if (need <= plan->budget)
		return 0;
	return asl_refuse("%s of %s does not fit into --memory-budget %ju "
			  "words: it needs %ju words",
			  asl_show(plan).grid, plan->algorithm->name,
			  asl_type_doubles(plan->type, plan->budget),
			  asl_type_doubles(plan->type, need));
}

/* ---- Algorithms and their options ---- */

enum { NAMES = 64 };

const char *const *asl_algorithm_names(void)
{
	static const char *names[NAMES + 2];
	int count = 0;

	for (int i = 0; asl_family_clis[i]; i++)
		for (int j = 0;
		     count < NAMES && asl_family_clis[i]->algorithms[j]; j++)
			names[count++] =
				asl_family_clis[i]->algorithms[j]->name;
	names[count] = ASL_AUTO;
	return names;
}

const char *asl_algorithm_meant(const char *found, const char *before)
{
	static const char *const products[] = {
		"matmul", "gemm", "dgemm", "pdgemm", "mm", "multiply", NULL};

	return asl_meant(asl_is_one_of(found, products) ? ASL_AUTO : found,
			 before, asl_algorithm_names());
}

int asl_algorithm_check(const char *name)
{
	if (asl_is_one_of(name, asl_algorithm_names()))
		return 0;
	return asl_refuse(
		"unknown algorithm '%s'%s (aslant list algorithms lists them)",
		name, asl_algorithm_meant(name, ""));
}

bool asl_option_is_for(const struct asl_option *option,
		       const struct asl_algorithm *algorithm)
{
	const struct asl_family *family =
		algorithm ? algorithm->family : asl_family_clis[0]->family;

	return !option->only || asl_is_one_of(family->name, option->only) ||
	       asl_is_one_of(algorithm ? algorithm->name : ASL_AUTO,
			     option->only);
}

int asl_options_suit(const struct asl_options *o,
		     const struct asl_algorithm *algorithm)
{
	char names[128];

	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands && !asl_option_is_for(x, algorithm) &&
		    asl_option_given(x, o))
			return asl_refuse(
				"--%s is not for %s, only for %s", x->name,
				algorithm ? algorithm->name : ASL_AUTO,
				asl_join(names, sizeof names, x->only));
	return 0;
}
