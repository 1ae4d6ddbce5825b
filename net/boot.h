/*
 * boot.h -- how the processes of a job find each other, over MPI
 *
 * ofi and mpi begin and end alike.  Between asl_boot_open and asl_boot_close
 * ofi leaves MPI alone: its waits spin, and where ranks outnumber cores every
 * call takes a good part of a second.
 */
#ifndef ASL_NET_BOOT_H
#define ASL_NET_BOOT_H

#include <stdbool.h>
#include <stddef.h>

struct asl_boot {
	int rank, size;
	int host_rank, host_ranks;
	bool one_host; /* all ranks are on this host */
	bool crowded;  /* the ranks of this host outnumber its cores */
};

/* Join the job; ranks is how many it should have, or 0. */
int asl_boot_open(struct asl_boot *boot, int ranks);

/* Every rank must call it, and nobody may need another rank afterwards. */
void asl_boot_close(void);

/* Every rank gets every rank's bytes. */
int asl_boot_gather(void *all, const void *mine, size_t bytes);

/*
 * Say why and end the job.  A rank that only `lost` a peer waits a little
 * first: the peer may have aborted, and knows better what happened.
 */
_Noreturn void asl_boot_abort(int rank, int exit_code, const char *why,
			      bool lost);

#endif
