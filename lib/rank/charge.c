/*
 * charge.c -- a rank's start, errors and phases; what verbs charge to it
 *
 * The verbs are in memory.c and network.c.  Each of them returns if an error was
 * noted, counts, and then acts if there is data.
 */
#include "lib/rank/rank.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "lib/base/error.h"
#include "lib/rank/emulate.h"
#include "lib/rank/replay.h"
#include "lib/rank/resume.h"
#include "lib/rank/trace.h"

void asl_rank_init(struct asl_rank *r, const struct asl_rank_want *want)
{
	*r = (struct asl_rank){
		.id = asl_net_rank(want->net),
		.size = asl_net_size(want->net),
		.cache = want->cache,
		.memory = {[ASL_POOL] = want->pool, [ASL_DRAM] = want->staging},
		.net = want->net,
		.data = asl_store_has_data(want->pool),
		.timed = !asl_net_simulated(want->net),
		.replay = want->replay,
		.times = want->times,
		.crowded = want->crowded,
		.type = want->type,
		.trace = want->trace,
	};
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		r->rates[a] = asl_rates(want->costs, a);
	asl_rank_restart(r);
}

void asl_note_high(struct asl_rank *r)
{
	uint64_t pool = r->held[ASL_POOL] - r->stored;
	uint64_t all = pool + r->held[ASL_DRAM];

	if (!asl_phase_counts(r->phase))
		return;
	if (r->ledger.memory_high < all)
		r->ledger.memory_high = all;
	if (r->ledger.pool_high < pool)
		r->ledger.pool_high = pool;
}

void asl_rank_restart(struct asl_rank *r)
{
	r->ledger = (struct asl_ledger){0};
	r->clock = (struct asl_net_stamp){.since = 0};
	r->seconds = (struct asl_seconds){0};
	r->spent = (struct asl_spent){.disk = 0};
	r->owed = 0;
	r->outcome = (struct asl_outcome){0, NAN, NAN};
	asl_replay_clear(r->replay);
}

void asl_rank_stop(struct asl_rank *r, int err)
{
	if (r->err || !err)
		return;
	r->err = err;
	/* Another rank's abort reached us: its words are the ones to print. */
	if (err != -ECONNABORTED)
		asl_net_abort(r->net, asl_exit_code(err), asl_failure());
}

void asl_rank_fail(struct asl_rank *r, int err, const char *format, ...)
{
	va_list args;

	if (r->err)
		return;
	va_start(args, format);
	asl_vfail(err, format, args);
	va_end(args);
	asl_rank_stop(r, err);
}

void asl_phase(struct asl_rank *r, enum asl_phase phase)
{
	r->phase = phase;
	asl_note_high(r);
}

int asl_rank_finish(struct asl_rank *r)
{
	asl_rank_stop(r, asl_store_error(r->memory[ASL_POOL]));
	asl_rank_stop(r, asl_trace_end(r->trace));
	return r->err;
}

static atomic_bool interrupted;

void asl_rank_interrupt(bool ends)
{
	atomic_store(&interrupted, ends);
}

/* An emulator waits for these words; their request ends with the verb. */
static void spend_device(struct asl_rank *r, enum asl_counter counter,
			 uint64_t runs, uint64_t run)
{
	const struct asl_device_times *device = &r->times->device;
	enum asl_direction way;
	uint64_t bytes = asl_emulated_bytes(&way, counter, runs,
					    run * asl_type_bytes(r->type),
					    device->line_bytes);

	if (bytes)
		asl_spend(r, way == ASL_READS ? ASL_ON_READING : ASL_ON_WRITING,
			  device->request[way] + device->word[way] *
							 (double)bytes /
							 sizeof(double));
}

void asl_charge_runs(struct asl_rank *r, enum asl_counter counter,
		     uint64_t runs, uint64_t run)
{
	uint64_t n = runs * run;

	if (atomic_load_explicit(&interrupted, memory_order_relaxed))
		asl_rank_fail(r, -EINTR, "interrupted");
	r->ledger.in[r->phase].of[counter] += n;
	if (!asl_phase_counts(r->phase))
		return;
	if (r->resume)
		asl_resume_count(r, r->phase, counter, n);
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		r->clock.at[a] += r->rates[a].of[counter] * (double)n;
	if (r->trace)
		asl_trace_work(r->trace, counter, n,
			       r->rates[ASL_APM].of[counter] * (double)n);
	if (r->times && r->times->device.word[ASL_READS] > 0)
		spend_device(r, counter, runs, run);
	if (r->emulator)
		asl_emulator_note(r->emulator, counter, runs,
				  run * asl_type_bytes(r->type));
}

void asl_charge(struct asl_rank *r, enum asl_counter counter, uint64_t n)
{
	asl_charge_runs(r, counter, 1, n);
}

void asl_spend_work(struct asl_rank *r, enum asl_spending on, double ns)
{
	if (!r->times || !asl_phase_counts(r->phase))
		return;
	r->spent.ns[on] += ns;
	if (on == ASL_ON_NETWORK || r->owed <= 0)
		return;
	ns = fmin(ns, r->owed);
	r->spent.ns[ASL_ON_NETWORK] += ns;
	r->owed -= ns;
}

void asl_spend(struct asl_rank *r, enum asl_spending on, double ns)
{
	asl_spend_work(r, on, ns);
	if (r->times && asl_phase_counts(r->phase))
		r->clock.at[ASL_TIME] += ns;
}

void asl_spend_disk(struct asl_rank *r, bool writes, uint64_t rows,
		    uint64_t cols, uint64_t ld)
{
	double ns;

	if (!r->times || !asl_phase_counts(r->phase))
		return;
	cols = asl_type_doubles(r->type, cols);
	ld = asl_type_doubles(r->type, ld);
	ns = asl_disk_ns(&r->times->disk, writes, rows, cols, ld);
	r->spent.disk += ns;
	r->clock.at[ASL_TIME] += ns;
}

void asl_time_add(struct asl_rank *r, enum asl_verb verb, double s)
{
	r->seconds.in[r->phase] += s;
	if (!asl_phase_counts(r->phase))
		return;
	*(verb == ASL_COMPUTES ? &r->seconds.compute
	  : verb == ASL_TALKS  ? &r->seconds.comm
			       : &r->seconds.io) += s;
}

/* Moving may have taken part of its emulated time already, other verbs none. */
void asl_time_since(struct asl_rank *r, enum asl_verb verb, double since)
{
	double until = asl_now();

	asl_time_add(r, verb, until - since);
	if (r->emulator)
		asl_emulator_pool(r, verb == ASL_MOVES ? since : until, until);
}
