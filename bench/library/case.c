/*
 * case.c -- a case from options: checked, planned, ready to run
 */
#include "bench/library/case.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/library/cli.h"
#include "bench/library/launch.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/team.h"
#include "lib/machine/machine.h"
#include "lib/machine/memories.h"
#include "lib/outofcore/outofcore.h"
#include "net/net.h"
#include "nvm/store.h"

/* ---- The job ---- */

static struct asl_job assumed;
static bool is_assumed;

void asl_job_assume(struct asl_job job)
{
	assumed = job;
	is_assumed = true;
}

struct asl_job asl_job(void)
{
	struct asl_job job = {0};

	if (is_assumed)
		return assumed;
	if (!asl_net_job(&job.rank, &job.size))
		job.size = 0;
	job.here = asl_net_job_here(job.size);
	return job;
}

/*
 * Files: none that one option writes may be named by another
 *
 * A written file replaces the one of that name: an operand given as --csv or as
 * --result would be lost.
 */

static bool same_inode(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

static bool stat_parent(struct stat *st, const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof copy, "%s", path);
	return !stat(dirname(copy), st);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool asl_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	if (!stat(a, &x))
		return !stat(b, &y) && same_inode(&x, &y);
	return !strcmp(last_part(a), last_part(b)) && stat_parent(&x, a) &&
	       stat_parent(&y, b) && same_inode(&x, &y);
}

struct file {
	const char *option, *path; /* path NULL: not given */
};

static int check_apart(const struct file *written, const struct file *other)
{
	if (!written->path || !other->path ||
	    !asl_same_file(written->path, other->path))
		return 0;
	return asl_refuse("--%s and --%s are the same file: %s",
			  written->option, other->option, written->path);
}

static int check_operands(const struct file *written,
			  const struct asl_options *o)
{
	int err = 0;

	for (int i = 0; !err && o->operand[i]; i++)
		err = check_apart(written,
				  &(struct file){"operand", o->operand[i]});
	return err;
}

static int check_files(const struct asl_options *o)
{
	bool to_stdout = o->csv && !strcmp(o->csv, "-");
	bool built_in =
		o->profile && asl_is_one_of(o->profile, asl_profile_names());
	const char *profile = built_in ? NULL : o->profile;
	const struct file files[] = {
		{"csv", to_stdout ? NULL : o->csv},
		{"result", o->result},
		{"a", o->a},
		{"b", o->b},
		{"c", o->c},
		{"tensor", o->tensor},
		{"steiner", o->steiner},
		{"profile", profile},
	};
	const int count = sizeof files / sizeof files[0];
	int err = 0;

	for (int written = 0; !err && written < 2; written++) {
		for (int i = written + 1; !err && i < count; i++)
			err = check_apart(&files[written], &files[i]);
		if (!err)
			err = check_operands(&files[written], o);
	}
	return err;
}

/* ---- Transport, store and ranks, which have to fit each other ---- */

int asl_job_abort(const struct asl_options *o, int code)
{
	struct asl_job job = asl_job();
	char refusal[2048];
	struct asl_run_want want = {
		.plan = {.ranks = job.size},
		.transport = "ofi",
		.provider = o->provider,
		.interface = o->interface,
		.store = "dram",
		.refusal = refusal,
		.refused = code == ASL_BAD_INPUT ? -EINVAL : -EIO,
	};

	if (job.size < 2)
		return code;
	if (asl_net_can(o->transport)->joins_job)
		want.transport = o->transport;
	snprintf(refusal, sizeof refusal, "%s", asl_last_complaint());
	asl_run(&want, NULL, NULL);
	if (job.rank > 0 && *asl_failure_to_print())
		asl_complain_alone(code, "%s", asl_failure_to_print());
	return code;
}

static int check_launch(int ranks)
{
	enum { EACH = 64, ALWAYS = 256 };
	int cores = asl_machine()->cores;
	int most = cores > ALWAYS / EACH ? EACH * cores : ALWAYS;

	if (ranks <= most || !asl_launch_is_local())
		return 0;
	return asl_refuse(
		"--launch: found %d ranks, expected %d at most on %d cores",
		ranks, most, cores);
}

int asl_job_check(const struct asl_options *o, int ranks, bool launches)
{
	int job = asl_job().size;

	if (o->launch && job)
		return asl_refuse(
			"--launch: this is already an MPI job of %d ranks",
			job);
	if (job && ranks != job)
		return asl_refuse(
			"--ranks: found %d, but the MPI job has %d ranks",
			ranks, job);
	return launches && !job ? check_launch(ranks) : 0;
}

static int check_job(const struct asl_case *c, const struct asl_options *o)
{
	int job = asl_job().size, ranks = c->want.plan.ranks;
	bool sim = asl_net_can(c->want.transport)->simulated;
	int code = asl_job_check(o, sim ? job : ranks, o->launch && !sim);

	if (code)
		return code;
	if (o->launch && sim)
		return asl_refuse(
			"--launch: --transport sim has no processes to start");
	if (sim && job > 1)
		return asl_refuse("--transport: found sim in an MPI job, whose "
				  "%d processes would each simulate all ranks",
				  job);
	if (!sim && !job && !o->launch && ranks > 1)
		return asl_refuse(
			"--transport %s needs an MPI job: add --launch, or "
			"start aslant with mpiexec or srun",
			c->want.transport);
	return 0;
}

/* The option that names a file with an operand or a result; NULL: none. */
static const char *named_file(const struct asl_options *o)
{
	return o->a	       ? "a"
	       : o->b	       ? "b"
	       : o->c	       ? "c"
	       : o->tensor     ? "tensor"
	       : o->operand[0] ? "operand"
	       : o->result     ? "result"
			       : NULL;
}

/* "a or b": those of the names that can. */
static const char *list(char text[64], const char *const *names,
			bool (*can)(const char *name))
{
	size_t used = 0;

	for (; *names && used < 64; names++)
		if (can(*names))
			used += (size_t)snprintf(text + used, 64 - used, "%s%s",
						 used ? " or " : "", *names);
	return text;
}

static bool has_data(const char *store)
{
	return asl_store_can(store)->has_data;
}

static bool joins_job(const char *transport)
{
	return asl_net_can(transport)->joins_job;
}

const char *asl_stores_with_data(void)
{
	static char text[64];

	return list(text, asl_store_names(), has_data);
}

const char *asl_transports_of_jobs(void)
{
	static char text[64];

	return list(text, asl_net_transports(), joins_job);
}

static const char *or_else(const char *given, const char *otherwise)
{
	return given ? given : otherwise;
}

/*
 * Placement: the ranks, their binding and their threads, from one word
 */

static bool by_core(const struct asl_options *o)
{
	return o->placement && !strcmp(o->placement, "core");
}

static bool by_socket(const struct asl_options *o)
{
	return o->placement && !by_core(o);
}

/* 0: nothing is placed. */
static int placed_ranks(const struct asl_options *o)
{
	return by_core(o)     ? asl_machine()->cores
	       : by_socket(o) ? asl_machine()->sockets
			      : 0;
}

static int choose_threads(const struct asl_options *o)
{
	if (o->threads)
		return o->threads;
	return by_socket(o) ? ASL_THREADS_AUTO : 1;
}

int asl_case_threads(const struct asl_options *o, int ranks)
{
	int threads = choose_threads(o);

	if (threads != ASL_THREADS_AUTO)
		return threads;
	threads = asl_machine()->cores / (ranks ? ranks : 1);
	return threads < 1 ? 1 : threads;
}

static int check_placement(const struct asl_options *o, bool simulated)
{
	const char *how = o->placement;

	if (!how)
		return 0;
	if (simulated)
		return asl_refuse("--placement: found %s, but on --transport "
				  "sim all ranks are one process; add --launch",
				  how);
	if (o->bind && strcmp(o->bind, how))
		return asl_refuse("--bind: found %s, but --placement %s binds "
				  "each rank to a %s",
				  o->bind, how, how);
	if (by_core(o) && choose_threads(o) != 1)
		return asl_refuse("--threads: --placement core gives each rank "
				  "a core, expected 1");
	return 0;
}

static int check_transport(const struct asl_case *c,
			   const struct asl_options *o)
{
	const struct asl_run_want *want = &c->want;
	const struct asl_net_traits *net = asl_net_can(want->transport);
	bool data = has_data(want->store);

	if (!data && !net->carries_null)
		return asl_refuse("--store null has no words that --transport "
				  "%s could carry; only sim can",
				  want->transport);
	if (o->provider && !net->takes_provider)
		return asl_refuse("--provider is for --transport ofi, not %s",
				  want->transport);
	if (!data && named_file(o))
		return asl_refuse(
			"--%s: --store null has no words to read or write",
			named_file(o));
	if (!data && want->verify != ASL_VERIFY_NONE)
		return asl_refuse("--verify: --store null has no words to "
				  "verify, expected none");
	if (check_placement(o, net->simulated))
		return ASL_BAD_INPUT;
	if (net->simulated && strcmp(want->bind, "none"))
		return asl_refuse(
			"--bind: found %s, but on --transport sim all ranks "
			"are one process; expected none, or %s",
			want->bind, asl_transports_of_jobs());
	return check_job(c, o);
}

static bool is_null(const struct asl_options *o)
{
	return o->store && !has_data(o->store);
}

static int no_such_level(const char *asked)
{
	const char *names[ASL_CACHE_LEVELS + 1] = {NULL};
	char text[64], level[ASL_CACHE_LEVELS][16];
	int count = 0;

	for (int i = 0; i < ASL_CACHE_LEVELS; i++) {
		snprintf(level[i], sizeof level[i], "l%d", i + 1);
		if (asl_machine()->level[i].bytes)
			names[count++] = level[i];
	}
	return asl_complain(ASL_NO_MACHINE,
			    "--cache-level: found %s, but the caches that "
			    "every core is known to have are: %s",
			    asked,
			    count ? asl_join(text, sizeof text, names)
				  : "none (this machine hides them)");
}

/* S: the option, or the share of a rank in the cache. */
static int choose_cache(struct asl_case *c, const struct asl_options *o,
			int ranks, int threads)
{
	const char *asked = or_else(o->cache_level, "llc");
	int level = *asked == 'l' ? atoi(asked + 1) : 0;
	uint64_t *S = &c->want.plan.cache;

	if (o->cache) {
		*S = o->cache;
		return 0;
	}
	*S = level ? asl_machine_level_words(level, ranks, threads)
		   : asl_machine_cache_words(ranks, threads);
	if (!*S)
		return no_such_level(asked);
	if (!level)
		level = asl_machine()->cache_level;
	if (level)
		snprintf(c->cache_source, sizeof c->cache_source,
			 "share of L%d", level);
	else
		strcpy(c->cache_source, "assumed");
	return 0;
}

/*
 * Bytes of the large memory: what pools lie on, or all memory.  A plan is about
 * pools if it is told where they go.
 */
static uint64_t capacity(const struct asl_options *o, bool counted)
{
	bool pools = o->store ? asl_store_can(o->store)->needs_dir
			      : o->nvm_dir || !counted;
	struct asl_memory_node memory;
	bool fresh;
	uint64_t bytes = 0;

	if (o->memory_node >= 0 && !asl_memory_node(&memory, o->memory_node))
		bytes = memory.bytes;
	else if (pools)
		bytes = asl_store_capacity(
			o->nvm_dir ? o->nvm_dir
				   : asl_store_default_dir(&fresh));
	return bytes ? bytes : asl_machine()->memory_bytes;
}

uint64_t asl_case_memory(const struct asl_options *o, bool counted, int ranks)
{
	if (o->memory)
		return o->memory;
	return capacity(o, counted) / sizeof(double) /
	       (uint64_t)asl_max((uint64_t)ranks, 1);
}

/*
 * Each of the ranks that are only counted has the share of its threads' cores; a
 * number of threads that is left to the run is one there.
 */
static int count_ranks(const struct asl_options *o, int *threads)
{
	int cores = asl_machine()->cores;

	*threads = asl_case_threads(o, cores);
	return *threads < cores ? cores / *threads : 1;
}

/* Ranks of this host, which share what it has. */
static int ranks_here(const struct asl_plan *plan)
{
	int here = asl_job().here;

	return here && here < plan->ranks ? here : plan->ranks;
}

static int choose_memory(struct asl_case *c, const struct asl_options *o,
			 bool counted)
{
	struct asl_plan *plan = &c->want.plan;
	int share = ranks_here(plan), threads, err;

	threads = asl_case_threads(o, share);
	if (counted)
		share = count_ranks(o, &threads);

	plan->memory =
		asl_type_fit(plan->type, asl_case_memory(o, counted, share));
	plan->budget = asl_type_fit(plan->type, o->memory_budget);
	plan->overlap = o->overlap;
	plan->panels =
		o->panels && !strcmp(o->panels, "nvm") ? ASL_POOL : ASL_DRAM;
	plan->any_panels = !o->panels;
	err = choose_cache(c, o, share, threads);
	plan->cache = asl_type_fit(plan->type, plan->cache);
	return err;
}

/* All words of the pool take the device's time, and no step takes less than its. */
static void emulate_times(struct asl_times *t, const struct asl_profile *device,
			  int sharers)
{
	const struct asl_costs *costs = &device->costs;

	t->device = (struct asl_device_times){
		.word = {sharers * costs->read, sharers * costs->write},
		.request = {device->read_latency, device->write_latency},
		.line_bytes =
			device->line_bytes ? (uint64_t)device->line_bytes : 1,
	};
	t->read[ASL_POOL] = t->write[ASL_POOL] = 0;
	for (int i = 0; i < ASL_STEP_SIZES; i++)
		t->step[i] = fmax(t->step[i],
				  costs->latency + costs->net * t->words[i]);
}

/* Times of doubles become those of words and flops of the type. */
static void fit_times(struct asl_times *t, enum asl_type type)
{
	double *flop[] = {&t->flop, &t->edge, &t->simple};
	double *word[] = {&t->left,
			  &t->right,
			  &t->result,
			  &t->far,
			  &t->zero,
			  &t->vector,
			  &t->stream,
			  &t->add,
			  &t->read[ASL_POOL],
			  &t->read[ASL_DRAM],
			  &t->write[ASL_POOL],
			  &t->write[ASL_DRAM]};

	for (size_t i = 0; i < sizeof flop / sizeof *flop; i++)
		*flop[i] *= asl_type(type)->work;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		*word[i] *= asl_type_size(type);
	for (int i = 0; i < ASL_STEP_SIZES; i++)
		t->words[i] /= asl_type_size(type);
}

/* Costs of doubles, as profiles and options have them, become those of the type. */
static void fit_costs(struct asl_costs *x, enum asl_type type)
{
	double *word[] = {&x->read, &x->write, &x->dram_read, &x->dram_write,
			  &x->net};

	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		*word[i] *= asl_type_size(type);
}

/* A case may be moved after it is planned; its times stay where they are. */
static int choose_times(struct asl_case *c, const struct asl_options *o)
{
	bool copies = o->emulate || o->resume;
	int err;

	c->times = malloc(sizeof *c->times);
	if (!c->times)
		return asl_no_memory();
	c->want.plan.times = c->times;
	err = asl_profile_times(c->times, &c->profile, c->want.plan.ranks);
	c->times->in_place[ASL_DRAM] = !copies;
	c->times->in_place[ASL_POOL] =
		!copies && asl_store_can(or_else(o->store, "pmem"))->plain;
	/* It is DRAM. */
	if (c->times->in_place[ASL_POOL]) {
		c->times->read[ASL_POOL] = c->times->read[ASL_DRAM];
		c->times->write[ASL_POOL] = c->times->write[ASL_DRAM];
	}
	if (!err && o->emulate && c->profile.timed)
		emulate_times(c->times, &c->profile, ranks_here(&c->want.plan));
	fit_times(c->times, c->want.plan.type);
	return err;
}

/* As given, in its unit or of r; or the profile's. */
static double cost_of(double given, double profile, double r)
{
	return isnan(given) ? profile : signbit(given) ? -given * r : given;
}

static int choose_costs(struct asl_case *c, const struct asl_options *o)
{
	struct asl_costs *costs = &c->want.plan.costs;
	int err = asl_profile_find(&c->profile, or_else(o->profile, "dram"));

	if (!err)
		err = choose_times(c, o);
	if (err)
		return err;
	*costs = c->profile.costs;
	costs->flop *= asl_type(c->want.plan.type)->work;
	costs->read = isnan(o->read_cost) ? costs->read : o->read_cost;
	costs->write = cost_of(o->write_cost, costs->write, costs->read);
	costs->net = cost_of(o->net_cost, costs->net, costs->read);
	costs->latency = cost_of(o->latency, costs->latency, costs->read);
	costs->flop = cost_of(o->flop_cost, costs->flop, costs->read);
	fit_costs(costs, c->want.plan.type);
	c->want.plan.accounting =
		o->accounting && !strcmp(o->accounting, "full") ? ASL_FULL
								: ASL_APM;
	return 0;
}

/*
 * Where ranks of this host run, they share its cores, unless a launcher has bound
 * each to some of them; simulated ranks have one each.
 */
static void choose_time(struct asl_case *c, const struct asl_options *o)
{
	struct asl_plan *plan = &c->want.plan;
	bool runs = asl_job().size || o->launch;
	bool chooses =
		(!plan->algorithm && o->algorithm) || asl_ooc_is_program(plan);

	plan->cores = runs && !asl_machine()->bound && asl_launch_is_local()
			      ? asl_machine()->cores
			      : 0;
	plan->by_time = o->choose ? !strcmp(o->choose, "time")
				  : chooses && (runs || c->profile.timed);
}

static int cannot_resume(const char *found, const char *expected)
{
	return asl_refuse("--resume: found %s, expected %s", found, expected);
}

/* The parts of a plan that lib/run does not know, to recognise it by. */
static int describe(struct asl_case *c, const struct asl_options *o)
{
	struct asl_shown shown = asl_show(&c->want.plan);
	size_t bytes;
	FILE *f = open_memstream(&c->about, &bytes);
	int err = !f;

	if (f) {
		fprintf(f, "kernel %s\nspec %s\ndims %s\nblocks %s\n",
			or_else(shown.kernel, ""), shown.spec, shown.dims,
			shown.blocks);
		asl_options_put_family(f, o);
		err = fclose(f);
	}
	return err ? asl_no_memory() : 0;
}

static int choose_resume(struct asl_case *c, const struct asl_options *o)
{
	struct asl_run_want *want = &c->want;
	int err;

	if (o->checksum && !o->resume)
		return asl_refuse("--checksum: found no --resume, expected "
				  "one: nothing else verifies the checksum");
	if (!o->resume)
		return 0;
	if (o->erase)
		return cannot_resume("--erase, which removes what would be "
				     "resumed",
				     "one of the two");
	if (!asl_store_can(want->store)->lasts)
		return cannot_resume("a store that ends with the run",
				     "--store pmem");
	if (!want->nvm_dir)
		return cannot_resume("no directory that outlasts the run",
				     "--nvm-dir");
	if (want->reps > 1 || want->warmup)
		return cannot_resume("repetitions to measure",
				     "--reps 1 and --warmup 0");
	if (o->emulate || want->cache_model.words)
		return cannot_resume("a measurement that has to be whole",
				     "neither --emulate nor --cache-model");
	if (!want->plan.algorithm->resumes)
		return asl_refuse("--resume: %s does not support --resume",
				  want->plan.algorithm->name);
	err = describe(c, o);
	want->resume = true;
	want->checksum = o->checksum;
	want->about = c->about;
	return err;
}

/* Ranks that share a core wait for each other longer than for the memory. */
static int check_cores(const struct asl_run_want *want)
{
	int cores = asl_machine()->cores;

	if (want->plan.ranks <= cores)
		return 0;
	return asl_refuse("--emulate: found %d ranks on %d core%s, expected "
			  "--ranks %d at most",
			  want->plan.ranks, cores, cores == 1 ? "" : "s",
			  cores);
}

/* A rank that takes turns with others in a process would keep them waiting. */
static int check_emulation(const struct asl_case *c,
			   const struct asl_options *o)
{
	const struct asl_run_want *want = &c->want;

	if (!c->profile.timed)
		return asl_refuse(
			"--emulate: the costs of profile %s are relative, "
			"expected one whose costs have units (--profile)",
			c->profile.name);
	if (!has_data(want->store))
		return asl_refuse("--emulate: --store null has no words whose "
				  "moving takes time, expected %s",
				  asl_stores_with_data());
	if (asl_net_can(want->transport)->simulated && want->plan.ranks > 1)
		return asl_refuse(
			"--emulate: found %d ranks that take turns in one "
			"process, expected --launch, an MPI job, or 1 rank",
			want->plan.ranks);
	return o->launch && asl_launch_is_local() ? check_cores(want) : 0;
}

static int choose_emulation(struct asl_case *c, const struct asl_options *o)
{
	const struct asl_profile *profile = &c->profile;
	const struct asl_costs *costs = &profile->costs;
	struct asl_emulation *as = &c->want.emulate;

	if (!o->emulate)
		return 0;
	*as = (struct asl_emulation){
		.word = {costs->read, costs->write},
		.latency = {profile->read_latency, profile->write_latency},
		.net = costs->net,
		.message = costs->latency,
		.line_bytes = profile->line_bytes,
	};
	memcpy(as->name, profile->name, sizeof as->name);
	return check_emulation(c, o);
}

int asl_case_check_store(const char *store, const struct asl_options *o)
{
	bool needs = asl_store_can(store)->needs_node;

	if (needs && o->memory_node < 0)
		return asl_refuse("--store %s: found no --memory-node, "
				  "expected the number of a NUMA node (aslant "
				  "list machine)",
				  store);
	if (!needs && o->memory_node >= 0)
		return asl_refuse("--memory-node: found --store %s, expected "
				  "--store node",
				  store);
	return 0;
}

/* A word is in one line. */
static int check_model(const struct asl_plan *plan, const struct asl_options *o)
{
	uint64_t bytes = asl_type_bytes(plan->type);

	if (o->cache_model.line * sizeof(double) % bytes == 0)
		return 0;
	return asl_refuse("--cache-model: found lines of %ju words of 8 bytes, "
			  "expected whole numbers of %s, which has %ju",
			  o->cache_model.line, asl_type(plan->type)->name,
			  bytes);
}

/* ---- The whole case ---- */

static int prepare(struct asl_case *c, const struct asl_options *o,
		   bool counted)
{
	struct asl_plan *plan = &c->want.plan;
	const struct asl_family_cli *cli;
	int err;

	*c = (struct asl_case){0};
	if (o->algorithm) {
		err = asl_algorithm_check(o->algorithm);
		if (err)
			return err;
		plan->algorithm = asl_cli_algorithm(o->algorithm);
	}
	cli = asl_cli_of(plan);
	plan->ranks = o->ranks	       ? o->ranks
		      : asl_job().size ? asl_job().size
				       : placed_ranks(o);
	err = asl_options_suit(o, plan->algorithm);
	if (!err)
		err = check_files(o);
	if (!err)
		err = cli->problem(plan, o);
	if (!err)
		err = choose_costs(c, o);
	if (!err)
		err = choose_memory(c, o, counted);
	if (!err)
		choose_time(c, o);
	return err || !cli->means ? err : cli->means(plan, o);
}

/* As choose_time has it of ranks that --launch starts here. */
static void share_cores(struct asl_case *c, const struct asl_options *o)
{
	struct asl_plan *plan = &c->want.plan;

	plan->cores =
		o->cores == ASL_THREADS_AUTO ? asl_machine()->cores : o->cores;
	plan->by_time |=
		(!plan->algorithm || asl_ooc_is_program(plan)) && !o->choose;
}

int asl_case_to_plan(struct asl_case *c, const struct asl_options *o)
{
	struct asl_memory_node memory;
	int err = prepare(c, o, !o->cores);

	if (!err && o->cores)
		share_cores(c, o);
	if (err || o->memory_node < 0 ||
	    !asl_memory_node(&memory, o->memory_node))
		return err;
	return asl_refuse("%s", asl_failure());
}

static enum asl_verify choose_verify(const struct asl_options *o)
{
	const char *how = o->verify;

	if (!how)
		how = is_null(o) ? "none" : "freivalds";
	return !strcmp(how, "none")	? ASL_VERIFY_NONE
	       : !strcmp(how, "oracle") ? ASL_VERIFY_ORACLE
					: ASL_VERIFY_FREIVALDS;
}

static void note_origin(struct asl_case *c)
{
	struct asl_origin *to = &c->want.costs_from;

	_Static_assert(sizeof to->profile == sizeof c->profile.name,
		       "a profile's name fits");
	memcpy(to->profile, c->profile.name, sizeof to->profile);
	to->timed = c->profile.timed;
	to->endurance = c->profile.endurance;
	to->energy = c->profile.energy;
	to->energy.flop *= asl_type(c->want.plan.type)->work;
	fit_costs(&to->energy, c->want.plan.type);
}

/* Is one of the places for pools a DAX device, or unknown as yet? */
static bool may_erase(const struct asl_options *o)
{
	bool fresh;
	struct asl_store_places places;
	struct asl_store_site site;

	if (asl_store_split(&places, o->nvm_dir
					     ? o->nvm_dir
					     : asl_store_default_dir(&fresh)))
		return true;
	for (int i = 0; i < places.count; i++)
		if (asl_store_site(&site, places.at[i]) || site.single)
			return true;
	return false;
}

/* Once for all cases of a suite. */
static void say_unused(const struct asl_options *o, const char *store)
{
	bool pools = asl_store_can(store)->needs_dir;
	static bool said;

	if (said)
		return;
	if (o->nvm_dir && !pools)
		asl_complain(0,
			     "note: --nvm-dir is not used: --store %s has no "
			     "pools",
			     store);
	if (o->erase && !(pools && may_erase(o)))
		asl_complain(0, "note: --erase is not used: no pool lies on a "
				"DAX device");
	said = true;
}

int asl_case_to_run(struct asl_case *c, const struct asl_options *o)
{
	struct asl_run_want *want = &c->want;
	const struct asl_family_cli *cli;
	int err;

	if (!o->algorithm)
		return asl_refuse("run: which algorithm? (auto chooses one; "
				  "aslant list algorithms lists them)");
	err = prepare(c, o, is_null(o));
	if (err)
		return err;
	cli = asl_cli_of(&want->plan);
	err = cli->complete(want, o);
	if (!err)
		err = check_model(&want->plan, o);
	if (err)
		return err;
	note_origin(c);
	want->transport = or_else(o->transport,
				  asl_job().size || o->launch ? "ofi" : "sim");
	want->provider = o->provider;
	want->interface = o->interface;
	want->store = or_else(o->store, "pmem");
	want->nvm_dir = o->nvm_dir;
	want->memory_node = o->memory_node;
	want->result = o->result;
	want->seed = o->seed;
	want->exact = o->entries && !strcmp(o->entries, "exact");
	want->reps =
		isnan(o->precision) || o->reps > 1 ? o->reps : ASL_MOST_REPS;
	want->warmup = o->warmup;
	want->hwc = or_else(o->hwc, "auto");
	want->keep = o->keep;
	want->erase = o->erase;
	want->cache_model = o->cache_model;
	want->cache_model.words =
		asl_type_fit(want->plan.type, o->cache_model.words);
	want->cache_model.line =
		asl_type_fit(want->plan.type, o->cache_model.line);
	want->bind = or_else(o->bind, or_else(o->placement, "none"));
	want->threads = choose_threads(o);
	want->verify = choose_verify(o);
	err = check_transport(c, o);
	if (!err)
		err = asl_case_check_store(want->store, o);
	if (!err)
		err = choose_emulation(c, o);
	if (!err)
		err = cli->settle(&want->plan);
	if (!err)
		err = choose_resume(c, o);
	if (!err)
		say_unused(o, want->store);
	c->automatic = !err && strcmp(want->plan.algorithm->name, o->algorithm);
	return err;
}

void asl_case_close(struct asl_case *c)
{
	/* A plan may have a part before it has an algorithm. */
	asl_cli_of(&c->want.plan)->family->release(&c->want.plan);
	free(c->about);
	free(c->times);
}
