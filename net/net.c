/*
 * net.c -- the table of transports, and what is the same on all of them
 */
#include <errno.h>
#include <string.h>

#include "lib/base/error.h"
#include "net/provider.h"

static const struct asl_net_ops *const transports[] = {
	&asl_net_sim,
	&asl_net_ofi,
	&asl_net_mpi,
};

#define TRANSPORTS (sizeof transports / sizeof transports[0])

static const struct asl_net_ops *find(const char *name)
{
	for (size_t i = 0; i < TRANSPORTS; i++)
		if (name && !strcmp(transports[i]->name, name))
			return transports[i];
	return NULL;
}

const char *const *asl_net_transports(void)
{
	static const char *names[TRANSPORTS + 1];

	for (size_t i = 0; i < TRANSPORTS; i++)
		names[i] = transports[i]->name;
	return names;
}

const char *asl_net_transport_summary(const char *name)
{
	const struct asl_net_ops *ops = find(name);

	return ops ? ops->summary : "";
}

int asl_net_run(const struct asl_net_want *want,
		int (*body)(struct asl_net *net, void *arg), void *arg)
{
	const struct asl_net_ops *ops = find(want->transport);

	asl_forget_failure();
	if (!ops)
		return asl_fail(-ENOENT,
				"there is no transport '%s', only sim, "
				"ofi and mpi",
				want->transport ? want->transport : "");
	return ops->run(want, body, arg);
}

int asl_net_rank(const struct asl_net *net)
{
	return net->rank;
}

int asl_net_size(const struct asl_net *net)
{
	return net->size;
}

const char *asl_net_transport(const struct asl_net *net)
{
	return net->ops->name;
}

const char *asl_net_provider(const struct asl_net *net)
{
	return net->provider ? net->provider : "";
}

int asl_net_host_rank(const struct asl_net *net)
{
	return net->host_rank;
}

int asl_net_host_first(const struct asl_net *net)
{
	return net->host_first;
}

bool asl_net_crowded(const struct asl_net *net)
{
	return net->crowded;
}

int asl_net_mate(const struct asl_net *net, int *mates)
{
	*mates = net->mates;
	return net->mate;
}

static int check_peer(const struct asl_net *net, int peer)
{
	if (peer == ASL_NET_NONE || (peer >= 0 && peer < net->size))
		return 0;
	return asl_fail(-EINVAL, "there is no rank %d, only 0 to %d", peer,
			net->size - 1);
}

static int check_data(const struct asl_net *net, const struct asl_net_op *op)
{
	bool out = op->to == ASL_NET_NONE || !op->out_bytes || op->out;
	bool in = op->from == ASL_NET_NONE || !op->in_bytes || op->in;

	if (net->ops->carries_null || (out && in))
		return 0;
	return asl_fail(-EINVAL, "%s: a message without data", net->ops->name);
}

int asl_net_start(struct asl_net *net, struct asl_net_op *op)
{
	int err = check_peer(net, op->to);

	if (!err)
		err = check_peer(net, op->from);
	if (!err)
		err = check_data(net, op);
	op->owner = net;
	op->handle[0] = op->handle[1] = NULL;
	op->pending = 0;
	op->err = err;
	if (err || (op->to == ASL_NET_NONE && op->from == ASL_NET_NONE))
		return err;
	return net->ops->start(net, op);
}

int asl_net_wait(struct asl_net *net, struct asl_net_op *op)
{
	if (!op->pending)
		return op->err;
	return net->ops->wait(net, op);
}

bool asl_net_ended(struct asl_net *net, struct asl_net_op *op)
{
	return !op->pending || net->ops->ended(net, op);
}

void asl_net_abort(struct asl_net *net, int exit_code, const char *reason)
{
	net->ops->abort(net, exit_code, reason);
}
