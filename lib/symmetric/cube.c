/*
 * cube.c -- bricks of the whole cube
 *
 * Rank (i, j, l) has number (j p + i) c + l, so that the ranks of one j follow one
 * another.
 */
#include "lib/symmetric/cube.h"

struct asl_cube asl_cube(const struct asl_plan *plan, int rank)
{
	uint64_t n = plan->symmetric->n;
	int p = plan->grid.p[0], c = plan->grid.p[1];
	int l = rank % c, i = rank / c % p, j = rank / c / p;

	return (struct asl_cube){
		.I = asl_part(n, p, i),
		.J = asl_part(n, c, j),
		.L = asl_part(n, c, l),
		.of_j = {.first = j * p * c,
			 .stride = 1,
			 .size = p * c,
			 .me = i * c + l},
		.along_l = {.first = (j * p + i) * c,
			    .stride = 1,
			    .size = c,
			    .me = l},
		.along_j = {.first = i * c + l,
			    .stride = p * c,
			    .size = c,
			    .me = j},
		.twin = j == l ? -1 : (l * p + i) * c + j,
	};
}

static struct asl_range share_of(struct asl_range all,
				 const struct asl_group *g)
{
	struct asl_range x = asl_share(all.count, g->size, g->me);

	x.first += all.first;
	return x;
}

struct asl_range asl_cube_x(const struct asl_cube *c)
{
	return share_of(c->J, &c->of_j);
}

struct asl_range asl_cube_y(const struct asl_cube *c)
{
	return share_of(share_of(c->I, &c->along_l), &c->along_j);
}

uint64_t asl_cube_words(const struct asl_cube *c)
{
	return c->I.count * c->J.count * c->L.count;
}

void asl_cube_gather(struct asl_rank *r, const struct asl_cube *c,
		     struct asl_words *all, const struct asl_words *own)
{
	struct asl_range mine = asl_cube_x(c);
	struct asl_words place =
		asl_slice(all, mine.first - c->J.first, mine.count);

	asl_copy(r, &place, own);
	asl_allgather(r, &c->of_j, all);
}

void asl_cube_predict_gather(struct asl_counts *x, const struct asl_cube *c)
{
	uint64_t own = asl_cube_x(c).count;

	x->of[ASL_NVM_LIFT] += own;
	x->of[ASL_BOUNCE_WRITE] += own;
	asl_predict_allgather(x, c->J.count, c->of_j.size, c->of_j.me,
			      ASL_DRAM);
}
