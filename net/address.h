/*
 * address.h -- where the ranks of a job reach each other over IP
 */
#ifndef ASL_NET_ADDRESS_H
#define ASL_NET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { ASL_ADDRESSES_MOST = 12 };

/* An address of this host, on an interface that is up. */
struct asl_address {
	char interface[16];
	int family;
	unsigned char at[16], mask[16];
	int speed; /* of the interface, Mbit/s; 0: it does not say */
};

struct asl_addresses {
	struct asl_address spot[ASL_ADDRESSES_MOST];
	int count;
};

/* All of this host; loopback, too.  Those of IPv4 first. */
void asl_addresses_find(struct asl_addresses *out);

/* The one of an interface.  -ENODEV: it is not there, or has no address. */
int asl_addresses_named(struct asl_address *out,
			const struct asl_addresses *all, const char *interface);

/*
 * The fastest network that both hosts are on, as `mine` has it: not loopback,
 * and not one that both have to themselves, as bridges of containers and of
 * virtual machines.  -ENODEV: there is none.
 */
int asl_addresses_common(struct asl_address *out,
			 const struct asl_addresses *mine,
			 const struct asl_addresses *others);

/* Mine on the same network as `there`.  -ENODEV: none is. */
int asl_addresses_beside(struct asl_address *out,
			 const struct asl_addresses *mine,
			 const struct asl_address *there);

/* Mine from which packets would go to `there`.  -ENODEV: from none. */
int asl_addresses_towards(struct asl_address *out,
			  const struct asl_addresses *mine,
			  const struct asl_address *there);

bool asl_address_is_loopback(const struct asl_address *spot);

/* "10.1.2.3" */
void asl_address_text(char *out, size_t room, const struct asl_address *spot);

/* As the system takes it, port 0; its length. */
socklen_t asl_address_name(struct sockaddr_storage *out,
			   const struct asl_address *spot);

#endif
