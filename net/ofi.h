/*
 * ofi.h -- a rank on libfabric, for ofi.c and its tests
 */
#ifndef ASL_NET_OFI_H
#define ASL_NET_OFI_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdint.h>

#include "net/boot.h"
#include "net/provider.h"

/* The part of a tag that names the rank; the limit of ranks. */
enum { ASL_OFI_RANK_BITS = 20 };

/* The beginning of every message; `run` is the secret of this run. */
struct asl_ofi_head {
	struct asl_net_stamp stamp;
	uint64_t run;
};

/* Halves of steps, in order, that the provider has not taken yet. */
struct asl_ofi_line {
	struct asl_ofi_half *first, *last;
};

struct asl_ofi_peer {
	fi_addr_t address;
	struct asl_ofi_line line;
	uint32_t sent; /* messages, in all */
	bool reached;  /* has a send been completed? */
};

struct asl_ofi {
	struct asl_net net;
	struct asl_boot boot;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	struct asl_bells *bells; /* NULL: there are none */
	struct asl_ofi_peer *peers;
	struct asl_ofi_line receives;
	size_t receiving, receives_most; /* handed over, and not ended */
	int waiting;			 /* halves, in all lines */
	uint32_t window; /* most messages under way to a peer; 0: any number */
	bool full;	 /* the provider is */
	uint64_t run; /* in every tag, above the rank: strangers do not match */
	bool can_block; /* reading the queue can sleep */
	bool closing;	/* nothing may be left in a buffer */
	bool lost;	/* a peer is */
	double meet_by; /* by when ranks must reach each other; 0: they have */
	int broken;	/* the error of every further step */
};

/* Open one provider; tests pose as strangers with it. */
int asl_ofi_open(struct asl_ofi *o, const char *provider);
void asl_ofi_close(struct asl_ofi *o);

#endif
