/*
 * set_up.c -- what a rank has in a case: stores, files, room for records
 *
 * Steps that can fail on one rank alone end with an agreement, so that all
 * ranks leave together and the lowest that failed has the word.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/run/place.h"

static char why[768];

const char *asl_run_why(void)
{
	return why;
}

void asl_run_forget(void)
{
	why[0] = '\0';
}

int asl_run_fail(int err, const char *format, ...)
{
	va_list args;

	/* On sim many ranks may fail alike: the first has the word. */
	if (why[0])
		return err;
	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	return err;
}

int asl_place_agree(struct asl_place *p, int err)
{
	int who = 0, all = asl_net_agree(p->net, err, &who);

	if (all && who != asl_net_rank(p->net) &&
	    strcmp(asl_net_transport(p->net), "sim")) {
		why[0] = '\0';
		p->s->said = true;
	}
	return all;
}

/* ---- Setting up ---- */

/* Time, for people, and 64 random bits, so that no two runs meet. */
static int name_run(struct asl_place *p)
{
	struct timespec t;
	struct tm utc;
	uint64_t salt;

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &utc);
	if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
		salt = (uint64_t)t.tv_nsec ^ (uint64_t)getpid() << 32;
	strftime(p->run_id, sizeof p->run_id, "%Y%m%dT%H%M%S", &utc);
	snprintf(p->run_id + 15, sizeof p->run_id - 15, "-%016jx", salt);
	return asl_net_share(p->net, p->run_id, sizeof p->run_id);
}

/*
 * Pools that are not kept have no names, and need no directory of their own:
 * whatever ends the run, nothing is left.
 */
static int choose_dir(struct asl_place *p)
{
	struct asl_common *c = p->common;
	const char *dir = p->want->nvm_dir;
	bool fresh = false;
	int length;

	if (!dir)
		dir = asl_store_default_dir(&fresh);
	c->fresh = fresh && p->want->keep;
	length = c->fresh ? snprintf(c->dir, sizeof c->dir, "%s/aslant-%s", dir,
				     p->run_id)
			  : snprintf(c->dir, sizeof c->dir, "%s", dir);
	if (length >= (int)sizeof c->dir)
		return asl_run_fail(-ENAMETOOLONG, "%.60s...: name too long",
				    dir);
	if (c->fresh && asl_net_host_rank(p->net) == 0 && mkdir(c->dir, 0700))
		return asl_run_fail(-errno, "cannot make %s: %s", c->dir,
				    strerror(errno));
	return 0;
}

static int open_stores(struct asl_place *p)
{
	const struct asl_run_want *want = p->want;
	struct asl_store_want pool = {
		.name = want->store,
		.dir = p->common->dir,
		.run_id = p->run_id,
		.rank = asl_net_rank(p->net),
		.words = p->predicted.pool_high,
		.pieces =
			8, /* three owned, three panels, a summand; and spare */
		.keep = want->keep,
	};
	struct asl_store_want staging = {.name = "dram"};
	int err = asl_store_open(&p->pool, &pool);

	if (err)
		return asl_run_fail(err, "%s", asl_store_why());
	if (!asl_store_has_data(p->pool))
		staging.name = "null";
	err = asl_store_open(&p->staging, &staging);
	return err ? asl_run_fail(err, "%s", asl_store_why()) : 0;
}

static int open_operand(struct asl_place *p, enum asl_operand which,
			uint64_t rows, uint64_t cols)
{
	const char *path = p->want->files[which];
	struct asl_matrix_in **file = &p->common->file[which];
	int err;

	if (!path || *file)
		return 0;
	err = asl_matrix_open(file, path);
	if (err)
		return asl_run_fail(err, "%s", asl_file_why());
	if (asl_matrix_rows(*file) != rows || asl_matrix_cols(*file) != cols)
		return asl_run_fail(-EINVAL,
				    "%s is %ju x %ju, expected %ju x %ju", path,
				    asl_matrix_rows(*file),
				    asl_matrix_cols(*file), rows, cols);
	return 0;
}

static int open_files(struct asl_place *p)
{
	const struct asl_run_want *want = p->want;
	const struct asl_shape *x = &want->plan.shape;
	int err = open_operand(p, ASL_A, x->m, x->k);

	if (!err)
		err = open_operand(p, ASL_B, x->k, x->n);
	if (!err && want->files[ASL_C] && asl_net_rank(p->net) == 0) {
		err = asl_matrix_create(&p->result, want->files[ASL_C], x->m,
					x->n);
		if (err)
			asl_run_fail(err, "%s", asl_file_why());
	}
	for (int i = 0; i < 2; i++)
		p->source[i] = (struct asl_source){
			.file = p->common->file[i],
			.seed = want->seed,
			.matrix = (uint32_t)i,
			.exact = want->exact,
		};
	return err;
}

static void start_rank(struct asl_place *p)
{
	const struct asl_plan *plan = &p->want->plan;
	struct asl_rank_want want = {
		.net = p->net,
		.pool = p->pool,
		.staging = p->staging,
		.cache = plan->cache,
		.costs = &plan->costs,
	};

	asl_rank_init(&p->r, &want);
	if (p->r.id >= asl_grid_ranks(&plan->grid))
		return;
	for (int i = 0; i < ASL_OPERANDS; i++)
		asl_take(&p->r, &p->own[i], ASL_POOL,
			 asl_plan_owned(plan, p->r.id, i));
}

/* Rank 0 hears from everybody, every repetition. */
static int make_room(struct asl_place *p)
{
	if (asl_net_rank(p->net) > 0)
		return 0;
	p->all = calloc((size_t)asl_net_size(p->net), sizeof *p->all);
	return p->all ? 0
		      : asl_run_fail(-ENOMEM, "no memory for %d ranks' records",
				     asl_net_size(p->net));
}

static int take_part(const struct asl_run_want *want)
{
	return want->refusal ? asl_run_fail(want->refused, "%s", want->refusal)
			     : 0;
}

int asl_place_set_up(struct asl_place *p)
{
	int err;

	p->common->inside++;
	err = asl_place_agree(p, take_part(p->want));
	if (err)
		return err;
	err = name_run(p);
	if (err)
		return asl_run_fail(err, "%s", asl_net_why());
	asl_plan_predict(&p->predicted, &p->want->plan, asl_net_rank(p->net));
	err = asl_place_agree(p, open_files(p));
	if (err)
		return err;
	if (!strcmp(p->want->store, "pmem"))
		err = asl_place_agree(p, choose_dir(p));
	if (err)
		return err;
	err = asl_place_agree(p, open_stores(p));
	if (err)
		return err;
	err = asl_place_agree(p, make_room(p));
	if (err)
		return err;
	start_rank(p);
	return asl_place_agree(p, p->r.err);
}

/* The last of the ranks here, none of which opens a file before all are in. */
static void close_files(struct asl_common *c)
{
	if (--c->inside > 0)
		return;
	for (int i = 0; i < 2; i++)
		asl_matrix_close(c->file[i]);
}

void asl_place_tear_down(struct asl_place *p, bool began)
{
	if (p->r.net)
		for (int i = ASL_OPERANDS - 1; i >= 0; i--)
			asl_give(&p->r, &p->own[i]);
	free(p->all);
	asl_matrix_discard(p->result);
	close_files(p->common);
	asl_store_close(p->staging);
	if (began) {
		asl_store_close(p->pool);
		return;
	}
	asl_store_discard(p->pool);
	/* The last rank of a host finds the directory empty. */
	if (p->common->fresh)
		rmdir(p->common->dir);
}
