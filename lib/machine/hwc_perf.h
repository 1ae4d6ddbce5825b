/*
 * hwc_perf.h -- Linux's performance events: find them, read them
 *
 * All access to the system goes through a struct, which a test or a recorded
 * machine can replace.
 */
#ifndef ASL_HWC_PERF_H
#define ASL_HWC_PERF_H

#include <stddef.h>

#include "lib/machine/hwc_backend.h"

struct perf_event_attr;

/* One counter of one memory controller, or of several, in one socket. */
struct asl_perf_event {
	uint32_t type;
	uint64_t config[3]; /* config, config1, config2 */
	int cpu, socket;
	enum asl_hwc_medium medium;
	bool writes;
	double bytes; /* a count; of energy: millionths of a joule */
};

struct asl_perf_events {
	struct asl_perf_event *list; /* to be freed, also after an error */
	size_t count;
};

/*
 * Find the events that count bytes to and from memory.  -ENODEV: there are none.
 * -EINVAL: a system file is not as expected.
 */
int asl_perf_find(struct asl_perf_events *events, const char *root);

#define ASL_PERF_DEVICES "/sys/bus/event_source/devices"

/* The count of an event since it was opened, and the times for it. */
struct asl_perf_value {
	uint64_t count, enabled, running;
};

struct asl_perf_system {
	const char *root; /* before the names of system files */
	/* A file descriptor, or a negative errno. */
	int (*open)(const struct asl_perf_system *system,
		    struct perf_event_attr *attr, int pid, int cpu);
	/* 0 or a negative errno. */
	int (*read)(int fd, struct asl_perf_value *value);
};

extern const struct asl_perf_system asl_perf_kernel;

/* Open the backend on that system. */
int asl_perf_open(struct asl_hwc *h, const struct asl_hwc_want *want,
		  const struct asl_perf_system *system);

/*
 * Bytes between two readings, where a count is `bytes`; the counter may have
 * wrapped at 2^64.  An event that had to share its counter is extrapolated, and
 * *share is the part of the time in which it was counted.  False: it never was.
 */
bool asl_perf_between(uint64_t *sum, double *share,
		      const struct asl_perf_value *before,
		      const struct asl_perf_value *after, double bytes);

#endif
