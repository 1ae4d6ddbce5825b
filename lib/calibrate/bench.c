/*
 * bench.c -- what one rank measures with: regions of stores, matrices, messages
 *
 * A region is to be out of reach of all caches.  Of one rank alone it has to be
 * some times as large as the last-level cache; of all at once, all their regions
 * together.
 */
#include "lib/calibrate/bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/machine/machine.h"

enum { CACHES = 4 };
#define LEAST_BYTES (UINT64_C(32) << 20)
#define MOST_BYTES (UINT64_C(1) << 30)

static char why[768];

const char *asl_calibrate_why(void)
{
	return why;
}

void asl_calibrate_forget(void)
{
	why[0] = '\0';
}

int asl_calibrate_fail(int err, const char *format, ...)
{
	va_list args;

	if (why[0])
		return err;
	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	return err;
}

static uint64_t region_words(uint64_t cache_bytes)
{
	uint64_t bytes = CACHES * cache_bytes;

	bytes = bytes < LEAST_BYTES  ? LEAST_BYTES
		: bytes > MOST_BYTES ? MOST_BYTES
				     : bytes;
	return bytes / sizeof(double);
}

/* The first rank's is the larger one: it is also measured alone. */
static uint64_t choose_regions(struct asl_bench *b)
{
	const struct asl_machine *m = asl_machine();

	b->words_alone = region_words(m->cache_bytes);
	b->words_all = region_words(m->cache_bytes / (uint64_t)m->cache_cores);
	return b->rank == 0 ? b->words_alone : b->words_all;
}

static int open_store(struct asl_store **out, struct asl_stream *s,
		      const struct asl_store_want *want)
{
	int err = asl_store_open(out, want);

	if (err)
		return asl_calibrate_fail(err, "%s", asl_failure());
	err = asl_stream_open(s, *out, want->words);
	return err ? asl_calibrate_fail(err,
					"no room for %ju words in the store "
					"%s: %s",
					want->words, want->name, asl_failure())
		   : 0;
}

static int open_stores(struct asl_bench *b)
{
	bool fresh;
	struct asl_store_want want = {
		.name = b->want->store,
		.dir = b->want->nvm_dir ? b->want->nvm_dir
					: asl_store_default_dir(&fresh),
		.run_id = "calibrate",
		.rank = b->rank,
		.words = choose_regions(b),
		.pieces = 1,
	};
	int err = open_store(&b->pool, &b->pool_stream, &want);

	b->dir = strcmp(want.name, "pmem") ? "" : want.dir;
	want.name = "dram";
	return err ? err : open_store(&b->dram, &b->dram_stream, &want);
}

/* Only the first and the last rank play. */
static int open_sweep(struct asl_bench *b)
{
	int last = b->ranks - 1;

	if (b->rank > 0 && b->rank < last)
		return 0;
	return asl_sweep_open(&b->sweep, b->rank ? 0 : last, b->rank == 0);
}

static int bind(const struct asl_bench *b)
{
	int mates, mate = asl_net_mate(b->net, &mates);
	int err = asl_machine_bind(b->want->bind, mate, mates);

	return err ? asl_calibrate_fail(err, "--bind: %s", asl_bind_why()) : 0;
}

int asl_bench_open(struct asl_bench *b)
{
	int err;

	b->ranks = asl_net_size(b->net);
	err = bind(b);
	if (!err)
		err = open_stores(b);
	if (err)
		return err;
	err = asl_product_open(&b->product);
	if (!err)
		err = open_sweep(b);
	return err ? asl_calibrate_fail(err, "no memory for matrices and "
					     "messages")
		   : 0;
}

void asl_bench_close(struct asl_bench *b)
{
	asl_sweep_close(&b->sweep);
	asl_product_close(&b->product);
	asl_stream_close(&b->dram_stream);
	asl_stream_close(&b->pool_stream);
	asl_store_close(b->dram);
	asl_store_close(b->pool);
}
