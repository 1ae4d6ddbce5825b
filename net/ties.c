/*
 * ties.c -- connections between the guards of a job
 *
 * The ranks make them, because they have MPI to tell each other where, and hand
 * them to their guards.  Sockets listen on the one address that other ranks use,
 * until all have come.  Whoever cannot say the run's secret is sent away.
 *
 * The kernels at both ends probe a connection every second, so that nobody has
 * to be given a core to notice that the other end is gone.
 */
#include "net/ties.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "net/address.h"
#include "net/guard.h"

#define WAIT_S 20	/* for all to come */
#define STRANGER_MS 500 /* for one that came to speak */

struct door {
	struct sockaddr_storage name;
	socklen_t length;
	char host[64];
};

struct hello {
	uint64_t secret[2];
	int rank;
};

static int parent_of(int rank)
{
	return rank & (rank - 1);
}

/* Children are the rank plus powers of two below its lowest bit. */
static int count_children(const struct asl_boot *boot)
{
	int count = 0;

	for (long far = 1; far < boot->size; far *= 2) {
		if (boot->rank & far)
			break;
		count += boot->rank + far < boot->size;
	}
	return count;
}

static struct hello greet(const struct asl_boot *boot)
{
	struct hello h = {.rank = boot->rank};

	memcpy(h.secret, boot->secret.ties, sizeof h.secret);
	return h;
}

/* Of the time that is borne with, a second may pass before the first probe. */
static void probe(int fd, int seconds)
{
	int on = 1, every = 1, ms = seconds > 1 ? (seconds - 1) * 1000 : 500;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every, sizeof every);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &seconds, sizeof seconds);
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static int give(int fd, int rank, const struct door *all)
{
	struct asl_tie tie = {.rank = rank, .fd = fd};
	int err;

	memcpy(tie.host, all[rank].host, sizeof tie.host);
	probe(fd, asl_guard_patience()->cut);
	err = asl_guard_give(&tie);
	close(fd);
	return err ? asl_fail(err, "no tie to the guard of rank %d: %s", rank,
			      strerror(-err))
		   : 0;
}

/* ---- To the parent ---- */

static int call(const struct asl_boot *boot, const struct door *all)
{
	int parent = parent_of(boot->rank);
	const struct door *to = &all[parent];
	struct hello h = greet(boot);
	struct timeval wait = {.tv_sec = WAIT_S};
	int fd;

	if (boot->rank == 0)
		return 0;
	fd = socket(to->name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return asl_fail(-errno, "socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	if (!connect(fd, (const struct sockaddr *)&to->name, to->length) &&
	    send(fd, &h, sizeof h, MSG_NOSIGNAL) == sizeof h)
		return give(fd, parent, all);
	close(fd);
	return asl_fail(-ENETDOWN,
			"rank %d on %s does not reach rank %d on %s over "
			"TCP: %s (--interface NAME takes another network, "
			"--cut-timeout 0 goes without)",
			boot->rank, all[boot->rank].host, parent, to->host,
			strerror(errno == EINPROGRESS ? ETIMEDOUT : errno));
}

/* ---- From the children ---- */

static bool is_child(const struct asl_boot *boot, const struct hello *h)
{
	struct hello ours = greet(boot);

	return !memcmp(h->secret, ours.secret, sizeof h->secret) &&
	       h->rank > boot->rank && h->rank < boot->size &&
	       parent_of(h->rank) == boot->rank;
}

/* Returns the rank; -1: it is none of ours, and gone. */
static int let_in(const struct asl_boot *boot, int fd)
{
	struct timeval wait = {.tv_usec = STRANGER_MS * 1000};
	struct hello h;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
	if (recv(fd, &h, sizeof h, MSG_WAITALL) == sizeof h &&
	    is_child(boot, &h))
		return h.rank;
	close(fd);
	return -1;
}

static time_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int answer(const struct asl_boot *boot, int door, const struct door *all)
{
	int missing = count_children(boot), err = 0;
	time_t end = now_s() + WAIT_S;

	while (missing && !err && now_s() <= end) {
		struct pollfd p = {.fd = door, .events = POLLIN};
		int fd = poll(&p, 1, 1000) > 0
				 ? accept4(door, NULL, NULL, SOCK_CLOEXEC)
				 : -1;
		int rank = fd < 0 ? -1 : let_in(boot, fd);

		if (rank < 0)
			continue;
		err = give(fd, rank, all);
		missing--;
	}
	if (!err && missing)
		err = asl_fail(-ENETDOWN,
			       "rank %d on %s waited for %d ranks to reach "
			       "it over TCP",
			       boot->rank, all[boot->rank].host, missing);
	return err;
}

/* ---- All ---- */

static int open_door(struct door *mine, const struct asl_boot *boot)
{
	int fd, err;

	memset(mine, 0, sizeof *mine);
	gethostname(mine->host, sizeof mine->host - 1);
	mine->length = asl_address_name(&mine->name, &boot->spot);
	fd = socket(mine->name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&mine->name, mine->length) &&
	    !listen(fd, SOMAXCONN) &&
	    !getsockname(fd, (struct sockaddr *)&mine->name, &mine->length))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* All come, or none has a tie. */
static int meet(const struct asl_boot *boot, int door, const struct door *mine,
		struct door *all)
{
	int err;

	asl_boot_gather(all, mine, sizeof *mine);
	err = call(boot, all);
	if (!err)
		err = answer(boot, door, all);
	return asl_boot_agree(boot, err);
}

/* Without even loopback a host is on its own, and its ranks with it. */
static int has_place(const struct asl_boot *boot)
{
	return *boot->address ? 0 : -ENODEV;
}

int asl_ties_open(const struct asl_boot *boot)
{
	struct door mine, *all;
	int door, err = 0;

	if (!boot->tied || asl_boot_agree(boot, has_place(boot)))
		return 0;
	all = calloc((size_t)boot->size, sizeof *all);
	door = open_door(&mine, boot);
	if (!all || door < 0)
		err = asl_fail(-ENETDOWN,
			       "no socket on %s for the guard "
			       "of rank %d: %s",
			       boot->spot.interface, boot->rank,
			       strerror(door < 0 ? -door : ENOMEM));
	err = asl_boot_agree(boot, err);
	if (!err)
		err = meet(boot, door, &mine, all);
	if (door >= 0)
		close(door);
	free(all);
	return err;
}
