/*
 * options.c -- the table of options, and the names that some of them take
 */
#include "bench/library/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/base/team.h"
#include "lib/kernels/kernel.h"
#include "lib/machine/hwc.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "net/net.h"
#include "nvm/store.h"

/*
 * --cache-model: a cache to be replayed, as users write it
 */

/* lru and three numbers, none of which but WAYS is 0. */
static bool read_fields(struct asl_lru_shape *out, const char *text)
{
	char copy[96], *rest = copy, *field[4];

	if (strlen(text) >= sizeof copy)
		return false;
	strcpy(copy, text);
	for (int i = 0; i < 4; i++) {
		field[i] = strsep(&rest, ":");
		if (!field[i])
			return false;
	}
	return !rest && !strcmp(field[0], "lru") &&
	       asl_read_words(&out->words, field[1]) && out->words &&
	       asl_read_words(&out->line, field[2]) && out->line &&
	       asl_read_count(&out->ways,
			      strcmp(field[3], "full") ? field[3] : "0");
}

/* False: `expected` says what would do. */
static bool cache_model_read(struct asl_lru_shape *out, const char *text,
			     char expected[ASL_CACHE_MODEL_TEXT])
{
	uint64_t set;

	snprintf(expected, ASL_CACHE_MODEL_TEXT,
		 "lru:SIZE:LINE:WAYS in words, as lru:32KiB:8:8 (WAYS 0 or "
		 "full: fully associative)");
	if (!read_fields(out, text))
		return false;
	if (!out->ways)
		out->ways = out->words / out->line;
	if (__builtin_mul_overflow(out->line, out->ways, &set) || !set ||
	    out->words % set) {
		snprintf(expected, ASL_CACHE_MODEL_TEXT,
			 "a SIZE that is a multiple of LINE x WAYS");
		return false;
	}
	snprintf(expected, ASL_CACHE_MODEL_TEXT, "2^31 lines at most");
	return out->words / out->line <= ASL_LRU_MOST_LINES;
}

const char *asl_cache_model_write(char text[ASL_CACHE_MODEL_TEXT],
				  const struct asl_lru_shape *shape)
{
	int length;

	if (!shape->words)
		return NULL;
	length = snprintf(text, ASL_CACHE_MODEL_TEXT,
			  "lru:%" PRIu64 ":%" PRIu64 ":", shape->words,
			  shape->line);
	if (shape->ways * shape->line == shape->words)
		strcpy(text + length, "full");
	else
		sprintf(text + length, "%" PRIu64, shape->ways);
	return text;
}

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

const char *const *asl_option_names(const struct asl_option *option)
{
	return option->names ? option->names() : option->list;
}

const struct asl_option *asl_option_find(const char *name)
{
	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands && !strcmp(x->name, name))
			return x;
	return NULL;
}

enum { NAMES = 64 };

static const char *const *kernel_names(void)
{
	static const char *names[NAMES + 1];

	for (int i = 0; i < NAMES && asl_kernels[i]; i++)
		names[i] = asl_kernels[i]->name;
	return names;
}

/* ---- Lists of names, NULL-ended ---- */

#define LIST(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

LIST(panels, "dram", "nvm");
LIST(cache_levels, "llc", "l1", "l2", "l3", "l4");
LIST(accountings, "apm", "full");
LIST(choices, "words", "time");
LIST(verifications, "freivalds", "oracle", "none");
LIST(entry_kinds, "real", "exact");
LIST(placements, "core", "socket");
LIST(exchanges, "p2p", "alltoall");
LIST(initials, "even", "rank0");
LIST(ways, "auto", "direct", "sequence", "product", "gram", "cuts");
LIST(orders, "auto", "ABC", "ACB", "BAC", "BCA", "CAB", "CBA", "3", "4", "5");

/* Families and algorithms that an option is only for. */
LIST(multiplying, "multiplication");
LIST(products, "multiplication", "contraction out of core");
LIST(with_n, "multiplication", "contraction out of core", "symmetric tensors");
LIST(by_kernels, "multiplication", "contraction", "contraction out of core");
LIST(with_panels, "multiplication", "contraction");
LIST(contracting, "contraction");
LIST(with_operands, "contraction", "contraction out of core");
LIST(out_of_core, "contraction out of core");
LIST(on_grids, "multiplication", "sttsv-naive");
LIST(symmetric, "symmetric tensors");
LIST(ordered, "contraction out of core", "sttsv", "sttsv-naive", "hopm");
LIST(by_wedges, "sttsv", "hopm", "cpgrad");
LIST(hopm, "hopm");
LIST(by_panels, "summa", ASL_AUTO);
LIST(cpgrad, "cpgrad");

/* clang-format off */
#define OF(kind, field) .value = kind, .at = offsetof(struct asl_options, field)
#define FLAG(field) OF(ASL_FLAG, field)
#define COUNT(field, from, to) OF(ASL_COUNT, field), .least = from, .most = to
#define INT(field, from) \
	OF(ASL_INT, field), .least = from, .most = ASL_MOST_RANKS
#define INT_OR_AUTO(field, from, to) \
	OF(ASL_INT_OR_AUTO, field), .least = from, .most = to
#define WORDS(field) OF(ASL_WORDS, field), .least = 1, .most = INT64_MAX
#define COST(field) OF(ASL_COST, field)
#define RATIO(field) OF(ASL_RATIO, field)
#define REAL(field) OF(ASL_REAL, field)
#define GRID(field) OF(ASL_GRID, field)
#define TEXT(field) OF(ASL_TEXT, field)
#define FILES(field) OF(ASL_FILES, field)
#define NAME(field, all) OF(ASL_NAME, field), .names = all
#define CHOICE(field, all) OF(ASL_NAME, field), .list = all
#define CACHE_SHAPE(field) OF(ASL_CACHE_SHAPE, field)
#define HEADING(text) {.name = text}

/*
 * Plan and bounds take what run takes, except what leaves things behind; they
 * list what changes their answers.
 */
#define R (ASL_FOR_RUN | ASL_FOR_SUITE)
#define RT (R | ASL_FOR_TRACE)
#define RPB (RT | ASL_FOR_PLAN | ASL_FOR_BOUNDS)
#define RP (RT | ASL_FOR_PLAN | ASL_IGNORED(ASL_FOR_BOUNDS))
#define R_ (R | ASL_IGNORED(ASL_FOR_PLAN | ASL_FOR_BOUNDS))
#define R_FILES (ASL_FOR_RUN | ASL_FOR_TRACE | ASL_FOR_PLAN | ASL_FOR_BOUNDS)
#define CALIBRATE (ASL_FOR_CALIBRATE | ASL_FOR_SWEEP)
#define COMPARE ASL_FOR_COMPARE
#define RESULTS (ASL_FOR_REPORT | ASL_FOR_COMPARE)

const struct asl_option asl_option_table[] = {
	HEADING("Problem: C is m x n, A is m x k, B is k x n; or A is a symmetric n x n x n\ntensor; or an einsum string gives it"),
	{"n", "N",
	 "columns of C; alone: all three dimensions; for a tensor: each of its dimensions",
	 RPB, COUNT(n, 1, INT32_MAX), .only = with_n,
	 .roles = ASL_PLANNED},
	{"m", "M",
	 "rows of C",
	 RPB, COUNT(m, 1, INT32_MAX), .only = products,
	 .roles = ASL_PLANNED},
	{"k", "K",
	 "columns of A, rows of B",
	 RPB, COUNT(k, 1, INT32_MAX), .only = products,
	 .roles = ASL_PLANNED},
	{"a", "FILE",
	 "read A from FILE: .npy (float64) or .mtx; the size then "
	 "comes from the file",
	 RPB, TEXT(a), .only = products,
	 .roles = ASL_PLANNED},
	{"b", "FILE",
	 "read B from FILE; for tensors, in run: the vector x, or X",
	 RPB, TEXT(b), .only = with_n,
	 .roles = ASL_PLANNED},
	{"c", "FILE",
	 "ooc: read C, to which the product is added, from FILE: .npy or .mtx "
	 "(with --spec: .npy); --c-factor is then 1, unless it is given",
	 RPB, TEXT(c), .only = out_of_core},
	{"ab-factor", "X",
	 "ooc: C = X A B, or X times the contraction (1; BLAS calls it alpha)",
	 RPB, REAL(ab_factor), .only = out_of_core},
	{"c-factor", "Y",
	 "ooc: C = A B + Y C, for which C is read once more; without --c its entries "
	 "are generated (0: C is not read; BLAS calls it beta)",
	 RPB, REAL(c_factor), .only = out_of_core},
	{"tensor", "FILE",
	 "read the tensor A from FILE: .npy (float64, n x n x n, "
	 "symmetric up to 1e-12 of its largest entry) or .tns (FROSTT, every "
	 "entry once); n then comes from the file",
	 RPB, TEXT(tensor), .only = symmetric,
	 .roles = ASL_PLANNED},
	{"spec", "SPEC",
	 "einsum, ooc: the contraction, as 'ijk,kl,jl->il'; without an arrow "
	 "the result has the indices that occur once, and those of '...', "
	 "which --operand gives",
	 RPB, TEXT(spec), .only = with_operands},
	{"dims", "SIZES",
	 "with --spec: sizes of indices, as i=64,j=32,k=1k",
	 RPB, TEXT(dims), .only = with_operands},
	{"type", "NAME",
	 "einsum: the type of all entries, which is a word: float64, float32, "
	 "complex64 or complex128; in other options a word stays 8 bytes "
	 "(that of the first --operand, or float64)",
	 RPB, NAME(type, asl_type_names), .only = contracting},
	{"operand", "FILE",
	 "read the next input from FILE: .npy; sizes then come from the "
	 "files (ooc without --spec: A, then B)",
	 R_FILES, FILES(operand), .only = with_operands,
	 .roles = ASL_PLANNED},
	{"twice", NULL,
	 "einsum: both inputs are one array, read and sent once (as if one file, "
	 "or one array in memory, is given as both)",
	 RPB, FLAG(twice), .only = contracting},
	{"result", "FILE",
	 "write C (tensors: Y; hopm: the vector) to FILE, .npy or .mtx "
	 "(with --spec: .npy)",
	 ASL_FOR_RUN, TEXT(result)},
	{"entries", "KIND",
	 "real, or exact: entries of 10 bits, whose sums are exact in "
	 "any order (real)",
	 R_, CHOICE(entries, entry_kinds)},
	{"seed", "N",
	 "seed of the generated entries (1)",
	 R_, COUNT(seed, 0, UINT64_MAX)},

	{"load", "FILE",
	 "load an algorithm for matrices from a shared object, such as "
	 "./mine.so, compiled for this aslant; may be given several times",
	 RP, FILES(load),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},

	HEADING("Ranks and network"),
	{"ranks", "N",
	 "number of ranks (1; inside an MPI job: its size)",
	 RPB | CALIBRATE, INT(ranks, 1)},
	{"grid", "AxBxC",
	 "processor grid (what the algorithm prescribes)",
	 RPB, GRID(grid), .only = on_grids,
	 .roles = ASL_PLANNED},
	{"transport", "NAME",
	 "sim, ofi or mpi (sim; inside an MPI job or with --launch: "
	 "ofi)",
	 R_ | CALIBRATE, NAME(transport, asl_net_transports),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES},
	{"launch", NULL,
	 "start --ranks processes with mpiexec.mpich, or with "
	 "$ASLANT_LAUNCH, such as 'srun --mpi=pmi2 -n'",
	 R | CALIBRATE, FLAG(launch),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"provider", "NAME",
	 "libfabric provider (the best one here)",
	 R_ | CALIBRATE, TEXT(provider),
	 .roles = ASL_NOT_IN_SUITES},
	{"bind", "TO",
	 "bind each rank to a core or a socket, spread over those of its "
	 "host that the launcher allows; or none (none)",
	 R_ | CALIBRATE, NAME(bind, asl_bind_names)},
	{"threads", "T",
	 "threads of a rank, which decide how long it takes and not what it "
	 "counts; auto: the cores that it may use, over the ranks that share "
	 "them (1)",
	 RPB, INT_OR_AUTO(threads, 1, ASL_MOST_THREADS)},
	{"placement", "HOW",
	 "core: a rank on each core; socket: a rank on each socket, with a "
	 "thread on each of its cores; --ranks is then their number, unless it "
	 "is given or a job has it",
	 R_, CHOICE(placement, placements)},
	{"blas-kernels", "NAME",
	 "the kernels that OpenBLAS uses in all ranks, such as SkylakeX, "
	 "instead of those that it takes for this processor (aslant list "
	 "machine)",
	 R_ | CALIBRATE, NAME(blas_kernels, asl_blas_kernel_names),
	 .roles = ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"interface", "NAME",
	 "the one network interface that libfabric's IP providers and the "
	 "ranks' guards listen on (lo if all ranks are on one host, else the "
	 "fastest that the hosts have in common)",
	 R_ | CALIBRATE, TEXT(interface),
	 .roles = ASL_NOT_IN_SUITES},
	{"peer-timeout", "SECONDS",
	 "end the job when a rank has been stopped (SIGSTOP) for SECONDS; a "
	 "rank that computes is not stopped (60)",
	 R_ | CALIBRATE, INT(peer_timeout, 1),
	 .roles = ASL_NOT_IN_SUITES},
	{"cut-timeout", "SECONDS",
	 "end the job when a host or network has not answered for SECONDS; 0: "
	 "never (6)",
	 R_ | CALIBRATE, INT(cut_timeout, 0),
	 .roles = ASL_NOT_IN_SUITES},

	HEADING("Memory"),
	{"store", "NAME",
	 "where matrices live: pmem, dram, node (see --memory-node), disk (files in "
	 "--nvm-dir, past the page cache) or null, which has no data and only "
	 "counts (pmem)",
	 R_ | CALIBRATE, NAME(store, asl_store_names)},
	{"nvm-dir", "DIR",
	 "where pools live: directories, or DAX devices, one for each rank of "
	 "a host; of several, with commas between them, a rank takes the "
	 "nearest to its cores; plan, bounds: M is what they hold "
	 "($ASLANT_NVM_DIR, else a fresh directory under /dev/shm or $TMPDIR)",
	 RPB | CALIBRATE, TEXT(nvm_dir),
	 .roles = ASL_OUTSIDE},
	{"memory-node", "N",
	 "with --store node: the NUMA node whose memory holds matrices, such as a "
	 "CXL expander or HBM (aslant list machine)",
	 RPB | CALIBRATE, INT(memory_node, 0)},
	{"panels", "WHERE",
	 "where received panels are staged: dram; or nvm, where what a rank "
	 "owns lies within them (dram; auto, and plan without a name, of products "
	 "by time: wherever that is faster)",
	 RP, CHOICE(panels, panels), .only = with_panels,
	 .roles = ASL_PLANNED},
	{"keep", NULL, "keep the pools after the run", R, FLAG(keep),
	 .roles = ASL_OUTSIDE},
	{"erase", NULL,
	 "overwrite whatever is on the DAX devices of --nvm-dir; without it, "
	 "only what aslant left there",
	 R | CALIBRATE, FLAG(erase),
	 .roles = ASL_OUTSIDE},
	{"resume", NULL,
	 "resume an interrupted run from its pools in --nvm-dir; if there are "
	 "none, start, and keep the pools if interrupted",
	 ASL_FOR_RUN, FLAG(resume),
	 .roles = ASL_OUTSIDE},
	{"checksum", NULL,
	 "with --resume: record a checksum of the operands when they are "
	 "filled, and verify it before resuming",
	 ASL_FOR_RUN, FLAG(checksum),
	 .roles = ASL_OUTSIDE},
	{"kernel", "NAME",
	 "local kernel: vomm, tight or cowe (vomm; plan, auto: any)",
	 RP, NAME(kernel, kernel_names), .only = by_kernels,
	 .roles = ASL_PLANNED},
	{"panel", "W",
	 "summa: columns of A and rows of B in a panel (whole blocks, "
	 "which moves the fewest words)",
	 RP, COUNT(panel, 1, INT64_MAX), .only = by_panels,
	 .roles = ASL_PLANNED},
	{"overlap", NULL,
	 "receive the next panels while these are multiplied: cannon, "
	 "summa, 25d, lm-jomma and fused (auto chooses among these, unless by "
	 "time); summa and fused hold both at once",
	 R | ASL_FOR_PLAN | ASL_IGNORED(ASL_FOR_BOUNDS), FLAG(overlap), .only = multiplying,
	 .roles = ASL_PLANNED},
	{"cache", "S",
	 "words of cache a rank may use (its share of the real one; ooc: a "
	 "quarter of --memory-budget at most; sttsv, hopm: from 2 D + 2 words "
	 "on, cpgrad: from R^2 + R + 6)",
	 RPB, WORDS(cache)},
	{"cache-level", "LEVEL",
	 "the cache whose share per rank is S, unless --cache gives S: l1, "
	 "l2, l3, l4 or llc, the last level (llc)",
	 RPB, CHOICE(cache_level, cache_levels)},
	{"memory", "M",
	 "words of memory of a rank, as algorithms and bounds assume (its share "
	 "of the real one)",
	 RPB, WORDS(memory)},
	{"memory-budget", "B",
	 "the most words that a rank may hold besides its cache (no limit; "
	 "einsum: in slices of an index, if nothing else fits; "
	 "ooc: in DRAM, cache included, must be given; sttsv, hopm, cpgrad: a "
	 "tensor that does not fit stays in its pool, as storage, to which a "
	 "tensor from a file is copied first)",
	 RP, WORDS(memory_budget)},

	HEADING("Symmetric tensors"),
	{"order", "D",
	 "dimensions of the tensor: 3, 4 or 5 (3); for ooc XYZ, an order of "
	 "loops: X's tiles are fetched once, Y's once a tile of X, Z's in the "
	 "innermost loop: ABC, ..., CBA or auto (auto; plan: all)",
	 RPB, CHOICE(order, orders), .only = ordered},
	{"steiner", "NAME",
	 "distribution of the tensor: spherical, boolean, triples, sublines, "
	 "quadruples, witt or denniston, a Steiner system with a block for each rank and "
	 "the other ranks idle; one system, as spherical-3; a FILE with one; "
	 "or, for any number of ranks, cubic or cover (a system with a block "
	 "for every rank, else the distribution of least Q; cover for an order "
	 "above 3)",
	 RP, TEXT(steiner), .only = by_wedges},
	{"exchange", "HOW",
	 "exchange of vectors between ranks: p2p, which sends the fewest "
	 "words; or alltoall (p2p; plan: both)",
	 RP, CHOICE(exchange, exchanges), .only = by_wedges},
	{"iterations", "N",
	 "hopm: maximum number of iterations (100)",
	 RP, INT(iterations, 1), .only = hopm},
	{"tol", "T",
	 "hopm: stop when |y - lambda x| <= T |lambda| (1e-12)",
	 R_, COST(tol), .only = hopm},
	{"shift", "S",
	 "hopm: iterate with y + S x, which converges if |S| is large "
	 "enough (0)",
	 R_, REAL(shift), .only = hopm},
	{"cp-rank", "R",
	 "cpgrad: rank of the decomposition (8)",
	 RPB, INT(cp_rank, 1), .only = cpgrad},

	HEADING("Contractions"),
	{"way", "NAME",
	 "einsum: direct, all inputs at once; sequence, three or more in "
	 "pairs; product, two as matrices, by an algorithm of multiplication; "
	 "gram, one that is given twice; "
	 "cuts, all at once in boxes of no grid, for any number of ranks; "
	 "or auto, by whichever of these, or groups, costs least (auto; plan: "
	 "each)",
	 RP, CHOICE(way, ways), .only = contracting},
	{"path", "GROUPS",
	 "einsum: the stages, each a group of tensors by their places, as "
	 "'1,2;0,1': a group leaves the list, and what it makes joins its end",
	 RP, TEXT(path), .only = contracting},
	{"initial", "WHERE",
	 "einsum: operands begin, and the result ends, even, spread over "
	 "all ranks, or on rank0 (even)",
	 RP, CHOICE(initial, initials), .only = contracting},

	HEADING("Costs, in any one unit"),
	{"read-cost", "r",
	 "a word from memory into the cache",
	 RPB, COST(read_cost)},
	{"write-cost", "w",
	 "a word from the cache to memory; 4r: four times a word read, here and "
	 "below",
	 RPB, RATIO(write_cost)},
	{"net-cost", "beta", "a word between ranks", RPB, RATIO(net_cost)},
	{"latency", "alpha", "a message", RP, RATIO(latency)},
	{"flop-cost", "gamma", "a flop", RP, RATIO(flop_cost)},
	{"profile", "NAME",
	 "costs of a machine, where not given above: one of aslant list "
	 "profiles, or a JSON file (dram)",
	 RPB, TEXT(profile)},
	{"emulate", NULL,
	 "make words to and from the pool, and between ranks, take as long as "
	 "the profile says, by waiting",
	 R_, FLAG(emulate)},
	{"accounting", "NAME",
	 "apm or full: the accounting that chooses the grid and is reported "
	 "first (apm)",
	 RP, CHOICE(accounting, accountings)},

	{"choose", "BY",
	 "words or time: what auto and plan rank candidates by, Q or predicted "
	 "seconds (time where auto, or a program out of core, runs in a job, or "
	 "with a profile in nanoseconds; else words)",
	 RP, CHOICE(choose, choices), .only = products,
	 .roles = ASL_PLANNED},

	HEADING("Measurement"),
	{"reps", "N", "repetitions, with a result each (1)", R_, INT(reps, 1)},
	{"precision", "X",
	 "as many repetitions, from 5 to --reps (50), as it takes for the 95% "
	 "interval of the median time to lie within the share X of it, such as 0.05",
	 R_, COST(precision)},
	{"warmup", "N",
	 "repetitions before these, not reported (0)",
	 R_, INT(warmup, 0)},
	{"verify", "HOW",
	 "freivalds, oracle or none (freivalds; store null: none)",
	 R_, CHOICE(verify, verifications)},
	{"hwc", "NAME",
	 "hardware counters of bytes: likwid, perf; auto, the first of "
	 "them that can count here; or off (auto)",
	 R_, NAME(hwc, asl_hwc_names)},
	{"cache-model", "MODEL",
	 "lru:SIZE:LINE:WAYS: beside the counts, what a hardware cache would "
	 "read and write by itself, of SIZE words in lines of LINE (8 are 64 "
	 "bytes); WAYS 0 or full: fully associative",
	 R_, CACHE_SHAPE(cache_model)},

	HEADING("What to compare"),
	{"mixed", NULL,
	 "compare times on emulated with times on real media, too",
	 RESULTS, FLAG(mixed)},
	{"busy", NULL,
	 "compare times that were measured while other programs kept cores busy, "
	 "too",
	 RESULTS, FLAG(busy)},
	{"name", "A=TEXT",
	 "name of a machine, once for each: A is the first directory",
	 RESULTS, FILES(name), .most = ASL_MOST_RESULTS},
	{"price", "LIST",
	 "price of each machine, as A=10000,B=8000: adds speed for the money",
	 RESULTS, TEXT(price)},
	{"watts", "LIST",
	 "power of each machine, as A=350,B=500: adds speed for the joule",
	 RESULTS, TEXT(watts)},
	{"weight", "LIST",
	 "weights of families in means over several, as multiplication=3 "
	 "(1 each)",
	 RESULTS, TEXT(weight)},
	{"fail-below", "X",
	 "exit code 1 if a case of A is slower elsewhere with a speed below X, "
	 "or is missing, differs or failed there",
	 COMPARE, COST(fail_below)},

	HEADING("Output"),
	{"csv", "FILE",
	 "write CSV to FILE; '-' is stdout",
	 RPB | COMPARE, TEXT(csv),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"out", "DIR",
	 "a new directory with runs.csv, ranks.csv, machine.json and "
	 "topology.xml",
	 R, TEXT(out),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"out", "DIR",
	 "a new directory with trace/, whose files are the ranks', ranks, which "
	 "lists them, and hosts; and with runs.csv and the like, as of run",
	 ASL_FOR_TRACE, TEXT(out),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"out", "DIR",
	 "write sweep.csv to DIR, which may have results",
	 ASL_FOR_SWEEP, TEXT(out),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"out", "FILE",
	 "write the page to FILE (DIR/report.html; of several DIRs, report.html); "
	 "'-' is stdout",
	 ASL_FOR_REPORT, TEXT(out),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"out", "FILE",
	 "write to FILE (DIR.tar)",
	 ASL_FOR_PACK, TEXT(out),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"out", "FILE",
	 "write an HTML page to FILE",
	 COMPARE, TEXT(out),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{"export", "FILE",
	 "results for other programs, too: JUnit's tests (.xml), JSON (.json) or "
	 "Markdown (.md)",
	 ASL_FOR_REPORT, TEXT(export)},
	{"figures", "DIR",
	 "write every figure of the page to DIR, too, as SVG; and as PDF, where "
	 "rsvg-convert (librsvg2-bin) is installed",
	 ASL_FOR_REPORT, TEXT(figures)},
	{"cores", "N",
	 "rank candidates as auto does where --launch starts the ranks on this "
	 "host: by time, with its memory, and N cores to share; auto: all of its "
	 "cores",
	 ASL_FOR_PLAN, INT_OR_AUTO(cores, 1, ASL_MOST_RANKS)},
	{"top", "N",
	 "number of the best candidates to show (10)",
	 ASL_FOR_PLAN, INT(top, 1)},
	{"table", NULL,
	 "ooc: instead of plans, tables 2 to 7 of the methods' source for this "
	 "problem: V, D, tiles and case of each method and order",
	 ASL_FOR_PLAN, FLAG(table), .only = out_of_core,
	 .roles = ASL_NOT_IN_TASKS},
	{"dry-run", NULL,
	 "only print the cases, with their grids, predicted costs, and predicted "
	 "seconds where their paths are followed soon",
	 ASL_FOR_SUITE, FLAG(dry_run)},
	{"only", "LABEL",
	 "only cases with this label, in which * stands for any text; may be "
	 "given several times",
	 ASL_FOR_SUITE, FILES(only)},
	{"exclude", "LABEL",
	 "no case with this label; may be given several times",
	 ASL_FOR_SUITE, FILES(exclude)},
	{"list", NULL,
	 "only print the labels of the cases, and how many have each",
	 ASL_FOR_SUITE, FLAG(list)},
	{"scale", "HOW",
	 "sizes of the suite: machine, a rank on each core, with four times the "
	 "words of its last cache, in --time-budget; file, as they are; or "
	 "CORES:FACTOR (as the suite says)",
	 ASL_FOR_SUITE, TEXT(scale)},
	{"time-budget", "TIME",
	 "how long a suite with --scale machine may take, about, with its "
	 "calibration and sweep (30m); with CORES:FACTOR it bounds these two "
	 "alone",
	 ASL_FOR_SUITE, TEXT(time_budget)},
	{"blocks", "N",
	 "go through all cases N times, each time with a part of the "
	 "repetitions, so that intervals know how the machine drifts (as the "
	 "suite says, or 1)",
	 ASL_FOR_SUITE, INT(blocks, 1)},
	{"block", "N",
	 "only the Nth time",
	 ASL_FOR_SUITE, INT(block, 1)},
	{"interleave", "RUN",
	 "a directory in place of --out and the options of its run, as 'DIR "
	 "--nvm-dir /mnt/pmem0'; give two or more, which take turns, a block each, so "
	 "that a drift of the machine affects all (5 blocks)",
	 ASL_FOR_SUITE, FILES(interleave)},
	{"part", NULL,
	 "run only the cases that have as many ranks as the job",
	 ASL_FOR_SUITE, FLAG(part)},
	{"time-budget", "TIME",
	 "how long all points take together, about (1m)",
	 ASL_FOR_SWEEP, TEXT(time_budget)},
	{"quick", NULL,
	 "take half a minute instead of two; sweep: a quarter of a minute instead "
	 "of one",
	 CALIBRATE, FLAG(quick)},
	{"open", NULL,
	 "open the page with $BROWSER, or with xdg-open",
	 ASL_FOR_REPORT, FLAG(open)},
	{"help", NULL,
	 "the basic options; --help=all: all of them; after an algorithm: "
	 "those that it takes",
	 RPB | CALIBRATE | ASL_FOR_REPORT | COMPARE | ASL_FOR_PACK, FLAG(help),
	 .roles = ASL_OUTSIDE | ASL_NOT_IN_SUITES | ASL_NOT_IN_TASKS},
	{0},
};
/* clang-format on */

/*
 * From argv to struct asl_options, by the table of options
 */

enum { MOST_OPTIONS = 96, FIRST_VALUE = 256 };

static int refuse(const struct asl_option *option, const char *found,
		  const char *expected)
{
	return asl_refuse("--%s: found '%s', expected %s", option->name, found,
			  expected);
}

/* 2,2,1 and 2X2X1 are easily meant for 2x2x1, and so is 2x2. */
static bool grid_meant(struct asl_grid *out, char meant[64], const char *text)
{
	snprintf(meant, 64, "%s", text);
	for (char *c = meant; (c = strpbrk(c, ",X*:"));)
		*c = 'x';
	if (asl_read_grid(out, meant, ASL_MOST_RANKS))
		return true;
	return strchr(meant, 'x') && strlen(meant) < 62 &&
	       asl_read_grid(out, strcat(meant, "x1"), ASL_MOST_RANKS);
}

/* --ranks 2x2 is a grid. */
static void ranks_meant(char meant[ASL_WORDS_MEANT], const char *text)
{
	struct asl_grid grid;
	char sides[64];

	if (grid_meant(&grid, sides, text))
		snprintf(meant, ASL_WORDS_MEANT, "%d (and --grid %s)",
			 grid.p[0] * grid.p[1] * grid.p[2], sides);
}

static int set_count(const struct asl_option *option, void *at,
		     const char *text)
{
	uint64_t x;
	char expected[256], meant[ASL_WORDS_MEANT] = "";

	if (!asl_read_count(&x, text) || x < option->least ||
	    x > option->most) {
		if (!asl_read_count(&x, text) &&
		    !asl_count_meant(meant, text) &&
		    option->at == offsetof(struct asl_options, ranks))
			ranks_meant(meant, text);
		snprintf(expected, sizeof expected,
			 "%sa whole number from %ju to %ju (k, m and g "
			 "multiply by 1000)%s%s%s",
			 option->value == ASL_INT_OR_AUTO ? "auto, or " : "",
			 option->least, option->most,
			 *meant ? ": did you mean " : "", meant,
			 *meant ? "?" : "");
		return refuse(option, text, expected);
	}
	if (option->value != ASL_COUNT)
		*(int *)at = (int)x;
	else
		*(uint64_t *)at = x;
	return 0;
}

static int set_int_or_auto(const struct asl_option *option, void *at,
			   const char *text)
{
	if (strcmp(text, ASL_AUTO))
		return set_count(option, at, text);
	*(int *)at = ASL_THREADS_AUTO;
	return 0;
}

static int set_words(const struct asl_option *option, void *at,
		     const char *text)
{
	char meant[ASL_WORDS_MEANT];
	uint64_t x;

	if (!asl_read_words(&x, text) &&
	    (asl_words_meant(meant, text) || asl_count_meant(meant, text)))
		return asl_refuse("--%s: found '%s': did you mean %s?",
				  option->name, text, meant);
	if (!asl_read_words(&x, text) || x < option->least || x > option->most)
		return refuse(option, text,
			      "words, from 1 to 2^63-1 (k, m and g multiply by "
			      "1000; KiB, MiB, GiB and TiB are bytes)");
	*(uint64_t *)at = x;
	return 0;
}

/* libfabric's providers and media are names of something else, which is near. */
static const char *name_meant(const struct asl_option *option, const char *text)
{
	static const char *const providers[] = {
		"tcp", "udp", "verbs", "shm",	  "psm2",    "psm3", "efa",
		"cxi", "opx", "rdma",  "sockets", "ofi_rxm", NULL};
	static const char *const media[] = {"tmpfs", "fsdax", "devdax",
					    "file",  "nvm",   NULL};
	static _Thread_local char meant[96];

	if (option->at == offsetof(struct asl_options, transport) &&
	    asl_is_one_of(text, providers)) {
		snprintf(meant, sizeof meant,
			 ": did you mean ofi (and --provider %s)?",
			 strcmp(text, "rdma") ? text : "verbs");
		return meant;
	}
	if (option->at == offsetof(struct asl_options, store) &&
	    asl_is_one_of(text, media))
		return ": did you mean pmem (and --nvm-dir DIR, which decides "
		       "the medium)?";
	return asl_meant(text, "", asl_option_names(option));
}

static int set_name(const struct asl_option *option, void *at, const char *text)
{
	const char *const *all = asl_option_names(option);
	char names[256 + 128];

	if (!asl_is_one_of(text, all)) {
		asl_join(names, 256, all);
		strcat(names, name_meant(option, text));
		return refuse(option, text, names);
	}
	*(const char **)at = text;
	return 0;
}

static int set_cache(const struct asl_option *option, void *at,
		     const char *text)
{
	char expected[ASL_CACHE_MODEL_TEXT];
	struct asl_lru_shape shape;

	if (!cache_model_read(&shape, text, expected))
		return refuse(option, text, expected);
	*(struct asl_lru_shape *)at = shape;
	return 0;
}

static int set_grid(const struct asl_option *option, void *at, const char *text)
{
	char meant[64], expected[160];
	struct asl_grid grid;
	bool is_grid;

	if (asl_read_grid(at, text, ASL_MOST_RANKS))
		return 0;
	is_grid = grid_meant(&grid, meant, text);
	snprintf(expected, sizeof expected,
		 "three sides, as in 4x4x2, of 1000000 ranks at most%s%s%s",
		 is_grid ? ": did you mean " : "", is_grid ? meant : "",
		 is_grid ? "?" : "");
	return refuse(option, text, expected);
}

static int add_file(const struct asl_option *option, const char **at,
		    const char *text)
{
	int count = 0;

	if (!*text)
		return refuse(option, text, option->argument);
	while (at[count])
		count++;
	if (count == (option->most ? (int)option->most : ASL_MOST_OPERANDS - 1))
		return asl_refuse("--%s: more than %d", option->name, count);
	at[count] = text;
	return 0;
}

/* 4r is -4: four times what a word read costs. */
static int set_ratio(const struct asl_option *option, double *at,
		     const char *text)
{
	size_t length = strlen(text);
	bool of_r = length > 1 && text[length - 1] == 'r';
	char number[64];
	double x;

	snprintf(number, sizeof number, "%.*s", (int)(length - of_r), text);
	if (length >= sizeof number || !asl_read_cost(&x, number))
		return refuse(option, text,
			      "a number from 0 to 1e100, or of r, as 4r");
	*at = of_r ? -x : x;
	return 0;
}

int asl_option_set(const struct asl_option *option, struct asl_options *o,
		   const char *text)
{
	void *at = (char *)o + option->at;

	switch (option->value) {
	case ASL_FLAG:
		*(bool *)at = true;
		return 0;
	case ASL_COUNT:
	case ASL_INT:
		return set_count(option, at, text);
	case ASL_INT_OR_AUTO:
		return set_int_or_auto(option, at, text);
	case ASL_WORDS:
		return set_words(option, at, text);
	case ASL_COST:
		if (!asl_read_cost(at, text))
			return refuse(option, text, "a number from 0 to 1e100");
		return 0;
	case ASL_RATIO:
		return set_ratio(option, at, text);
	case ASL_REAL:
		if (!asl_read_real(at, text))
			return refuse(option, text,
				      "a number from -1e100 to 1e100");
		return 0;
	case ASL_GRID:
		return set_grid(option, at, text);
	case ASL_NAME:
		return set_name(option, at, text);
	case ASL_CACHE_SHAPE:
		return set_cache(option, at, text);
	case ASL_FILES:
		return add_file(option, at, text);
	case ASL_TEXT:
		if (!*text)
			return refuse(option, text, option->argument);
		*(const char **)at = text;
	}
	return 0;
}

static bool is_help(const struct asl_option *option)
{
	return option->at == offsetof(struct asl_options, help);
}

/* getopt's table for one command; val is FIRST_VALUE + index in ours. */
static void fill_long(struct option to[MOST_OPTIONS], unsigned command)
{
	int count = 0;

	for (int i = 0; asl_option_table[i].name; i++) {
		const struct asl_option *from = &asl_option_table[i];

		if (!(ASL_TAKEN(from->commands) & command))
			continue;
		to[count++] = (struct option){
			.name = from->name,
			.has_arg = from->argument  ? required_argument
				   : is_help(from) ? optional_argument
						   : no_argument,
			.val = FIRST_VALUE + i,
		};
	}
	to[count] = (struct option){0};
}

/* Our name for the option that launchers, other programs or papers call so. */
static const char *ours(const char *theirs)
{
	static const struct {
		const char *theirs, *ours;
	} names[] = {
		{"size", "n"},		 {"p", "ranks"},
		{"np", "ranks"},	 {"nprocs", "ranks"},
		{"procs", "ranks"},	 {"processes", "ranks"},
		{"ntasks", "ranks"},	 {"o", "out"},
		{"output", "out"},	 {"repeat", "reps"},
		{"repetitions", "reps"}, {"read", "read-cost"},
		{"write", "write-cost"}, {"beta", "net-cost"},
		{"alpha", "latency"},	 {"gamma", "flop-cost"},
		{"pool-dir", "nvm-dir"}, {"network", "transport"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(theirs, names[i].theirs))
			return names[i].ours;
	return theirs;
}

/* Options for BLAS's alpha and beta, which are costs here; NULL: another name. */
static const char *factor_meant(const char *theirs)
{
	return !strcmp(theirs, "alpha")	 ? "--latency, or --ab-factor (BLAS)?"
	       : !strcmp(theirs, "beta") ? "--net-cost, or --c-factor (BLAS)?"
					 : NULL;
}

static int unknown(const char *name, const char *found, unsigned command)
{
	const char *names[MOST_OPTIONS], *bare = found + strspn(found, "-");
	char text[64];
	int count = 0;

	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands & command)
			names[count++] = x->name;
	names[count] = NULL;
	snprintf(text, sizeof text, "%.*s", (int)strcspn(bare, "0123456789"),
		 bare);
	if (bare[strlen(text)] && asl_is_one_of(text, names))
		return asl_refuse("unknown option '%s': did you mean --%s %s?",
				  found, text, bare + strlen(text));
	snprintf(text, sizeof text, "%.*s", (int)strcspn(bare, "="), bare);
	if (factor_meant(text) && asl_is_one_of("ab-factor", names))
		return asl_refuse("unknown option '--%s': did you mean %s "
				  "(aslant %s --help lists them)",
				  text, factor_meant(text), name);
	return asl_refuse("unknown option '%.*s'%s (aslant %s --help lists "
			  "them)",
			  (int)strcspn(found, "="), found,
			  asl_meant(ours(text), "--", names), name);
}

/* getopt_long takes any unique beginning of a name; we do not. */
static bool is_name_of(const char *found, const struct asl_option *option)
{
	return strcspn(found + 2, "=") == strlen(option->name);
}

/* Complain about an argument that getopt does not understand. */
static int misused(int what, const char *name, const char *found,
		   unsigned command)
{
	const struct asl_option *option;

	if (optopt < FIRST_VALUE)
		return unknown(name, found, command);
	option = &asl_option_table[optopt - FIRST_VALUE];
	if (!is_name_of(found, option))
		return unknown(name, found, command);
	if (what == ':')
		return asl_refuse("--%s: expected %s after it", option->name,
				  option->argument);
	return asl_refuse("--%s: found '%s', but it takes no value",
			  option->name, strchr(found, '=') + 1);
}

static int take_results(struct asl_options *o, const char *dir)
{
	int count = 0;

	while (o->dir[count])
		count++;
	if (count == ASL_MOST_RESULTS)
		return asl_refuse("found more than %d directories", count);
	o->dir[count] = dir;
	return 0;
}

/* Behind dashes that a word processor has joined to one. */
static const char *behind_dash(const char *text)
{
	bool en = !strncmp(text, "\u2013", 3), em = !strncmp(text, "\u2014", 3);

	return en || em ? text + 3 : text;
}

/* 16 MiB, in two words. */
static bool is_unit(const char *unit, const char *number)
{
	char both[64];
	uint64_t x;

	snprintf(both, sizeof both, "%.30s%.30s", number, unit);
	return asl_read_words(&x, number) && asl_read_words(&x, both);
}

/*
 * A size, a contraction or an option's name that lacks its option, or its dashes; a
 * unit that was cut off.
 */
static void argument_meant(char meant[160], char *const *at, unsigned command)
{
	const char *text = behind_dash(*at);
	const struct asl_option *option;
	char name[64];
	uint64_t x;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
	option = asl_option_find(name);
	*meant = '\0';
	if (option && option->commands & command)
		snprintf(meant, 160, ": did you mean --%.128s?", text);
	else if (is_unit(text, at[-1]))
		snprintf(meant, 160, ": did you mean %.64s%.64s?", at[-1],
			 text);
	else if (asl_option_find("n")->commands & command && at[-1][0] != '-' &&
		 asl_read_count(&x, text))
		snprintf(meant, 160, ": did you mean --n %.120s?", text);
	else if (asl_option_find("spec")->commands & command &&
		 strstr(text, "->"))
		snprintf(meant, 160, ": did you mean --spec '%.120s'?", text);
}

static int take_argument(struct asl_options *o, char *const *at,
			 unsigned command)
{
	const char *text = *at;
	char meant[160];

	if (command & ASL_TAKES_RESULTS)
		return take_results(o, text);
	argument_meant(meant, at, command);
	if (o->algorithm)
		return asl_refuse("unexpected argument '%s' after '%s'%s", text,
				  at[-1], meant);
	o->algorithm = text;
	return 0;
}

static int step(struct asl_options *o, int what, const char *found, int at,
		const char *name, unsigned command)
{
	const struct asl_option *option;

	if (what == 'h') {
		o->help = true;
		return 0;
	}
	if (what == '?' || what == ':')
		return misused(what, name, found, command);
	option = &asl_option_table[what - FIRST_VALUE];
	if (!is_name_of(found, option))
		return unknown(name, found, command);
	if (is_help(option) && optarg && strcmp(optarg, "all"))
		return asl_refuse("--help: found '%s', expected all, or no "
				  "value (aslant %s NAME --help: what the "
				  "algorithm takes)",
				  optarg, name);
	o->help_all |= is_help(option) && optarg;
	if (option->at == offsetof(struct asl_options, launch)) {
		if (o->launch)
			return asl_refuse("--launch: given twice");
		o->launch_at = at;
	}
	return asl_option_set(option, o, optarg);
}

void asl_options_init(struct asl_options *o)
{
	*o = (struct asl_options){
		.seed = 1,
		.reps = 1,
		.peer_timeout = 60,
		.cut_timeout = 6,
		.memory_node = -1,
		.top = 10,
		.read_cost = NAN,
		.write_cost = NAN,
		.net_cost = NAN,
		.latency = NAN,
		.flop_cost = NAN,
		.ab_factor = NAN,
		.c_factor = NAN,
		.shift = NAN,
		.tol = NAN,
		.fail_below = NAN,
		.precision = NAN,
	};
}

int asl_options_parse(struct asl_options *o, int argc, char **argv,
		      unsigned command)
{
	asl_options_init(o);
	return asl_options_add(o, argc, argv, command);
}

int asl_options_add(struct asl_options *o, int argc, char **argv,
		    unsigned command)
{
	struct option names[MOST_OPTIONS];
	int err = 0, what, at = 1;

	fill_long(names, command);
	opterr = 0;
	optind = 0; /* anew, however often it was asked before */
	/* '-': arguments come in order, as 1; ':' tells a missing value. */
	while (!err &&
	       (what = getopt_long(argc, argv, "-:h", names, NULL)) != -1) {
		err = what == 1 ? take_argument(o, argv + at, command)
				: step(o, what, argv[at], at, argv[0], command);
		at = optind;
	}
	for (; !err && optind < argc; optind++)
		err = take_argument(o, argv + optind, command);
	return err;
}

/*
 * Options as they would be given to aslant run
 */

static void put_quoted(FILE *f, const char *text)
{
	if (!text[strcspn(text, " \t\n'\"\\$&|;<>()*?[]#~`!{}")]) {
		fputs(text, f);
		return;
	}
	fputc('\'', f);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", f);
		else
			fputc(*text, f);
	fputc('\'', f);
}

static void put_text(FILE *f, const char *name, const char *text)
{
	fprintf(f, " --%s ", name);
	put_quoted(f, text);
}

static size_t size_of(enum asl_value value)
{
	static const size_t size[] = {
		[ASL_FLAG] = sizeof(bool),
		[ASL_COUNT] = sizeof(uint64_t),
		[ASL_INT] = sizeof(int),
		[ASL_INT_OR_AUTO] = sizeof(int),
		[ASL_WORDS] = sizeof(uint64_t),
		[ASL_COST] = sizeof(double),
		[ASL_RATIO] = sizeof(double),
		[ASL_REAL] = sizeof(double),
		[ASL_GRID] = sizeof(struct asl_grid),
		[ASL_TEXT] = sizeof(const char *),
		[ASL_FILES] = sizeof(const char *), /* the first says it */
		[ASL_NAME] = sizeof(const char *),
		[ASL_CACHE_SHAPE] = sizeof(struct asl_lru_shape),
	};

	return size[value];
}

bool asl_option_given(const struct asl_option *option,
		      const struct asl_options *o)
{
	struct asl_options none;

	asl_options_init(&none);
	return memcmp((const char *)o + option->at,
		      (const char *)&none + option->at, size_of(option->value));
}

/* A value as users write it. */
static const char *value_text(char text[ASL_CACHE_MODEL_TEXT],
			      enum asl_value value, const void *at)
{
	const struct asl_grid *grid = at;

	switch (value) {
	case ASL_COUNT:
	case ASL_WORDS:
		sprintf(text, "%ju", *(const uint64_t *)at);
		return text;
	case ASL_INT:
		sprintf(text, "%d", *(const int *)at);
		return text;
	case ASL_INT_OR_AUTO:
		sprintf(text, "%d", *(const int *)at);
		return *(const int *)at < 0 ? ASL_AUTO : text;
	case ASL_RATIO:
		if (!signbit(*(const double *)at))
			return asl_write_number(text, *(const double *)at);
		asl_write_number(text, -*(const double *)at);
		return strcat(text, "r");
	case ASL_COST:
	case ASL_REAL:
		return asl_write_number(text, *(const double *)at);
	case ASL_GRID:
		sprintf(text, "%dx%dx%d", grid->p[0], grid->p[1], grid->p[2]);
		return text;
	case ASL_CACHE_SHAPE:
		return asl_cache_model_write(text, at);
	default:
		return *(const char *const *)at;
	}
}

const char *asl_option_text(char text[ASL_CACHE_MODEL_TEXT],
			    const struct asl_option *option,
			    const struct asl_options *o)
{
	const char *value;

	if (option->value == ASL_FLAG)
		return asl_option_given(option, o) ? "true" : "false";
	if (!asl_option_given(option, o))
		return "";
	value = value_text(text, option->value, (const char *)o + option->at);
	return value ? value : "";
}

static void put_option(FILE *f, const struct asl_option *x,
		       const struct asl_options *o)
{
	const void *at = (const char *)o + x->at;
	char text[ASL_CACHE_MODEL_TEXT];

	if (!asl_option_given(x, o))
		return;
	if (x->value == ASL_FLAG) {
		fprintf(f, " --%s", x->name);
	} else if (x->value == ASL_FILES) {
		for (const char *const *file = at; *file; file++)
			put_text(f, x->name, *file);
	} else {
		put_text(f, x->name, value_text(text, x->value, at));
	}
}

void asl_options_put(FILE *f, const struct asl_options *o)
{
	fputs(o->algorithm, f);
	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands & ASL_FOR_RUN && !(x->roles & ASL_OUTSIDE))
			put_option(f, x, o);
}

void asl_options_put_family(FILE *f, const struct asl_options *o)
{
	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!(x->commands & ASL_FOR_RUN) || !x->only ||
		    x->roles & ASL_PLANNED)
			continue;
		fputs(x->name, f);
		put_option(f, x, o);
		fputc('\n', f);
	}
}
