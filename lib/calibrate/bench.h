/*
 * bench.h -- what one rank measures with, for the files of this folder
 */
#ifndef ASL_CALIBRATE_BENCH_H
#define ASL_CALIBRATE_BENCH_H

#include "lib/calibrate/calibrate.h"
#include "lib/calibrate/flops.h"
#include "lib/calibrate/memory.h"
#include "lib/calibrate/network.h"

struct asl_bench {
	const struct asl_calibrate_want *want;
	struct asl_net *net;
	int rank, ranks;
	struct asl_store *pool, *dram;
	struct asl_stream pool_stream, dram_stream;
	struct asl_product product;
	struct asl_sweep sweep;
	uint64_t words_all, words_alone;
	const char *dir;
};

/* 0 or a negative errno, after asl_calibrate_fail; close is due either way. */
int asl_bench_open(struct asl_bench *b);
void asl_bench_close(struct asl_bench *b);

/* Set aside what asl_calibrate_why() gives, unless there is something. */
int asl_calibrate_fail(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void asl_calibrate_forget(void);

#endif
