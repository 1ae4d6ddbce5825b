/*
 * options.h -- the options of the command
 *
 * One table (options.c) says what every option is called, takes, means and is
 * good for: it drives the parsing and the help texts.
 *
 * If an option is given twice, the last one counts, so that a script may append to
 * the options of another; --launch is refused, and files of a list (ASL_FILES)
 * are one more each time.  Names are not abbreviated.
 */
#ifndef ASL_OPTIONS_H
#define ASL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/plan/family.h"
#include "lib/rank/lru.h"

/*
 * --cache-model: a cache to be replayed, as users write it
 *
 *	lru:SIZE:LINE:WAYS
 *
 * SIZE and LINE are words, with units as words have them (number.h).  WAYS is
 * 0, or `full`, for a fully associative cache.
 */

enum { ASL_CACHE_MODEL_TEXT = 128 };

/* The text reads back as the shape; NULL for none. */
const char *asl_cache_model_write(char text[ASL_CACHE_MODEL_TEXT],
				  const struct asl_lru_shape *shape);

/* Directories of results that one command takes. */
enum { ASL_MOST_RESULTS = 32 };

/* --precision: the least repetitions of a case, and the most unless --reps says. */
enum { ASL_LEAST_REPS = 5, ASL_MOST_REPS = 50 };

/* Options as given; 0, NULL or (doubles) NAN if not, unless a comment names a default. */
struct asl_options {
	const char *algorithm;

	uint64_t m, n, k;
	const char *a, *b, *c, *tensor, *result;
	const char *spec, *dims, *operand[ASL_MOST_OPERANDS];
	const char *entries;
	uint64_t seed; /* 1 */

	int ranks;
	struct asl_grid grid;
	const char *transport, *provider;
	bool launch;
	const char *bind, *placement, *blas_kernels;
	int threads; /* ASL_THREADS_AUTO, too */
	const char *interface;
	int peer_timeout, cut_timeout; /* 60, 6 */

	const char *load[ASL_MOST_OPERANDS];

	const char *store, *nvm_dir, *panels;
	int memory_node; /* -1: none */
	bool keep, resume, checksum, erase, twice;
	const char *kernel;
	uint64_t panel; /* 0: the algorithm's choice */
	bool overlap;
	const char *steiner, *exchange;
	int iterations, cp_rank;
	double ab_factor, c_factor, shift, tol;
	const char *initial, *way, *path, *order, *type;
	uint64_t cache, memory, memory_budget;
	struct asl_lru_shape cache_model;
	const char *cache_level;

	/* Below 0: in units of the cost of a word read, as 4r. */
	double read_cost, write_cost, net_cost, latency, flop_cost;
	const char *profile, *accounting, *choose;
	bool emulate;

	int reps, warmup; /* 1, 0 */
	double precision; /* a share; of 50 repetitions, if reps is 1 */
	const char *verify, *hwc;
	const char *csv, *out, *export, *figures;
	const char *scale, *time_budget; /* the suite's; 30m */
	const char *only[ASL_MOST_OPERANDS], *exclude[ASL_MOST_OPERANDS];
	int blocks, block; /* the suite's; all */
	const char *interleave[ASL_MOST_OPERANDS];
	int top; /* 10 */
	bool table;
	int cores; /* 0: none are shared; ASL_THREADS_AUTO: this host's */

	const char *dir[ASL_MOST_RESULTS + 1];	/* of results, NULL-ended */
	const char *name[ASL_MOST_RESULTS + 1]; /* NULL-ended */
	const char *price, *watts, *weight;
	double fail_below;
	bool mixed, busy;

	bool dry_run, list, quick, part;
	bool help, help_all, open;
	int launch_at; /* where in argv --launch was */
};

enum asl_commands {
	ASL_FOR_RUN = 1,
	ASL_FOR_PLAN = 2,
	ASL_FOR_BOUNDS = 4,
	ASL_FOR_SUITE = 8,
	ASL_FOR_CALIBRATE = 16,
	ASL_FOR_REPORT = 32,
	ASL_FOR_COMPARE = 64,
	ASL_FOR_TRACE = 128,
	ASL_FOR_SWEEP = 256,
	ASL_FOR_PACK = 512,
};

/* Commands whose arguments are directories of results. */
#define ASL_TAKES_RESULTS (ASL_FOR_REPORT | ASL_FOR_COMPARE | ASL_FOR_PACK)

/*
 * Commands that accept an option, so that scripts may pass it, but ignore it and
 * do not list it.
 */
#define ASL_IGNORED(commands) ((commands) << 16)
#define ASL_TAKEN(commands) ((commands) | (commands) >> 16)

enum asl_value {
	ASL_FLAG,	 /* bool */
	ASL_COUNT,	 /* uint64_t, least to most */
	ASL_INT,	 /* int, least to most */
	ASL_INT_OR_AUTO, /* also ASL_THREADS_AUTO */
	ASL_WORDS,	 /* uint64_t, from 1 on */
	ASL_COST,	 /* double, 0 to 1e100 */
	ASL_RATIO, /* a cost, or with an r behind it the negative number */
	ASL_REAL,  /* double, -1e100 to 1e100 */
	ASL_GRID,  /* struct asl_grid */
	ASL_TEXT,  /* const char *, not empty */
	ASL_FILES, /* const char *[ASL_MOST_OPERANDS], NULL-ended, none empty */
	ASL_NAME,  /* const char *, one of names() */
	ASL_CACHE_SHAPE, /* struct asl_lru_shape */
};

enum asl_option_role {
	ASL_OUTSIDE = 1, /* how a case is started, where its results go */
	ASL_PLANNED = 2, /* a plan has a field for its outcome */
	ASL_NOT_IN_SUITES = 4,
	ASL_NOT_IN_TASKS = 8,
};

struct asl_option {
	const char *name, *argument, *help; /* argument NULL: a flag */
	unsigned commands; /* enum asl_commands, ASL_IGNORED ones, too */
	enum asl_value value;
	size_t at; /* in struct asl_options */
	uint64_t least, most;
	/* The choices for ASL_NAME, NULL-ended: a list, or its function. */
	const char *const *list;
	const char *const *(*names)(void);
	/* Only for these algorithms and families, NULL-ended; NULL: for all. */
	const char *const *only;
	unsigned roles; /* enum asl_option_role */
};

/* All options, NULL-ended; an entry without a commands is a heading. */
extern const struct asl_option asl_option_table[];

/* At most this many ranks, so that a search over all grids ends. */
enum { ASL_MOST_RANKS = 1000000 };

/* Nothing was given. */
void asl_options_init(struct asl_options *o);

/*
 * Parse argv[1] on; argv[0] is the command's name.  0, or the exit code, and
 * then the complaint has been made.
 */
int asl_options_parse(struct asl_options *o, int argc, char **argv,
		      unsigned command);

/* Parse more options on top of *o, which keeps its algorithm. */
int asl_options_add(struct asl_options *o, int argc, char **argv,
		    unsigned command);

/* The choices for an option that is one of several names. */
const char *const *asl_option_names(const struct asl_option *option);

/* The option of that name, NULL: none; and set it as if it had been given. */
const struct asl_option *asl_option_find(const char *name);
int asl_option_set(const struct asl_option *option, struct asl_options *o,
		   const char *text);

/* Is it something else than the default? */
bool asl_option_given(const struct asl_option *option,
		      const struct asl_options *o);

/* Its value, as users write it: in the text, or kept by the options. */
const char *asl_option_text(char text[ASL_CACHE_MODEL_TEXT],
			    const struct asl_option *option,
			    const struct asl_options *o);

/* Write the options of a case as aslant run takes them. */
void asl_options_put(FILE *f, const struct asl_options *o);

/* Options of a family that its plan has no field for, as lines "name value". */
void asl_options_put_family(FILE *f, const struct asl_options *o);

/* "a, b, c" of a NULL-ended array. */
const char *asl_join(char *text, size_t room, const char *const *names);
bool asl_is_one_of(const char *text, const char *const *names);

/* Not an algorithm: the planner's best. */
#define ASL_AUTO "auto"

#endif
