/*
 * ofi_meet.c -- choosing a libfabric provider, together
 *
 * Which one is best is a list for each of three situations.  All ranks walk
 * down the same list until all of them have opened the same provider: after
 * each try they tell each other how far down they are, and whoever is behind
 * follows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "net/ofi.h"

#define SHM_PEERS_MAX 256

/* `net` is libfabric 1.17's new tcp, which took the old one's name in 1.18. */
static const char *const beside[] = {"shm", "net", "tcp", NULL};
static const char *const crowded[] = {"net", "tcp", NULL};
static const char *const apart[] = {"verbs;ofi_rxm", "psm3", "psm2",
				    "efa",	     "cxi",  "opx",
				    "net",	     "tcp",  NULL};

static const char *const *best(const struct asl_boot *boot)
{
	if (!boot->one_host)
		return apart;
	if (boot->crowded || boot->size > SHM_PEERS_MAX)
		return crowded;
	return beside;
}

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
		err = asl_ofi_open(o, list[*choice]);
		if (!err)
			return 0;
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

/* What the lowest rank that failed says, and only there why. */
static int common_error(const struct where *all, const struct asl_ofi *o)
{
	for (int i = 0; i < o->boot.size; i++)
		if (all[i].err)
			return i == o->net.rank
				       ? all[i].err
				       : asl_net_fail(all[i].err, "%s", "");
	return 0;
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
			return common_error(all, o);
		asl_ofi_close(o);
	}
}

static int insert_peers(struct asl_ofi *o, const struct where *all)
{
	uint64_t hash = 0;

	for (int i = 0; i < o->boot.size; i++) {
		if (fi_av_insert(o->av, all[i].at, 1, &o->peers[i], 0, NULL) !=
		    1)
			return asl_net_fail(-ENETDOWN,
					    "provider %s: refuses "
					    "the address of rank %d",
					    o->net.provider, i);
		for (size_t k = 0; k < all[i].bytes; k++)
			hash = hash * 31 + (unsigned char)all[i].at[k];
	}
	o->run = (hash ^ hash >> 16 ^ hash >> 32) & 0xffff;
	return 0;
}

/*
 * The shm provider leaves a file in /dev/shm when its process is killed.  Once
 * everybody has everybody's mapped, which a message each way sees to, the names
 * can go, and with them whatever could stay behind.
 */
static int forget_files(struct asl_ofi *o, const char *mine)
{
	const char *name = strstr(mine, "://");
	int rank = o->net.rank, size = o->net.size, err = 0;

	if (strcmp(o->net.provider, "shm") || !name)
		return 0;
	for (int far = 1; far < size && !err; far++) {
		struct asl_net_op op = {
			.to = (rank + far) % size,
			.from = (rank + size - far) % size,
		};

		err = asl_net_start(&o->net, &op);
		if (!err)
			err = asl_net_wait(&o->net, &op);
	}
	if (!err)
		err = asl_net_barrier(&o->net);
	if (!err)
		shm_unlink(name + 3);
	return err;
}

int asl_ofi_meet(struct asl_ofi *o, const char *provider)
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
	if (!err)
		err = forget_files(o, all[o->net.rank].at);
	free(all);
	if (err)
		asl_ofi_part(o);
	return err;
}

void asl_ofi_part(struct asl_ofi *o)
{
	asl_ofi_close(o);
	free(o->peers);
	free(o->reached);
	o->peers = NULL;
	o->reached = NULL;
}
