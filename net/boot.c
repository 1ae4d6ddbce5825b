/*
 * boot.c -- how the processes of a job find each other, over MPI
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "net/boot.h"
#include "net/comm.h"
#include "net/guard.h"
#include "net/hosts.h"
#include "net/provider.h"
#include "net/ties.h"

#define PASS_ON_US 100000
#define TURN_US 300000
#define TURNS 4
#define LOST_US 2000000

MPI_Comm asl_boot_comm = MPI_COMM_WORLD;

/* MPI_Init does not return an error, it ends the process, with any code. */
static bool starting;

static void not_started(void)
{
	int rank = 0, size;

	if (!starting)
		return;
	asl_net_job(&rank, &size);
	fprintf(stderr, "aslant: rank %d: MPI could not start\n", rank);
	fflush(NULL);
	_exit(ASL_BOOT_FAILED);
}

static int start(void)
{
	int err;

	if (atexit(not_started))
		return asl_fail(-ENOMEM, "no memory for MPI");
	starting = true;
	err = MPI_Init(NULL, NULL);
	starting = false;
	return err ? asl_fail(-ENETDOWN, "MPI_Init failed") : 0;
}

static int begin(void)
{
	int before = 0;

	MPI_Initialized(&before);
	if (before)
		return asl_fail(-EBUSY, "this process has already been "
					"part of a run, or has started MPI "
					"itself");
	return start();
}

/* Messages in a copy never meet the caller's. */
static int borrow(int comm)
{
	int rank, size, err = asl_net_comm(comm, &rank, &size);

	if (!err && MPI_Comm_dup(MPI_Comm_f2c(comm), &asl_boot_comm))
		err = asl_fail(-ENETDOWN, "MPI_Comm_dup failed");
	return err;
}

static bool is_borrowed(void)
{
	return asl_boot_comm != MPI_COMM_WORLD;
}

static int join(struct asl_boot *boot, const int *comm)
{
	int err = comm ? borrow(*comm) : begin();

	if (err)
		return err;
	MPI_Comm_set_errhandler(asl_boot_comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(asl_boot_comm, &boot->rank);
	MPI_Comm_size(asl_boot_comm, &boot->size);
	return 0;
}

static int check_size(const struct asl_boot *boot, int ranks)
{
	int rank, size;

	if (!is_borrowed() && asl_net_job(&rank, &size) && size != boot->size)
		return asl_fail(-EINVAL,
				"the launcher started %d ranks, "
				"but MPI sees %d: it is another MPI's "
				"launcher (or srun without --mpi=pmi2)",
				size, boot->size);
	if (ranks && ranks != boot->size)
		return asl_fail(-EINVAL,
				"%d ranks are wanted, but the job "
				"has %d",
				ranks, boot->size);
	return 0;
}

/* ---- What only the ranks know ---- */

static int share_secret(struct asl_boot *boot)
{
	struct asl_secret *s = &boot->secret;
	int err = 0;

	if (boot->rank == 0 && getrandom(s, sizeof *s, 0) != sizeof *s)
		err = asl_fail(-EIO, "the system has no random bits");
	err = asl_boot_agree(boot, err);
	if (!err)
		asl_boot_share(s, sizeof *s);
	return err;
}

/* ---- All of it ---- */

int asl_boot_open(struct asl_boot *boot, const struct asl_net_want *want)
{
	int err;

	*boot = (struct asl_boot){0};
	asl_guard_say(ASL_GUARD_JOINS);
	err = join(boot, want->comm);
	if (err)
		return err;
	err = asl_boot_agree(boot, check_size(boot, want->ranks));
	if (!err)
		err = asl_hosts_find(boot, want->interface);
	if (!err)
		err = share_secret(boot);
	if (!err)
		err = asl_ties_open(boot);
	asl_guard_say(ASL_GUARD_JOINED);
	if (err)
		asl_boot_close();
	return err;
}

void asl_boot_place(struct asl_net *net, const struct asl_boot *boot)
{
	net->rank = boot->rank;
	net->size = boot->size;
	net->host_rank = boot->host_rank;
	net->mate = boot->mate;
	net->mates = boot->mates;
	net->host_first = boot->host_first;
	net->crowded = boot->crowded;
}

void asl_boot_close(void)
{
	if (!is_borrowed()) {
		MPI_Finalize();
		asl_guard_say(ASL_GUARD_PARTS);
		return;
	}
	MPI_Comm_free(&asl_boot_comm);
	asl_boot_comm = MPI_COMM_WORLD;
}

/* Where the others stand is unknown once MPI fails one of them. */
static void need(int code, const char *what)
{
	int rank = 0;

	if (!code)
		return;
	MPI_Comm_rank(asl_boot_comm, &rank);
	asl_boot_abort(rank, ASL_BOOT_LOST, what, true);
}

void asl_boot_gather(void *all, const void *mine, size_t bytes)
{
	need(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes,
			   MPI_BYTE, asl_boot_comm),
	     "MPI_Allgather failed");
}

void asl_boot_share(void *at, size_t bytes)
{
	need(MPI_Bcast(at, (int)bytes, MPI_BYTE, 0, asl_boot_comm),
	     "MPI_Bcast failed");
}

int asl_boot_agree(const struct asl_boot *boot, int mine)
{
	/* An MPI_2INT: of those that failed the lowest rank is kept. */
	struct {
		int rank, err;
	} said = {mine ? boot->rank : INT_MAX, mine}, first;

	need(MPI_Allreduce(&said, &first, 1, MPI_2INT, MPI_MINLOC,
			   asl_boot_comm),
	     "MPI_Allreduce failed");
	if (first.err && first.rank != boot->rank)
		asl_fail(first.err, "%s", "");
	return first.err;
}

_Noreturn void asl_boot_abort(int rank, int exit_code, const char *why,
			      bool lost)
{
	int turn = rank < TURNS ? rank : TURNS;

	usleep((lost ? LOST_US : 0) + (useconds_t)turn * TURN_US);
	fprintf(stderr, "aslant: rank %d: %s\n", rank, why);
	fflush(NULL);
	/* mpiexec drops what it has not passed on when it hears of an abort. */
	usleep(PASS_ON_US);
	/* MPI would say it again, in its own words. */
	if (!freopen("/dev/null", "w", stderr))
		_exit(exit_code);
	MPI_Abort(MPI_COMM_WORLD, exit_code);
	_exit(exit_code);
}
