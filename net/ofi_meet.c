/*
 * ofi_meet.c -- choosing a libfabric provider, together
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
#include <sys/mman.h>

#include "lib/base/error.h"
#include "net/ofi.h"

/* More take too much of /dev/shm; ranks that share cores look in vain more. */
#define SHM_PEERS_MAX 256
#define SHM_CROWD_MAX 32

/* `net` is libfabric 1.17's new tcp, which took the old one's name in 1.18. */
static const char *const beside[] = {"shm", "net", "tcp", NULL};
static const char *const many[] = {"net", "tcp", NULL};
static const char *const apart[] = {"verbs;ofi_rxm", "psm3", "psm2",
				    "efa",	     "cxi",  "opx",
				    "net",	     "tcp",  NULL};

static const char *const *best(const struct asl_boot *boot)
{
	if (!boot->one_host)
		return apart;
	if (boot->size > (boot->crowded ? SHM_CROWD_MAX : SHM_PEERS_MAX))
		return many;
	return beside;
}

struct where {
	int choice,
		err; /* err, why: the worst reason to have passed one over */
	size_t bytes;
	char at[264], why[200];
};

static int open_here(struct asl_ofi *o, const char *provider,
		     struct where *mine)
{
	int err = asl_ofi_open(o, provider);

	if (err)
		return err;
	mine->bytes = sizeof mine->at;
	err = fi_getname(&o->ep->fid, mine->at, &mine->bytes);
	if (!err)
		return 0;
	asl_ofi_close(o);
	return asl_fail(-ENETDOWN, "provider %s: %s", provider,
			fi_strerror(-err));
}

/* A provider that does not open says more than one that is not there. */
static int weight(int err)
{
	return !err ? 0 : err == -ENOENT ? 1 : 2;
}

static void note(struct where *mine, int err)
{
	if (weight(err) <= weight(mine->err))
		return;
	mine->err = err;
	snprintf(mine->why, sizeof mine->why, "%s", asl_failure());
}

/* Open the first provider from mine->choice on that can be. */
static void locate(struct asl_ofi *o, const char *const *list,
		   struct where *mine)
{
	for (; list[mine->choice]; mine->choice++) {
		int err = open_here(o, list[mine->choice], mine);

		if (!err)
			return;
		note(mine, err);
	}
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

/* Rank 0 says for all what was in the way, and on which rank. */
static int none_works(const struct where *all, const struct asl_boot *boot)
{
	int who = 0;

	for (int i = 1; i < boot->size; i++)
		if (weight(all[i].err) > weight(all[who].err))
			who = i;
	if (boot->rank)
		return asl_fail(all[who].err, "%s", "");
	if (who)
		return asl_fail(all[who].err, "rank %d: %s", who, all[who].why);
	return asl_fail(all[who].err, "%s", all[who].why);
}

static int meet(struct asl_ofi *o, const char *const *list, struct where *all)
{
	struct where mine = {0};

	for (;;) {
		locate(o, list, &mine);
		asl_boot_gather(all, &mine, sizeof mine);
		if (all_agree(&mine, all, o->boot.size))
			break;
		asl_ofi_close(o);
	}
	if (!list[mine.choice])
		return none_works(all, &o->boot);
	/* Those that were passed over are nobody's business any more. */
	return asl_fail(0, "%s", "");
}

static int insert_peers(struct asl_ofi *o, const struct where *all)
{
	for (int i = 0; i < o->boot.size; i++)
		if (fi_av_insert(o->av, all[i].at, 1, &o->peers[i], 0, NULL) !=
		    1)
			return asl_fail(-ENETDOWN,
					"provider %s: refuses "
					"the address of rank %d",
					o->net.provider, i);
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

/*
 * What rank 0 was asked for, or "".  libfabric itself reads FI_PROVIDER, as a
 * filter on all ranks; here it is a name if it can be one.
 */
static void wanted(char *name, size_t room, const char *provider)
{
	const char *filter = getenv("FI_PROVIDER");

	if (!provider && filter && !strpbrk(filter, ",^"))
		provider = filter;
	memset(name, 0, room);
	snprintf(name, room, "%s", provider ? provider : "");
	asl_boot_share(name, room);
}

int asl_ofi_meet(struct asl_ofi *o, const char *provider)
{
	char name[128];
	const char *const one[] = {name, NULL};
	size_t size = (size_t)o->boot.size;
	struct where *all = calloc(size, sizeof *all);
	int err = 0;

	o->peers = calloc(size, sizeof *o->peers);
	o->reached = calloc(size, sizeof *o->reached);
	if (!all || !o->peers || !o->reached)
		err = asl_fail(-ENOMEM, "no memory for %zu peers", size);
	err = asl_boot_agree(&o->boot, err);
	if (err)
		goto part;
	wanted(name, sizeof name, provider);
	err = meet(o, *name ? one : best(&o->boot), all);
	if (err)
		goto part;
	o->net.provider = o->info->fabric_attr->prov_name;
	err = asl_boot_agree(&o->boot, insert_peers(o, all));
	if (err)
		goto part;
	/* Messages flow now, and whoever waits for one cannot be asked. */
	if (forget_files(o, all[o->net.rank].at))
		asl_boot_abort(o->net.rank, ASL_BOOT_FAILED, asl_failure(),
			       o->lost);
	free(all);
	return 0;

part:
	free(all);
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
