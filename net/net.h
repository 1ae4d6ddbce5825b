/*
 * net.h -- messages between the ranks of a run
 *
 * A run has `size` ranks.  Who carries their messages is chosen by name: `sim`
 * makes every rank a fiber of this process, `ofi` (libfabric) and `mpi` join a
 * job of processes that mpiexec or srun started.  Nothing after asl_net_run
 * depends on the choice.
 *
 * Words	The net moves bytes and counts nothing: counting, phases and
 *		clocks are the business of lib/rank.
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

/*
 * What travels with every message, the caller's to use: the sender's clocks, and
 * when it began, by its host's.
 */
struct asl_net_stamp {
	double at[2];
	double since;
};

/*
 * One step of one rank: a message out, a message in, or both at once.  The
 * caller fills the first part and keeps the struct, and the buffers, in place
 * from asl_net_start until asl_net_wait has returned.
 *
 * A NULL buffer with a length is a message of which only the length and the
 * stamp exist; sim carries it, and no other transport does.
 */
struct asl_net_op {
	int to, from; /* ASL_NET_NONE: nothing goes out, nothing comes in */
	const void *out;
	void *in;
	size_t out_bytes, in_bytes; /* in_bytes: exactly, else -EMSGSIZE */
	struct asl_net_stamp sent, got;

	/* The transport's own from here on. */
	struct asl_net *owner;
	void *handle[2];
	int pending, err;
	/* Room for a provider's contexts (fi_context2 is 64 bytes), one a side. */
	_Alignas(16) unsigned char room[2][112];
};

#define ASL_NET_NONE (-1)

struct asl_net_want {
	const char *transport; /* sim, ofi, mpi */
	const char *provider;  /* of libfabric; NULL: the best one here */
	int ranks;	       /* sim: how many.  ofi, mpi: 0, or as the job */
	bool data;	       /* false: all buffers will be NULL (sim only) */
	/*
	 * ofi, mpi: the ranks are those of a communicator of the caller, who has
	 * started MPI and will end it, by the number that MPI_Comm_c2f gives it;
	 * NULL: they are all that mpiexec started, and so is MPI.
	 */
	const int *comm;
	/*
	 * ofi, mpi: the network interface that providers which speak IP, and
	 * guards, use, and no other; NULL: loopback if all ranks are on one host,
	 * else that of the fastest network that hosts have in common.
	 */
	const char *interface;
};

/*
 * Be the ranks that live in this process: call body once for each, with its
 * place in the run, and return when all have ended: 0, or what the first body
 * that failed returned.
 *
 * A body that ends while others still want to hear from it calls asl_net_abort
 * first; else they wait for it, on sim until -EDEADLK, elsewhere for ever.
 *
 *	-ENOENT		no transport or provider of that name
 *	-EINVAL		want->ranks is not the size of the job
 *	-ENETDOWN	the provider is there, but could not be opened
 *	-EBUSY		sim: called by a body; ofi, mpi without a communicator:
 *			called once before
 *
 * What goes wrong before the bodies goes wrong for all: every rank returns the
 * same error, and one alone has something in asl_failure().  The provider is
 * the one that rank 0 wants.
 */
int asl_net_run(const struct asl_net_want *want,
		int (*body)(struct asl_net *net, void *arg), void *arg);

int asl_net_rank(const struct asl_net *net);
int asl_net_size(const struct asl_net *net);
const char *asl_net_transport(const struct asl_net *net);
const char *asl_net_provider(const struct asl_net *net); /* "" if none */

/* Which of the ranks on this host this is (sim: of all). */
int asl_net_host_rank(const struct asl_net *net);

/* The lowest of these, and do they outnumber the cores? (sim: 0, no) */
int asl_net_host_first(const struct asl_net *net);
bool asl_net_crowded(const struct asl_net *net);

/*
 * Of those ranks on this host that were started on the very same processors:
 * which one this is, from 0 on, and how many there are (sim: 0 of 1, as all are
 * one process).
 */
int asl_net_mate(const struct asl_net *net, int *mates);

/* Start a step; end it.  Between the two the rank may compute. */
int asl_net_start(struct asl_net *net, struct asl_net_op *op);
int asl_net_wait(struct asl_net *net, struct asl_net_op *op);

/* Would asl_net_wait return at once?  Moves things on, without waiting. */
bool asl_net_ended(struct asl_net *net, struct asl_net_op *op);

/*
 * The run cannot go on: say why on stderr, with this rank's number, and end
 * every rank.  Of many ranks that abort together one is heard, the lowest if it
 * can be.  Does not return on ofi and mpi, where the job ends with exit_code;
 * on sim every step in flight or to come fails with -ECONNABORTED.
 */
void asl_net_abort(struct asl_net *net, int exit_code, const char *reason);

/* ---- Uncounted help for setting a run up, the same on all transports ---- */

int asl_net_barrier(struct asl_net *net);

/* Every rank gets rank 0's bytes. */
int asl_net_share(struct asl_net *net, void *at, size_t bytes);

/* Rank 0 gets every rank's `bytes`, in rank order, in all[size * bytes]. */
int asl_net_collect(struct asl_net *net, void *all, const void *mine,
		    size_t bytes);

/*
 * Do all ranks say 0?  Every rank gets the answer: 0, or what the lowest rank
 * that did not said, and who that is; that one alone keeps its asl_failure().
 */
int asl_net_agree(struct asl_net *net, int mine, int *who);

/* ---- The job that this process is part of ---- */

/* Did mpiexec or srun start this process, in a job of one or more?  Fills both. */
bool asl_net_job(int *rank, int *size);

/* Seconds that a job bears with ranks that do not answer. */
struct asl_net_patience {
	int stopped; /* by a signal */
	int cut;     /* the host or the network is gone; 0: nobody looks */
};

/*
 * Watch over this process from outside: forks, and returns in the child only.
 * The parent waits; if the child is killed, or stopped for longer than is borne
 * with, it says which rank that was and ends the job; if the parent is killed
 * the child says so and ends.  Once a run has begun, the parents of all ranks
 * watch each other, too: a host or a network that is gone ends the job.  To be
 * called before anything is opened, inside a job only.
 */
void asl_net_guard(int rank, const struct asl_net_patience *bears);

/*
 * Remove what ranks that were killed have left in /dev/shm: files that libraries
 * made, of this user, that no process has any more.
 */
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

/* What carries messages, a line each: "libfabric 1.17.0\nMPICH ...\n". */
const char *asl_net_versions(void);

#endif
