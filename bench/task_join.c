/*
 * task_join.c -- the ranks of a communicator, each with what it was given
 *
 * Whatever one of them cannot do, all refuse, with its words; and all plan alike,
 * for which they need the same sizes, cache and memory.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/face.h"
#include "bench/say.h"
#include "bench/task.h"
#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "lib/multiply/family.h"
#include "net/net.h"

bool asl_task_has_rows(const struct asl_task *task)
{
	const struct asl_algorithm *a =
		asl_face_algorithm(task->options.algorithm);

	return task->joined && (!a || a->family->open == asl_multiply_open) &&
	       (task->given[ASL_A].at || task->given[ASL_B].at ||
		task->into.at);
}

/* ---- One answer ---- */

struct answer {
	int code;
	char why[252];
};

static int lost(void)
{
	return asl_complain(ASL_PEER_LOST, "%s", asl_failure());
}

static struct answer answer(int code)
{
	struct answer x = {.code = code};

	if (code)
		snprintf(x.why, sizeof x.why, "%.*s", (int)sizeof x.why - 1,
			 asl_last_complaint());
	return x;
}

int asl_task_agree(const struct asl_task *task, int code)
{
	struct answer mine = answer(code), *all;
	int size = asl_job().size, who = 0;

	if (!task->joined)
		return code;
	all = calloc((size_t)size, sizeof *all);
	if (!all)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	code = asl_net_comm_gather(task->comm, all, &mine, sizeof mine) ? lost()
									: 0;
	while (!code && who < size && !all[who].code)
		who++;
	if (!code && who < size)
		code = asl_complain(all[who].code, "rank %d: %s", who,
				    all[who].why);
	free(all);
	return code;
}

static void share(const struct asl_task *task, struct asl_csv *csv)
{
	bool mine = asl_job().rank == 0;
	uint64_t bytes = mine && !asl_csv_flush(csv) ? csv->bytes : 0;
	char *text;

	if (asl_net_comm_share(task->comm, &bytes, sizeof bytes) || !bytes)
		return;
	text = mine ? csv->text : malloc(bytes);
	/* Who has no memory for them has to leave the others waiting. */
	if (text && !asl_net_comm_share(task->comm, text, (int)bytes) && !mine)
		fwrite(text, 1, bytes, csv->f);
	if (!mine)
		free(text);
}

int asl_task_share(struct asl_task *task, int code)
{
	struct answer said = answer(code);

	if (!task->joined)
		return code;
	if (asl_net_comm_share(task->comm, &said, sizeof said))
		return lost();
	share(task, &task->rows);
	share(task, &task->ranks);
	return said.code ? asl_complain(said.code, "%s", said.why) : 0;
}

/* ---- Rows ---- */

/* What a rank has. */
struct part {
	uint64_t rows[3], cols[3];
	uint64_t cache, memory;
};

static int look(struct part *mine, const struct asl_task *task,
		const struct asl_options *o)
{
	const struct asl_given *x[] = {&task->given[ASL_A], &task->given[ASL_B],
				       &task->into};
	int size = asl_job().size;

	mine->cache = o->cache ? o->cache : asl_machine_cache_words(size);
	mine->memory = o->memory ? o->memory : asl_machine_memory_words(size);
	for (int i = 0; asl_task_has_rows(task) && i < 3; i++) {
		if (!x[i]->at || x[i]->dims != 2)
			return asl_complain(ASL_BAD_INPUT,
					    "of A, B and the result every rank "
					    "has to give its rows, or 0 of "
					    "them");
		mine->rows[i] = x[i]->size[0];
		mine->cols[i] = x[i]->size[1];
	}
	return 0;
}

static int add_up(struct asl_spread_rows *rows, uint64_t total[3],
		  const struct part *all)
{
	int size = asl_job().size;

	for (int i = 0; i < 3; i++) {
		uint64_t *first = calloc((size_t)size + 1, sizeof *first);

		rows->first[i] = first;
		if (!first)
			return asl_complain(ASL_NO_MACHINE, "out of memory");
		for (int rank = 0; rank < size; rank++) {
			if (all[rank].cols[i] != all[0].cols[i])
				return asl_complain(
					ASL_BAD_INPUT,
					"%c has %ju columns on rank %d, but "
					"%ju on rank 0",
					"ABC"[i], all[rank].cols[i], rank,
					all[0].cols[i]);
			first[rank + 1] = first[rank] + all[rank].rows[i];
		}
		total[i] = first[size];
	}
	return 0;
}

static int fit(struct asl_options *o, const uint64_t rows[3],
	       const uint64_t cols[3])
{
	if (cols[ASL_A] != rows[ASL_B] || rows[ASL_A] != rows[ASL_C] ||
	    cols[ASL_B] != cols[ASL_C])
		return asl_complain(ASL_BAD_INPUT,
				    "A is %ju x %ju, B %ju x %ju and C %ju x "
				    "%ju, all ranks' rows together: expected "
				    "m x k, k x n and m x n",
				    rows[0], cols[0], rows[1], cols[1], rows[2],
				    cols[2]);
	o->m = rows[ASL_A];
	o->k = cols[ASL_A];
	o->n = cols[ASL_B];
	return 0;
}

static int put_together(const struct asl_task *task, struct asl_options *o,
			struct asl_spread_rows *rows, const struct part *all)
{
	uint64_t total[3] = {0};
	int code;

	o->cache = all[0].cache;
	o->memory = all[0].memory;
	for (int i = 1; i < asl_job().size; i++) {
		o->cache = all[i].cache < o->cache ? all[i].cache : o->cache;
		o->memory =
			all[i].memory < o->memory ? all[i].memory : o->memory;
	}
	if (!asl_task_has_rows(task))
		return 0;
	code = add_up(rows, total, all);
	return code ? code : fit(o, total, all[0].cols);
}

int asl_task_join(const struct asl_task *task, struct asl_options *o,
		  struct asl_spread_rows *rows)
{
	struct part mine = {0}, *all;
	int code = asl_task_agree(task, look(&mine, task, o));

	if (code)
		return code;
	all = calloc((size_t)asl_job().size, sizeof *all);
	code = asl_task_agree(
		task, all ? 0 : asl_complain(ASL_NO_MACHINE, "out of memory"));
	if (!code && asl_net_comm_gather(task->comm, all, &mine, sizeof mine))
		code = lost();
	if (!code)
		code = put_together(task, o, rows, all);
	free(all);
	return asl_task_agree(task, code);
}

void asl_task_part(struct asl_spread_rows *rows)
{
	for (int i = 0; i < 3; i++)
		free(rows->first[i]);
}
