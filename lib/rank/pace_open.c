/*
 * pace_open.c -- words that take as long as on another machine: the meeting
 *
 * The first rank of a host makes a piece of memory without a name, and the others
 * open it by way of the first's descriptors in /proc: it is gone with the last
 * process that has it, however that ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/machine/ticks.h"
#include "lib/rank/pace_state.h"

/* Long enough for the error of two looks at a clock not to matter. */
#define MEASURE_S 5e-3

/* Where a rank is, and the memory that it made, if it is the first there. */
struct seat {
	int first, pid, fd;
	uint64_t nonce;
};

static double measure_ticks(void)
{
	double since = asl_now(), s;
	uint64_t from = asl_ticks();

	do
		s = asl_now() - since;
	while (s < MEASURE_S);
	return (double)(asl_ticks() - from) / s;
}

/* Ranks that outnumber cores wait on cores that others need. */
static void yield(void)
{
	sched_yield();
}

/* ---- The memory of a host ---- */

static int map(struct asl_pace *p, int fd)
{
	void *at = mmap(NULL, sizeof *p->host, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	p->host = at;
	return 0;
}

static int make(struct asl_pace *p)
{
	int err;

	p->fd = memfd_create("aslant-pace", MFD_CLOEXEC);
	if (p->fd < 0 || ftruncate(p->fd, sizeof *p->host))
		return -errno;
	err = map(p, p->fd);
	if (err)
		return err;
	p->host->begin = asl_now();
	return getrandom(&p->host->nonce, sizeof p->host->nonce, 0) < 0 ? -errno
									: 0;
}

/* The number may be another process's where we do not see the first's. */
static int find(struct asl_pace *p, const struct seat *first)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", first->pid, first->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = map(p, fd);
	close(fd);
	return err ? err : p->host->nonce == first->nonce ? 0 : -ENODEV;
}

/* ---- The ranks ---- */

static struct seat seat_of(const struct asl_pace *p, struct asl_net *net)
{
	return (struct seat){
		.first = asl_net_host_first(net),
		.pid = getpid(),
		.fd = p->fd,
		.nonce = p->host ? p->host->nonce : 0,
	};
}

static void look_around(struct asl_pace *p, const struct seat *seats, int ranks)
{
	p->host_ranks = 0;
	for (int i = 0; i < ranks; i++) {
		p->host_first[i] = seats[i].first;
		p->host_ranks += seats[i].first == seats[p->rank].first;
	}
}

static int meet(struct asl_pace *p, struct seat *seats, struct asl_net *net,
		const char **why)
{
	int ranks = asl_net_size(net), first = asl_net_host_first(net);
	int failed = first == p->rank ? make(p) : 0, err;
	struct seat mine = seat_of(p, net);

	err = asl_net_collect(net, seats, &mine, sizeof mine);
	if (!err)
		err = asl_net_share(net, seats, (size_t)ranks * sizeof *seats);
	if (!err && first != p->rank)
		failed = find(p, &seats[first]);
	/* The first keeps its descriptor until all have followed it. */
	if (!err)
		err = asl_net_barrier(net);
	if (err) {
		*why = asl_failure();
		return err;
	}
	look_around(p, seats, ranks);
	if (failed)
		*why = "the ranks of a host cannot share memory by way of "
		       "/proc, which an emulated device takes";
	return failed ? -ENODEV : 0;
}

static void translate(struct asl_pace *p)
{
	const struct asl_emulation *as = &p->as;

	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		p->byte_ps[way] = as->word[way] * 1000 / sizeof(double);
		p->latency_ps[way] = (uint64_t)llround(as->latency[way] * 1000);
	}
	p->net_byte_ps = as->net * 1000 / sizeof(double);
	p->message_ps = (uint64_t)llround(as->message * 1000);
	p->line_bytes = as->line_bytes ? (uint64_t)as->line_bytes : 1;
}

int asl_pace_open(struct asl_pace **out, const struct asl_emulation *as,
		  struct asl_net *net, const char **why)
{
	size_t ranks = (size_t)asl_net_size(net);
	struct seat *seats = calloc(ranks, sizeof *seats);
	struct asl_pace *p = calloc(1, sizeof *p);
	int err = -ENOMEM;

	*out = p;
	*why = "no memory for an emulated device";
	if (p)
		*p = (struct asl_pace){
			.fd = -1,
			.rank = asl_net_rank(net),
			.as = *as,
			.net = ranks > 1,
			.host_first = calloc(ranks, sizeof *p->host_first),
		};
	if (seats && p && p->host_first)
		err = meet(p, seats, net, why);
	if (!err) {
		p->rest = asl_net_crowded(net) ? yield : asl_ticks_rest;
		p->ticks_per_s = measure_ticks();
		translate(p);
	}
	free(seats);
	return err;
}

void asl_pace_close(struct asl_pace *p)
{
	if (!p)
		return;
	if (p->host)
		munmap(p->host, sizeof *p->host);
	if (p->fd >= 0)
		close(p->fd);
	free(p->host_first);
	free(p);
}
