/*
 * boot.c -- how the processes of a job find each other: over PMI, or MPI
 *
 * If their process manager speaks PMI-1, ranks whose messages do not go over MPI
 * do without: MPI_Init takes longer than all the rest of a start.
 *
 * Ranks are on one host if they see the same host name and the same boot of
 * the kernel.  The cores of a host are those that any of its ranks may run on:
 * launchers that bind give each rank cores of its own.
 *
 * The guards' ties are made by the ranks, because they can tell each
 * other where, and handed over.  Sockets listen on the one address that other
 * ranks use, until all have come.  Whoever cannot say the run's secret is sent
 * away.  The kernels at both ends probe a connection every second, so that
 * nobody needs a core to notice that the other end is gone.
 */
#include "net/boot.h"

#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "net/guard.h"
#include "net/load.h"
#include "net/pmi.h"

#define LOST_US 2000000 /* a lost peer may know better why */
#define WAIT_S 20	/* for all guards to connect */
#define STRANGER_MS 500 /* for a connection to say the secret */

/* ---- The job that this process is part of ---- */

static bool number(const char *name, long long *value)
{
	const char *text = getenv(name);
	char *end;

	if (!text || !*text)
		return false;
	*value = strtoll(text, &end, 10);
	return !*end && *value >= 0;
}

/*
 * srun's steps count from 0; the shells of sbatch and salloc, which have the
 * same variables, run in steps with reserved numbers or in none.
 */
static bool in_step(void)
{
	long long step;

	return (number("SLURM_STEP_ID", &step) ||
		number("SLURM_STEPID", &step)) &&
	       step < 0xfffffff0;
}

static bool find_job(long long *rank, long long *size)
{
	if (number("PMI_RANK", rank) && number("PMI_SIZE", size))
		return true;
	if (number("PMIX_RANK", rank) && number("OMPI_COMM_WORLD_SIZE", size))
		return true;
	return in_step() && number("SLURM_PROCID", rank) &&
	       (number("SLURM_STEP_NUM_TASKS", size) ||
		number("SLURM_NTASKS", size));
}

bool asl_net_job(int *rank, int *size)
{
	long long r, s;

	if (!find_job(&r, &s) || r >= s || s > INT32_MAX)
		return false;
	*rank = (int)r;
	*size = (int)s;
	return true;
}

/* "2(x3),1": two tasks on each of three nodes, and one on another. */
static long most_tasks(const char *text)
{
	long most = 0, tasks;

	for (; text; text = strchr(text, ',')) {
		text += *text == ',';
		tasks = strtol(text, NULL, 10);
		most = tasks > most ? tasks : most;
	}
	return most;
}

/* An mpiexec in a batch job has a step of its own, of a task a node. */
static bool is_step(void)
{
	long long rank, size, proc, tasks;

	return in_step() && find_job(&rank, &size) &&
	       number("SLURM_PROCID", &proc) && proc == rank &&
	       number("SLURM_STEP_NUM_TASKS", &tasks) && tasks == size;
}

int asl_net_job_here(int ranks)
{
	long most =
		is_step() ? most_tasks(getenv("SLURM_STEP_TASKS_PER_NODE")) : 0;

	return most > 0 && most < ranks ? (int)most : ranks;
}

/* ---- A communicator of the caller ---- */

static int check_mpi(int code, const char *what)
{
	return code ? asl_fail(-ECONNRESET, "%s failed", what) : 0;
}

const char *asl_net_versions(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING + 64];
	char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "MPICH is missing";
	uint32_t fabric = asl_load_fabric() ? 0 : asl_fabric.version();
	int length;

	/* The first line has the number: "MPICH Version:	4.0.2". */
	if (!asl_load_mpi())
		asl_mpi.Get_library_version(mpi, &length);
	mpi[strcspn(mpi, "\n")] = '\0';
	snprintf(text, sizeof text, "libfabric %u.%u\n%s\n", FI_MAJOR(fabric),
		 FI_MINOR(fabric), mpi);
	for (char *c = text; (c = strchr(c, '\t'));)
		*c = ' ';
	return text;
}

int asl_net_comm(int comm, int *rank, int *size)
{
	int begun = 0, ended = 0, code = asl_load_mpi();

	if (code)
		return code;
	asl_mpi.Initialized(&begun);
	asl_mpi.Finalized(&ended);
	if (!begun || ended)
		return asl_fail(-EINVAL,
				"a communicator needs MPI to be running: after "
				"MPI_Init, before MPI_Finalize");
	code = asl_mpi.Comm_rank(MPI_Comm_f2c(comm), rank);
	if (!code)
		code = asl_mpi.Comm_size(MPI_Comm_f2c(comm), size);
	return check_mpi(code, "MPI_Comm_rank");
}

/*
 * MPI waits without leaving its core, which another rank may need before it can
 * come, too: with 64 ranks on two cores, a collective took as long as all their
 * time slices.  So collectives are started, and looked at again and again.
 */

#define YIELDS 20
#define NAP_US 50
#define NAP_MOST_US 2000

static int await(int code, MPI_Request *request)
{
	int done = 0;

	for (int looks = 0; !code; looks++) {
		code = asl_mpi.Test(request, &done, MPI_STATUS_IGNORE);
		if (code || done)
			break;
		if (looks < YIELDS)
			sched_yield();
		else
			usleep((useconds_t)asl_min(
				(uint64_t)(looks - YIELDS + 1) * NAP_US,
				NAP_MOST_US));
	}
	return code;
}

static int gather(MPI_Comm comm, void *all, const void *mine, size_t bytes)
{
	MPI_Request r;

	return await(asl_mpi.Iallgather(mine, (int)bytes, MPI_BYTE, all,
					(int)bytes, MPI_BYTE, comm, &r),
		     &r);
}

static int share(MPI_Comm comm, void *at, size_t bytes)
{
	MPI_Request r;

	return await(asl_mpi.Ibcast(at, (int)bytes, MPI_BYTE, 0, comm, &r), &r);
}

int asl_net_comm_gather(int comm, void *all, const void *mine, int bytes)
{
	return check_mpi(gather(MPI_Comm_f2c(comm), all, mine, (size_t)bytes),
			 "MPI_Allgather");
}

int asl_net_comm_share(int comm, void *at, int bytes)
{
	return check_mpi(share(MPI_Comm_f2c(comm), at, (size_t)bytes),
			 "MPI_Bcast");
}

/* ---- Join ---- */

/* All ranks, from asl_boot_open to asl_boot_close. */
static MPI_Comm all_ranks = MPI_COMM_WORLD;
static bool by_pmi;

/* MPI_Init returns no error but ends the process, with any exit code. */
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

/* Does the launcher say that all its ranks are on this host? */
static bool on_one_host(long long *size)
{
	long long rank, here, nodes;

	return find_job(&rank, size) &&
	       ((number("MPI_LOCALNRANKS", &here) && here == *size) ||
		(in_step() && number("SLURM_STEP_NUM_NODES", &nodes) &&
		 nodes == 1));
}

/*
 * On one host MPICH has no use for the devices of a network, which it looks for on the
 * PCI bus.  And where ranks need all cores, those that wait in MPI_Init look at shared
 * memory without a pause, on the cores of those that they wait for: if nothing is local
 * they ask the process manager instead, and sleep.  Messages go the same way.
 */
static int init(void)
{
	static const char pci[] = "HWLOC_COMPONENTS",
			  apart[] = "MPIR_CVAR_NOLOCAL";
	long long size;
	bool here = on_one_host(&size), skips = here && !getenv(pci);
	int err;

	if (here && size >= sysconf(_SC_NPROCESSORS_ONLN))
		setenv(apart, "1", 0);
	if (skips)
		setenv(pci, "-pci,-linuxio", 1);
	err = asl_mpi.Init(NULL, NULL);
	if (skips)
		unsetenv(pci);
	return err;
}

static int start(void)
{
	struct asl_signal_actions actions;
	int err;

	if (atexit(not_started))
		return asl_fail(-ENOMEM, "no memory for MPI");
	asl_signal_actions_keep(&actions);
	starting = true;
	err = init();
	starting = false;
	asl_signal_actions_restore(&actions);
	return err ? asl_fail(-ENETDOWN, "MPI_Init failed") : 0;
}

static bool met_by_pmi; /* once, by this process */

static int check_first(void)
{
	int begun = 0, err;

	if (asl_mpi_is_loaded()) {
		err = asl_load_mpi();
		if (err)
			return err;
		asl_mpi.Initialized(&begun);
	}
	if (!begun && !met_by_pmi)
		return 0;
	return asl_fail(-EBUSY, "this process has already been part of a run, "
				"or has started MPI itself");
}

static int begin(void)
{
	int err = check_first();

	if (!err)
		err = asl_load_mpi();
	return err ? err : start();
}

static int begin_by_pmi(const struct asl_boot *boot)
{
	int err = check_first();

	if (err)
		return err;
	met_by_pmi = true;
	return asl_pmi_open(boot->rank, boot->size);
}

/* A copy keeps our messages apart from the caller's. */
static int borrow(int comm)
{
	int rank, size, err = asl_net_comm(comm, &rank, &size);

	if (!err && asl_mpi.Comm_dup(MPI_Comm_f2c(comm), &all_ranks))
		err = asl_fail(-ENETDOWN, "MPI_Comm_dup failed");
	return err;
}

static bool is_borrowed(void)
{
	return all_ranks != MPI_COMM_WORLD;
}

static int join(struct asl_boot *boot, const int *comm, bool over_mpi)
{
	int err;

	by_pmi = !comm && !over_mpi && asl_pmi_is_there() &&
		 asl_net_job(&boot->rank, &boot->size);
	if (by_pmi)
		return begin_by_pmi(boot);
	err = comm ? borrow(*comm) : begin();
	if (err)
		return err;
	asl_mpi.Comm_set_errhandler(all_ranks, MPI_ERRORS_RETURN);
	asl_mpi.Comm_rank(all_ranks, &boot->rank);
	asl_mpi.Comm_size(all_ranks, &boot->size);
	return 0;
}

static int check_size(const struct asl_boot *boot, int ranks)
{
	int rank, size;

	if (!is_borrowed() && asl_net_job(&rank, &size) && size != boot->size)
		return asl_fail(
			-EINVAL,
			"the launcher started %d ranks, but MPI sees %d: it is "
			"another MPI's launcher (or srun without --mpi=pmi2)",
			size, boot->size);
	if (ranks && ranks != boot->size)
		return asl_fail(-EINVAL,
				"%d ranks are wanted, but the job has %d",
				ranks, boot->size);
	return 0;
}

/* ---- What all ranks do ---- */

_Noreturn void asl_boot_abort(int rank, int exit_code, const char *why,
			      bool lost)
{
	usleep((lost ? LOST_US : 0) +
	       (useconds_t)(1e6 * asl_guard_turn_s(rank)));
	fprintf(stderr, "aslant: rank %d: %s\n", rank, why);
	fflush(NULL);
	/* On an abort mpiexec drops output that it has not forwarded. */
	usleep(ASL_GUARD_PASS_ON_US);
	/* MPI would print a message of its own. */
	if (!freopen("/dev/null", "w", stderr))
		_exit(exit_code);
	if (by_pmi)
		asl_pmi_abort(exit_code);
	else
		asl_mpi.Abort(MPI_COMM_WORLD, exit_code);
	_exit(exit_code);
}

/* After an error the state of other ranks is unknown. */
static void need(int code, const char *what)
{
	int rank = 0, size;

	if (!code)
		return;
	if (by_pmi)
		asl_net_job(&rank, &size);
	else
		asl_mpi.Comm_rank(all_ranks, &rank);
	asl_boot_abort(rank, ASL_BOOT_LOST, by_pmi ? asl_failure() : what,
		       true);
}

void asl_boot_nap(int doublings, long first, long longest)
{
	struct timespec nap = {0, first};

	while (doublings-- > 0 && nap.tv_nsec < longest)
		nap.tv_nsec *= 2;
	nanosleep(&nap, NULL);
}

int asl_boot_comm(void)
{
	return MPI_Comm_c2f(all_ranks);
}

void asl_boot_gather(void *all, const void *mine, size_t bytes)
{
	need(by_pmi ? asl_pmi_gather(all, mine, bytes)
		    : gather(all_ranks, all, mine, bytes),
	     "MPI_Allgather failed");
}

void asl_boot_share(void *at, size_t bytes)
{
	need(by_pmi ? asl_pmi_share(at, bytes) : share(all_ranks, at, bytes),
	     "MPI_Bcast failed");
}

/* An MPI_2INT: the minimum is the lowest rank that failed. */
struct said {
	int rank, err;
};

static int find_first(struct said *first, const struct said *mine)
{
	MPI_Request r;

	return await(asl_mpi.Iallreduce(mine, first, 1, MPI_2INT, MPI_MINLOC,
					all_ranks, &r),
		     &r);
}

int asl_boot_agree(const struct asl_boot *boot, int mine)
{
	const struct said said = {mine ? boot->rank : INT_MAX, mine};
	struct said first = said;

	need(by_pmi ? asl_pmi_first(&first.rank, &first.err)
		    : find_first(&first, &said),
	     "MPI_Allreduce failed");
	if (first.err && first.rank != boot->rank)
		asl_forget_failure();
	return first.err;
}

/* ---- Hosts ---- */

struct place {
	char host[64], kernel[40];
	cpu_set_t cores;
	struct asl_addresses spots;
	bool looks; /* its guard watches other guards */
};

static void look_around(struct place *p)
{
	const struct asl_net_patience *limits = asl_guard_patience();

	memset(p, 0, sizeof *p);
	asl_addresses_find(&p->spots);
	p->looks = limits && limits->cut;
	gethostname(p->host, sizeof p->host - 1);
	asl_system_line(p->kernel, sizeof p->kernel, "",
			"/proc/sys/kernel/random/boot_id");
	if (sched_getaffinity(0, sizeof p->cores, &p->cores))
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
	int host_ranks = 0;
	cpu_set_t cores;

	CPU_ZERO(&cores);
	boot->tied = true;
	for (int i = 0; i < boot->size; i++) {
		boot->tied = boot->tied && all[i].looks;
		if (same_host(&all[i], mine)) {
			CPU_OR(&cores, &cores, &all[i].cores);
			if (!host_ranks++)
				boot->host_first = i;
			boot->host_rank += i < boot->rank;
			if (CPU_EQUAL(&all[i].cores, &mine->cores)) {
				boot->mates++;
				boot->mate += i < boot->rank;
			}
		}
	}
	boot->one_host = host_ranks == boot->size;
	boot->crowded = host_ranks > CPU_COUNT(&cores);
	boot->core = boot->crowded ? (double)CPU_COUNT(&cores) / host_ranks : 1;
}

/* The argument of sched_setattr, which most C libraries do not declare. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t turn_ns; /* Linux 6.12 and later heed it */
	uint64_t deadline, period;
};

/*
 * Each turn begins with the cache of another rank: with 10 ms products take a tenth
 * longer than alone, with 30 ms a twentieth.
 */
#define TURN_NS UINT64_C(30000000)

static bool schedule_as(int policy, uint64_t turn_ns)
{
	const struct sched_param none = {0};
	const struct scheduling how = {
		.size = sizeof how,
		.policy = (uint32_t)policy,
		.nice = getpriority(PRIO_PROCESS, 0),
		.turn_ns = turn_ns,
	};

	return !syscall(SYS_sched_setattr, 0, &how, 0) ||
	       !sched_setscheduler(0, policy, &none);
}

/*
 * Ranks that share cores let each other compute: who is woken by a message does not
 * interrupt a rank at work, and turns are long.  (A policy that the user chose stays.)
 */
static void take_turns(bool together)
{
	static bool chosen;

	if (together && sched_getscheduler(0) == SCHED_OTHER)
		chosen = schedule_as(SCHED_BATCH, TURN_NS);
	else if (!together && chosen)
		chosen = !schedule_as(SCHED_OTHER, 0);
}

/* ---- Addresses ---- */

static int find_loopback(struct asl_address *out,
			 const struct asl_addresses *mine)
{
	for (int i = 0; i < mine->count; i++)
		if (asl_address_is_loopback(&mine->spot[i])) {
			*out = mine->spot[i];
			return 0;
		}
	return -ENODEV;
}

static int find_route(struct asl_address *out, const struct asl_addresses *mine,
		      const struct asl_addresses *peer)
{
	for (int i = 0; i < peer->count; i++)
		if (!asl_address_is_loopback(&peer->spot[i]) &&
		    !asl_addresses_towards(out, mine, &peer->spot[i]))
			return 0;
	return -ENODEV;
}

/*
 * Rank 0's host and the next one choose a network that both are on, and the other
 * hosts take it, too; if there is none, packets are routed.
 */
static int meet_hosts(struct asl_address *out, const struct asl_boot *boot,
		      const struct place *all)
{
	const struct asl_addresses *mine = &all[boot->rank].spots;
	bool first = same_host(&all[boot->rank], &all[0]);
	struct asl_address there;
	int other = 1;

	while (same_host(&all[other], &all[0]))
		other++;
	if (asl_addresses_common(&there, &all[0].spots, &all[other].spots))
		return find_route(out, mine, &all[first ? other : 0].spots);
	if (!asl_addresses_beside(out, mine, &there))
		return 0;
	return asl_addresses_towards(out, mine, &there);
}

static int choose_spot(struct asl_boot *boot, const struct place *all,
		       const char *interface)
{
	const struct place *mine = &all[boot->rank];
	int err;

	if (interface)
		err = asl_addresses_named(&boot->spot, &mine->spots, interface);
	else if (boot->one_host)
		err = find_loopback(&boot->spot, &mine->spots);
	else
		err = meet_hosts(&boot->spot, boot, all);
	if (!err)
		asl_address_text(boot->address, sizeof boot->address,
				 &boot->spot);
	if (!err || interface)
		return err;
	if (boot->one_host || !boot->tied)
		return 0; /* it may never be needed */
	return asl_fail(err,
			"rank %d on %s has no network with the hosts of other "
			"ranks (--interface NAME says which to take)",
			boot->rank, mine->host);
}

static int find_hosts(struct asl_boot *boot, int err, const char *interface)
{
	struct place mine, *all = calloc((size_t)boot->size, sizeof *all);

	if (!err && !all)
		err = asl_fail(-ENOMEM, "no memory for %d hosts", boot->size);
	err = asl_boot_agree(boot, err);
	if (!err) {
		look_around(&mine);
		asl_boot_gather(all, &mine, sizeof mine);
		compare(boot, all);
		err = asl_boot_agree(boot, choose_spot(boot, all, interface));
	}
	free(all);
	return err;
}

/* ---- Ties of guards ---- */

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

	for (long far = 1; far < boot->size && !(boot->rank & far); far *= 2)
		count += boot->rank + far < boot->size;
	return count;
}

static struct hello greet(const struct asl_boot *boot)
{
	struct hello h = {.rank = boot->rank};

	memcpy(h.secret, boot->secret.ties, sizeof h.secret);
	return h;
}

/* A second may pass before the first probe. */
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
			"rank %d on %s does not reach rank %d on %s over TCP: "
			"%s (--interface NAME takes another network, "
			"--cut-timeout 0 goes without)",
			boot->rank, all[boot->rank].host, parent, to->host,
			strerror(errno == EINPROGRESS ? ETIMEDOUT : errno));
}

static bool is_child(const struct asl_boot *boot, const struct hello *h)
{
	struct hello ours = greet(boot);

	return !memcmp(h->secret, ours.secret, sizeof h->secret) &&
	       h->rank > boot->rank && h->rank < boot->size &&
	       parent_of(h->rank) == boot->rank;
}

/* Returns the rank; -1: a stranger, who has been disconnected. */
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

static int answer(const struct asl_boot *boot, int door, const struct door *all)
{
	int missing = count_children(boot), err = 0;
	double end = asl_now() + WAIT_S;

	while (missing && !err && asl_now() <= end) {
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
			       "rank %d on %s waited for %d ranks to reach it "
			       "over TCP",
			       boot->rank, all[boot->rank].host, missing);
	return err;
}

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

/* Either all ranks connect, or no guard gets a tie. */
static int meet_guards(const struct asl_boot *boot, int door,
		       const struct door *mine, struct door *all)
{
	int err;

	asl_boot_gather(all, mine, sizeof *mine);
	err = call(boot, all);
	if (!err)
		err = answer(boot, door, all);
	return asl_boot_agree(boot, err);
}

static int open_ties(const struct asl_boot *boot)
{
	struct door mine, *all;
	int door, err = 0;

	/* A host without even loopback has no ties. */
	if (!boot->tied || asl_boot_agree(boot, *boot->address ? 0 : -ENODEV))
		return 0;
	all = calloc((size_t)boot->size, sizeof *all);
	door = open_door(&mine, boot);
	if (!all || door < 0)
		err = asl_fail(-ENETDOWN,
			       "no socket on %s for the guard of rank %d: %s",
			       boot->spot.interface, boot->rank,
			       strerror(door < 0 ? -door : ENOMEM));
	err = asl_boot_agree(boot, err);
	if (!err)
		err = meet_guards(boot, door, &mine, all);
	if (door >= 0)
		close(door);
	free(all);
	return err;
}

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

/* ---- Open, close ---- */

int asl_boot_open(struct asl_boot *boot, const struct asl_net_want *want,
		  bool over_mpi)
{
	int err;

	*boot = (struct asl_boot){0};
	asl_guard_say(ASL_GUARD_JOINS);
	err = join(boot, want->comm, over_mpi);
	if (err)
		return err;
	err = find_hosts(boot, check_size(boot, want->ranks), want->interface);
	if (!err)
		err = share_secret(boot);
	if (!err)
		err = open_ties(boot);
	if (!err && boot->crowded)
		take_turns(true);
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
	net->core = boot->core;
}

void asl_boot_close(void)
{
	take_turns(false);
	if (!is_borrowed()) {
		if (by_pmi)
			need(asl_pmi_close(), "");
		else
			asl_mpi.Finalize();
		asl_guard_say(ASL_GUARD_PARTS);
		return;
	}
	asl_mpi.Comm_free(&all_ranks);
	all_ranks = MPI_COMM_WORLD;
}
