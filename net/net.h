/*
 * net.h -- messages between the ranks of a run
 *
 * A run has `size` ranks.  Their transport is chosen by name: `sim` makes every
 * rank a fiber of this process, `ofi` (libfabric) and `mpi` join a job of
 * processes that mpiexec or srun started.  Nothing after asl_net_run depends on
 * the choice.
 *
 * Counting	None here: lib/rank has counters, phases and clocks.
 * Order	Messages from one rank to another arrive in the order sent.
 * Errors	0, or a negative errno (lib/base/error.h).  After
 *		an error only asl_net_abort and asl_net_close are safe.
 * Threads	One thread per process.
 */
#ifndef ASL_NET_H
#define ASL_NET_H

#include <stdbool.h>
#include <stddef.h>

struct asl_net;

enum { ASL_NET_CLOCKS = 3 };

/* Every message carries its sender's clocks, and when it began, on its host. */
struct asl_net_stamp {
	double at[ASL_NET_CLOCKS];
	double since;
};

/*
 * One step of one rank: a message out, a message in, or both at once.  The
 * caller fills the first part and keeps the struct, and the buffers, in place
 * from asl_net_start until asl_net_wait has returned.
 *
 * A NULL buffer with a length is a message of only a length and a stamp, for
 * transports that carry it (asl_net_can).
 */
struct asl_net_op {
	int to, from; /* ASL_NET_NONE: nothing is sent, nothing received */
	const void *out;
	void *in;
	size_t out_bytes, in_bytes; /* in_bytes: exactly, else -EMSGSIZE */
	struct asl_net_stamp sent, got;

	/* For the transport: */
	struct asl_net *owner;
	void *handle[2];
	int pending, err;
	/* A context of the provider for each side (fi_context2: 64 bytes). */
	_Alignas(16) unsigned char room[2][128];
};

#define ASL_NET_NONE (-1)

struct asl_net_want {
	const char *transport; /* sim, ofi, mpi */
	const char *provider;  /* of libfabric; NULL: the best one here */
	int ranks;	       /* sim: how many; ofi, mpi: 0, or as the job */
	bool data;	       /* false: all buffers will be NULL (sim only) */
	/*
	 * ofi, mpi: the ranks are those of a communicator of the caller, who
	 * starts and ends MPI, by its number from MPI_Comm_c2f; NULL: all that
	 * mpiexec started, and MPI is started here if it is needed.
	 */
	const int *comm;
	/*
	 * ofi, mpi: the network interface of guards, and of providers over IP;
	 * NULL: loopback if all ranks are on one host, else that of the fastest
	 * network that hosts have in common.
	 */
	const char *interface;
};

/*
 * Call body once for each rank of this process and return when all have ended: 0,
 * or the error of the first body that failed.
 *
 * A body that ends while other ranks still expect messages from it calls
 * asl_net_abort first; else they wait, on sim until -EDEADLK, elsewhere for ever.
 *
 *	-ENOENT		no transport or provider of that name
 *	-EINVAL		want->ranks is not the size of the job
 *	-ENODEV		MPI or libfabric is not installed
 *	-ENETDOWN	the provider is there, but could not be opened
 *	-EBUSY		sim: called by a body; ofi, mpi without a communicator:
 *			called once before
 *
 * An error before the bodies is an error of all: every rank returns it, and only
 * one has an asl_failure().  The provider is the one that rank 0 asks for.
 */
int asl_net_run(const struct asl_net_want *want,
		int (*body)(struct asl_net *net, void *arg), void *arg);

int asl_net_rank(const struct asl_net *net);
int asl_net_size(const struct asl_net *net);
const char *asl_net_provider(const struct asl_net *net); /* "" if none */

/* Which of the ranks on this host this is (sim: of all). */
int asl_net_host_rank(const struct asl_net *net);

/* The lowest of these (sim: 0), and the part of a core that each has, up to 1. */
int asl_net_host_first(const struct asl_net *net);
double asl_net_core(const struct asl_net *net); /* sim: 1 */

/* This rank's number among the *mates here with its cores (sim: 0 of 1). */
int asl_net_mate(const struct asl_net *net, int *mates);

/*
 * Start a step; end it.  Between the two the rank may compute.  Starting does not wait,
 * however many steps are under way; receives beyond a hundred may be posted only as
 * earlier ones end.
 */
int asl_net_start(struct asl_net *net, struct asl_net_op *op);
int asl_net_wait(struct asl_net *net, struct asl_net_op *op);

/*
 * End op[0], when op[1] to op[count - 1] are waited for next: a rank that sleeps need
 * not wake before all of them can end.
 */
int asl_net_wait_of(struct asl_net *net, struct asl_net_op *op, int count);

static inline int asl_net_step(struct asl_net *net, struct asl_net_op *op)
{
	int err = asl_net_start(net, op);

	return err ? err : asl_net_wait(net, op);
}

/* Would asl_net_wait return at once?  Makes progress, without waiting. */
bool asl_net_ended(struct asl_net *net, struct asl_net_op *op);

/*
 * End every rank, and say why on stderr, with this rank's number.  If many ranks
 * abort together one is heard, the lowest if possible.  On ofi and mpi this does
 * not return: the job ends with exit_code.  On sim every step in flight or to
 * come fails with -ECONNABORTED.
 */
void asl_net_abort(struct asl_net *net, int exit_code, const char *reason);

/* Ranks first, first + stride, ... of a grid; or, in no such order, a list. */
struct asl_group {
	int first, stride, size;
	int me; /* index of this rank in the group */
	const int *list;
};

static inline int asl_member(const struct asl_group *g, int i)
{
	return g->list ? g->list[i] : g->first + i * g->stride;
}

/*
 * Simulated ranks only: wait until all of a group have come.  The last one calls
 * all() with what each of them has brought, in order, and all go on.  -ENOMEM.
 */
int asl_net_meet(struct asl_net *net, const struct asl_group *group, void *mine,
		 void (*all)(void *const brought[], int size));

/* ---- Uncounted collectives, to set up a run ---- */

int asl_net_barrier(struct asl_net *net);

/* Every rank gets rank 0's bytes. */
int asl_net_share(struct asl_net *net, void *at, size_t bytes);

/* Rank 0 gets every rank's `bytes`, in rank order, in all[size * bytes]. */
int asl_net_collect(struct asl_net *net, void *all, const void *mine,
		    size_t bytes);

/* 0, or the lowest failed rank's error and number; it keeps asl_failure(). */
int asl_net_agree(struct asl_net *net, int mine, int *who);

/* ---- The job that this process is part of ---- */

/* Did mpiexec or srun start this process, in a job of one or more?  Fills both. */
bool asl_net_job(int *rank, int *size);

/* The most of its `ranks` that a host has, if srun says so; else all of them. */
int asl_net_job_here(int ranks);

/* Seconds until a job ends because of a rank that does not answer. */
struct asl_net_patience {
	int stopped; /* by a signal */
	int cut;     /* its host or the network is gone; 0: never */
};

/*
 * Guard this process: fork, and return in the child only.  The parent waits; if
 * the child is killed, or stopped for too long, it says which rank that was and
 * ends the job; if the parent is killed, the child says so and ends.  During a
 * run the parents of all ranks watch each other, too: a host or a network that is
 * gone ends the job.  Call it inside a job only, before anything is opened.
 */
void asl_net_guard(int rank, const struct asl_net_patience *limits);

/* Remove what killed ranks of this user left in /dev/shm, if nobody has it. */
void asl_net_sweep(void);

/* ---- A communicator of the caller's MPI, before and after a run ---- */

/* Which rank of how many this process is.  -EINVAL: MPI is not running. */
int asl_net_comm(int comm, int *rank, int *size);

/* All ranks together: everybody gets everybody's bytes; or those of rank 0. */
int asl_net_comm_gather(int comm, void *all, const void *mine, int bytes);
int asl_net_comm_share(int comm, void *at, int bytes);

/* What a transport can do: ask this, never for a name.  All false for none. */
struct asl_net_traits {
	bool simulated; /* ranks take turns in this process, out of time */
	bool joins_job; /* ranks are processes that a launcher started */
	bool takes_provider;
	bool carries_null; /* messages that are only a length and a stamp */
};

const struct asl_net_traits *asl_net_can(const char *name);
bool asl_net_simulated(const struct asl_net *net);

/* The names of all transports, in a NULL-ended array, and a line on each. */
const char *const *asl_net_transports(void);
const char *asl_net_transport_summary(const char *name);

/* How this process opens libfabric's library, which is dlopen unless that is replaced. */
extern void *(*asl_fabric_open)(const char *path);

/* Versions of libraries, a line each: "libfabric 1.17.0\nMPICH ...\n". */
const char *asl_net_versions(void);

#endif
