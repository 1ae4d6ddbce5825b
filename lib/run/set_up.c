/*
 * set_up.c -- what a rank has in a case: stores, data, memory for records
 *
 * The steps of setting up are a table.  After a step that can fail on one rank
 * alone all ranks agree, so that they leave together.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "lib/base/team.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "lib/rank/trace.h"
#include "lib/run/rank_case.h"
#include "lib/run/run.h"

int asl_rank_case_agree(struct asl_rank_case *p, int err)
{
	struct asl_session *s = p->s;
	int rank = asl_net_rank(p->net), who = 0, all;

	/* On sim the ranks that fail share one line: keep the lowest rank's. */
	if (err && (!*s->why || rank < s->who)) {
		snprintf(s->why, sizeof s->why, "%s", asl_failure());
		s->who = rank;
	}
	all = asl_net_agree(p->net, err, &who);
	if (all && who != rank && !asl_net_simulated(p->net))
		s->printed = true;
	return all;
}

/* ---- Steps, in their order ---- */

/* Bind before any memory is touched, so that it is allocated close by. */
static int take_part(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	int mates, mate = asl_net_mate(p->net, &mates), err;

	if (want->refusal)
		return asl_fail(want->refused, "%s", want->refusal);
	err = want->bind ? asl_machine_bind(want->bind, mate, mates) : 0;
	return err ? asl_fail(err, "--bind: %s", asl_failure()) : 0;
}

/*
 * Rank 0's number of threads, for all.  Ranks of one process take turns: each has
 * the whole team, but none by itself.
 */
static int start_threads(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	int mates, mate = asl_net_mate(p->net, &mates), err;
	bool turns = asl_net_simulated(p->net) && asl_net_size(p->net) > 1;

	p->cores = asl_machine_own_cores(want->bind ? want->bind : "none", mate,
					 mates);
	p->threads = want->threads == ASL_THREADS_AUTO ? turns ? 1 : p->cores
		     : want->threads		       ? want->threads
						       : 1;
	err = asl_net_share(p->net, &p->threads, sizeof p->threads);
	if (!err)
		err = asl_team_resize(p->threads);
	if (!err)
		err = asl_blas_one_thread();
	return err;
}

/* The time, for people, and 64 random bits, so that no two runs collide. */
static void make_name(struct asl_rank_case *p)
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
}

static int name_run(struct asl_rank_case *p)
{
	if (asl_net_rank(p->net) == 0)
		make_name(p);
	return asl_net_share(p->net, p->run_id, sizeof p->run_id);
}

/* Ranks of one process write theirs where rank 0 reads them. */
static int take_records(struct asl_rank_case *p)
{
	struct asl_common *c = p->common;
	bool here = asl_net_simulated(p->net);
	int rank = asl_net_rank(p->net);
	int ranks = here || rank == 0 ? asl_net_size(p->net) : 1;

	if (!c->records)
		c->records = asl_take_large((size_t)ranks, sizeof *c->records);
	if (!c->records)
		return asl_fail(-ENOMEM, "no memory for %d ranks' records",
				ranks);
	p->mine = &c->records[here ? rank : 0];
	return 0;
}

static int predict(struct asl_rank_case *p)
{
	asl_plan_predict(&p->mine->predicted, &p->want->plan,
			 asl_net_rank(p->net));
	return 0;
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
	c->failed = p->family->open(&c->data);
	return c->failed;
}

static int open_data(struct asl_rank_case *p)
{
	int err = open_once(p);

	if (err || !p->keeps_result || asl_net_rank(p->net) > 0)
		return err;
	return p->family->create(&p->common->data);
}

/* Pools that are not kept have no names, and need no directory of their own. */
static int choose_dir(struct asl_rank_case *p)
{
	struct asl_common *c = p->common;
	const char *dir = p->want->nvm_dir;
	bool fresh = false;
	int length;

	if (!asl_store_can(p->want->store)->needs_dir)
		return 0;
	if (!dir)
		dir = asl_store_default_dir(&fresh);
	c->fresh = fresh && p->want->keep;
	length = c->fresh ? snprintf(c->dir, sizeof c->dir, "%s/aslant-%s", dir,
				     p->run_id)
			  : snprintf(c->dir, sizeof c->dir, "%s", dir);
	if (length >= (int)sizeof c->dir)
		return asl_fail(-ENAMETOOLONG, "%.60s...: name too long", dir);
	if (c->fresh && asl_net_host_rank(p->net) == 0 && mkdir(c->dir, 0700))
		return asl_fail(-errno, "cannot make %s: %s", c->dir,
				strerror(errno));
	return 0;
}

/* After all have agreed, so that a directory made for the case is there. */
static int look_at_dirs(struct asl_rank_case *p)
{
	struct asl_common *c = p->common;

	if (!asl_store_can(p->want->store)->needs_dir || c->looked)
		return 0;
	c->looked = true;
	return asl_pools_look(&c->pools, c->dir);
}

static int take_place(struct asl_rank_case *p)
{
	struct asl_common *c = p->common;
	bool data = asl_store_can(p->want->store)->has_data;

	if (asl_store_can(p->want->store)->needs_node) {
		p->near = asl_machine_near(p->want->memory_node);
		return asl_memory_node(&p->memory, p->want->memory_node);
	}
	if (!asl_store_can(p->want->store)->needs_dir) {
		p->near = data ? asl_machine_near(-1)
			       : (struct asl_near){.core_node = -1, .node = -1};
		return 0;
	}
	return asl_pools_take(&p->dir, &p->near, &c->pools, p->net);
}

/* Words of the pool that a budget leaves in storage. */
static uint64_t stored_words(const struct asl_rank_case *p)
{
	const struct asl_plan *plan = &p->want->plan;
	int rank = asl_net_rank(p->net);

	if (!p->family->stored || rank >= asl_plan_ranks(plan))
		return 0;
	return p->family->stored(plan, rank);
}

/* In doubles, of which each piece takes whole ones. */
static uint64_t doubles(const struct asl_rank_case *p, uint64_t words,
			int pieces)
{
	enum asl_type type = p->want->plan.type;

	return asl_type_doubles(type, words) +
	       (asl_type_bytes(type) < sizeof(double) ? (uint64_t)pieces : 0);
}

/* The emulator is tried before anything else is taken. */
static uint64_t pool_doubles(const struct asl_rank_case *p, int pieces)
{
	uint64_t words = doubles(
		p, p->mine->predicted.pool_high + stored_words(p), pieces);

	return *p->want->emulate.name ? asl_max(words, ASL_EMULATOR_WORDS)
				      : words;
}

/* The longest of the arrays that a rank is given (asl_plan_take). */
static uint64_t longest_taken(const struct asl_rank_case *p)
{
	const struct asl_plan *plan = &p->want->plan;
	int rank = asl_net_rank(p->net);
	uint64_t longest = 0;

	if (rank >= asl_plan_ranks(plan))
		return 0;
	for (int i = 0; i < p->family->operands(plan); i++)
		longest = asl_max(longest,
				  p->family->room
					  ? p->family->room(plan, rank, i).count
					  : asl_plan_owned(plan, rank, i));
	return longest;
}

static int open_stores(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	/* Three panels, a summand, a spare. */
	int pieces = p->family->operands(&want->plan) + 5;
	struct asl_store_want pool = {
		.name = want->store,
		.dir = p->dir,
		.run_id = p->run_id,
		.rank = asl_net_rank(p->net),
		.words = pool_doubles(p, pieces),
		.longest = doubles(p, longest_taken(p), 0),
		.pieces = pieces,
		.keep = want->keep,
		.erase = want->erase,
		.node = want->memory_node,
		.kind = p->memory.kind,
		.bind = asl_memory_bind,
	};
	struct asl_store_want staging = {.name = "dram"};
	int err;

	if (p->resumable) {
		pool.run_id = "resume";
		pool.about = p->about;
		pool.words = p->needs.words;
		pool.pieces = p->needs.pieces;
		pool.log = asl_resume_log_words(&p->needs);
	}
	err = asl_store_open(&p->pool, &pool);
	if (err)
		return err;
	if (!asl_store_has_data(p->pool))
		staging.name = "null";
	return asl_store_open(&p->staging, &staging);
}

static int open_replay(struct asl_rank_case *p)
{
	const struct asl_lru_shape *shape = &p->want->cache_model;
	int err = shape->words ? asl_replay_open(&p->replay, shape) : 0;

	return err ? asl_fail(err,
			      "no memory for a model of a cache of %ju words",
			      shape->words)
		   : 0;
}

static int open_trace(struct asl_rank_case *p)
{
	const char *dir = p->want->trace;

	return dir ? asl_trace_open(&p->trace, dir, asl_net_rank(p->net)) : 0;
}

static int open_emulator(struct asl_rank_case *p)
{
	const struct asl_emulation *as = &p->want->emulate;

	return *as->name ? asl_emulator_open(&p->emulator, as, p->net) : 0;
}

/* Simulated ranks share the cores that the plan gives them. */
double asl_rank_case_core(const struct asl_rank_case *p)
{
	int ranks = asl_net_size(p->net), cores = p->want->plan.cores;

	if (!asl_net_simulated(p->net))
		return asl_net_core(p->net);
	return cores && cores < ranks ? (double)cores / ranks : 1;
}

static int init_rank(struct asl_rank_case *p)
{
	const struct asl_plan *plan = &p->want->plan;
	struct asl_rank_want want = {
		.net = p->net,
		.pool = p->pool,
		.staging = p->staging,
		.cache = plan->cache,
		.costs = &plan->costs,
		.times = plan->times,
		.crowded = asl_rank_case_core(p) < 1,
		.type = plan->type,
		.replay = p->replay,
		.trace = p->trace,
	};

	asl_rank_init(&p->r, &want);
	p->r.emulator = p->emulator;
	p->r.resume = p->resumable ? &p->resume : NULL;
	return 0;
}

static int check_emulator(struct asl_rank_case *p)
{
	const struct asl_emulation *as = &p->want->emulate;
	const struct asl_emulator_probe *x = &p->probe;
	int err = p->emulator ? asl_emulator_check(&p->probe, &p->r) : 0;

	if (err != -EOPNOTSUPP)
		return err;
	return asl_fail(
		err,
		"--emulate: %s reads a word in %.3g ns and writes one in %.3g, "
		"but this machine in %.3g and %.3g (one rank alone in %.3g and "
		"%.3g): it is too slow to stand in for that",
		as->name, as->word[ASL_READS], as->word[ASL_WRITES],
		x->shared[ASL_READS], x->shared[ASL_WRITES],
		x->alone[ASL_READS], x->alone[ASL_WRITES]);
}

static int take_owned(struct asl_rank_case *p)
{
	const struct asl_plan *plan = &p->want->plan;
	int operands = p->family->operands(plan);

	p->room = calloc(2 * (size_t)operands, sizeof *p->room);
	if (!p->room)
		return asl_fail(-ENOMEM, "no memory for a rank's operands");
	p->own = p->room + operands;
	p->operands = operands;
	if (p->r.id >= asl_plan_ranks(plan))
		return 0;
	asl_plan_take(&p->r, plan, p->room, p->own);
	if (!p->r.err)
		p->r.stored = stored_words(p);
	return p->r.err;
}

static bool always(const struct asl_rank_case *p)
{
	(void)p;
	return true;
}

static bool has_dirs(const struct asl_rank_case *p)
{
	return asl_store_can(p->want->store)->needs_dir;
}

static bool resumes(const struct asl_rank_case *p)
{
	return p->want->resume;
}

static bool emulates(const struct asl_rank_case *p)
{
	return *p->want->emulate.name;
}

/*
 * A step can fail on one rank alone.  All ranks agree before the next one in which
 * they meet, or in which one uses another's directory, and at the end.
 */
static const struct step {
	int (*take)(struct asl_rank_case *p);
	bool (*meets)(const struct asl_rank_case *p); /* NULL: never */
} steps[] = {
	{take_part, NULL},
	{name_run, always},
	{take_records, NULL},
	{predict, NULL},
	{open_data, NULL},
	{choose_dir, NULL},
	{look_at_dirs, has_dirs},
	{take_place, has_dirs},
	{asl_rank_case_dry_run, NULL},
	{open_stores, NULL},
	{asl_rank_case_resume, resumes},
	{asl_hardware_open, asl_hardware_counts},
	{start_threads, always},
	{open_replay, NULL},
	{open_trace, NULL},
	{open_emulator, emulates},
	{init_rank, NULL},
	{check_emulator, emulates},
	{take_owned, NULL},
	{asl_rank_case_check_operands, NULL},
};

int asl_rank_case_set_up(struct asl_rank_case *p)
{
	int err = 0;

	p->common->inside++;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (steps[i].meets && steps[i].meets(p)) {
			err = asl_rank_case_agree(p, err);
			if (err)
				return err;
		}
		if (!err)
			err = steps[i].take(p);
	}
	return asl_rank_case_agree(p, err);
}

/* A pool of an earlier run is only removed by a run that completes. */
static bool keeps_pool(const struct asl_rank_case *p, bool began)
{
	if (!p->resumable)
		return began;
	return p->finished ? p->want->keep
			   : began || (p->pool && asl_store_resumed(p->pool));
}

void asl_rank_case_tear_down(struct asl_rank_case *p, bool began)
{
	for (int i = p->operands - 1; i >= 0; i--)
		asl_give(&p->r, &p->room[i]);
	free(p->room);
	asl_hardware_close(p->hardware);
	asl_replay_close(p->replay);
	asl_trace_close(p->trace);
	/* The last rank here closes; none opens before all have begun. */
	if (--p->common->inside == 0) {
		/* Counters of the hardware follow threads from their start. */
		asl_team_resize(1);
		free(p->common->records);
		p->common->records = NULL;
		if (p->common->opened)
			p->family->close(&p->common->data);
	}
	asl_emulator_close(p->emulator);
	asl_store_close(p->staging);
	free(p->about);
	if (keeps_pool(p, began)) {
		asl_store_close(p->pool);
		return;
	}
	asl_store_discard(p->pool);
	/* The last rank of a host finds the directory empty. */
	if (p->common->fresh)
		rmdir(p->common->dir);
}
