/*
 * address.c -- where the ranks of a job reach each other over IP
 */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/system.h"

static int read_speed(const char *interface)
{
	char line[16];

	if (!asl_system_line(line, sizeof line, "", "/sys/class/net/%s/speed",
			     interface))
		return 0;
	return atoi(line) > 0 ? atoi(line) : 0;
}

static void copy_address(unsigned char *to, const struct sockaddr *from)
{
	if (!from)
		return;
	if (from->sa_family == AF_INET)
		memcpy(to, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else
		memcpy(to, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
}

/* Link-local addresses are only valid with the name of the link. */
static bool is_useful(const struct ifaddrs *x, int family)
{
	return x->ifa_addr && x->ifa_addr->sa_family == family &&
	       x->ifa_flags & IFF_UP &&
	       (family == AF_INET ||
		!IN6_IS_ADDR_LINKLOCAL(
			&((struct sockaddr_in6 *)x->ifa_addr)->sin6_addr));
}

static void add_family(struct asl_addresses *out, const struct ifaddrs *list,
		       int family)
{
	for (const struct ifaddrs *x = list; x; x = x->ifa_next) {
		struct asl_address *spot = &out->spot[out->count];

		if (out->count == ASL_ADDRESSES_MOST || !is_useful(x, family))
			continue;
		spot->family = family;
		snprintf(spot->interface, sizeof spot->interface, "%s",
			 x->ifa_name);
		copy_address(spot->at, x->ifa_addr);
		copy_address(spot->mask, x->ifa_netmask);
		spot->speed = read_speed(x->ifa_name);
		out->count++;
	}
}

void asl_addresses_find(struct asl_addresses *out)
{
	struct ifaddrs *list = NULL;

	memset(out, 0, sizeof *out);
	if (getifaddrs(&list))
		return;
	add_family(out, list, AF_INET);
	add_family(out, list, AF_INET6);
	freeifaddrs(list);
}

int asl_addresses_named(struct asl_address *out,
			const struct asl_addresses *all, const char *interface)
{
	char names[256] = "";
	size_t used = 0;

	for (int i = 0; i < all->count; i++) {
		const char *name = all->spot[i].interface;

		if (!strcmp(name, interface)) {
			*out = all->spot[i];
			return 0;
		}
		if (!strstr(names, name) && used < sizeof names)
			used += (size_t)snprintf(names + used,
						 sizeof names - used, "%s%s",
						 used ? ", " : "", name);
	}
	return asl_fail(-ENODEV,
			"--interface: found %s, expected an interface that is "
			"up and has an address: %s",
			interface, names);
}

bool asl_address_is_loopback(const struct asl_address *x)
{
	static const unsigned char loop6[16] = {[15] = 1};

	return x->family == AF_INET ? x->at[0] == 127
				    : !memcmp(x->at, loop6, sizeof loop6);
}

static bool same_network(const struct asl_address *a,
			 const struct asl_address *b)
{
	for (int i = 0; i < 16; i++)
		if ((a->at[i] ^ b->at[i]) & a->mask[i] ||
		    a->mask[i] != b->mask[i])
			return false;
	return a->family == b->family;
}

static bool same_address(const struct asl_address *a,
			 const struct asl_address *b)
{
	return a->family == b->family && !memcmp(a->at, b->at, sizeof a->at);
}

int asl_addresses_common(struct asl_address *out,
			 const struct asl_addresses *mine,
			 const struct asl_addresses *others)
{
	const struct asl_address *best = NULL;

	for (int i = 0; i < mine->count; i++)
		for (int j = 0; j < others->count; j++) {
			const struct asl_address *a = &mine->spot[i],
						 *b = &others->spot[j];

			if (!asl_address_is_loopback(a) && same_network(a, b) &&
			    !same_address(a, b) &&
			    (!best || a->speed > best->speed))
				best = a;
		}
	if (best)
		*out = *best;
	return best ? 0 : -ENODEV;
}

int asl_addresses_beside(struct asl_address *out,
			 const struct asl_addresses *mine,
			 const struct asl_address *there)
{
	for (int i = 0; i < mine->count; i++)
		if (same_network(&mine->spot[i], there)) {
			*out = mine->spot[i];
			return 0;
		}
	return -ENODEV;
}

/* Nothing is sent: a datagram socket only asks for the route. */
int asl_addresses_towards(struct asl_address *out,
			  const struct asl_addresses *mine,
			  const struct asl_address *there)
{
	int fd = socket(there->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage to, from;
	socklen_t length = asl_address_name(&to, there), room = sizeof from;
	struct asl_address found = {.family = there->family};
	int err = -ENODEV;

	/* Any port but 0. */
	((struct sockaddr_in *)&to)->sin_port = htons(9);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&to, length) &&
	    !getsockname(fd, (struct sockaddr *)&from, &room))
		copy_address(found.at, (struct sockaddr *)&from);
	for (int i = 0; i < mine->count && err; i++)
		if (same_address(&mine->spot[i], &found)) {
			*out = mine->spot[i];
			err = 0;
		}
	if (fd >= 0)
		close(fd);
	return err;
}

socklen_t asl_address_name(struct sockaddr_storage *out,
			   const struct asl_address *spot)
{
	struct sockaddr_in *four = (struct sockaddr_in *)out;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;

	memset(out, 0, sizeof *out);
	out->ss_family = (sa_family_t)spot->family;
	if (spot->family == AF_INET) {
		memcpy(&four->sin_addr, spot->at, 4);
		return sizeof *four;
	}
	memcpy(&six->sin6_addr, spot->at, 16);
	return sizeof *six;
}

void asl_address_text(char *out, size_t room, const struct asl_address *spot)
{
	out[0] = '\0';
	inet_ntop(spot->family, spot->at, out, (socklen_t)room);
}
