/*
 * hwc.h -- hardware counters: bytes through memory controllers, cache misses, energy
 *
 * They measure what the machine really moved, beside the words that are counted
 * as they are moved.  Memory controllers count for whole sockets, whoever caused
 * the traffic, so one process of a host asks them (want->memory).  Misses of the
 * last-level cache are counted for each process alone.  Processors count the
 * energy that packages and DRAM use, also for whole sockets: perf alone asks them.
 *
 * Backends	likwid and perf (Linux), by name; auto: the first that can count
 *		here.  Many machines, virtual ones above all, count nothing, or
 *		not for every user: then open fails and says why.
 * Order	open; start and stop, any number of times; close.
 * Errors	0, or a negative errno, described by asl_failure().
 * Threads	Only the thread that opened.
 */
#ifndef ASL_HWC_H
#define ASL_HWC_H

#include <stdbool.h>
#include <stdint.h>

enum { ASL_HWC_SOCKETS = 16 };

enum asl_hwc_medium { ASL_HWC_DRAM, ASL_HWC_PMM, ASL_HWC_MEDIA };

struct asl_hwc_want {
	const char *backend; /* likwid, perf, auto */
	bool memory;	     /* count the memory traffic of this host, too */
	bool persistent;     /* prefer PMM where only one medium is counted */
};

struct asl_hwc_bytes {
	bool counted; /* the others mean something */
	uint64_t read, written;
};

/* Between start and stop. */
struct asl_hwc_count {
	struct asl_hwc_bytes of[ASL_HWC_SOCKETS][ASL_HWC_MEDIA];
	bool memory; /* every controller of this host was counted */
	bool misses; /* missed_bytes means something */
	uint64_t missed_bytes;
	bool energy; /* of every package was counted, in millionths of a joule */
	bool energy_dram; /* and of memory, where the processor counts it */
	uint64_t microjoules;
	/*
	 * The minimum part of the time in which an event was counted.  Below 1
	 * there are more events than counters; bytes are extrapolated.
	 */
	double share;
};

struct asl_hwc;

/*
 *	-ENOENT		no backend of that name
 *	-ENODEV		it can't count here: the machine, or its administrator,
 *			does not allow it
 *	-ENOMEM		no memory
 */
int asl_hwc_open(struct asl_hwc **out, const struct asl_hwc_want *want);
void asl_hwc_close(struct asl_hwc *h); /* NULL is allowed */

const char *asl_hwc_backend(const struct asl_hwc *h);

/* What is counted and, if that is not everything, why. */
const char *asl_hwc_note(const struct asl_hwc *h);

/* After an error *count says that nothing was counted. */
int asl_hwc_start(struct asl_hwc *h);
int asl_hwc_stop(struct asl_hwc *h, struct asl_hwc_count *count);

const char *asl_hwc_medium_name(enum asl_hwc_medium medium);

/* Values of the option, NULL-ended: the backends, then auto and off. */
const char *const *asl_hwc_names(void);

/* A line about a backend. */
const char *asl_hwc_summary(const char *name);

#endif
