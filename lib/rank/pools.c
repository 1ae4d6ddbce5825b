/*
 * pools.c -- which of several places the pool of each rank lies in
 *
 * Rank 0 gets the distances of all ranks, and decides for all.
 */
#include "lib/rank/pools.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/error.h"

_Static_assert((int)ASL_STORE_PLACES <= (int)ASL_NEAR_MOST,
	       "a rank may have to choose among all places");

/* A device has room for one pool. */
static int check_twice(const struct asl_pools *x, int i)
{
	for (int j = 0; j < i; j++)
		if (x->site[i].single && x->site[j].single &&
		    x->site[i].id == x->site[j].id)
			return asl_fail(-EINVAL,
					"--nvm-dir: found %s and %s, which are "
					"one device, expected one for each "
					"rank of a host",
					x->places.at[j], x->places.at[i]);
	return 0;
}

int asl_pools_look(struct asl_pools *x, const char *list)
{
	int err = asl_store_split(&x->places, list);

	for (int i = 0; !err && i < x->places.count; i++) {
		err = asl_store_site(&x->site[i], x->places.at[i]);
		if (!err)
			err = check_twice(x, i);
	}
	return err;
}

static struct asl_reach reach(const struct asl_pools *x, struct asl_net *net)
{
	struct asl_reach r = {
		.host = asl_net_host_first(net),
		.count = x->places.count,
	};

	for (int i = 0; i < r.count; i++) {
		r.distance[i] = asl_machine_near(x->site[i].node).distance;
		r.single[i] = x->site[i].single;
	}
	return r;
}

/* On rank 0, for all. */
static int decide(int *take, struct asl_net *net, const struct asl_reach *mine)
{
	int ranks = asl_net_size(net), err;
	struct asl_reach *all = calloc((size_t)ranks, sizeof *all);

	if (!all)
		return asl_fail(-ENOMEM, "no memory for %d ranks", ranks);
	err = asl_net_collect(net, all, mine, sizeof *mine);
	if (!err && asl_net_rank(net) == 0)
		asl_near_spread(take, all, ranks);
	free(all);
	return err;
}

/* Rank 0 has decided for all ranks. */
static int check_all(const struct asl_pools *x, const int *take, int ranks)
{
	for (int i = 0; i < ranks; i++)
		if (take[i] < 0)
			return asl_fail(
				-EINVAL,
				"--nvm-dir: found %d place%s, none of which is "
				"left for rank %d; expected a DAX device for "
				"each rank of a host (ndctl create-namespace "
				"-m devdax makes one)",
				x->places.count, x->places.count > 1 ? "s" : "",
				i);
	return 0;
}

int asl_pools_take(const char **place, struct asl_near *near,
		   const struct asl_pools *x, struct asl_net *net)
{
	int ranks = asl_net_size(net), mine, err;
	struct asl_reach r = reach(x, net);
	int *take = calloc((size_t)ranks, sizeof *take);

	if (!take)
		return asl_fail(-ENOMEM, "no memory for %d ranks", ranks);
	err = decide(take, net, &r);
	if (!err)
		err = asl_net_share(net, take, (size_t)ranks * sizeof *take);
	if (!err)
		err = check_all(x, take, ranks);
	mine = take[asl_net_rank(net)];
	free(take);
	if (err)
		return err;
	*place = x->places.at[mine];
	*near = asl_machine_near(x->site[mine].node);
	return 0;
}
