/*
 * task_sizes.c -- how large a task is: from its operands, as options say it
 */
#include <math.h>
#include <string.h>

#include "bench/face.h"
#include "bench/say.h"
#include "bench/task.h"
#include "lib/base/error.h"
#include "lib/contract/contract.h"
#include "lib/matrix/file.h"
#include "lib/multiply/family.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/symmetric.h"

static int settle(uint64_t *known, uint64_t size, const char *what)
{
	if (!size || (*known && *known != size))
		return asl_complain(ASL_BAD_INPUT,
				    "%s: found %ju, expected %s%.0ju", what,
				    size, *known ? "" : "1 or more", *known);
	*known = size;
	return 0;
}

/* ---- C = A B ---- */

static int matrix_sizes(const struct asl_task *task, struct asl_options *o)
{
	const struct asl_given *A = &task->given[ASL_A],
			       *B = &task->given[ASL_B];
	int code = 0;

	if ((A->at && A->dims != 2) || (B->at && B->dims != 2))
		return asl_complain(ASL_BAD_INPUT,
				    "A and B: found %d and %d dimensions, "
				    "expected 2",
				    A->dims, B->dims);
	if (A->at)
		code = settle(&o->m, A->size[0], "rows of A");
	if (!code && A->at)
		code = settle(&o->k, A->size[1], "columns of A");
	if (!code && B->at)
		code = settle(&o->k, B->size[0], "rows of B");
	if (!code && B->at)
		code = settle(&o->n, B->size[1], "columns of B");
	return code;
}

/* ---- Symmetric tensors ---- */

/* Of one that is packed, the n whose entries are so many. */
static uint64_t side_of(const struct asl_given *A)
{
	uint64_t n = (uint64_t)cbrt(6 * (double)A->size[0]);

	if (A->dims != 1)
		return A->size[0];
	return asl_tetrahedron(n) > A->size[0] && n ? n - 1 : n;
}

static int tensor_sizes(const struct asl_task *task, struct asl_options *o)
{
	const struct asl_given *A = &task->given[ASL_TENSOR];
	const struct asl_given *X = &task->given[ASL_X];
	uint64_t R = (uint64_t)o->cp_rank;
	int code = A->at ? settle(&o->n, side_of(A), "n of the tensor") : 0;

	if (!code && X->at)
		code = settle(&o->n, X->size[0], "rows of X");
	if (code || !X->at || strcmp(o->algorithm, "cpgrad"))
		return code;
	code = settle(&R, X->dims == 2 ? X->size[1] : 1, "columns of X");
	o->cp_rank = (int)R;
	return code;
}

/* ---- einsum ---- */

/* i=64,j=32, of all that are known. */
static const char *dims_text(const struct asl_einsum *e,
			     struct asl_texts *texts)
{
	char text[ASL_MOST_INDICES * 24] = "";
	size_t used = 0;

	for (int i = 0; i < e->indices; i++)
		if (e->size[i])
			used += (size_t)snprintf(
				text + used, sizeof text - used, "%s%c=%ju",
				used ? "," : "", e->letter[i], e->size[i]);
	return used ? asl_texts_add(texts, text, used) : NULL;
}

static int einsum_sizes(const struct asl_task *task, struct asl_options *o,
			struct asl_texts *texts)
{
	struct asl_einsum e;
	int err = o->spec ? asl_einsum_parse(&e, o->spec) : 0;
	char name[32];

	/* Without a string, what follows says so. */
	if (!o->spec)
		return 0;
	if (!err && o->dims)
		err = asl_einsum_dims(&e, o->dims);
	for (int i = 0; !err && i < e.inputs; i++) {
		const struct asl_given *x = &task->given[i];

		snprintf(name, sizeof name, "operand %d", i);
		if (x->at)
			err = asl_einsum_shape(&e, i, x->dims, x->size, name);
	}
	if (err)
		return asl_complain(ASL_BAD_INPUT, "%s", asl_failure());
	o->dims = dims_text(&e, texts);
	return 0;
}

int asl_task_sizes(const struct asl_task *task, struct asl_options *o,
		   struct asl_texts *texts)
{
	const struct asl_algorithm *a = asl_face_algorithm(o->algorithm);

	if (a && a->family == &asl_family_contract)
		return einsum_sizes(task, o, texts);
	if (a && a->family == &asl_family_symmetric)
		return tensor_sizes(task, o);
	return asl_task_has_rows(task) ? 0 : matrix_sizes(task, o);
}
