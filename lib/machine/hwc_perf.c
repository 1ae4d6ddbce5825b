/*
 * hwc_perf.c -- counting with Linux's performance events
 *
 * Events count from when they are opened, and are read before and after: the
 * kernel widens counters to 64 bits, and takes events in turns where there are
 * more than counters.  See perf_event_open(2).
 */
#include "lib/machine/hwc_perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/machine/system.h"

struct perf {
	struct asl_perf_system system;
	struct asl_perf_events events; /* empty: memory is not counted */
	int *fd;		       /* [events.count] */
	struct asl_perf_value *before; /* [events.count] */
	int missed_fd;		       /* -1: misses are not counted */
	struct asl_perf_value missed_before;
	double line_bytes;
};

/* ---- Why not ---- */

static int forbidden(int err, const char *root, const char *least)
{
	char level[32] = "unknown";

	asl_system_line(level, sizeof(level), root,
			"/proc/sys/kernel/perf_event_paranoid");
	return asl_hwc_fail(-ENODEV,
			    "%s: kernel.perf_event_paranoid is %s, expected "
			    "%s at most, or CAP_PERFMON; a container may "
			    "forbid it, too",
			    strerror(-err), level, least);
}

static int refused(int err, const char *root, const char *least)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return forbidden(err, root, least);
	case ENOSYS:
		return asl_hwc_fail(-ENODEV,
				    "this kernel has no perf_event_open");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return asl_hwc_fail(-ENODEV, "this processor does not have it");
	default:
		return asl_hwc_fail(-ENODEV, "%s", strerror(-err));
	}
}

/* ---- Opening ---- */

static struct perf_event_attr attr_of(uint32_t type, const uint64_t config[3])
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config[0],
		.config1 = config[1],
		.config2 = config[2],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static void close_memory(struct perf *p, size_t opened)
{
	for (size_t i = 0; i < opened; i++)
		close(p->fd[i]);
	free(p->fd);
	free(p->before);
	free(p->events.list);
	p->fd = NULL;
	p->before = NULL;
	p->events = (struct asl_perf_events){0};
}

static int open_memory(struct perf *p)
{
	const char *root = p->system.root;
	int err = asl_perf_find(&p->events, root);
	size_t i = 0, count = p->events.count;

	p->fd = calloc(count + 1, sizeof(*p->fd));
	p->before = calloc(count + 1, sizeof(*p->before));
	if (!err && (!p->fd || !p->before))
		err = asl_hwc_fail(-ENOMEM, "no memory");
	for (; !err && i < count; i++) {
		const struct asl_perf_event *x = &p->events.list[i];
		struct perf_event_attr attr = attr_of(x->type, x->config);

		p->fd[i] = p->system.open(&p->system, &attr, -1, x->cpu);
		if (p->fd[i] < 0) {
			err = refused(p->fd[i], root, "0");
			break;
		}
	}
	if (err)
		close_memory(p, i);
	return err;
}

/* In user mode only, which more administrators allow. */
static int open_misses(struct perf *p)
{
	struct perf_event_attr attr =
		attr_of(PERF_TYPE_HARDWARE,
			(const uint64_t[]){PERF_COUNT_HW_CACHE_MISSES, 0, 0});
	char line[32] = "";
	int fd;

	asl_system_line(line, sizeof(line), p->system.root,
			"/sys/devices/system/cpu/cpu0/cache/index0/"
			"coherency_line_size");
	p->line_bytes = atoi(line);
	if (p->line_bytes < 1)
		return asl_hwc_fail(-ENODEV, "the machine does not say how "
					     "long its cache lines are");
	attr.inherit = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = p->system.open(&p->system, &attr, 0, -1);
	if (fd < 0)
		return refused(fd, p->system.root, "2");
	p->missed_fd = fd;
	return 0;
}

/* "dram" or "dram and pmm". */
static const char *media_of(const struct perf *p)
{
	for (size_t i = 0; i < p->events.count; i++)
		if (p->events.list[i].medium == ASL_HWC_PMM)
			return "dram and pmm";
	return "dram";
}

/* What is counted, and why not the rest; "": it is, or is not wanted. */
static void put_note(struct asl_hwc *h, const struct perf *p,
		     const char *no_memory, const char *no_misses)
{
	if (!p->events.count)
		snprintf(h->note, sizeof(h->note), "cache misses only%s%s",
			 *no_memory ? "; " : "", no_memory);
	else
		snprintf(h->note, sizeof(h->note), "%s of whole sockets%s%s",
			 media_of(p), *no_misses ? "; " : "", no_misses);
}

int asl_perf_open(struct asl_hwc *h, const struct asl_hwc_want *want,
		  const struct asl_perf_system *system)
{
	char no_memory[sizeof(h->note) / 2] = "", no_misses[160] = "";
	struct perf *p = calloc(1, sizeof(*p));

	if (!p)
		return asl_hwc_fail(-ENOMEM, "no memory");
	p->system = *system;
	p->missed_fd = -1;
	if (want->memory && open_memory(p))
		snprintf(no_memory, sizeof(no_memory), "%s", asl_hwc_why());
	if (open_misses(p))
		snprintf(no_misses, sizeof(no_misses), "no cache misses: %s",
			 asl_hwc_why());
	h->state = p;
	put_note(h, p, no_memory, no_misses);
	if (p->events.count || !*no_misses)
		return 0;
	free(p);
	return asl_hwc_fail(-ENODEV, "%s%s%s", no_memory,
			    *no_memory ? "; " : "", no_misses);
}

static void close_perf(struct asl_hwc *h)
{
	struct perf *p = h->state;

	close_memory(p, p->events.count);
	if (p->missed_fd >= 0)
		close(p->missed_fd);
	free(p);
}

/* ---- Counting ---- */

bool asl_perf_between(uint64_t *sum, double *share,
		      const struct asl_perf_value *before,
		      const struct asl_perf_value *after, double bytes)
{
	uint64_t count = after->count - before->count;
	uint64_t enabled = after->enabled - before->enabled;
	uint64_t running = after->running - before->running;

	if (!running || running > enabled)
		return false;
	/* Long, so that sums of whole bytes are exact. */
	*sum = (uint64_t)((long double)count * bytes *
				  ((long double)enabled / running) +
			  0.5L);
	*share = (double)running / (double)enabled;
	return true;
}

static int read_failed(int err)
{
	return asl_hwc_fail(err, "counters can't be read: %s", strerror(-err));
}

static int start(struct asl_hwc *h)
{
	struct perf *p = h->state;
	int err = 0;

	for (size_t i = 0; !err && i < p->events.count; i++)
		err = p->system.read(p->fd[i], &p->before[i]);
	if (!err && p->missed_fd >= 0)
		err = p->system.read(p->missed_fd, &p->missed_before);
	return err ? read_failed(err) : 0;
}

static int stop_one(struct asl_hwc_count *count, struct perf *p, size_t i)
{
	const struct asl_perf_event *x = &p->events.list[i];
	struct asl_hwc_bytes *to = &count->of[x->socket][x->medium];
	struct asl_perf_value now;
	uint64_t sum;
	double share;
	int err = p->system.read(p->fd[i], &now);

	if (err)
		return read_failed(err);
	if (!asl_perf_between(&sum, &share, &p->before[i], &now, x->bytes))
		return asl_hwc_fail(-EBUSY, "an event never had its turn: the "
					    "counters are taken");
	to->counted = true;
	*(x->writes ? &to->written : &to->read) += sum;
	count->share = fmin(count->share, share);
	return 0;
}

static int stop_misses(struct asl_hwc_count *count, struct perf *p)
{
	struct asl_perf_value now;
	double share;
	int err = p->system.read(p->missed_fd, &now);

	if (err)
		return read_failed(err);
	count->misses =
		asl_perf_between(&count->missed_bytes, &share,
				 &p->missed_before, &now, p->line_bytes);
	return 0;
}

static int stop(struct asl_hwc *h, struct asl_hwc_count *count)
{
	struct perf *p = h->state;
	int err = 0;

	for (size_t i = 0; !err && i < p->events.count; i++)
		err = stop_one(count, p, i);
	count->memory = p->events.count > 0;
	if (!err && p->missed_fd >= 0)
		err = stop_misses(count, p);
	return err;
}

/* ---- The backend ---- */

static int open_perf(struct asl_hwc *h, const struct asl_hwc_want *want)
{
	const char *root = getenv("ASLANT_HWC_RECORDED");
	struct asl_perf_system recorded;
	char note[sizeof(h->note)];
	int err;

	if (!root)
		return asl_perf_open(h, want, &asl_perf_kernel);
	recorded = asl_perf_recorded(root);
	err = asl_perf_open(h, want, &recorded);
	memcpy(note, h->note, sizeof(note));
	snprintf(h->note, sizeof(h->note), "NOT MEASURED, recorded: %.200s",
		 note);
	return err;
}

const struct asl_hwc_backend asl_hwc_perf = {
	.name = "perf",
	.summary = "Linux's performance events: memory controllers, cache "
		   "misses",
	.open = open_perf,
	.close = close_perf,
	.start = start,
	.stop = stop,
};
