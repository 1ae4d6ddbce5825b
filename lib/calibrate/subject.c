/*
 * subject.c -- what is measured, by whom, and for how long
 */
#include "lib/calibrate/subject.h"

static int memory(struct asl_bench *b, double ns[ASL_KINDS], uint64_t words)
{
	ns[0] = asl_stream_read(&b->pool_stream, words);
	ns[1] = asl_stream_write(&b->pool_stream, words);
	ns[2] = asl_stream_read(&b->dram_stream, words);
	ns[3] = asl_stream_write(&b->dram_stream, words);
	return asl_store_error(b->pool);
}

static int flops(struct asl_bench *b, double ns[ASL_KINDS], uint64_t words)
{
	(void)words;
	ns[0] = asl_product_time(&b->product);
	return 0;
}

static int network(struct asl_bench *b, double ns[ASL_KINDS], uint64_t words)
{
	int err = asl_sweep_run(&b->sweep, b->net);
	struct asl_line line;

	(void)words;
	if (err)
		return err;
	line = asl_line_fit(b->sweep.words, b->sweep.ns, ASL_SWEEP_SIZES);
	ns[0] = line.alpha;
	ns[1] = line.beta;
	ns[2] = line.worst;
	return 0;
}

const struct asl_subject asl_subjects[ASL_SUBJECTS + 1] = {
	{"memory, one rank", ASL_ONE, ASL_READ_NS, 4, 0.25, memory},
	{"memory, all ranks", ASL_ALL, ASL_READ_NS, 4, 0.3, memory},
	{"flops, one rank", ASL_ONE, ASL_FLOP_NS, 1, 0.1, flops},
	{"flops, all ranks", ASL_ALL, ASL_FLOP_NS, 1, 0.1, flops},
	{"messages, two ranks", ASL_PAIR, ASL_LATENCY_NS, 3, 0.25, network},
	{0},
};
