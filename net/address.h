/*
 * address.h -- where the ranks of a job reach each other over IP
 */
#ifndef ASL_NET_ADDRESS_H
#define ASL_NET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { ASL_SPOTS_MOST = 12 };

/* An address of this host, on an interface that is up. */
struct asl_spot {
	char interface[16];
	int family;
	unsigned char at[16], mask[16];
	int speed; /* of the interface, Mbit/s; 0: it does not say */
};

struct asl_spots {
	struct asl_spot spot[ASL_SPOTS_MOST];
	int count;
};

/* All of this host; loopback, too.  Those of IPv4 first. */
void asl_spots_find(struct asl_spots *out);

/* The one of an interface.  -ENODEV: it is not there, or has no address. */
int asl_spots_named(struct asl_spot *out, const struct asl_spots *all,
		    const char *interface);

/*
 * The fastest network that both hosts are on, as `mine` has it: not loopback,
 * and not one that both have to themselves, as bridges of containers and of
 * virtual machines.  -ENODEV: there is none.
 */
int asl_spots_common(struct asl_spot *out, const struct asl_spots *mine,
		     const struct asl_spots *others);

/* Mine on the same network as `there`.  -ENODEV: none is. */
int asl_spots_beside(struct asl_spot *out, const struct asl_spots *mine,
		     const struct asl_spot *there);

/* Mine from which packets would go to `there`.  -ENODEV: from none. */
int asl_spots_towards(struct asl_spot *out, const struct asl_spots *mine,
		      const struct asl_spot *there);

bool asl_spot_is_loopback(const struct asl_spot *spot);

/* "10.1.2.3" */
void asl_spot_text(char *out, size_t room, const struct asl_spot *spot);

/* As the system takes it, port 0; its length. */
socklen_t asl_spot_name(struct sockaddr_storage *out,
			const struct asl_spot *spot);

#endif
