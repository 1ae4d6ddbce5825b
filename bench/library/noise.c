/*
 * noise.c -- what else ran on this host while a repetition did
 *
 * Other programs' time is the host's less that of the ranks here: this process,
 * and in a job the processes of the same program that the same launcher has
 * started.
 */
#include "bench/library/noise.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/library/case.h"
#include "lib/base/system.h"

#define LEAST_S 0.2
#define MOST_STEAL 0.05
#define MOST_OTHERS 0.5

/* Ticks since the machine, or the process, has started. */
struct moment {
	double at_s;
	uint64_t all, busy, steal, ours;
};

static struct moment last;
static struct asl_noise noise = {NAN, NAN, NAN, NAN, 0};

static bool read_host(struct moment *m, int *cores)
{
	uint64_t x[8] = {0}; /* user, nice, system, idle, iowait, irq, ... */
	FILE *f = fopen("/proc/stat", "re");
	char line[256];
	bool found;

	if (!f)
		return false;
	found = fgets(line, sizeof line, f) &&
		sscanf(line,
		       "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		       " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		       &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6],
		       &x[7]) == 8;
	for (*cores = 0; fgets(line, sizeof line, f);)
		*cores += !strncmp(line, "cpu", 3);
	fclose(f);
	m->steal = x[7];
	m->busy = x[0] + x[1] + x[2] + x[5] + x[6];
	m->all = m->busy + x[3] + x[4] + x[7];
	return found && *cores > 0;
}

struct process {
	int parent;
	uint64_t ticks;
};

static bool read_process(struct process *x, int pid)
{
	char path[64], text[1024], *at;
	uint64_t user, system;
	size_t length;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	length = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[length] = '\0';
	at = strrchr(text, ')'); /* the name may hold anything */
	if (!at || sscanf(at + 1,
			  " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			  "%" SCNu64 " %" SCNu64,
			  &x->parent, &user, &system) != 3)
		return false;
	x->ticks = user + system;
	return true;
}

/* The program of a job's ranks, and the process that started them. */
struct job {
	struct stat program;
	int launcher;
};

static bool runs(int pid, const struct stat *program)
{
	struct stat its;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return !stat(path, &its) && program->st_dev == its.st_dev &&
	       program->st_ino == its.st_ino;
}

/* The first ancestor that runs another program: a rank's parent is its guard. */
static int launcher_of(int pid, const struct stat *program)
{
	struct process x;

	do {
		if (!read_process(&x, pid))
			return 0;
		pid = x.parent;
	} while (pid > 1 && runs(pid, program));
	return pid;
}

static uint64_t ticks_of(int pid)
{
	struct process x;

	return read_process(&x, pid) ? x.ticks : 0;
}

static bool is_rank(int pid, const struct job *job)
{
	return runs(pid, &job->program) &&
	       launcher_of(pid, &job->program) == job->launcher;
}

/* In a job all processes are looked through, since its ranks' are not known. */
static uint64_t our_ticks(void)
{
	struct job job;
	struct dirent *entry;
	uint64_t sum = 0;
	DIR *dir;

	if (!asl_job().size || stat("/proc/self/exe", &job.program) ||
	    !(dir = opendir("/proc")))
		return ticks_of(getpid());
	job.launcher = launcher_of(getpid(), &job.program);
	while ((entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && is_rank(pid, &job))
			sum += ticks_of(pid);
	}
	closedir(dir);
	return sum;
}

static double read_load(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	double load = NAN;

	if (f && fscanf(f, "%lf", &load) != 1)
		load = NAN;
	if (f)
		fclose(f);
	return load;
}

/* Each step waits for the one before, for one cycle on any processor. */
#define STEP                                                                   \
	x ^= y;                                                                \
	__asm__ volatile("" : "+r"(x));

/* Millions of cycles a second; the shortest try is one that nothing disturbed. */
static double measure_clock(void)
{
	enum { TRIES = 5, TURNS = 2500, STEPS = 8 };
	double least = INFINITY;

	for (int i = 0; i < TRIES; i++) {
		uint64_t x = 1, y = (uint64_t)i;
		double since = asl_now();

		for (int k = 0; k < TURNS; k++) {
			STEP STEP STEP STEP STEP STEP STEP STEP
		}
		least = fmin(least, asl_now() - since);
	}
	return least > 0 ? TURNS * STEPS / least * 1e-6 : NAN;
}

static bool look(struct moment *m)
{
	m->at_s = asl_now();
	m->ours = our_ticks();
	return read_host(m, &noise.cores);
}

void asl_noise_begin(void)
{
	noise = (struct asl_noise){NAN, NAN, NAN, NAN, 0};
	if (!look(&last))
		last.all = 0;
}

void asl_noise_end(void)
{
	struct moment now;
	double all, ours;

	if (!last.all || asl_now() - last.at_s < LEAST_S || !look(&now) ||
	    now.all <= last.all)
		return;
	all = (double)(now.all - last.all);
	ours = now.ours > last.ours ? (double)(now.ours - last.ours) : 0;
	noise.load = read_load();
	noise.mhz = measure_clock();
	noise.steal = (double)(now.steal - last.steal) / all;
	noise.others = fmax(0, (double)(now.busy - last.busy) - ours) / all *
		       noise.cores;
	last = now;
}

const struct asl_noise *asl_noise(void)
{
	return &noise;
}

bool asl_noise_disturbs(const struct asl_noise *x, int threads)
{
	double spare = x->cores > threads ? x->cores - threads : 0;

	return x->steal > MOST_STEAL || x->others > spare + MOST_OTHERS;
}
