/*
 * hwc_likwid.h -- what likwid's groups of events call what they measure
 */
#ifndef ASL_HWC_LIKWID_H
#define ASL_HWC_LIKWID_H

enum asl_likwid_volume {
	ASL_LIKWID_OTHER,
	ASL_LIKWID_READ,
	ASL_LIKWID_WRITTEN,
};

/* Is this metric a volume, in 1e9 bytes, read from memory, or written to it? */
enum asl_likwid_volume asl_likwid_volume(const char *metric);

#endif
