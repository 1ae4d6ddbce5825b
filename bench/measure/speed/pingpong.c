/*
 * pingpong.c -- how long does a message take, and how many bytes a second?
 *
 *	mpiexec -n 2 speed-pingpong TRANSPORT PROVIDER BYTES ROUNDS
 *
 * Two ranks send a message to and fro, as fi_pingpong does, with which it is
 * compared (bench/measure/speed/pingpong).  A tenth of the rounds comes first
 * and is not timed.  Every round's stamp and the last one's bytes are checked,
 * and nothing is printed if they are wrong.
 *
 * It prints bytes, microseconds one way, and MB/s.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/system.h"
#include "net/net.h"

struct game {
	size_t bytes;
	int rounds;
	char *out, *in;
	double seconds;
};

/* Like fi_pingpong, have the next receive ready before the peer can send. */
static int play(struct asl_net *net, const struct game *g, int rounds)
{
	int me = asl_net_rank(net), err;
	struct asl_net_op in = {
		.to = ASL_NET_NONE,
		.from = 1 - me,
		.in = g->in,
		.in_bytes = g->bytes,
	};
	struct asl_net_op out = {
		.to = 1 - me,
		.from = ASL_NET_NONE,
		.out = g->out,
		.out_bytes = g->bytes,
	};

	err = asl_net_start(net, &in);
	for (int k = 0; k < 2 * rounds && !err; k++) {
		out.sent.at[0] = k;
		if (k % 2 == me) {
			err = asl_net_start(net, &out);
			if (!err)
				err = asl_net_wait(net, &out);
			continue;
		}
		err = asl_net_wait(net, &in);
		if (!err && in.got.at[0] != k)
			err = -EBADMSG;
		if (!err && k < 2 * rounds - 2)
			err = asl_net_start(net, &in);
	}
	return err;
}

static int body(struct asl_net *net, void *arg)
{
	struct game *g = arg;
	double began;
	int err;

	if (asl_net_size(net) != 2) {
		asl_net_abort(net, 2, "ping-pong is for 2 ranks");
		return -EINVAL;
	}
	memset(g->out, 7, g->bytes);
	err = play(net, g, g->rounds / 10 + 1);
	began = asl_now();
	if (!err)
		err = play(net, g, g->rounds);
	g->seconds = asl_now() - began;
	if (!err && memcmp(g->in, g->out, g->bytes))
		err = -EBADMSG;
	if (err) {
		asl_net_abort(net, 1, "ping-pong: a message was lost or wrong");
		return err;
	}
	if (asl_net_rank(net) == 0)
		printf("%zu %.3f %.1f\n", g->bytes,
		       1e6 * g->seconds / (2.0 * g->rounds),
		       1e-6 * (double)g->bytes * 2.0 * g->rounds / g->seconds);
	return 0;
}

/* On pages of its own, as fi_pingpong's. */
static char *room_for(size_t bytes)
{
	return aligned_alloc(4096, (bytes / 4096 + 1) * 4096);
}

int main(int argc, char **argv)
{
	struct asl_net_want want = {.data = true};
	struct game g = {0};
	int err;

	if (argc != 5) {
		fprintf(stderr,
			"usage: mpiexec -n 2 %s TRANSPORT PROVIDER BYTES "
			"ROUNDS\n",
			argv[0]);
		return 2;
	}
	want.transport = argv[1];
	want.provider = *argv[2] ? argv[2] : NULL;
	want.ranks = 2;
	g.bytes = strtoull(argv[3], NULL, 10);
	g.rounds = atoi(argv[4]);
	g.out = room_for(g.bytes);
	g.in = room_for(g.bytes);
	err = g.out && g.in ? asl_net_run(&want, body, &g) : -ENOMEM;
	if (err)
		fprintf(stderr, "speed-pingpong: %s: %s\n", strerror(-err),
			asl_failure());
	free(g.out);
	free(g.in);
	return err ? 1 : 0;
}
