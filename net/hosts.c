/*
 * hosts.c -- which ranks of a job share a host, and where hosts reach each other
 *
 * Ranks are on one host if they see the same host name and the same boot of
 * the kernel.  The cores of a host are those that any of its ranks may run on:
 * launchers that bind give each rank cores of its own.
 */
#include "net/hosts.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "net/guard.h"

struct place {
	char host[64], kernel[40];
	cpu_set_t cores;
	struct asl_addresses spots;
	bool looks; /* its guard is to watch others */
};

static void look_around(struct place *p)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	const struct asl_net_patience *bears = asl_guard_patience();

	memset(p, 0, sizeof *p);
	asl_addresses_find(&p->spots);
	p->looks = bears && bears->cut;
	gethostname(p->host, sizeof p->host - 1);
	if (f) {
		if (!fgets(p->kernel, sizeof p->kernel, f))
			p->kernel[0] = '\0';
		fclose(f);
	}
	if (sched_getaffinity(0, sizeof p->cores, &p->cores))
		for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
			CPU_SET((size_t)i, &p->cores);
}

static bool same_host(const struct place *a, const struct place *b)
{
	return !strcmp(a->host, b->host) && !strcmp(a->kernel, b->kernel);
}

static void compare(struct asl_boot *boot, const struct place *all)
{
	const struct place *mine = &all[boot->rank];
	int host_ranks = 0;
	cpu_set_t cores;

	CPU_ZERO(&cores);
	for (int i = 0; i < boot->size; i++)
		if (same_host(&all[i], mine)) {
			CPU_OR(&cores, &cores, &all[i].cores);
			if (!host_ranks++)
				boot->host_first = i;
			boot->host_rank += i < boot->rank;
			if (CPU_EQUAL(&all[i].cores, &mine->cores)) {
				boot->mates++;
				boot->mate += i < boot->rank;
			}
		}
	boot->one_host = host_ranks == boot->size;
	boot->crowded = host_ranks > CPU_COUNT(&cores);
	boot->tied = true;
	for (int i = 0; i < boot->size; i++)
		boot->tied = boot->tied && all[i].looks;
}

/* ---- Addresses ---- */

static int find_loopback(struct asl_address *out,
			 const struct asl_addresses *mine)
{
	for (int i = 0; i < mine->count; i++)
		if (asl_address_is_loopback(&mine->spot[i])) {
			*out = mine->spot[i];
			return 0;
		}
	return -ENODEV;
}

static int find_route(struct asl_address *out, const struct asl_addresses *mine,
		      const struct asl_addresses *peer)
{
	for (int i = 0; i < peer->count; i++)
		if (!asl_address_is_loopback(&peer->spot[i]) &&
		    !asl_addresses_towards(out, mine, &peer->spot[i]))
			return 0;
	return -ENODEV;
}

/*
 * Rank 0's host and the next one meet on a network that they have in common, and
 * others there; where there is none, packets are routed.
 */
static int meet_hosts(struct asl_address *out, const struct asl_boot *boot,
		      const struct place *all)
{
	const struct asl_addresses *mine = &all[boot->rank].spots;
	bool first = same_host(&all[boot->rank], &all[0]);
	struct asl_address there;
	int other = 1;

	while (same_host(&all[other], &all[0]))
		other++;
	if (asl_addresses_common(&there, &all[0].spots, &all[other].spots))
		return find_route(out, mine, &all[first ? other : 0].spots);
	if (!asl_addresses_beside(out, mine, &there))
		return 0;
	return asl_addresses_towards(out, mine, &there);
}

static int choose_spot(struct asl_boot *boot, const struct place *all,
		       const char *interface)
{
	const struct place *mine = &all[boot->rank];
	int err;

	if (interface)
		err = asl_addresses_named(&boot->spot, &mine->spots, interface);
	else if (boot->one_host)
		err = find_loopback(&boot->spot, &mine->spots);
	else
		err = meet_hosts(&boot->spot, boot, all);
	if (!err)
		asl_address_text(boot->address, sizeof boot->address,
				 &boot->spot);
	if (!err || interface)
		return err;
	if (boot->one_host || !boot->tied)
		return 0; /* there may be no use for one */
	return asl_fail(err,
			"rank %d on %s has no network with the hosts of "
			"other ranks (--interface NAME says which to take)",
			boot->rank, mine->host);
}

/* ---- All of it ---- */

int asl_hosts_find(struct asl_boot *boot, const char *interface)
{
	struct place mine, *all = calloc((size_t)boot->size, sizeof *all);
	int err = all ? 0
		      : asl_fail(-ENOMEM, "no memory for %d hosts", boot->size);

	err = asl_boot_agree(boot, err);
	if (!err) {
		look_around(&mine);
		asl_boot_gather(all, &mine, sizeof mine);
		compare(boot, all);
		err = asl_boot_agree(boot, choose_spot(boot, all, interface));
	}
	free(all);
	return err;
}
