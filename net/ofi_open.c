/*
 * ofi_open.c -- choosing a libfabric provider and opening an endpoint
 *
 * Which one is best is a list for each of three situations.  All ranks walk
 * down the same list until all of them have opened the same provider: after
 * each try they tell each other how far down they are, and whoever is behind
 * follows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/ofi.h"

#define API FI_VERSION(1, 14)
#define SHM_PEERS_MAX 256
#define TAG_BITS 48 /* 16 of the run, 32 of the rank */

/* `net` is libfabric 1.17's new tcp, which took the old one's name in 1.18. */
static const char *const beside[] = {"shm", "net", "tcp", NULL};
static const char *const crowded[] = {"net", "tcp", NULL};
static const char *const apart[] = {"verbs;ofi_rxm", "psm3", "psm2", "efa",
				    "cxi", "opx", "net", "tcp", NULL};

static const char *const *best(const struct asl_boot *boot)
{
	if (!boot->one_host)
		return apart;
	if (boot->crowded || boot->size > SHM_PEERS_MAX)
		return crowded;
	return beside;
}

static struct fi_info *hints(const char *provider)
{
	struct fi_info *h = fi_allocinfo();

	if (!h)
		return NULL;
	h->caps = FI_TAGGED;
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->ep_attr->type = FI_EP_RDM;
	h->tx_attr->msg_order = FI_ORDER_SAS;
	h->rx_attr->msg_order = FI_ORDER_SAS;
	h->domain_attr->threading = FI_THREAD_DOMAIN;
	h->domain_attr->control_progress = FI_PROGRESS_MANUAL;
	h->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	h->domain_attr->mr_mode =
		FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	h->fabric_attr->prov_name = provider ? strdup(provider) : NULL;
	return h;
}

static bool speaks_ip(const char *provider)
{
	static const char *const names[] = {"net", "tcp", "udp", "sockets"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(provider, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Nothing leaves the machine when all ranks are on it. */
static int get_info(struct asl_ofi *o, const char *provider)
{
	bool loopback = o->boot.one_host && speaks_ip(provider);
	struct fi_info *h = hints(provider);
	int err;

	if (!h)
		return -ENOMEM;
	err = fi_getinfo(API, loopback ? "127.0.0.1" : NULL, NULL,
			 loopback ? FI_SOURCE : 0, h, &o->info);
	fi_freeinfo(h);
	return err;
}

static int check_limits(const struct fi_info *info)
{
	const char *name = info->fabric_attr->prov_name;

	if (info->tx_attr->iov_limit < 2 || info->rx_attr->iov_limit < 2)
		return asl_net_fail(-ENETDOWN, "provider %s: takes a message "
				    "in one piece only, and ours have two",
				    name);
	if (info->ep_attr->mem_tag_format >> (TAG_BITS - 1) == 0)
		return asl_net_fail(-ENETDOWN, "provider %s: tags are shorter "
				    "than %d bits", name, TAG_BITS);
	return 0;
}

/* Something to sleep on if there is; shm for one has nothing. */
static int open_queue(struct asl_ofi *o)
{
	struct fi_cq_attr attr = {
		.format = FI_CQ_FORMAT_MSG,
		.wait_obj = FI_WAIT_UNSPEC,
	};
	int err = fi_cq_open(o->domain, &attr, &o->cq, NULL);

	o->can_block = !err;
	if (!err)
		return 0;
	attr.wait_obj = FI_WAIT_NONE;
	return fi_cq_open(o->domain, &attr, &o->cq, NULL);
}

static int open_endpoint(struct asl_ofi *o)
{
	struct fi_av_attr attr = {
		.type = FI_AV_TABLE,
		.count = (size_t)o->boot.size,
	};
	int err = fi_fabric(o->info->fabric_attr, &o->fabric, NULL);

	if (!err)
		err = fi_domain(o->fabric, o->info, &o->domain, NULL);
	if (!err)
		err = fi_av_open(o->domain, &attr, &o->av, NULL);
	if (!err)
		err = open_queue(o);
	if (!err)
		err = fi_endpoint(o->domain, o->info, &o->ep, NULL);
	if (!err)
		err = fi_ep_bind(o->ep, &o->av->fid, 0);
	if (!err)
		err = fi_ep_bind(o->ep, &o->cq->fid, FI_TRANSMIT | FI_RECV);
	return err ? err : fi_enable(o->ep);
}

static void close_one(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

static void close_endpoint(struct asl_ofi *o)
{
	close_one(o->ep ? &o->ep->fid : NULL);
	close_one(o->cq ? &o->cq->fid : NULL);
	close_one(o->av ? &o->av->fid : NULL);
	close_one(o->domain ? &o->domain->fid : NULL);
	close_one(o->fabric ? &o->fabric->fid : NULL);
	if (o->info)
		fi_freeinfo(o->info);
	o->ep = NULL;
	o->cq = NULL;
	o->av = NULL;
	o->domain = NULL;
	o->fabric = NULL;
	o->info = NULL;
}

static void list_providers(char *at, size_t room)
{
	struct fi_info *h = hints(NULL), *all = NULL;
	size_t used = 0;

	at[0] = '\0';
	if (h && !fi_getinfo(API, NULL, NULL, 0, h, &all))
		for (struct fi_info *i = all; i && used < room; i = i->next) {
			const char *name = i->fabric_attr->prov_name;
			int n;

			if (strstr(at, name))
				continue;
			n = snprintf(at + used, room - used, "%s%s",
				     used ? ", " : "", name);
			used += n > 0 ? (size_t)n : 0;
		}
	fi_freeinfo(all);
	fi_freeinfo(h);
}

static int missing(const char *provider)
{
	char list[256];

	list_providers(list, sizeof(list));
	return asl_net_fail(-ENOENT, "libfabric has no provider '%s' for us "
			    "here, but %s", provider, list);
}

static int open_provider(struct asl_ofi *o, const char *provider)
{
	int err = get_info(o, provider);

	if (err)
		return missing(provider);
	err = check_limits(o->info);
	if (err)
		return err;
	err = open_endpoint(o);
	if (err)
		return asl_net_fail(-ENETDOWN, "provider %s: %s", provider,
				    fi_strerror(-err));
	return 0;
}

/* ---- Together ---- */

struct where {
	int choice, err;
	size_t bytes;
	char at[264];
};

/* Open the first provider from *choice on that can be. */
static int open_from(struct asl_ofi *o, const char *const *list, int *choice)
{
	int err = -ENOENT;

	for (; list[*choice]; ++*choice) {
		err = open_provider(o, list[*choice]);
		if (!err)
			return 0;
		close_endpoint(o);
	}
	return err;
}

static void locate(struct asl_ofi *o, const char *const *list,
		   struct where *mine)
{
	mine->bytes = sizeof(mine->at);
	mine->err = open_from(o, list, &mine->choice);
	if (!mine->err)
		mine->err = fi_getname(&o->ep->fid, mine->at, &mine->bytes);
}

/* Returns whether all are there; else mine->choice is where to go on. */
static bool all_agree(struct where *mine, const struct where *all, int size)
{
	bool agree = true;

	for (int i = 0; i < size; i++) {
		agree = agree && all[i].choice == mine->choice;
		if (mine->choice < all[i].choice)
			mine->choice = all[i].choice;
	}
	return agree;
}

static int meet(struct asl_ofi *o, const char *const *list, struct where *all)
{
	struct where mine = {0};
	int err;

	for (;;) {
		locate(o, list, &mine);
		err = asl_boot_gather(all, &mine, sizeof(mine));
		if (err)
			return err;
		if (all_agree(&mine, all, o->boot.size))
			return mine.err;
		close_endpoint(o);
	}
}

static int insert_peers(struct asl_ofi *o, const struct where *all)
{
	uint64_t hash = 0;

	for (int i = 0; i < o->boot.size; i++) {
		if (fi_av_insert(o->av, all[i].at, 1, &o->peers[i], 0, NULL) !=
		    1)
			return asl_net_fail(-ENETDOWN, "provider %s: refuses "
					    "the address of rank %d",
					    o->net.provider, i);
		for (size_t k = 0; k < all[i].bytes; k++)
			hash = hash * 31 + (unsigned char)all[i].at[k];
	}
	o->run = (hash ^ hash >> 16 ^ hash >> 32) & 0xffff;
	return 0;
}

int asl_ofi_open(struct asl_ofi *o, const char *provider)
{
	const char *named = provider ? provider : getenv("FI_PROVIDER");
	const char *const one[] = {named, NULL};
	size_t size = (size_t)o->boot.size;
	struct where *all = calloc(size, sizeof(*all));
	int err;

	o->peers = calloc(size, sizeof(*o->peers));
	o->reached = calloc(size, sizeof(*o->reached));
	if (!all || !o->peers || !o->reached)
		err = asl_net_fail(-ENOMEM, "no memory for %zu peers", size);
	else
		err = meet(o, named ? one : best(&o->boot), all);
	if (!err) {
		o->net.provider = o->info->fabric_attr->prov_name;
		err = insert_peers(o, all);
	}
	free(all);
	if (err)
		asl_ofi_close(o);
	return err;
}

void asl_ofi_close(struct asl_ofi *o)
{
	close_endpoint(o);
	free(o->peers);
	free(o->reached);
	o->peers = NULL;
	o->reached = NULL;
}
