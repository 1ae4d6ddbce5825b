/*
 * face.c -- the families that the command knows
 */
#include "bench/face.h"

#include <string.h>

extern const struct asl_face asl_face_multiply, asl_face_symmetric;

const struct asl_face *const asl_faces[] = {
	&asl_face_multiply,
	&asl_face_symmetric,
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
