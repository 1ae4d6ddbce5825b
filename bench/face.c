/*
 * face.c -- the families that the command knows
 */
#include "bench/face.h"

#include <string.h>

extern const struct asl_face asl_face_multiply, asl_face_symmetric,
	asl_face_contract, asl_face_outofcore;

const struct asl_face *const asl_faces[] = {
	&asl_face_multiply,
	&asl_face_symmetric,
	&asl_face_contract,
	&asl_face_outofcore,
	NULL,
};

const struct asl_face *asl_face_of(const struct asl_plan *plan)
{
	int i = 0;

	while (plan->algorithm && asl_faces[i + 1] &&
	       asl_faces[i]->family != plan->algorithm->family)
		i++;
	return asl_faces[i];
}

struct asl_shown asl_show(const struct asl_plan *plan)
{
	struct asl_shown x = {0};

	asl_face_of(plan)->show(&x, plan);
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

void asl_face_release(struct asl_plan *plan)
{
	const struct asl_face *face = asl_face_of(plan);

	if (face->release)
		face->release(plan);
}

const struct asl_algorithm *asl_face_algorithm(const char *name)
{
	for (int i = 0; asl_faces[i]; i++)
		for (int j = 0; asl_faces[i]->algorithms[j]; j++)
			if (!strcmp(asl_faces[i]->algorithms[j]->name, name))
				return asl_faces[i]->algorithms[j];
	return NULL;
}
