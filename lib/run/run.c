/*
 * run.c -- from plans to counted words, once per rank
 *
 * asl_run_all passes `body` to the net, which calls it for every rank of this
 * process: all ranks on sim, one rank otherwise.  Case by case a rank sets up,
 * repeats, and tears down.  Ranks synchronize as each case begins, before any of
 * them opens anything: by then all have freed the resources of the case before.
 */
#include "lib/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "lib/run/rank_case.h"
#include "net/net.h"
#include "nvm/store.h"

/* ---- One row from every rank's record ---- */

/* After a power cut the pool may have counted too few words. */
static void sum_repeated(struct asl_rep *rep,
			 const struct asl_rank_record *rank,
			 const struct asl_counts *counted)
{
	const struct asl_counts *moved = &rank->resumed.moved;

	rep->safety_words += rank->resumed.safety_words;
	for (int c = 0; c < ASL_COUNTERS; c++)
		if (moved->of[c] > counted->of[c])
			rep->repeated.of[c] += moved->of[c] - counted->of[c];
}

static void sum_rank(struct asl_rep *rep, const struct asl_rank_record *rank,
		     const struct asl_rates rates[ASL_ACCOUNTINGS])
{
	struct asl_counts x = asl_ledger_total(&rank->counted);
	struct asl_counts foreseen = asl_ledger_total(&rank->predicted);

	asl_counts_add(&rep->total, &x);
	sum_repeated(rep, rank, &x);
	for (int c = 0; c < ASL_COUNTERS; c++)
		rep->max.of[c] = asl_max(rep->max.of[c], x.of[c]);
	rep->read_max = asl_max(rep->read_max, asl_words_read(&x));
	rep->written_max = asl_max(rep->written_max, asl_words_written(&x));
	rep->memory_high = asl_max(rep->memory_high, rank->counted.memory_high);
	rep->pool_high = asl_max(rep->pool_high, rank->counted.pool_high);
	for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
		double q = asl_cost(&rates[a], &x);

		rep->q_max[a] = fmax(rep->q_max[a], q);
		/* Summed in another order, a clock can be an ulp short of Q. */
		if (fabs(rank->clock.at[a] - q) <= 1e-12 * q)
			rep->q_path[a] = fmax(rep->q_path[a], q);
		rep->q_path[a] = fmax(rep->q_path[a], rank->clock.at[a]);
		rep->predicted_q_max[a] = fmax(rep->predicted_q_max[a],
					       asl_cost(&rates[a], &foreseen));
	}
	rep->lru_max.read = asl_max(rep->lru_max.read, rank->lru.read);
	rep->lru_max.written = asl_max(rep->lru_max.written, rank->lru.written);
	rep->lru_total.read += rank->lru.read;
	rep->lru_total.written += rank->lru.written;
	rep->predicted_equal &=
		asl_ledger_equal(&rank->counted, &rank->predicted);
	rep->wall_s = fmax(rep->wall_s, rank->wall_s);
	rep->compute_s = fmax(rep->compute_s, rank->seconds.compute);
	rep->comm_s = fmax(rep->comm_s, rank->seconds.comm);
	if (rep->io_s <= rank->seconds.io) {
		rep->io_s = rank->seconds.io;
		rep->io_queued_s = rank->seconds.queued;
	}
	rep->residual = asl_worse(rep->residual, rank->residual);
}

static double work_of(const struct asl_rank_record *x)
{
	double ns = 0;

	for (int part = 0; part < ASL_SPENDINGS; part++)
		ns += x->spent.ns[part];
	return ns;
}

/*
 * A rank's time, if all ranks' work on the cores that there are takes `shared`.  Ranks
 * meet at each step: while one waits for the disk all do, else somebody always works.
 */
static double rank_ns(const struct asl_rank_record *x, double shared)
{
	double disk = x->spent.disk;

	return disk + fmax(x->clock.at[ASL_TIME] - disk, shared);
}

/* That of the slowest rank; and each part's share of the busiest rank's. */
static void predict_seconds(struct asl_rep *rep)
{
	double ns = 0, work = 0, cores = 0;

	for (int i = 0; i < rep->ranks; i++) {
		work += work_of(&rep->rank[i]);
		cores += rep->rank[i].core;
	}
	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_rank_record *x = &rep->rank[i];

		ns = fmax(ns, rank_ns(x, work / cores));
		for (int part = 0; part < ASL_SPENDINGS; part++)
			rep->predicted_part_s[part] =
				fmax(rep->predicted_part_s[part],
				     1e-9 * x->spent.ns[part] / x->core);
		rep->predicted_part_s[ASL_ON_COPYING] =
			fmax(rep->predicted_part_s[ASL_ON_COPYING],
			     1e-9 * (x->spent.disk +
				     x->spent.ns[ASL_ON_COPYING] / x->core));
	}
	rep->predicted_s =
		rep->want->plan.times && rep->threads == 1 ? 1e-9 * ns : NAN;
	/* Where others have no work, a rank has more than its share of a core. */
	for (int part = 0; part < ASL_SPENDINGS; part++)
		rep->predicted_part_s[part] =
			fmin(rep->predicted_part_s[part], rep->predicted_s);
}

static double emulation_error(const struct asl_rep *rep)
{
	double target = 0, late = 0;

	for (int i = 0; i < rep->ranks; i++) {
		target += rep->rank[i].seconds.target;
		late += rep->rank[i].seconds.late;
	}
	return target > 0 ? late / target : NAN;
}

static void sum_ranks(struct asl_rep *rep)
{
	struct asl_rates rates[ASL_ACCOUNTINGS];

	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		rates[a] = asl_rates(&rep->want->plan.costs, a);
	rep->predicted_equal = true;
	rep->outcome = rep->rank[0].outcome;
	rep->starts = rep->rank[0].resumed.starts;
	rep->emulation_error = emulation_error(rep);
	for (int i = 0; i < rep->ranks; i++)
		sum_rank(rep, &rep->rank[i], rates);
	predict_seconds(rep);
}

/* ---- Repetitions ---- */

static double verify(struct asl_rank_case *p)
{
	enum asl_verify how = p->want->verify;

	asl_phase(&p->r, ASL_VERIFY);
	if (!p->r.data || how == ASL_VERIFY_NONE)
		return 0;
	return p->family->verify(&p->r, &p->common->data, p->own, how);
}

static struct asl_plan made(const struct asl_plan *plan,
			    const struct asl_outcome *outcome)
{
	struct asl_plan x = *plan;

	if (outcome->iterations)
		x.iterations = outcome->iterations;
	return x;
}

struct asl_plan asl_rep_made(const struct asl_rep *rep)
{
	return made(&rep->want->plan, &rep->outcome);
}

/* Predict the iterations that were made: only the run could know. */
static void predict(struct asl_rank_case *p)
{
	struct asl_plan x = made(&p->want->plan, &p->r.outcome);

	if (p->r.outcome.iterations)
		asl_plan_predict(&p->mine->predicted, &x, p->r.id);
}

/* Idle ranks have rows, too, if the rows are distributed over all ranks. */
static bool has_operands(const struct asl_rank_case *p)
{
	return p->want->first_rows || p->r.id < asl_plan_ranks(&p->want->plan);
}

/* What was filled in place, through the page cache, goes to the disk. */
static void settle_operands(struct asl_rank_case *p)
{
	if (!asl_store_has_blocks(p->pool))
		return;
	for (int i = 0; i < p->operands; i++)
		if (p->own[i].where == ASL_POOL)
			asl_store_settle(p->pool, p->own[i].at,
					 asl_type_doubles(p->own[i].type,
							  p->own[i].count));
}

static int repeat(struct asl_rank_case *p, struct asl_rank_record *record)
{
	const struct asl_plan *plan = &p->want->plan;
	bool idle = p->r.id >= asl_plan_ranks(plan);
	double begin;
	int err;

	asl_rank_restart(&p->r);
	/* They may have been filled before a restart. */
	if (has_operands(p) && !asl_replaying(&p->r))
		p->family->fill(&p->r, &p->common->data, p->own);
	settle_operands(p);
	asl_rank_case_filled(p);
	asl_mark_epoch(&p->r, NULL, 0);
	err = asl_net_barrier(p->net);
	if (!err)
		err = asl_hardware_begin(p);
	if (err)
		return err;
	begin = asl_now();
	if (!idle)
		asl_plan_runs(plan)->run(&p->r, plan, p->own);
	asl_mark_epoch(&p->r, NULL, 0);
	record->wall_s = asl_now() - begin;
	record->clock = p->r.clock;
	if (!p->r.err)
		err = asl_hardware_end(p);
	if (err)
		return err;
	record->residual = idle ? 0 : verify(p);
	record->seconds = p->r.seconds;
	record->spent = p->r.spent;
	record->core = asl_rank_case_core(p);
	record->counted = p->r.ledger;
	predict(p);
	record->outcome = p->r.outcome;
	record->lru = asl_replay_traffic(p->r.replay);
	if (p->resumable)
		record->resumed = asl_resume_moved(&p->resume);
	return asl_rank_finish(&p->r);
}

static int verdict(const struct asl_rep *rep)
{
	if (!rep->moved || rep->want->verify == ASL_VERIFY_NONE)
		return -1;
	return rep->residual <= ASL_RESIDUAL_LIMIT;
}

/* Rank 0's binding, which stands for all ranks'. */
static const char *bound_by(const struct asl_rank_case *p)
{
	const char *bind = p->want->bind ? p->want->bind : "none";

	if (asl_net_simulated(p->net))
		return "";
	return asl_machine()->bound && !strcmp(bind, "none") ? "launcher"
							     : bind;
}

static bool is_first(const struct asl_rank_record *all, int rank)
{
	for (int i = 0; i < rank; i++)
		if (!strcmp(all[i].medium, all[rank].medium))
			return false;
	return true;
}

/* The media of all ranks' pools: "fsdax", "fsdax+file". */
static void join_media(char text[64], const struct asl_rank_record *all,
		       int ranks)
{
	*text = '\0';
	for (int i = 0; i < ranks; i++) {
		size_t used = strlen(text);

		if (is_first(all, i))
			snprintf(text + used, 64 - used, "%s%s",
				 used ? "+" : "", all[i].medium);
	}
}

static void add_note(char *note, size_t room, const char *format, ...)
{
	size_t used = strlen(note);
	va_list args;

	if (used)
		used += (size_t)snprintf(note + used, room - used, "; ");
	va_start(args, format);
	if (used < room)
		vsnprintf(note + used, room - used, format, args);
	va_end(args);
}

/* "1, 3, ...": the ranks that are far from their pools; returns the first. */
static int list_far(char text[64], const struct asl_rep *rep)
{
	int first = -1;
	size_t used = 0;

	for (int i = 0; i < rep->ranks; i++) {
		if (!rep->rank[i].near.far)
			continue;
		if (first < 0)
			first = i;
		if (used < 40)
			used += (size_t)snprintf(text + used, 64 - used, "%s%d",
						 used ? ", " : "", i);
		else if (text[used - 1] != '.')
			used += (size_t)snprintf(text + used, 64 - used,
						 ", ...");
	}
	return first;
}

static void note_places(char *note, size_t room, const struct asl_rep *rep)
{
	char far[64];
	int first = list_far(far, rep);
	const struct asl_near *x = first < 0 ? NULL : &rep->rank[first].near;
	bool loose = false;

	if (x)
		add_note(
			note, room,
			"ranks far from their pools: %s (rank %d: from node %d "
			"to node %d, distance %d)",
			far, first, x->core_node, x->node, x->distance);
	for (int i = 0; i < rep->ranks; i++)
		loose |= *rep->bind && rep->rank[i].near.node >= 0 &&
			 rep->rank[i].near.core_node < 0;
	if (loose)
		add_note(note, room,
			 "ranks may run on any node: --bind socket or core "
			 "keeps them near their pools");
}

/*
 * On rank 0; not inlined, else every simulated rank's stack has room for the row
 * and its notes, a page more.
 */
static __attribute__((noinline)) int pass_on(struct asl_rank_case *p,
					     int number)
{
	const struct asl_rank_record *all = p->common->records;
	const struct asl_run_want *want = p->want;
	char medium[64], note[640] = "";
	struct asl_rep rep = {
		.want = want,
		.rep = number,
		.ended = time(NULL),
		.ranks = asl_net_size(p->net),
		.rank = all,
		.moved = p->r.data,
		.timed = p->r.timed && p->r.data,
		.emulated = p->emulator ? &p->probe : NULL,
		.emulated_net =
			p->emulator && asl_emulator_has_net(p->emulator),
		.crowded = asl_net_core(p->net) < 1,
		.lies_on = medium,
		.medium = p->emulator ? "emulated" : medium,
		.note = note,
		.provider = asl_net_provider(p->net),
		.threads = p->threads,
		.cores = p->cores,
		.bind = bound_by(p),
		.pool_dir = want->keep ? p->common->dir : "",
	};

	memcpy(rep.run_id, p->run_id, sizeof rep.run_id);
	join_media(medium, all, rep.ranks);
	/* Notes are about the speed of the real medium. */
	if (!p->emulator) {
		snprintf(note, sizeof note, "%s", asl_store_note(p->pool));
		note_places(note, sizeof note, &rep);
	}
	sum_ranks(&rep);
	asl_hardware_sum(&rep, p->hardware);
	rep.verified = verdict(&rep);
	return p->s->each(&rep, p->s->arg);
}

/* Records to rank 0, unless they are there, and its answer to every rank. */
static int collect(struct asl_rank_case *p, int number)
{
	int err = asl_net_simulated(p->net)
			  ? asl_net_barrier(p->net)
			  : asl_net_collect(p->net, p->common->records, p->mine,
					    sizeof *p->mine);
	int said = 0;

	if (!err)
		err = asl_hardware_collect(p);
	if (!err && asl_net_rank(p->net) == 0 && number >= 0)
		said = pass_on(p, number);
	if (!err)
		err = asl_net_share(p->net, &said, sizeof said);
	/* `each` prints its own errors. */
	p->s->printed |= said != 0 && said != ASL_RUN_ENOUGH;
	return err ? err : said;
}

/* The caller's memory may lie in a pool. */
static int settle(const struct asl_rank_case *p)
{
	const struct asl_given *into = p->want->into;

	if (!into || (p->r.id > 0 && !p->want->first_rows))
		return 0;
	return asl_store_persist(into->at, asl_given_bytes(into));
}

static int write_result(struct asl_rank_case *p)
{
	int err = 0;

	if (!p->keeps_result)
		return 0;
	if (has_operands(p))
		err = p->family->write(&p->r, &p->common->data, p->own);
	return asl_rank_case_agree(p, err ? err : settle(p));
}

static int repetitions(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	int err = 0;

	for (int i = -want->warmup; !err && i < want->reps; i++) {
		struct asl_rank_record *mine = p->mine;

		mine->near = p->near;
		if (!asl_net_simulated(p->net))
			asl_machine_cpus(mine->cpus, sizeof mine->cpus);
		*mine->medium = '\0';
		strncat(mine->medium, asl_store_medium(p->pool),
			sizeof mine->medium - 1);
		err = repeat(p, mine);
		if (!err)
			err = collect(p, i);
	}
	if (err == ASL_RUN_ENOUGH)
		err = 0;
	if (!err)
		err = write_result(p);
	return err ? err : asl_rank_case_finish(p);
}

/* ---- Cases ---- */

static int run_case(struct asl_session *s, struct asl_net *net,
		    struct asl_rank_case *p, int number)
{
	const struct asl_run_want *want = s->want[number];
	int err;
	bool began;

	*p = (struct asl_rank_case){
		.s = s,
		.common = &s->common[number],
		.want = want,
		/* A rank that refuses to take part has no plan. */
		.family = want->refusal ? NULL : want->plan.algorithm->family,
		.keeps_result = want->result || want->into,
		.net = net,
	};
	err = asl_rank_case_set_up(p);
	began = !err;
	if (began)
		err = repetitions(p);
	/* The network, which the rank has aborted, only knows of the abort. */
	err = p->r.err ? p->r.err : err;
	s->printed |= p->r.err != 0;
	if (err && !*s->why)
		snprintf(s->why, sizeof s->why, "%s", asl_failure());
	asl_rank_case_tear_down(p, began);
	return err;
}

static int body(struct asl_net *net, void *arg)
{
	struct asl_session *s = arg;
	int rank = asl_net_simulated(net) ? asl_net_rank(net) : 0, err = 0;

	for (int i = 0; !err && i < s->count; i++) {
		bool out = s->leave_out && s->leave_out[i];

		err = asl_net_share(net, &out, sizeof out); /* rank 0's */
		if (!err && !out)
			err = run_case(s, net, &s->rank[rank], i);
	}
	return err;
}

static bool has_data(const struct asl_run_want *want)
{
	return asl_store_can(want->store)->has_data;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool asl_run_together(const struct asl_run_want *a,
		      const struct asl_run_want *b)
{
	return same_text(a->transport, b->transport) &&
	       same_text(a->provider, b->provider) &&
	       a->plan.ranks == b->plan.ranks && has_data(a) == has_data(b);
}

static size_t ranks_here(const struct asl_run_want *want)
{
	bool all = asl_net_can(want->transport)->simulated;

	return all && want->plan.ranks > 1 ? (size_t)want->plan.ranks : 1;
}

static int run_session(struct asl_session *s)
{
	const struct asl_run_want *first = s->want[0];
	struct asl_net_want net = {
		.transport = first->transport,
		.provider = first->provider,
		.interface = first->interface,
		.ranks = first->plan.ranks,
		.comm = first->comm,
		.data = has_data(first),
	};
	int err;

	for (int i = 1; i < s->count; i++)
		if (!asl_run_together(first, s->want[i]))
			return asl_fail(
				-EINVAL,
				"cases 1 and %d of a run differ in transport, "
				"provider, ranks or whether there is data",
				i + 1);
	asl_blas_one_thread();
	err = asl_net_run(&net, body, s);
	if (*s->why)
		asl_fail(err, "%s", s->why);
	if (s->printed)
		asl_failure_printed();
	return err;
}

int asl_run_all(const struct asl_run_want *const want[], int count,
		const bool *leave_out,
		int (*each)(const struct asl_rep *rep, void *arg), void *arg)
{
	struct asl_session s = {
		.want = want,
		.count = count,
		.leave_out = leave_out,
		.each = each,
		.arg = arg,
	};
	int err;

	asl_forget_failure();
	s.common = calloc((size_t)count, sizeof *s.common);
	s.rank = asl_take_large(ranks_here(want[0]), sizeof *s.rank);
	if (s.common && s.rank)
		err = run_session(&s);
	else
		err = asl_fail(-ENOMEM, "no memory for %d cases", count);
	free(s.rank);
	free(s.common);
	return err;
}

int asl_run(const struct asl_run_want *want,
	    int (*each)(const struct asl_rep *rep, void *arg), void *arg)
{
	return asl_run_all(&want, 1, NULL, each, arg);
}
