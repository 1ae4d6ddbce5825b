/*
 * boot.c -- how the processes of a job find each other, over MPI
 *
 * Ranks are on one host if they see the same host name and the same boot of
 * the kernel.  The cores of a host are those that any of its ranks may run on:
 * launchers that bind give each rank cores of its own.
 */
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/boot.h"
#include "net/provider.h"

#define PASS_ON_US 100000

struct place {
	char host[64], kernel[40];
	cpu_set_t cores;
};

static void look_around(struct place *p)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	memset(p, 0, sizeof(*p));
	gethostname(p->host, sizeof(p->host) - 1);
	if (f) {
		if (!fgets(p->kernel, sizeof(p->kernel), f))
			p->kernel[0] = '\0';
		fclose(f);
	}
	if (sched_getaffinity(0, sizeof(p->cores), &p->cores))
		for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
			CPU_SET((size_t)i, &p->cores);
}

static bool same_host(const struct place *a, const struct place *b)
{
	return !strcmp(a->host, b->host) && !strcmp(a->kernel, b->kernel);
}

static void compare(struct asl_boot *boot, const struct place *all)
{
	const struct place *mine = &all[boot->rank];
	cpu_set_t cores;

	CPU_ZERO(&cores);
	for (int i = 0; i < boot->size; i++)
		if (same_host(&all[i], mine)) {
			CPU_OR(&cores, &cores, &all[i].cores);
			boot->host_ranks++;
			boot->host_rank += i < boot->rank;
		}
	boot->one_host = boot->host_ranks == boot->size;
	boot->crowded = boot->host_ranks > CPU_COUNT(&cores);
}

static int find_places(struct asl_boot *boot)
{
	struct place mine, *all = calloc((size_t)boot->size, sizeof(*all));
	int err;

	if (!all)
		return asl_net_fail(-ENOMEM, "no memory for %d hosts",
				    boot->size);
	look_around(&mine);
	err = asl_boot_gather(all, &mine, sizeof(mine));
	if (!err)
		compare(boot, all);
	free(all);
	return err;
}

static int join(struct asl_boot *boot)
{
	int before = 0;

	MPI_Initialized(&before);
	if (before)
		return asl_net_fail(-EBUSY, "this process has already been "
					    "part of a run");
	if (MPI_Init(NULL, NULL))
		return asl_net_fail(-ENETDOWN, "MPI_Init failed");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &boot->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &boot->size);
	return 0;
}

int asl_boot_open(struct asl_boot *boot, int ranks)
{
	int err, rank, size;

	*boot = (struct asl_boot){0};
	err = join(boot);
	if (err)
		return err;
	if (asl_net_job(&rank, &size) && size != boot->size)
		err = asl_net_fail(-EINVAL,
				   "the launcher started %d ranks, "
				   "but MPI sees %d: it is another MPI's "
				   "launcher (or srun without --mpi=pmi2)",
				   size, boot->size);
	else if (ranks && ranks != boot->size)
		err = asl_net_fail(-EINVAL,
				   "%d ranks are wanted, but the job "
				   "has %d",
				   ranks, boot->size);
	else
		err = find_places(boot);
	if (err)
		asl_boot_close();
	return err;
}

void asl_boot_close(void)
{
	MPI_Finalize();
}

int asl_boot_gather(void *all, const void *mine, size_t bytes)
{
	if (MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
			  MPI_COMM_WORLD))
		return asl_net_fail(-ENETDOWN, "MPI_Allgather failed");
	return 0;
}

_Noreturn void asl_boot_abort(int rank, int exit_code, const char *why,
			      bool lost)
{
	if (lost)
		sleep(2);
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
