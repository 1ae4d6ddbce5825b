/*
 * hwc_backend.h -- the interface of a backend of hardware counters
 *
 * A backend is a file with a const struct asl_hwc_backend, and its place in the
 * table of hwc.c, best first.
 */
#ifndef ASL_HWC_BACKEND_H
#define ASL_HWC_BACKEND_H

#include "lib/machine/hwc.h"

struct asl_hwc {
	const struct asl_hwc_backend *backend;
	void *state; /* the backend's */
	char note[256];
};

struct asl_hwc_backend {
	const char *name, *summary;
	/* Sets h->state and h->note. */
	int (*open)(struct asl_hwc *h, const struct asl_hwc_want *want);
	void (*close)(struct asl_hwc *h); /* after a successful open */
	int (*start)(struct asl_hwc *h);
	int (*stop)(struct asl_hwc *h,
		    struct asl_hwc_count *count); /* zeroed */
};

extern const struct asl_hwc_backend asl_hwc_likwid, asl_hwc_perf;

/* ---- Metrics of likwid's groups of events ---- */

enum asl_likwid_volume {
	ASL_LIKWID_OTHER,
	ASL_LIKWID_READ,
	ASL_LIKWID_WRITTEN,
};

/* Is this metric the volume, in 1e9 bytes, read from memory or written to it? */
enum asl_likwid_volume asl_likwid_volume(const char *metric);

#endif
