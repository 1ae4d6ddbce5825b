/*
 * options.c -- the table of options, and the names that some of them take
 */
#include "bench/options.h"

#include <stdio.h>
#include <string.h>

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

enum { NAMES = 64 };

const char *const *asl_algorithm_names(void)
{
	static const char *names[NAMES + 1];

	for (int i = 0; i < NAMES && asl_algorithms[i]; i++)
		names[i] = asl_algorithms[i]->name;
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

#define AT(field) .at = offsetof(struct asl_options, field)
#define HEADING(text) {.name = text}

/* Plan and bounds take what run takes, except what would leave things behind. */
#define R ASL_FOR_RUN

#define RPB (ASL_FOR_RUN | ASL_FOR_PLAN | ASL_FOR_BOUNDS)

const struct asl_option asl_option_table[] = {
	HEADING("Problem: C is m x n, A is m x k, B is k x n"),
	{"n", "N", "columns of C; alone: all three dimensions", RPB,
	 ASL_COUNT, AT(n), 1, INT64_MAX, NULL},
	{"m", "M", "rows of C", RPB, ASL_COUNT, AT(m), 1, INT64_MAX, NULL},
	{"k", "K", "columns of A, rows of B", RPB, ASL_COUNT, AT(k), 1,
	 INT64_MAX, NULL},
	{"a", "FILE", "read A from FILE: .npy (float64) or .mtx; the size then"
		      " comes from the file",
	 RPB, ASL_TEXT, AT(a), 0, 0, NULL},
	{"b", "FILE", "read B from FILE", RPB, ASL_TEXT, AT(b), 0, 0, NULL},
	{"result", "FILE", "write C to FILE, .npy or .mtx", R, ASL_TEXT,
	 AT(result), 0, 0, NULL},
	{"entries", "KIND", "real, or exact: entries of 10 bits, whose results"
			    " are the same in any order of additions (real)",
	 RPB, ASL_NAME, AT(entries), 0, 0, entries_names},
	{"seed", "N", "what generated entries depend on (1)", RPB, ASL_COUNT,
	 AT(seed), 0, UINT64_MAX, NULL},

	HEADING("Ranks and network"),
	{"ranks", "N", "how many ranks (1; inside an MPI job: its size)", RPB,
	 ASL_INT, AT(ranks), 1, ASL_MOST_RANKS, NULL},
	{"grid", "AxBxC", "processor grid (what the algorithm prescribes)", RPB,
	 ASL_GRID, AT(grid), 0, 0, NULL},
	{"transport", "NAME", "sim, ofi or mpi (sim; inside an MPI job or with"
			      " --launch: ofi)",
	 RPB, ASL_NAME, AT(transport), 0, 0, asl_net_transports},
	{"launch", NULL, "start --ranks processes with mpiexec.mpich", R,
	 ASL_FLAG, AT(launch), 0, 0, NULL},
	{"provider", "NAME", "libfabric provider (the best one here)", RPB,
	 ASL_TEXT, AT(provider), 0, 0, NULL},

	HEADING("Memory"),
	{"store", "NAME", "where matrices live: pmem, dram or null, which only"
			  " counts (pmem)",
	 RPB, ASL_NAME, AT(store), 0, 0, asl_store_names},
	{"nvm-dir", "DIR", "where pools live ($ASLANT_NVM_DIR, else a fresh"
			   " directory under /dev/shm or $TMPDIR)",
	 RPB, ASL_TEXT, AT(nvm_dir), 0, 0, NULL},
	{"panels", "WHERE", "where received panels are staged: dram or nvm"
			    " (dram)",
	 RPB, ASL_NAME, AT(panels), 0, 0, panels_names},
	{"keep", NULL, "leave the pools in place", R, ASL_FLAG, AT(keep), 0, 0,
	 NULL},
	{"kernel", "NAME", "local kernel: vomm, tight or cowe (vomm; plan: any)",
	 RPB, ASL_NAME, AT(kernel), 0, 0, asl_kernel_names},
	{"cache", "S", "words of cache a rank may use (its share of the real"
		       " one)",
	 RPB, ASL_WORDS, AT(cache), 1, INT64_MAX, NULL},
	{"memory", "M", "words of memory of a rank, as prescriptions and bounds"
			" see it (its share of the real one)",
	 RPB, ASL_WORDS, AT(memory), 1, INT64_MAX, NULL},
	{"memory-budget", "B", "words that a rank may hold at most (no limit)",
	 RPB, ASL_WORDS, AT(memory_budget), 1, INT64_MAX, NULL},

	HEADING("Costs, in any one unit"),
	{"read-cost", "r", "a word from memory into the cache", RPB, ASL_COST,
	 AT(read_cost), 0, 0, NULL},
	{"write-cost", "w", "a word from the cache to memory", RPB, ASL_COST,
	 AT(write_cost), 0, 0, NULL},
	{"net-cost", "beta", "a word between ranks", RPB, ASL_COST,
	 AT(net_cost), 0, 0, NULL},
	{"latency", "alpha", "a message", RPB, ASL_COST, AT(latency), 0, 0,
	 NULL},
	{"flop-cost", "gamma", "a flop", RPB, ASL_COST, AT(flop_cost), 0, 0,
	 NULL},
	{"profile", "NAME", "costs of a machine, where not given above: dram,"
			    " or a JSON file (dram)",
	 RPB, ASL_TEXT, AT(profile), 0, 0, NULL},
	{"accounting", "NAME", "apm or full: which one chooses the grid and is"
			       " reported first (apm)",
	 RPB, ASL_NAME, AT(accounting), 0, 0, accounting_names},

	HEADING("Measurement"),
	{"reps", "N", "repetitions, a result each (1)", RPB, ASL_INT, AT(reps),
	 1, ASL_MOST_RANKS, NULL},
	{"warmup", "N", "repetitions before that, not reported (0)", RPB,
	 ASL_INT, AT(warmup), 0, ASL_MOST_RANKS, NULL},
	{"verify", "HOW", "freivalds, oracle or none (freivalds; store null:"
			  " none)",
	 RPB, ASL_NAME, AT(verify), 0, 0, verify_names},

	HEADING("Output"),
	{"csv", "FILE", "CSV to FILE; '-' is stdout", RPB, ASL_TEXT, AT(csv), 0,
	 0, NULL},
	{"out", "DIR", "a new directory with runs.csv, ranks.csv, machine.json"
		       " and topology.xml",
	 R, ASL_TEXT, AT(out), 0, 0, NULL},
	{"top", "N", "how many of the best to show (10)", ASL_FOR_PLAN, ASL_INT,
	 AT(top), 1, ASL_MOST_RANKS, NULL},
	{"help", NULL, "this text", RPB, ASL_FLAG, AT(help), 0, 0, NULL},
	{0},
};
