/*
 * verify.c -- is the output what the einsum says?  The oracle
 */
#include <float.h>
#include <math.h>

#include "lib/contract/check.h"
#include "lib/plan/pieces.h"

void asl_each_row(struct asl_rank *r, const struct asl_contract_check *check,
		  const struct asl_row_reader *reader)
{
	struct asl_spread s =
		asl_contraction_spread(check->c, check->e->inputs);
	struct asl_run run = asl_spread_run(&s, r->id);
	struct asl_words buffer;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (uint64_t done = 0; !r->err && done < run.words.count;) {
		uint64_t left = asl_least(ASL_CHUNK, run.words.count - done);
		struct asl_row row = asl_run_row(&run, done, left);
		struct asl_words from = asl_slice(check->out, done, row.count);
		struct asl_words to = asl_slice(&buffer, 0, row.count);

		asl_copy(r, &to, &from);
		reader->use(check, &row, to.at, reader->found);
		done += row.count;
	}
	asl_give(r, &buffer);
}

/* ---- The oracle ---- */

/* The next point with the same output, the last index first; false: was last. */
static bool next_point(const struct asl_contract_check *check, uint64_t *point)
{
	const struct asl_einsum *e = check->e;

	for (int i = e->indices - 1; i >= 0; i--) {
		if (asl_term_has(&e->term[e->inputs], i))
			continue;
		if (++point[i] < e->size[i])
			return true;
		point[i] = 0;
	}
	return false;
}

static double error_at(const struct asl_contract_check *check, uint64_t *point,
		       double found)
{
	struct asl_array_source source[ASL_MOST_INPUTS];
	double sum = 0, size = 0, terms = 0, error;

	for (int i = 0; i < check->e->inputs; i++)
		source[i] = asl_contract_source(check->data, i);
	do {
		double product = 1;

		for (int i = 0; i < check->e->inputs; i++)
			product *= asl_array_entry(&source[i], point);
		sum += product;
		size += fabs(product);
		terms++;
	} while (next_point(check, point));
	error = fabs(found - sum);
	return error == 0 ? 0 : error / (DBL_EPSILON * terms * size);
}

static void check_row(const struct asl_contract_check *check,
		      const struct asl_row *row, const double *at,
		      double *worst)
{
	const struct asl_term *out = &check->e->term[check->e->inputs];
	uint64_t point[ASL_MOST_INDICES] = {0};

	for (uint64_t j = 0; j < row->count; j++) {
		for (int i = 0; i < out->count; i++)
			point[out->index[i]] =
				row->at[i] + (i == out->count - 1 ? j : 0);
		*worst = asl_worse(*worst, error_at(check, point, at[j]));
	}
}

double asl_contract_oracle(struct asl_rank *r,
			   const struct asl_contract_check *check)
{
	double worst = 0;

	asl_each_row(r, check, &(struct asl_row_reader){check_row, &worst});
	return worst;
}

double asl_contract_verify(struct asl_rank *r, const struct asl_data *data,
			   struct asl_words *own, enum asl_verify how)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct asl_contract_check check = {
		.data = data, .c = c, .e = &c->e, .out = &own[c->e.inputs]};

	return how == ASL_VERIFY_ORACLE ? asl_contract_oracle(r, &check)
					: asl_contract_freivalds(r, &check);
}
