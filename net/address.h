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
	int speed; /* of the interface, Mbit/s; 0: unknown */
};

struct asl_addresses {
	struct asl_address spot[ASL_ADDRESSES_MOST];
	int count;
};

/* All addresses of this host, loopback included, IPv4 first. */
void asl_addresses_find(struct asl_addresses *out);

/* An address of an interface.  -ENODEV: it is missing, or has no address. */
int asl_addresses_named(struct asl_address *out,
			const struct asl_addresses *all, const char *interface);

/*
 * My address on the fastest network that both hosts are on: not loopback, nor a
 * bridge of containers or virtual machines, which each host has to itself.
 * -ENODEV: there is none.
 */
int asl_addresses_common(struct asl_address *out,
			 const struct asl_addresses *mine,
			 const struct asl_addresses *others);

/* My address on the same network as `there`.  -ENODEV: none. */
int asl_addresses_beside(struct asl_address *out,
			 const struct asl_addresses *mine,
			 const struct asl_address *there);

/* My address from which packets would go to `there`.  -ENODEV: none. */
int asl_addresses_towards(struct asl_address *out,
			  const struct asl_addresses *mine,
			  const struct asl_address *there);

bool asl_address_is_loopback(const struct asl_address *spot);

/* "10.1.2.3" */
void asl_address_text(char *out, size_t room, const struct asl_address *spot);

/* As a socket address with port 0; returns its length. */
socklen_t asl_address_name(struct sockaddr_storage *out,
			   const struct asl_address *spot);

#endif
