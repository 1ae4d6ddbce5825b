/*
 * pools.h -- which of several places the pool of each rank lies in
 *
 * A rank takes the place nearest to its cores; places that are equally near hold
 * equally many ranks of a host.  Bind ranks first.
 */
#ifndef ASL_POOLS_H
#define ASL_POOLS_H

#include "lib/machine/near.h"
#include "net/net.h"
#include "nvm/store.h"

struct asl_pools {
	struct asl_store_places places;
	struct asl_store_site site[ASL_STORE_PLACES];
};

/* Look at the places of a list on this host; 0 or a negative errno. */
int asl_pools_look(struct asl_pools *x, const char *list);

/*
 * All ranks together: *place is this rank's.  0, or the same negative errno on
 * every rank.
 */
int asl_pools_take(const char **place, struct asl_near *near,
		   const struct asl_pools *x, struct asl_net *net);

#endif
