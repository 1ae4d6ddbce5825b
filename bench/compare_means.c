/*
 * compare_means.c -- geometric means of speeds, of each family and of all
 *
 * A mean of all gives every family the same weight, however many cases it has,
 * unless --weight says otherwise.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/face.h"
#include "bench/number.h"
#include "bench/say.h"

#define OTHERS "others" /* algorithms that this version does not know */

const char *asl_pair_family(const struct asl_comparison *c,
			    const struct asl_pair *pair)
{
	const struct asl_algorithm *known = asl_face_algorithm(
		pair->i < 0 ? asl_side_cell(c->other, pair->j, "algorithm")
			    : asl_side_cell(c->base, pair->i, "algorithm"));

	return known ? known->family->name : OTHERS;
}

static const char *family_name(int i)
{
	return asl_faces[i] ? asl_faces[i]->family->name : OTHERS;
}

static int families(void)
{
	int count = 0;

	while (asl_faces[count])
		count++;
	return count + 1; /* and OTHERS */
}

static struct asl_mean mean_of(const struct asl_comparison *c,
			       const char *family, double *room)
{
	struct asl_mean mean = {.family = family, .weight = 1};

	for (int i = 0; i < c->count; i++)
		if (!*c->pairs[i].why &&
		    !strcmp(asl_pair_family(c, &c->pairs[i]), family))
			room[mean.cases++] = c->pairs[i].speed.ratio;
	mean.speed = asl_geometric_mean(room, mean.cases);
	return mean;
}

/* The weight of a family in a list that asl_weights_check found good. */
static double weight_in(const char *weights, const char *family)
{
	double weight = 1, x;
	char name[64];

	while (weights && *weights &&
	       asl_read_named(name, sizeof name, &x, &weights))
		if (!strcmp(name, family))
			weight = x;
	return weight;
}

static struct asl_mean mean_of_all(const struct asl_mean *mean, int count)
{
	struct asl_mean all = {.family = "all"};
	double sum = 0;

	for (int i = 0; i < count; i++) {
		all.cases += mean[i].cases;
		all.weight += mean[i].weight;
		sum += mean[i].weight * log(mean[i].speed);
	}
	all.speed = exp(sum / all.weight);
	return all;
}

int asl_compare_means(struct asl_mean mean[ASL_MOST_MEANS],
		      const struct asl_comparison *c, const char *weights)
{
	double *room = calloc((size_t)c->count, sizeof *room);
	int count = 0;

	for (int i = 0; room && i < families(); i++) {
		mean[count] = mean_of(c, family_name(i), room);
		mean[count].weight = weight_in(weights, family_name(i));
		count += mean[count].cases > 0;
	}
	free(room);
	if (!count)
		return 0;
	mean[count] = mean_of_all(mean, count);
	return count + 1;
}

static bool is_family(const char *name)
{
	for (int i = 0; i < families(); i++)
		if (!strcmp(family_name(i), name))
			return true;
	return false;
}

int asl_weights_check(const char *weights)
{
	const char *rest = weights, *names[ASL_MOST_MEANS] = {NULL};
	char name[64], known[256];
	double x;

	for (int i = 0; i < families(); i++)
		names[i] = family_name(i);
	while (rest && *rest)
		if (!asl_read_named(name, sizeof name, &x, &rest) ||
		    !is_family(name))
			return asl_complain(
				ASL_BAD_INPUT,
				"--weight: found '%s', expected FAMILY=NUMBER, "
				"with commas between; families: %s",
				weights, asl_join(known, sizeof known, names));
	return 0;
}
