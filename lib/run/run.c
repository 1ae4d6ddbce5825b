/*
 * run.c -- from a plan to counted words, once per rank
 *
 * asl_run hands `body` to the net, which calls it for every rank that lives in
 * this process: all of them on sim, one of them else.  Set-up steps that can
 * fail on one rank alone end with an agreement, so that all ranks leave
 * together and the lowest that failed has the word.
 */
#include "lib/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/rank/blas.h"
#include "lib/run/rank_run.h"
#include "lib/run/verify.h"

static char why[768];

const char *asl_run_why(void)
{
	return why;
}

__attribute__((format(printf, 2, 3))) static int fail(int err,
						      const char *format, ...)
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

/* What the ranks of this process share. */
struct session {
	const struct asl_run_want *want;
	int (*each)(const struct asl_rep *rep, void *arg);
	void *arg;
	struct asl_matrix_in *file[2]; /* opened by the first rank here */
	char dir[PATH_MAX];	       /* where pools go */
	bool fresh;		       /* it is this run's own */
	bool said; /* why it ended: by the net, or by another rank */
};

/* One rank's own. */
struct place {
	struct session *s;
	struct asl_net *net;
	char run_id[40];
	struct asl_store *pool, *staging;
	struct asl_matrix_out *result; /* rank 0 */
	struct asl_source source[2];
	struct asl_words own[ASL_OPERANDS];
	struct asl_ledger predicted;
	struct asl_rank_record *all; /* rank 0: of every rank */
	struct asl_rank r;
};

/* All ranks go on, or none does; only who failed first keeps its words. */
static int agree(struct place *p, int err)
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
static int name_run(struct place *p)
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
static int choose_dir(struct place *p)
{
	struct session *s = p->s;
	const char *dir = s->want->nvm_dir;
	bool fresh = false;
	int length;

	if (!dir)
		dir = asl_store_default_dir(&fresh);
	s->fresh = fresh && s->want->keep;
	length = s->fresh ? snprintf(s->dir, sizeof s->dir, "%s/aslant-%s", dir,
				     p->run_id)
			  : snprintf(s->dir, sizeof s->dir, "%s", dir);
	if (length >= (int)sizeof s->dir)
		return fail(-ENAMETOOLONG, "%.60s...: name too long", dir);
	if (s->fresh && asl_net_host_rank(p->net) == 0 && mkdir(s->dir, 0700))
		return fail(-errno, "cannot make %s: %s", s->dir,
			    strerror(errno));
	return 0;
}

static int open_stores(struct place *p)
{
	const struct asl_run_want *want = p->s->want;
	struct asl_store_want pool = {
		.name = want->store,
		.dir = p->s->dir,
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
		return fail(err, "%s", asl_store_why());
	if (!asl_store_has_data(p->pool))
		staging.name = "null";
	err = asl_store_open(&p->staging, &staging);
	return err ? fail(err, "%s", asl_store_why()) : 0;
}

static int open_operand(struct session *s, enum asl_operand which,
			uint64_t rows, uint64_t cols)
{
	const char *path = s->want->files[which];
	int err;

	if (!path || s->file[which])
		return 0;
	err = asl_matrix_open(&s->file[which], path);
	if (err)
		return fail(err, "%s", asl_file_why());
	if (asl_matrix_rows(s->file[which]) != rows ||
	    asl_matrix_cols(s->file[which]) != cols)
		return fail(-EINVAL, "%s is %ju x %ju, expected %ju x %ju",
			    path, asl_matrix_rows(s->file[which]),
			    asl_matrix_cols(s->file[which]), rows, cols);
	return 0;
}

static int open_files(struct place *p)
{
	const struct asl_run_want *want = p->s->want;
	const struct asl_shape *x = &want->plan.shape;
	int err = open_operand(p->s, ASL_A, x->m, x->k);

	if (!err)
		err = open_operand(p->s, ASL_B, x->k, x->n);
	if (!err && want->files[ASL_C] && asl_net_rank(p->net) == 0) {
		err = asl_matrix_create(&p->result, want->files[ASL_C], x->m,
					x->n);
		if (err)
			fail(err, "%s", asl_file_why());
	}
	for (int i = 0; i < 2; i++)
		p->source[i] = (struct asl_source){
			.file = p->s->file[i],
			.seed = want->seed,
			.matrix = (uint32_t)i,
			.exact = want->exact,
		};
	return err;
}

static void start_rank(struct place *p)
{
	const struct asl_plan *plan = &p->s->want->plan;
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
static int make_room(struct place *p)
{
	if (asl_net_rank(p->net) > 0)
		return 0;
	p->all = calloc((size_t)asl_net_size(p->net), sizeof *p->all);
	return p->all ? 0
		      : fail(-ENOMEM, "no memory for %d ranks' records",
			     asl_net_size(p->net));
}

static int take_part(const struct asl_run_want *want)
{
	return want->refusal ? fail(want->refused, "%s", want->refusal) : 0;
}

static int set_up(struct place *p)
{
	int err = agree(p, take_part(p->s->want));

	if (err)
		return err;
	err = name_run(p);
	if (err)
		return fail(err, "%s", asl_net_why());
	asl_plan_predict(&p->predicted, &p->s->want->plan,
			 asl_net_rank(p->net));
	err = agree(p, open_files(p));
	if (err)
		return err;
	if (!strcmp(p->s->want->store, "pmem"))
		err = agree(p, choose_dir(p));
	if (err)
		return err;
	err = agree(p, open_stores(p));
	if (err)
		return err;
	err = agree(p, make_room(p));
	if (err)
		return err;
	start_rank(p);
	return agree(p, p->r.err);
}

/* A run that never began leaves nothing, even where pools are kept. */
static void tear_down(struct place *p, bool began)
{
	if (p->r.net)
		for (int i = ASL_OPERANDS - 1; i >= 0; i--)
			asl_give(&p->r, &p->own[i]);
	free(p->all);
	asl_matrix_discard(p->result);
	asl_store_close(p->staging);
	if (began) {
		asl_store_close(p->pool);
		return;
	}
	asl_store_discard(p->pool);
	/* The last rank of a host finds the directory empty. */
	if (p->s->fresh)
		rmdir(p->s->dir);
}

/* ---- Repetitions ---- */

static double verify(struct place *p)
{
	const struct asl_run_want *want = p->s->want;
	struct asl_check check = {&want->plan, p->source, p->own};

	asl_phase(&p->r, ASL_VERIFY);
	if (!p->r.data || want->verify == ASL_VERIFY_NONE)
		return 0;
	return want->verify == ASL_VERIFY_ORACLE
		       ? asl_verify_oracle(&p->r, &check)
		       : asl_verify_freivalds(&p->r, &check);
}

static int repeat(struct place *p, struct asl_rank_record *record)
{
	const struct asl_plan *plan = &p->s->want->plan;
	bool idle = p->r.id >= asl_grid_ranks(&plan->grid);
	double begin;
	int err;

	asl_rank_restart(&p->r);
	if (!idle)
		asl_fill(&p->r, plan, p->source, p->own);
	err = asl_net_barrier(p->net);
	if (err)
		return err;
	begin = asl_now();
	if (!idle)
		plan->algorithm->run(&p->r, plan, p->own);
	record->wall_s = asl_now() - begin;
	record->clock = p->r.clock;
	record->residual = idle ? 0 : verify(p);
	record->seconds = p->r.seconds;
	record->counted = p->r.ledger;
	record->predicted = p->predicted;
	return asl_rank_finish(&p->r);
}

static int verdict(const struct asl_rep *rep)
{
	if (!rep->moved || rep->want->verify == ASL_VERIFY_NONE)
		return -1;
	return rep->residual <= ASL_RESIDUAL_LIMIT;
}

/* Rank 0: everything that a row needs, out of all ranks' records. */
static int hand_over(struct place *p, const struct asl_rank_record *all,
		     int number)
{
	const struct asl_run_want *want = p->s->want;
	struct asl_rep rep = {
		.want = want,
		.rep = number,
		.ranks = asl_net_size(p->net),
		.rank = all,
		.moved = p->r.data,
		.timed = p->r.timed && p->r.data,
		.medium = asl_store_medium(p->pool),
		.note = asl_store_note(p->pool),
		.provider = asl_net_provider(p->net),
		.pool_dir = want->keep ? p->s->dir : "",
	};

	memcpy(rep.run_id, p->run_id, sizeof rep.run_id);
	asl_rep_sum(&rep);
	rep.verified = verdict(&rep);
	return p->s->each(&rep, p->s->arg);
}

/* Every rank's record to rank 0; what `each` says there, to every rank. */
static int collect(struct place *p, const struct asl_rank_record *mine,
		   int number)
{
	int err = asl_net_collect(p->net, p->all, mine, sizeof *mine);
	int said = 0;

	if (!err && p->all && number >= 0)
		said = hand_over(p, p->all, number);
	if (!err)
		err = asl_net_share(p->net, &said, sizeof said);
	/* Who was told has said why, at rank 0. */
	p->s->said |= said != 0;
	return err ? err : said;
}

static int write_result(struct place *p)
{
	const struct asl_plan *plan = &p->s->want->plan;
	int err = 0;

	if (!p->s->want->files[ASL_C])
		return 0;
	if (p->r.id < asl_grid_ranks(&plan->grid))
		err = asl_write_result(&p->r, plan, p->result, p->own);
	if (!err && p->result) {
		err = asl_matrix_commit(p->result);
		p->result = NULL;
	}
	if (err)
		fail(err, "%s", asl_file_why());
	return agree(p, err);
}

static int repetitions(struct place *p)
{
	const struct asl_run_want *want = p->s->want;
	int err = 0;

	for (int i = -want->warmup; !err && i < want->reps; i++) {
		struct asl_rank_record mine = {0};

		err = repeat(p, &mine);
		if (!err)
			err = collect(p, &mine, i);
	}
	return err ? err : write_result(p);
}

static int body(struct asl_net *net, void *arg)
{
	struct place p = {.s = arg, .net = net};
	int err = set_up(&p);
	bool began = !err;

	if (began)
		err = repetitions(&p);
	/* A rank that failed has said so through the net. */
	p.s->said |= p.r.err != 0;
	tear_down(&p, began);
	return err;
}

int asl_run(const struct asl_run_want *want,
	    int (*each)(const struct asl_rep *rep, void *arg), void *arg)
{
	struct session s = {.want = want, .each = each, .arg = arg};
	struct asl_net_want net = {
		.transport = want->transport,
		.provider = want->provider,
		.ranks = want->plan.ranks,
		.data = strcmp(want->store, "null"),
	};
	int err;

	why[0] = '\0';
	asl_blas_one_thread();
	err = asl_net_run(&net, body, &s);
	if (s.said)
		why[0] = '\0';
	else if (err)
		fail(err, "%s", asl_net_why());
	for (int i = 0; i < 2; i++)
		asl_matrix_close(s.file[i]);
	return err;
}
