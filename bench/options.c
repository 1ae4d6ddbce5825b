/*
 * options.c -- the table of options, and the names that some of them take
 */
#include "bench/options.h"

#include <stdio.h>
#include <string.h>

#include "bench/face.h"
#include "lib/kernels/kernel.h"
#include "net/net.h"
#include "nvm/store.h"

bool asl_is_one_of(const char *text, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(text, *names))
			return true;
	return false;
}

const char *asl_join(char *text, size_t room, const char *const *names)
{
	size_t used = 0;

	text[0] = '\0';
	for (; *names && used < room; names++)
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 used ? ", " : "", *names);
	return text;
}

const struct asl_option *asl_option_find(const char *name)
{
	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands && !strcmp(x->name, name))
			return x;
	return NULL;
}

enum { NAMES = 64 };

const char *const *asl_algorithm_names(void)
{
	static const char *names[NAMES + 2];
	int count = 0;

	for (int i = 0; asl_faces[i]; i++)
		for (int j = 0; count < NAMES && asl_faces[i]->algorithms[j];
		     j++)
			names[count++] = asl_faces[i]->algorithms[j]->name;
	names[count] = ASL_AUTO;
	return names;
}

const char *const *asl_kernel_names(void)
{
	static const char *names[NAMES + 1];

	for (int i = 0; i < NAMES && asl_kernels[i]; i++)
		names[i] = asl_kernels[i]->name;
	return names;
}

static const char *const *panels_names(void)
{
	static const char *const names[] = {"dram", "nvm", NULL};

	return names;
}

static const char *const *accounting_names(void)
{
	static const char *const names[] = {"apm", "full", NULL};

	return names;
}

static const char *const *verify_names(void)
{
	static const char *const names[] = {"freivalds", "oracle", "none",
					    NULL};

	return names;
}

static const char *const *entries_names(void)
{
	static const char *const names[] = {"real", "exact", NULL};

	return names;
}

/* clang-format off */
#define OF(kind, field) .value = kind, .at = offsetof(struct asl_options, field)
#define FLAG(field) OF(ASL_FLAG, field)
#define COUNT(field, from, to) OF(ASL_COUNT, field), .least = from, .most = to
#define INT(field, from) \
	OF(ASL_INT, field), .least = from, .most = ASL_MOST_RANKS
#define WORDS(field) OF(ASL_WORDS, field), .least = 1, .most = INT64_MAX
#define COST(field) OF(ASL_COST, field)
#define GRID(field) OF(ASL_GRID, field)
#define TEXT(field) OF(ASL_TEXT, field)
#define NAME(field, all) OF(ASL_NAME, field), .names = all
#define HEADING(text) {.name = text}

/*
 * Plan and bounds take what run takes, except what leaves things behind; they
 * list what changes their answers.
 */
#define R (ASL_FOR_RUN | ASL_FOR_SUITE)
#define RPB (R | ASL_FOR_PLAN | ASL_FOR_BOUNDS)
#define RP (R | ASL_FOR_PLAN | ASL_IGNORED(ASL_FOR_BOUNDS))
#define R_ (R | ASL_IGNORED(ASL_FOR_PLAN | ASL_FOR_BOUNDS))

const struct asl_option asl_option_table[] = {
	HEADING("Problem: C is m x n, A is m x k, B is k x n"),
	{"n", "N",
	 "columns of C; alone: all three dimensions",
	 RPB, COUNT(n, 1, INT32_MAX)},
	{"m", "M", "rows of C", RPB, COUNT(m, 1, INT32_MAX)},
	{"k", "K", "columns of A, rows of B", RPB, COUNT(k, 1, INT32_MAX)},
	{"a", "FILE",
	 "read A from FILE: .npy (float64) or .mtx; the size then "
	 "comes from the file",
	 RPB, TEXT(a)},
	{"b", "FILE", "read B from FILE", RPB, TEXT(b)},
	{"result", "FILE",
	 "write C to FILE, .npy or .mtx",
	 ASL_FOR_RUN, TEXT(result)},
	{"entries", "KIND",
	 "real, or exact: entries of 10 bits, whose results are the "
	 "same in any order of additions (real)",
	 R_, NAME(entries, entries_names)},
	{"seed", "N",
	 "what generated entries depend on (1)",
	 R_, COUNT(seed, 0, UINT64_MAX)},

	HEADING("Ranks and network"),
	{"ranks", "N",
	 "how many ranks (1; inside an MPI job: its size)",
	 RPB, INT(ranks, 1)},
	{"grid", "AxBxC",
	 "processor grid (what the algorithm prescribes)",
	 RPB, GRID(grid)},
	{"transport", "NAME",
	 "sim, ofi or mpi (sim; inside an MPI job or with --launch: "
	 "ofi)",
	 R_, NAME(transport, asl_net_transports)},
	{"launch", NULL,
	 "start --ranks processes with mpiexec.mpich",
	 R, FLAG(launch)},
	{"provider", "NAME",
	 "libfabric provider (the best one here)",
	 R_, TEXT(provider)},

	HEADING("Memory"),
	{"store", "NAME",
	 "where matrices live: pmem, dram or null, which only counts "
	 "(pmem)",
	 R_, NAME(store, asl_store_names)},
	{"nvm-dir", "DIR",
	 "where pools live ($ASLANT_NVM_DIR, else a fresh directory "
	 "under /dev/shm or $TMPDIR)",
	 R_, TEXT(nvm_dir)},
	{"panels", "WHERE",
	 "where received panels are staged: dram or nvm (dram)",
	 RP, NAME(panels, panels_names)},
	{"keep", NULL, "leave the pools in place", R, FLAG(keep)},
	{"kernel", "NAME",
	 "local kernel: vomm, tight or cowe (vomm; plan, auto: any)",
	 RP, NAME(kernel, asl_kernel_names)},
	{"panel", "W",
	 "summa: columns of A and rows of B in a panel (whole blocks, "
	 "which moves least)",
	 RP, COUNT(panel, 1, INT64_MAX)},
	{"overlap", NULL,
	 "the next panels come while these are multiplied: cannon, "
	 "summa, 25d, lm-jomma and fused; summa and fused hold both",
	 RP, FLAG(overlap)},
	{"cache", "S",
	 "words of cache a rank may use (its share of the real one)",
	 RPB, WORDS(cache)},
	{"memory", "M",
	 "words of memory of a rank, as prescriptions and bounds see "
	 "it (its share of the real one)",
	 RPB, WORDS(memory)},
	{"memory-budget", "B",
	 "words that a rank may hold at most (no limit)",
	 RP, WORDS(memory_budget)},

	HEADING("Costs, in any one unit"),
	{"read-cost", "r",
	 "a word from memory into the cache",
	 RPB, COST(read_cost)},
	{"write-cost", "w",
	 "a word from the cache to memory",
	 RPB, COST(write_cost)},
	{"net-cost", "beta", "a word between ranks", RPB, COST(net_cost)},
	{"latency", "alpha", "a message", RP, COST(latency)},
	{"flop-cost", "gamma", "a flop", RP, COST(flop_cost)},
	{"profile", "NAME",
	 "costs of a machine, where not given above: dram, or a JSON "
	 "file (dram)",
	 RPB, TEXT(profile)},
	{"accounting", "NAME",
	 "apm or full: which one chooses the grid and is reported "
	 "first (apm)",
	 RP, NAME(accounting, accounting_names)},

	HEADING("Measurement"),
	{"reps", "N", "repetitions, a result each (1)", R_, INT(reps, 1)},
	{"warmup", "N",
	 "repetitions before that, not reported (0)",
	 R_, INT(warmup, 0)},
	{"verify", "HOW",
	 "freivalds, oracle or none (freivalds; store null: none)",
	 R_, NAME(verify, verify_names)},

	HEADING("Output"),
	{"csv", "FILE", "CSV to FILE; '-' is stdout", RPB, TEXT(csv)},
	{"out", "DIR",
	 "a new directory with runs.csv, ranks.csv, machine.json and "
	 "topology.xml",
	 R, TEXT(out)},
	{"top", "N",
	 "how many of the best to show (10)",
	 ASL_FOR_PLAN, INT(top, 1)},
	{"dry-run", NULL,
	 "only say what the cases are, with their grids and predicted "
	 "costs",
	 ASL_FOR_SUITE, FLAG(dry_run)},
	{"help", NULL, "this text", RPB, FLAG(help)},
	{0},
};
/* clang-format on */
