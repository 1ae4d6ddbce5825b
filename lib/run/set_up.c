/*
 * set_up.c -- what a rank has in a case: stores, data, room for records
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

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/machine/machine.h"
#include "lib/matrix/file.h"
#include "lib/run/rank_case.h"

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

int asl_rank_case_agree(struct asl_rank_case *p, int err)
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
static int name_run(struct asl_rank_case *p)
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
static int choose_dir(struct asl_rank_case *p)
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

/* What is emulated is tried before anything is taken. */
static uint64_t pool_words(const struct asl_rank_case *p)
{
	return *p->want->emulate.name
		       ? asl_max(p->predicted.pool_high, ASL_PACE_WORDS)
		       : p->predicted.pool_high;
}

static int open_stores(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	int owned = asl_rank_case_family(p)->operands(&want->plan);
	struct asl_store_want pool = {
		.name = want->store,
		.dir = p->common->dir,
		.run_id = p->run_id,
		.rank = asl_net_rank(p->net),
		.words = pool_words(p),
		.pieces = owned + 5, /* three panels, a summand; and spare */
		.keep = want->keep,
	};
	struct asl_store_want staging = {.name = "dram"};
	int err;

	if (p->lasts) {
		pool.run_id = "resume";
		pool.about = p->about;
		pool.words = p->needs.words;
		pool.pieces = p->needs.pieces;
		pool.log = asl_resume_room(&p->needs);
	}
	err = asl_store_open(&p->pool, &pool);
	if (err)
		return asl_run_fail(err, "%s", asl_failure());
	if (!asl_store_has_data(p->pool))
		staging.name = "null";
	err = asl_store_open(&p->staging, &staging);
	return err ? asl_run_fail(err, "%s", asl_failure()) : 0;
}

static int open_once(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	struct asl_common *c = p->common;

	if (c->opened)
		return c->failed;
	c->opened = true;
	c->data = (struct asl_data){
		.plan = &want->plan,
		.file = want->files,
		.result = want->result,
		.given = want->given,
		.into = want->into,
		.first_rows = want->first_rows,
		.seed = want->seed,
		.exact = want->exact,
	};
	c->failed = asl_rank_case_family(p)->open(&c->data);
	return c->failed;
}

static int open_data(struct asl_rank_case *p)
{
	int err = open_once(p);

	if (!err && asl_rank_case_keeps_result(p) && asl_net_rank(p->net) == 0)
		err = asl_rank_case_family(p)->create(&p->common->data);
	return err ? asl_run_fail(err, "%s", asl_failure()) : 0;
}

static int open_replay(struct asl_rank_case *p)
{
	const struct asl_lru_shape *shape = &p->want->cache_model;
	int err = shape->words ? asl_replay_open(&p->replay, shape) : 0;

	return err ? asl_run_fail(err,
				  "no memory for a model of a cache of %ju "
				  "words",
				  shape->words)
		   : 0;
}

static void init_rank(struct asl_rank_case *p)
{
	const struct asl_plan *plan = &p->want->plan;
	struct asl_rank_want want = {
		.net = p->net,
		.pool = p->pool,
		.staging = p->staging,
		.cache = plan->cache,
		.costs = &plan->costs,
		.replay = p->replay,
	};

	asl_rank_init(&p->r, &want);
	p->r.pace = p->pace;
	p->r.resume = p->lasts ? &p->resume : NULL;
}

static void take_owned(struct asl_rank_case *p)
{
	const struct asl_plan *plan = &p->want->plan;

	if (p->r.id >= asl_plan_ranks(plan))
		return;
	for (int i = 0; i < asl_rank_case_family(p)->operands(plan); i++)
		asl_take(&p->r, &p->own[i], ASL_POOL,
			 asl_plan_owned(plan, p->r.id, i));
}

/* Rank 0 hears from everybody, every repetition. */
static int make_room(struct asl_rank_case *p)
{
	if (asl_net_rank(p->net) > 0)
		return 0;
	p->all = calloc((size_t)asl_net_size(p->net), sizeof *p->all);
	return p->all ? 0
		      : asl_run_fail(-ENOMEM, "no memory for %d ranks' records",
				     asl_net_size(p->net));
}

/* Before anything is touched, so that it lies near. */
static int bind(const struct asl_rank_case *p)
{
	const char *to = p->want->bind;
	int mates, mate = asl_net_mate(p->net, &mates), err;

	err = to ? asl_machine_bind(to, mate, mates) : 0;
	return err ? asl_run_fail(err, "--bind: %s", asl_failure()) : 0;
}

static int take_part(const struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;

	return want->refusal ? asl_run_fail(want->refused, "%s", want->refusal)
			     : bind(p);
}

int asl_rank_case_set_up(struct asl_rank_case *p)
{
	int err;

	p->common->inside++;
	err = asl_rank_case_agree(p, take_part(p));
	if (err)
		return err;
	err = name_run(p);
	if (err)
		return asl_run_fail(err, "%s", asl_failure());
	asl_plan_predict(&p->predicted, &p->want->plan, asl_net_rank(p->net));
	err = asl_rank_case_agree(p, open_data(p));
	if (err)
		return err;
	if (!strcmp(p->want->store, "pmem"))
		err = asl_rank_case_agree(p, choose_dir(p));
	if (err)
		return err;
	err = asl_rank_case_agree(p, asl_rank_case_walk(p));
	if (err)
		return err;
	err = asl_rank_case_agree(p, open_stores(p));
	if (err)
		return err;
	err = asl_rank_case_resume(p);
	if (err)
		return err;
	err = asl_rank_case_agree(p, make_room(p));
	if (err)
		return err;
	err = asl_hardware_open(p);
	if (err)
		return err;
	err = asl_rank_case_agree(p, open_replay(p));
	if (err)
		return err;
	err = asl_rank_case_agree(p, asl_rank_case_open_emulator(p));
	if (err)
		return err;
	init_rank(p);
	err = asl_rank_case_agree(p, asl_rank_case_check_emulator(p));
	if (err)
		return err;
	take_owned(p);
	err = asl_rank_case_agree(p, p->r.err);
	return err ? err : asl_rank_case_agree(p, asl_rank_case_found(p));
}

/* The last of the ranks here, none of which opens data before all are in. */
static void close_data(struct asl_rank_case *p)
{
	struct asl_common *c = p->common;

	if (--c->inside == 0 && c->opened)
		asl_rank_case_family(p)->close(&c->data);
}

/* What was there before is nobody's to remove but its own run's. */
static bool outlasts(const struct asl_rank_case *p, bool began)
{
	if (!p->lasts)
		return began;
	return p->finished ? p->want->keep
			   : began || (p->pool && asl_store_resumed(p->pool));
}

void asl_rank_case_tear_down(struct asl_rank_case *p, bool began)
{
	if (p->r.net)
		for (int i = ASL_MOST_OPERANDS - 1; i >= 0; i--)
			asl_give(&p->r, &p->own[i]);
	free(p->all);
	asl_hardware_close(&p->hardware);
	asl_replay_close(p->replay);
	close_data(p);
	asl_emulator_close(p->pace);
	asl_store_close(p->staging);
	free(p->about);
	if (outlasts(p, began)) {
		asl_store_close(p->pool);
		return;
	}
	asl_store_discard(p->pool);
	/* The last rank of a host finds the directory empty. */
	if (p->common->fresh)
		rmdir(p->common->dir);
}

/*
 * A case whose words take as long as on another machine
 */

int asl_rank_case_open_emulator(struct asl_rank_case *p)
{
	const struct asl_emulation *as = &p->want->emulate;
	const char *reason = "";
	int err = *as->name ? asl_emulator_open(&p->pace, as, p->net, &reason)
			    : 0;

	return err ? asl_run_fail(err, "%s", reason) : 0;
}

/* All ranks know the answer, and rank 0 says it. */
static int refuse(const struct asl_rank_case *p)
{
	const struct asl_emulation *as = &p->want->emulate;
	const struct asl_emulator_probe *x = &p->probe;

	if (p->r.id > 0)
		return 0;
	return asl_run_fail(
		-EOPNOTSUPP,
		"--emulate: %s reads a word in %.3g ns and writes one in "
		"%.3g, but this machine in %.3g and %.3g (one rank alone "
		"in %.3g and %.3g): it is too slow to stand in for that",
		as->name, as->word[ASL_READS], as->word[ASL_WRITES],
		x->shared[ASL_READS], x->shared[ASL_WRITES],
		x->alone[ASL_READS], x->alone[ASL_WRITES]);
}

int asl_rank_case_check_emulator(struct asl_rank_case *p)
{
	int err = p->pace ? asl_emulator_check(&p->probe, &p->r) : 0;

	return err == -EOPNOTSUPP ? refuse(p) : err;
}
