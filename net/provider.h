/*
 * provider.h -- what a transport implements
 *
 * To add a transport: write one file that defines one struct asl_net_ops, and
 * name it in the table of net.c.  A provider's own state begins with a struct
 * asl_net, so that the pointer it hands out is also the pointer to its state.
 */
#ifndef ASL_NET_PROVIDER_H
#define ASL_NET_PROVIDER_H

#include "net/net.h"

struct asl_net {
	const struct asl_net_ops *ops;
	int rank, size;
	int host_rank, host_first;
	double core;
	int mate, mates;
	const char *provider;
};

struct asl_net_ops {
	const char *name, *summary;
	struct asl_net_traits can;
	int (*run)(const struct asl_net_want *want,
		   int (*body)(struct asl_net *net, void *arg), void *arg);
	int (*start)(struct asl_net *net, struct asl_net_op *op);
	int (*wait)(struct asl_net *net, struct asl_net_op *op, int count);
	bool (*ended)(struct asl_net *net, struct asl_net_op *op);
	/* All ranks meet.  NULL, or it returns -ENOTSUP: by messages. */
	int (*barrier)(struct asl_net *net);
	void (*abort)(struct asl_net *net, int exit_code, const char *why);
	/* Simulated ranks'; else NULL. */
	int (*meet)(struct asl_net *net, const struct asl_group *group,
		    void *mine, void (*all)(void *const brought[], int size));
};

extern const struct asl_net_ops asl_net_sim, asl_net_ofi, asl_net_mpi;

#endif
