/*
 * hosts.h -- which ranks of a job share a host, and where hosts reach each other
 */
#ifndef ASL_NET_HOSTS_H
#define ASL_NET_HOSTS_H

#include "net/boot.h"

/*
 * All ranks together: fill in all that *boot says of hosts and addresses.  All
 * get the same answer.
 */
int asl_hosts_find(struct asl_boot *boot, const char *interface);

#endif
