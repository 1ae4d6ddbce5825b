/*
 * hardware.c -- the hardware's counts in a case, host by host
 *
 * The first rank of every host reads its memory controllers, with the backend
 * that rank 0 found; on sim only rank 0 does.  Without a backend nothing here has
 * an effect.  With one, ranks synchronize twice more in a repetition: nobody
 * begins before all counters are started, and nobody goes on to verify before
 * they are read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/run/rank_case.h"
#include "lib/run/run.h"
#include "net/net.h"

/* ---- Before the first repetition ---- */

/* Why nothing was counted, which is no failure of the run. */
static int note_failure(struct asl_hardware_record *mine, int err)
{
	snprintf(mine->why, sizeof mine->why, "%s", err ? asl_failure() : "");
	asl_forget_failure();
	return err;
}

static int open_counters(struct asl_rank_case *p, const char *backend)
{
	const char *medium = asl_store_medium(p->pool);
	struct asl_hwc_want want = {
		.backend = backend,
		.memory = p->hardware->mine.host,
		.persistent =
			!strcmp(medium, "fsdax") || !strcmp(medium, "devdax"),
	};
	struct asl_hardware *h = p->hardware;

	return note_failure(&h->mine, asl_hwc_open(&h->hwc, &want));
}

/* Rank 0 finds a backend; the others use it, or note why they cannot. */
static int open_alike(struct asl_rank_case *p)
{
	struct asl_hardware *h = p->hardware;
	int err = 0;

	if (asl_net_rank(p->net) == 0) {
		err = open_counters(p, p->want->hwc);
		snprintf(h->note, sizeof(h->note), "%s",
			 err ? h->mine.why : asl_hwc_note(h->hwc));
		if (!err)
			strcpy(h->backend, asl_hwc_backend(h->hwc));
	}
	err = asl_net_share(p->net, h->backend, sizeof(h->backend));
	if (!err && *h->backend && h->mine.process && !h->hwc)
		open_counters(p, h->backend);
	return err;
}

/* A backend that was named must count on every host. */
static int check(const struct asl_rank_case *p)
{
	const struct asl_hardware *h = p->hardware;

	if (!strcmp(p->want->hwc, "auto") || !h->mine.host || h->hwc)
		return 0;
	return asl_fail(-ENODEV,
			"no hardware counters by %s, which was asked for: %s",
			p->want->hwc, h->mine.why);
}

static int take_records(struct asl_rank_case *p)
{
	struct asl_hardware *h = p->hardware;

	if (!*h->backend || asl_net_rank(p->net) > 0)
		return 0;
	h->all = calloc((size_t)asl_net_size(p->net), sizeof(*h->all));
	return h->all ? 0 : asl_fail(-ENOMEM, "no memory for counters");
}

static bool is_asked(const struct asl_rank_case *p)
{
	return p->want->hwc && strcmp(p->want->hwc, "off");
}

bool asl_hardware_counts(const struct asl_rank_case *p)
{
	return is_asked(p) && asl_store_can(p->want->store)->has_data;
}

int asl_hardware_open(struct asl_rank_case *p)
{
	struct asl_hardware *h;
	int err;

	if (!asl_hardware_counts(p) && asl_net_rank(p->net) > 0)
		return 0;
	h = p->hardware = calloc(1, sizeof *h);
	if (!h)
		return asl_fail(-ENOMEM, "no memory for counters");
	if (!asl_hardware_counts(p)) {
		strcpy(h->note,
		       is_asked(p) ? "nothing was moved" : "not asked for");
		return 0;
	}
	/* On sim all ranks are one process, for which rank 0 counts. */
	h->mine.process =
		asl_net_rank(p->net) == 0 || !asl_net_simulated(p->net);
	h->mine.host = asl_net_host_rank(p->net) == 0;
	err = open_alike(p);
	if (!err)
		err = asl_rank_case_agree(p, check(p));
	return err ? err : asl_rank_case_agree(p, take_records(p));
}

void asl_hardware_close(struct asl_hardware *h)
{
	if (!h)
		return;
	asl_hwc_close(h->hwc);
	free(h->all);
	free(h->sockets);
	free(h);
}

/* ---- A repetition ---- */

int asl_hardware_begin(struct asl_rank_case *p)
{
	struct asl_hardware *h = p->hardware;

	if (!h || !*h->backend)
		return 0;
	if (h->hwc)
		note_failure(&h->mine, asl_hwc_start(h->hwc));
	return asl_net_barrier(p->net);
}

int asl_hardware_end(struct asl_rank_case *p)
{
	struct asl_hardware *h = p->hardware;
	int err;

	if (!h || !*h->backend)
		return 0;
	err = asl_net_barrier(p->net);
	h->mine.count = (struct asl_hwc_count){.share = 1};
	if (!err && h->hwc && !*h->mine.why)
		note_failure(&h->mine, asl_hwc_stop(h->hwc, &h->mine.count));
	return err;
}

int asl_hardware_collect(struct asl_rank_case *p)
{
	struct asl_hardware *h = p->hardware;

	return h && *h->backend ? asl_net_collect(p->net, h->all, &h->mine,
						  sizeof(h->mine))
				: 0;
}

/* ---- Sums over ranks ---- */

/* "RANK/SOCKET/MEDIUM:READ:WRITTEN;..." */
static void list_sockets(FILE *f, int rank, const struct asl_hwc_count *count)
{
	for (int s = 0; s < ASL_HWC_SOCKETS; s++)
		for (int m = 0; m < ASL_HWC_MEDIA; m++) {
			const struct asl_hwc_bytes *x = &count->of[s][m];

			if (x->counted)
				fprintf(f, "%s%d/%d/%s:%ju:%ju",
					ftell(f) ? ";" : "", rank, s,
					asl_hwc_medium_name(m), x->read,
					x->written);
		}
}

static void add_memory(struct asl_rep_hardware *to,
		       const struct asl_hwc_count *count)
{
	for (int s = 0; s < ASL_HWC_SOCKETS; s++)
		for (int m = 0; m < ASL_HWC_MEDIA; m++) {
			to->read_bytes += count->of[s][m].read;
			to->write_bytes += count->of[s][m].written;
		}
}

/* A sum without one of its terms would be wrong: then there is none. */
static void add(struct asl_rep_hardware *to, struct asl_hardware *h, int rank)
{
	const struct asl_hardware_record *x = &h->all[rank];

	if (!x->process)
		return;
	to->misses &= x->count.misses;
	to->miss_bytes += x->count.missed_bytes;
	if (x->count.share < to->share)
		to->share = x->count.share;
	if (!x->host)
		return;
	add_memory(to, &x->count);
	if (to->memory && *x->why)
		snprintf(h->said, sizeof(h->said), "rank %d: %s", rank, x->why);
	to->memory &= x->count.memory;
	to->energy &= x->count.energy;
	to->energy_dram &= x->count.energy_dram;
	to->joules += (double)x->count.microjoules * 1e-6;
}

static void put_note(struct asl_hardware *h, const struct asl_rep_hardware *x)
{
	size_t used;

	if (!*h->said)
		snprintf(h->said, sizeof(h->said), "%s", h->note);
	used = strlen(h->said);
	if (x->share < 1 && (x->memory || x->misses))
		snprintf(h->said + used, sizeof(h->said) - used,
			 "; events took turns, and counted %.0f%% of the time",
			 100 * x->share);
}

static char *all_sockets(const struct asl_hardware *h, int ranks)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return NULL;
	for (int i = 0; i < ranks; i++)
		if (h->all[i].host)
			list_sockets(f, i, &h->all[i].count);
	fclose(f);
	return text;
}

void asl_hardware_sum(struct asl_rep *rep, struct asl_hardware *h)
{
	struct asl_rep_hardware *to = &rep->hardware;

	*to = (struct asl_rep_hardware){
		.backend = h->backend, .note = h->said, .share = 1};
	h->said[0] = '\0';
	if (*h->backend) {
		to->memory = to->misses = true;
		to->energy = to->energy_dram = true;
		for (int i = 0; i < rep->ranks; i++)
			add(to, h, i);
		free(h->sockets);
		h->sockets = to->memory ? all_sockets(h, rep->ranks) : NULL;
		to->sockets = h->sockets;
	}
	put_note(h, to);
}
