/*
 * ofi_open.c -- opening one libfabric provider
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>

#include "lib/base/error.h"
#include "net/ofi.h"

#define API FI_VERSION(1, 14)
#define SHM_BYTES ((size_t)16 << 20) /* a rank's queues */
#define TAG_BITS 48 /* at least: what is not the rank is the run */

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

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strncmp(provider, names[i], strlen(names[i])))
			return true;
	return false;
}

/* They listen on this address only, which is loopback if that is enough. */
static int get_info(struct asl_ofi *o, const char *provider)
{
	bool here = *o->boot.address && speaks_ip(provider);
	struct fi_info *h = hints(provider);
	int err;

	if (!h)
		return -ENOMEM;
	err = fi_getinfo(API, here ? o->boot.address : NULL, NULL,
			 here ? FI_SOURCE : 0, h, &o->info);
	fi_freeinfo(h);
	return err;
}

static int tag_bits(const struct fi_info *info)
{
	uint64_t format = info->ep_attr->mem_tag_format;

	return format ? 64 - __builtin_clzll(format) : 0;
}

static int check_limits(const struct fi_info *info)
{
	const char *name = info->fabric_attr->prov_name;

	if (info->tx_attr->iov_limit < 2 || info->rx_attr->iov_limit < 2)
		return asl_fail(-ENETDOWN,
				"provider %s: takes a message "
				"in one piece only, and ours have two",
				name);
	if (tag_bits(info) < TAG_BITS)
		return asl_fail(-ENETDOWN,
				"provider %s: tags are shorter "
				"than %d bits",
				name, TAG_BITS);
	return 0;
}

/*
 * Something to sleep on if there is.  shm has nothing, but says it has: its wait
 * yields without end, which keeps the core from those who compute.
 */
static int open_queue(struct asl_ofi *o)
{
	struct fi_cq_attr attr = {
		.format = FI_CQ_FORMAT_MSG,
		.wait_obj = FI_WAIT_UNSPEC,
	};
	int err = -FI_ENOSYS;

	if (strcmp(o->info->fabric_attr->prov_name, "shm"))
		err = fi_cq_open(o->domain, &attr, &o->cq, NULL);
	o->can_block = !err;
	if (!err)
		return 0;
	/* Naps are to be as short as they say. */
	prctl(PR_SET_TIMERSLACK, 1000);
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

/* What a stranger would have to guess for a message to be looked at at all. */
static uint64_t run_of(const struct asl_ofi *o)
{
	uint64_t all = o->boot.secret.tag << ASL_OFI_RANK_BITS;

	return all & ~(uint64_t)0 >> (64 - tag_bits(o->info));
}

static void close_one(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

void asl_ofi_close(struct asl_ofi *o)
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

	list_providers(list, sizeof list);
	return asl_fail(-ENOENT,
			"libfabric has no provider '%s' for us "
			"here, but %s",
			provider, list);
}

/* shm maps files into /dev/shm, and without room there the kernel kills it. */
static int check_room(const struct asl_ofi *o, const char *provider)
{
	struct statvfs fs;

	if (strcmp(provider, "shm") || statvfs("/dev/shm", &fs) ||
	    fs.f_bavail * fs.f_frsize >= (size_t)o->boot.size * SHM_BYTES)
		return 0;
	return asl_fail(-ENETDOWN,
			"provider shm: /dev/shm has less than %zu MiB left "
			"for a rank",
			SHM_BYTES >> 20);
}

int asl_ofi_open(struct asl_ofi *o, const char *provider)
{
	int err = get_info(o, provider);

	if (err)
		return missing(provider);
	err = check_limits(o->info);
	if (!err)
		err = check_room(o, provider);
	if (err)
		goto close;
	err = open_endpoint(o);
	if (err) {
		err = asl_fail(-ENETDOWN, "provider %s: %s", provider,
			       fi_strerror(-err));
		goto close;
	}
	o->run = run_of(o);
	return 0;

close:
	asl_ofi_close(o);
	return err;
}
