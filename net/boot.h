/*
 * boot.h -- how the processes of a job find each other
 *
 * ofi and mpi begin and end alike.  Between asl_boot_open and asl_boot_close
 * only mpi's messages call MPI: its waits spin, and if ranks outnumber cores a call
 * takes a good part of a second.
 */
#ifndef ASL_NET_BOOT_H
#define ASL_NET_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/provider.h"

/* Exit codes of aslant: the machine is at fault; a rank is lost. */
enum { ASL_BOOT_FAILED = 3, ASL_BOOT_LOST = 5 };

struct asl_boot {
	int rank, size;
	int host_rank, host_first; /* of the ranks on this host */
	int mate, mates;	   /* as asl_net_mate has it */
	bool one_host;		   /* all ranks are on this host */
	bool crowded; /* the ranks of this host outnumber its cores */
	double core;  /* that each of them then has, up to 1 */
	bool tied;    /* the guards watch each other */
	/* The address where other ranks reach this one, and as text. */
	struct asl_address spot;
	char address[64];
	/* Random bits that only the ranks of this run know. */
	struct asl_secret {
		uint64_t message, tag, ties[2];
	} secret;
};

/*
 * Join; all get the same answer, but if MPI can't start the process ends.  It is
 * started if messages go `over_mpi`, or where the process manager knows no PMI-1.
 */
int asl_boot_open(struct asl_boot *boot, const struct asl_net_want *want,
		  bool over_mpi);

/* Copy rank, size and place into the net. */
void asl_boot_place(struct asl_net *net, const struct asl_boot *boot);

/* Every rank must call it, and nobody may need another rank afterwards. */
void asl_boot_close(void);

/* The communicator of all ranks, for MPI_Comm_f2c. */
int asl_boot_comm(void);

/* Every rank gets every rank's bytes; every rank gets rank 0's. */
void asl_boot_gather(void *all, const void *mine, size_t bytes);
void asl_boot_share(void *at, size_t bytes);

/* Sleep for `first` ns, doubled so often, but no more once it is `longest`. */
void asl_boot_nap(int doublings, long first, long longest);

/* 0, or the lowest failed rank's error; it alone keeps its asl_failure(). */
int asl_boot_agree(const struct asl_boot *boot, int mine);

/*
 * Say why and end the job.  Lower ranks go first, so that if all fail alike one
 * line is enough.  A rank that only `lost` a peer waits longer: the peer may have
 * aborted, and knows the reason.
 */
_Noreturn void asl_boot_abort(int rank, int exit_code, const char *why,
			      bool lost);

#endif
