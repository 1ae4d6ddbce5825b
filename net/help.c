/*
 * help.c -- barrier, share, collect and agree, once for all transports
 *
 * What a run needs to set itself up and to end.  The trees are binomial and
 * hang from rank 0: the parent of rank r is r without its lowest bit.
 */
#include <string.h>

#include "lib/base/error.h"
#include "net/provider.h"

static int step(struct asl_net *net, struct asl_net_op *op)
{
	int err = asl_net_start(net, op);

	return err ? err : asl_net_wait(net, op);
}

static int send_to(struct asl_net *net, int to, const void *out, size_t bytes)
{
	struct asl_net_op op = {
		.to = to,
		.from = ASL_NET_NONE,
		.out = out,
		.out_bytes = bytes,
	};

	return step(net, &op);
}

static int receive_from(struct asl_net *net, int from, void *in, size_t bytes)
{
	struct asl_net_op op = {
		.to = ASL_NET_NONE,
		.from = from,
		.in = in,
		.in_bytes = bytes,
	};

	return step(net, &op);
}

/* Dissemination: after round k a rank knows of the 2^k before it. */
int asl_net_barrier(struct asl_net *net)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;

	for (long far = 1; far < size && !err; far *= 2) {
		struct asl_net_op op = {
			.to = (int)((rank + far) % size),
			.from = (int)((rank - far + size) % size),
		};

		err = step(net, &op);
	}
	return err;
}

/* The distance from which `rank` is reached in a tree of `size` ranks. */
static long reach(int rank, int size)
{
	long far = 1;

	while (far < size && !(rank & far))
		far *= 2;
	return far;
}

int asl_net_share(struct asl_net *net, void *at, size_t bytes)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;
	long far = reach(rank, size);

	if (rank)
		err = receive_from(net, (int)(rank - far), at, bytes);
	for (far /= 2; far && !err; far /= 2)
		if (rank + far < size)
			err = send_to(net, (int)(rank + far), at, bytes);
	return err;
}

int asl_net_collect(struct asl_net *net, void *all, const void *mine,
		    size_t bytes)
{
	int size = asl_net_size(net), err = 0;
	char *at = all;

	if (asl_net_rank(net))
		return send_to(net, 0, mine, bytes);
	if (bytes)
		memcpy(at, mine, bytes);
	for (int from = 1; from < size && !err; from++)
		err = receive_from(net, from, at + (size_t)from * bytes, bytes);
	return err;
}

struct said {
	int what, who;
};

/* The other way up the tree of asl_net_share. */
static int first_said(struct asl_net *net, struct said *first)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;
	long end = reach(rank, size);

	for (long far = 1; far < end && rank + far < size && !err; far *= 2) {
		struct said other = {0};

		err = receive_from(net, (int)(rank + far), &other,
				   sizeof other);
		if (!first->what)
			*first = other;
	}
	if (!err && rank)
		err = send_to(net, (int)(rank - end), first, sizeof *first);
	return err;
}

int asl_net_agree(struct asl_net *net, int mine, int *who)
{
	struct said first = {.what = mine, .who = asl_net_rank(net)};
	int err = first_said(net, &first);

	if (!err)
		err = asl_net_share(net, &first, sizeof first);
	if (err)
		return err;
	if (first.what && first.who != asl_net_rank(net) &&
	    !net->ops->carries_null)
		asl_forget_failure();
	if (who)
		*who = first.what ? first.who : ASL_NET_NONE;
	return first.what;
}
