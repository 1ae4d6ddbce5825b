/*
 * calibrate.c -- aslant calibrate and sweep: measure this machine
 *
 * Calibrate writes its profile, sweep its raw figures.  Only what has a network can be measured: outside a job the command starts one.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/command/commands.h"
#include "bench/command/machine.h"
#include "bench/command/output.h"
#include "bench/command/signals.h"
#include "bench/library/case.h"
#include "bench/library/csv.h"
#include "bench/library/launch.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/base/path.h"
#include "lib/calibrate/calibrate.h"
#include "lib/calibrate/sweep.h"
#include "lib/machine/machine.h"
#include "lib/machine/memories.h"
#include "lib/rank/blas.h"
#include "net/net.h"
#include "nvm/store.h"

/* ---- The measured figures as a profile ---- */

static const struct figure {
	const char *key, *name, *unit;
	enum asl_quantity quantity;
} figures[] = {
	{"read", "r      read", "ns/word", ASL_READ_NS},
	{"write", "w      write", "ns/word", ASL_WRITE_NS},
	{"dram_read", "r_d    DRAM read", "ns/word", ASL_DRAM_READ_NS},
	{"dram_write", "w_d    DRAM write", "ns/word", ASL_DRAM_WRITE_NS},
	{"net", "beta   network", "ns/word", ASL_NET_NS},
	{"latency", "alpha  message", "ns", ASL_LATENCY_NS},
	{"flop", "gamma  flop", "ns/flop", ASL_FLOP_NS},
	{"product_flop", "product: flop", "ns/flop", ASL_PRODUCT_FLOP_NS},
	{"product_call", "  call", "ns", ASL_PRODUCT_CALL_NS},
	{"product_left", "  word of A", "ns/word", ASL_PRODUCT_LEFT_NS},
	{"product_right", "  word of B", "ns/word", ASL_PRODUCT_RIGHT_NS},
	{"product_result", "  word of C", "ns/word", ASL_PRODUCT_RESULT_NS},
	{"product_far", "  word beyond 8 MiB", "ns/word", ASL_PRODUCT_FAR_NS},
	{"product_edge", "  flop at an edge", "ns/flop", ASL_PRODUCT_EDGE_NS},
	{"product_zero", "  word set to zero", "ns/word", ASL_PRODUCT_ZERO_NS},
	{"simple_flop", "flop of vectors", "ns/flop", ASL_SIMPLE_NS},
	{"stream", "tensor's word", "ns/word", ASL_STREAM_NS},
	{"add", "word of a sum", "ns/word", ASL_ADD_NS},
	{"product_vector", "matrix times vector", "ns/word", ASL_VECTOR_NS},
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

enum { SHORT_WORDS = 64 };

/* Between ranks that share cores short messages, of a few cache lines, are all alike. */
static void even_out_short(double ns[ASL_STEP_SIZES],
			   const struct asl_calibration *x)
{
	double sum = 0;
	int sizes = 0;

	while (sizes < ASL_STEP_SIZES && x->step_words[sizes] <= SHORT_WORDS)
		sum += ns[sizes++];
	for (int i = 0; i < sizes; i++)
		ns[i] = sum / sizes;
}

/*
 * The times of steps, or parts of them, from the shortest message to the longest, which
 * takes no less: medians of short ones differ by chance.
 */
static json_t *step_times(const struct asl_calibration *x, double part,
			  bool crowded)
{
	double ns[ASL_STEP_SIZES];
	json_t *list = json_array();

	for (int i = 0; i < ASL_STEP_SIZES; i++)
		ns[i] = part * x->all[ASL_STEP_NS + i].median;
	if (crowded)
		even_out_short(ns, x);
	asl_fit_rising(ns, ASL_STEP_SIZES);
	for (int i = 0; i < ASL_STEP_SIZES; i++)
		json_array_append_new(list, json_real(ns[i]));
	return list;
}

static json_t *steps(const struct asl_calibration *x)
{
	json_t *words = json_array();

	for (int i = 0; i < ASL_STEP_SIZES; i++)
		json_array_append_new(words, json_real(x->step_words[i]));
	return json_pack("{s:o, s:o}", "words", words, "ns",
			 step_times(x, 1, false));
}

static void put_rows(json_t *to, const char *whose,
		     const struct asl_estimate of[ASL_QUANTITIES], bool written)
{
	const struct asl_estimate *x =
		of + ASL_DISK_NS + (written ? ASL_DISK_KINDS / 2 : 0);
	const char *verb = written ? "write" : "read";
	json_t *ns = json_array();
	char key[64];

	for (int i = 0; i < ASL_ROW_SIZES; i++)
		json_array_append_new(ns,
				      json_real(x[ASL_DISK_ROW + i].median));
	snprintf(key, sizeof key, "%s%s_ns", whose, verb);
	json_object_set_new(to, key, ns);
	snprintf(key, sizeof key, "%s%s_begin_ns", whose, verb);
	json_object_set_new(to, key, json_real(x[ASL_DISK_BEGIN].median));
	snprintf(key, sizeof key, "%s%s_near_ns", whose, verb);
	json_object_set_new(to, key, json_real(x[ASL_DISK_NEAR].median));
}

/* NULL where no disk was measured, and so no such key. */
static json_t *transfers(const struct asl_calibration *x)
{
	json_t *all = json_object(), *words = json_array();

	if (!x->all[ASL_DISK_NS].samples) {
		json_decref(all);
		json_decref(words);
		return NULL;
	}
	for (int i = 0; i < ASL_ROW_SIZES; i++)
		json_array_append_new(
			words,
			json_integer((json_int_t)asl_disk_bench_size(i)));
	json_object_set_new(all, "ranks", json_integer(x->ranks));
	json_object_set_new(all, "words", words);
	for (int written = 0; written < 2; written++) {
		put_rows(all, "", x->all, written);
		put_rows(all, "alone_", x->alone, written);
	}
	return all;
}

/* Into the file that is there: what a step takes of a core that ranks share. */
static int write_crowded(const char *path, const struct asl_calibration *x)
{
	json_t *root = json_load_file(path, 0, NULL);
	json_t *steps = json_object_get(root, "steps");
	int err;

	json_object_set_new(steps, "crowded_ns", step_times(x, x->core, true));
	json_object_set_new(steps, "crowded_row_ns",
			    json_real(x->core * x->all[ASL_ROW_NS].median));
	json_object_set_new(steps, "crowded_message_ns",
			    json_real(x->core * x->all[ASL_MESSAGE_NS].median));
	err = root ? asl_json_write(path, root, 6) : -EIO;
	json_decref(root);
	return err ? asl_complain(asl_exit_code(err), "calibrate: %s: %s", path,
				  strerror(-err))
		   : 0;
}

static const char *calibrate_default(void)
{
	static char name[sizeof "calibrated-.json" + 48];

	snprintf(name, sizeof name, "calibrated-%.48s.json",
		 asl_machine()->host);
	return name;
}

static json_t *pack(const struct asl_estimate of[ASL_QUANTITIES])
{
	json_t *all = json_object();

	for (int i = 0; i < FIGURES; i++) {
		const struct figure *f = &figures[i];
		const struct asl_estimate *x = &of[f->quantity];

		if (x->samples)
			json_object_set_new(
				all, f->key,
				json_pack("{s:f, s:s, s:f, s:f, s:i}", "value",
					  x->median, "unit", f->unit, "low",
					  x->low, "high", x->high, "samples",
					  x->samples));
	}
	return all;
}

/* How a store makes words durable follows from what it lies on. */
static const char *persist(const struct asl_calibration *x, const char *store)
{
	if (!asl_store_can(store)->needs_dir)
		return "store";

	if (!strcmp(x->medium, "fsdax") || !strcmp(x->medium, "devdax"))
		return "nt-store";
	return strcmp(x->medium, "disk") ? "msync" : "direct";
}

static json_t *provenance(const struct asl_calibration *x,
			  const struct asl_calibrate_want *want)
{
	json_t *machine = asl_machine_json();
	json_t *own = json_pack(
		"{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:i, s:f}",
		"store", want->store, "pool_dir", asl_text_json(x->dir),
		"medium", x->medium, "note", x->note, "transport",
		want->transport, "provider", x->provider, "bind", want->bind,
		"quick", want->quick, "pass_words_all",
		(json_int_t)x->words_all, "pass_words_alone",
		(json_int_t)x->words_alone, "product_side", x->product_side,
		"worst_message_off_line", x->all[ASL_FIT_OFF].median);

	if (own && x->words_disk)
		json_object_set_new(own, "pass_words_disk",
				    json_integer((json_int_t)x->words_disk));
	if (own && *x->dir)
		asl_pools_put(own, x->dir);
	if (own)
		asl_blas_put(own);
	if (own && machine)
		json_object_update_missing(own, machine);
	json_decref(machine);
	return own;
}

static json_t *profile(const struct asl_calibration *x,
		       const struct asl_calibrate_want *want)
{
	const char *host = asl_machine()->host;
	char name[sizeof "calibrated-" + 48], stamp[32];
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(name, sizeof name, "calibrated-%.48s", host);
	return json_pack(
		"{s:s, s:o, s:o, s:s, s:s, s:i, s:o, s:o, s:o, s:o*, s:o}",
		"name", name, "about",
		json_sprintf("%.64s, %d ranks at once, %s on %s, %s", host,
			     x->ranks, want->store, x->medium,
			     *x->provider ? x->provider : want->transport),
		"source",
		json_sprintf("aslant calibrate on %.64s, %s: median of "
			     "rounds, with its 95%% confidence interval",
			     host, stamp),
		"access", "tiles of 256 KiB, one after another", "persist",
		persist(x, want->store), "ranks", x->ranks, "figures",
		pack(x->all), "alone", pack(x->alone), "steps", steps(x),
		"transfers", transfers(x), "provenance", provenance(x, want));
}

/* The second job, of more ranks than cores, is told which it is. */
#define CROWD "ASLANT_CALIBRATES_CROWD"

enum { CROWD_EACH = 4, CROWD_MOST = 32 };

/* ---- Options ---- */

static int choose_ranks(const struct asl_options *o)
{
	int cores = asl_machine()->cores, job = asl_job().size;

	if (o->ranks || job)
		return o->ranks ? o->ranks : job;
	return cores < 2 ? 2 : cores;
}

static int check(const char *who, const struct asl_options *o,
		 const struct asl_calibrate_want *want, int ranks)
{
	int code;

	if (asl_net_can(want->transport)->simulated)
		return asl_refuse(
			"--transport: found sim, expected %s: a simulated "
			"network has nothing to measure",
			asl_transports_of_jobs());
	if (!asl_store_can(want->store)->has_data)
		return asl_refuse("--store: found null, expected %s: null has "
				  "no words to move",
				  asl_stores_with_data());
	if (o->provider && !asl_net_can(want->transport)->takes_provider)
		return asl_refuse("--provider is for --transport ofi, not %s",
				  want->transport);
	code = asl_case_check_store(want->store, o);
	if (!code)
		code = asl_job_check(o, ranks, true);
	if (!code && ranks < 2)
		code = asl_refuse("%s: found 1 rank, expected 2 or more: "
				  "messages have two ends",
				  who);
	return code;
}

/* Once all can be measured, before any of it has been. */
static void say_before(const char *what, double seconds)
{
	static bool said;

	if (!said)
		fprintf(stderr, "%s: about %.0f s\n", what, seconds);
	said = true;
}

static void progress(const struct asl_calibrating *at)
{
	const char *on = getenv(CROWD) ? ", on shared cores" : "";
	static double last;

	if (!*on)
		say_before("calibrating", at->left_s);
	if (!asl_terminal_columns(stderr)) {
		if (at->step_ends)
			fprintf(stderr, "%d/%d %s%s: measured, %.0f s left\n",
				at->step + 1, at->steps, at->what, on,
				at->left_s);
		return;
	}
	if (!at->step_ends && asl_now() - last < 0.25)
		return;
	last = asl_now();
	/* As wide as the widest, so that nothing of the last one is left. */
	fprintf(stderr, "\r%d/%d %s%-*s %4.0f s left ", at->step + 1, at->steps,
		at->what, 20 - (int)strlen(at->what), on, at->left_s);
	if (at->step_ends && at->step + 1 == at->steps)
		fputc('\n', stderr);
}

/* Flops are printed in ps. */
static void print_line(const struct asl_calibration *x, const struct figure *f)
{
	const struct asl_estimate *all = &x->all[f->quantity];
	const struct asl_estimate *alone = &x->alone[f->quantity];
	bool flop = !strcmp(f->unit, "ns/flop");
	double factor = flop ? 1000 : 1;

	printf("%-20s%9.4g %9.4g %9.4g", f->name, factor * all->median,
	       factor * all->low, factor * all->high);
	if (alone->samples)
		printf(" %9.4g", factor * alone->median);
	else
		printf(" %9s", "");
	printf("  %s", flop ? "ps/flop" : f->unit);
	if (flop)
		printf("  %8.4g GFLOP/s", x->ranks / all->median);
	else if (!strcmp(f->unit, "ns/word") && strncmp(f->name, "  ", 2) != 0)
		printf("  %8.4g GB/s", 8 * x->ranks / all->median);
	fputc('\n', stdout);
}

static int print(const struct asl_calibration *x)
{
	printf("%d ranks, store on %s%s%s%s%s, %s kernels of OpenBLAS\n\n"
	       "%-20s%9s %19s %9s %19s\n",
	       x->ranks, x->medium, *x->dir ? " in " : "", x->dir,
	       *x->provider ? ", provider " : "", x->provider,
	       asl_blas().kernels, "", "median", "95% confidence", "one rank",
	       "all ranks");
	for (int i = 0; i < FIGURES; i++)
		print_line(x, &figures[i]);
	printf("\nw/r is %.3g, of DRAM %.3g\n",
	       x->all[ASL_WRITE_NS].median / x->all[ASL_READ_NS].median,
	       x->all[ASL_DRAM_WRITE_NS].median /
		       x->all[ASL_DRAM_READ_NS].median);
	return asl_flush_stdout();
}

static int write_file(const char *path, const struct asl_calibration *x,
		      const struct asl_calibrate_want *want)
{
	json_t *root = profile(x, want);
	int err = asl_json_write(path, root, 6);

	json_decref(root);
	if (err)
		return asl_complain(asl_exit_code(err), "calibrate: %s: %s",
				    path, strerror(-err));
	printf("written to %s\n", path);
	return asl_flush_stdout();
}

static int measure(const char *path, struct asl_calibrate_want *want)
{
	static struct asl_calibration x;
	int rank = asl_job().rank, code = 0, err;

	if (rank == 0)
		code = asl_file_try(path, "calibrate");
	want->refused = code ? -EIO : 0;
	want->refusal = asl_last_complaint();
	err = asl_calibrate(&x, want);
	if (err && !code && *asl_failure_to_print())
		asl_complain_alone(asl_exit_code(err), "calibrate: %s",
				   asl_failure_to_print());
	if (code || err || rank > 0)
		return code ? code : asl_exit_code(err);
	if (want->crowd)
		return write_crowded(path, &x);
	if (*x.note)
		asl_complain(0, "note: %s", x.note);
	if (*asl_blas_note())
		asl_complain(0, "note: %s", asl_blas_note());
	code = print(&x);
	return code ? code : write_file(path, &x, want);
}

static struct asl_calibrate_want want_of(const struct asl_options *o)
{
	return (struct asl_calibrate_want){
		.transport = o->transport ? o->transport : "ofi",
		.provider = o->provider,
		.interface = o->interface,
		.store = o->store ? o->store : "pmem",
		.nvm_dir = o->nvm_dir,
		.memory_node = o->memory_node,
		.erase = o->erase,
		.bind = o->bind ? o->bind : "none",
		.quick = o->quick,
		.crowd = getenv(CROWD),
		.progress = progress,
	};
}

/* Outside a job: one is started on this host, by this command once more. */
static int start_job(const struct asl_options *o, int ranks, int argc,
		     char **argv)
{
	return asl_launch(ranks, argc, argv, o->launch ? o->launch_at + 1 : 0);
}

/* Hosts with many cores are not crowded. */
static int start_crowd(const struct asl_options *o, int ranks, int argc,
		       char **argv)
{
	int cores = asl_machine()->cores;
	int crowd = CROWD_EACH * cores < CROWD_MOST ? CROWD_EACH * cores
						    : CROWD_MOST;

	if (crowd <= cores || crowd <= ranks)
		return 0;
	if (!asl_launch_is_local()) {
		asl_complain(0,
			     "note: ranks that share cores are not measured, "
			     "as $ASLANT_LAUNCH may start them elsewhere");
		return 0;
	}
	setenv(CROWD, "1", 1);
	return start_job(o, crowd, argc, argv);
}

int asl_command_calibrate(struct asl_options *o, int argc, char **argv)
{
	const char *path = o->algorithm ? o->algorithm : calibrate_default();
	struct asl_calibrate_want want = want_of(o);
	int ranks, code;

	if (want.crowd) {
		o->ranks = 0;
		o->nvm_dir = NULL;
		o->memory_node = -1;
		want.nvm_dir = NULL;
		want.store = "dram";
	}
	ranks = choose_ranks(o);
	code = check("calibrate", o, &want, ranks);
	if (code)
		return code;
	if (asl_job().size) {
		asl_signals_guard(o);
		return measure(path, &want);
	}
	code = asl_file_try(path, "calibrate");
	if (!code)
		code = start_job(o, ranks, argc, argv);
	return code ? code : start_crowd(o, ranks, argc, argv);
}

/* ---- Sweep ---- */

static void sweep_progress(int done, int points, double left_s)
{
	static double last;
	char what[32];

	snprintf(what, sizeof what, "sweeping %d points", points);
	say_before(what, left_s);

	if (!asl_terminal_columns(stderr) || asl_now() - last < 0.25)
		return;
	last = asl_now();
	fprintf(stderr, "\r%d/%d points, %4.0f s left ", done, points, left_s);
}

static void put_point(struct asl_csv *csv, const struct asl_sweep_point *x)
{
	bool memory = *x->store, latency = x->kind == ASL_SWEEP_LATENCY;
	char node[16];

	asl_csv_put_count(csv, "schema", 1);
	asl_csv_put(csv, "what", asl_sweep_name(x->kind));
	asl_csv_put(csv, "store", x->store);
	asl_csv_put(csv, "medium", x->medium);
	snprintf(node, sizeof node, "%d", x->node);
	asl_csv_put(csv, "node", x->node < 0 ? NULL : node);
	asl_csv_put_length(csv, "bytes", x->bytes);
	asl_csv_put_count(csv, "ranks", (uint64_t)x->ranks);
	asl_csv_put_number(csv, "write_share",
			   !memory ? NAN
			   : x->kind == ASL_SWEEP_WRITE ||
					   x->kind == ASL_SWEEP_FLUSH
				   ? 1
				   : x->share);
	asl_csv_put_number(csv, "load_duty", latency ? x->duty : NAN);
	asl_csv_put_number(csv, "load_gbs", latency ? x->load : NAN);
	asl_csv_put_number(csv, "value", x->value.median);
	asl_csv_put(csv, "unit", asl_sweep_unit(x->kind));
	asl_csv_put_number(csv, "low", x->value.low);
	asl_csv_put_number(csv, "high", x->value.high);
	asl_csv_end_row(csv);
}

static int write_sweep(const char *dir, const struct asl_sweep *s)
{
	char path[PATH_MAX];
	struct asl_csv csv;
	int code;

	snprintf(path, sizeof path, "%s/sweep.csv", dir);
	if (asl_csv_open(&csv))
		return asl_no_memory();
	csv.naming = true;
	put_point(&csv, &s->point[0]);
	csv.naming = false;
	for (int i = 0; i < s->count; i++)
		put_point(&csv, &s->point[i]);
	code = asl_table_write(&csv, path);
	if (!code)
		printf("\nwritten to %s\n", path);
	return code;
}

/* Points of one table: they differ in size, share, load and ranks. */
static bool one_table(const struct asl_sweep_point *a,
		      const struct asl_sweep_point *b)
{
	return a->kind == b->kind && a->node == b->node &&
	       !strcmp(a->store, b->store);
}

static void print_row(const struct asl_sweep_point *x)
{
	char bytes[ASL_BYTES], share[32];

	snprintf(share, sizeof share, "%g%% writes", 100 * x->share);
	if (x->kind == ASL_SWEEP_MIX)
		printf("  %-22s", share);
	else if (x->kind == ASL_SWEEP_DGEMM)
		printf("  %-22s", "");
	else if (x->kind != ASL_SWEEP_LATENCY)
		printf("  %-22s", asl_write_bytes(bytes, (double)x->bytes));
	else if (x->ranks == 1)
		printf("  %-22s", "alone");
	else
		printf("  load %5.3g GB/s, %-11s", x->load, share);
}

static void print_heading(const struct asl_sweep_point *x, int columns)
{
	printf("\n%s%s%s", asl_sweep_name(x->kind), *x->store ? ", " : "",
	       x->store);
	if (x->node >= 0)
		printf(" %d", x->node);
	if (*x->medium && strcmp(x->medium, x->store) != 0)
		printf(" on %s", x->medium);
	printf(", %s", asl_sweep_unit(x->kind));
	if (x->kind == ASL_SWEEP_MESSAGE)
		fputs(" and GB/s", stdout);
	if (columns > 1) {
		fputs(", by ranks", stdout);
		printf("\n  %-22s", "");
		for (int i = 0; i < columns; i++)
			printf(" %8d", x[i].ranks);
	}
	fputc('\n', stdout);
}

static void print_sweep(const struct asl_sweep *s)
{
	for (int i = 0; i < s->count;) {
		const struct asl_sweep_point *x = &s->point[i];
		int columns = 1, first = i;

		while (x->kind != ASL_SWEEP_LATENCY && i + columns < s->count &&
		       one_table(x, x + columns) &&
		       x[columns].bytes == x->bytes &&
		       x[columns].share == x->share)
			columns++;
		print_heading(x, columns);
		for (; i < s->count && one_table(x, &s->point[i]); i++) {
			const struct asl_sweep_point *y = &s->point[i];

			if ((i - first) % columns == 0)
				print_row(y);
			printf(" %8.3g", y->value.median);
			if (y->kind == ASL_SWEEP_MESSAGE)
				printf(" %8.3g", (double)y->bytes * 1e-3 /
							 y->value.median);
			if ((i - first) % columns == columns - 1)
				fputc('\n', stdout);
		}
	}
}

static int sweep_here(struct asl_sweep *s, const struct asl_options *o,
		      struct asl_calibrate_want *want)
{
	int rank = asl_job().rank, code = 0, err = 0;

	if (rank == 0 && o->out)
		err = asl_path_make_above(o->out);
	if (err)
		code = asl_complain(asl_exit_code(err), "--out: %s",
				    asl_failure());
	else if (rank == 0 && o->out && mkdir(o->out, 0777) && errno != EEXIST)
		code = asl_complain(asl_exit_code(-errno), "--out: %s: %s",
				    o->out, strerror(errno));
	want->refused = code ? -EIO : 0;
	want->refusal = asl_last_complaint();
	err = asl_sweep_run(s, want);
	if (err && !code && *asl_failure_to_print())
		asl_complain_alone(asl_exit_code(err), "sweep: %s",
				   asl_failure_to_print());
	if (code || err || rank > 0)
		return code ? code : asl_exit_code(err);
	if (asl_terminal_columns(stderr))
		fputs("\r\033[K", stderr);
	print_sweep(s);
	if (o->out)
		code = write_sweep(o->out, s);
	return code ? code : asl_flush_stdout();
}

int asl_command_sweep(struct asl_options *o, int argc, char **argv)
{
	static struct asl_sweep s;
	struct asl_calibrate_want want = want_of(o);
	struct asl_memory_node node;
	int ranks = choose_ranks(o), code = check("sweep", o, &want, ranks);

	s.seconds = o->quick ? 15 : 60;
	s.progress = sweep_progress;
	if (!code && o->algorithm)
		code = asl_refuse("sweep: found '%s', expected options (--out "
				  "DIR)",
				  o->algorithm);
	if (!code && o->time_budget &&
	    !asl_read_duration(&s.seconds, o->time_budget))
		code = asl_refuse("--time-budget: found '%s', expected a time, "
				  "as 90s, 30m or 2h",
				  o->time_budget);
	if (code)
		return code;
	while (s.nodes < 64 && !asl_memory_node(&node, s.nodes))
		s.nodes++;
	if (asl_job().size) {
		asl_signals_guard(o);
		return sweep_here(&s, o, &want);
	}
	return start_job(o, ranks, argc, argv);
}
