/*
 * nvm_stores.c -- what every store promises: what is written is what is read
 *
 * Twice: the second time libpmem takes everything for persistent memory, so
 * that both ways of making a write durable are tried.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "nvm/store.h"
#include "tests/help/random.h"

static char dir[64], disk_dir[] = "asl-disk-XXXXXX";

static int binding;
static size_t bound; /* bytes, of the last area */

static int bind(void *at, size_t bytes, int node)
{
	assert_int_equal((uintptr_t)at % 4096, 0);
	assert_int_equal(bytes % 4096, 0);
	assert_int_equal(node, 0);
	bound += bytes;
	return binding ? asl_fail(binding, "no node") : 0;
}

static struct asl_store *open_store(const char *name, uint64_t words,
				    int pieces)
{
	struct asl_store_want want = {.name = name,
				      .dir = strcmp(name, "disk") ? dir
								  : disk_dir,
				      .run_id = "stores",
				      .rank = 3,
				      .words = words,
				      .pieces = pieces,
				      .kind = "hbm",
				      .bind = bind};
	struct asl_store *store;

	if (asl_store_open(&store, &want) != 0)
		fail_msg("%s: %s", name, asl_failure());
	return store;
}

static double *take(struct asl_store *store, uint64_t words)
{
	double *at;

	if (asl_store_take(store, &at, words) != 0)
		fail_msg("%s", asl_failure());
	return at;
}

static void assert_word(double got, double expected, uint64_t i, uint64_t j)
{
	if (got != expected)
		fail_msg("at (%ju, %ju): %.17g, expected %.17g", (uintmax_t)i,
			 (uintmax_t)j, got, expected);
}

/* Words of the frame are negative, words of the tile count from 1. */
static void frame(double *at, uint64_t words)
{
	for (uint64_t i = 0; i < words; i++)
		at[i] = -1.0 - (double)i;
}

static void assert_tile(const double *at, uint64_t ld, uint64_t rows,
			uint64_t cols, uint64_t room)
{
	for (uint64_t k = 0; k < room; k++) {
		uint64_t i = k / ld, j = k % ld;
		bool in = i < rows && j < cols;

		assert_word(at[k],
			    in ? 1.0 + (double)(i * cols + j)
			       : -1.0 - (double)k,
			    i, j);
	}
}

/* DRAM (one stride) to the store (another), `off` words in, and back. */
static void round_trip(struct asl_store *store, double *at, uint64_t off,
		       uint64_t rows, uint64_t cols, uint64_t pad)
{
	uint64_t src_ld = cols + 3, dst_ld = cols + pad, back_ld = cols + 1;
	uint64_t room = rows * dst_ld + 5, back_room = rows * back_ld;
	double *src = malloc((rows * src_ld + 1) * sizeof(*src));
	double *back = malloc((back_room + 1) * sizeof(*back));

	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t j = 0; j < cols; j++)
			src[i * src_ld + j] = 1.0 + (double)(i * cols + j);
	frame(at + off, room);
	asl_store_settle(store, at + off, room);
	asl_store_write(store, at + off, dst_ld, src, src_ld, rows, cols);
	assert_tile(at + off, dst_ld, rows, cols, room);

	frame(back, back_room);
	asl_store_read(store, back, back_ld, at + off, dst_ld, rows, cols);
	assert_tile(back, back_ld, rows, cols, back_room);
	assert_int_equal(asl_store_error(store), 0);
	free(back);
	free(src);
}

/* No stride anywhere: the copy that goes in one call. */
static void contiguous(struct asl_store *store, double *at, uint64_t rows,
		       uint64_t cols)
{
	uint64_t n = rows * cols;
	double *src = calloc(n + 1, sizeof(*src));
	double *back = calloc(n + 1, sizeof(*back));

	for (uint64_t i = 0; i < n; i++)
		src[i] = 1.0 + (double)i;
	frame(at, n + 2);
	frame(back, n + 1);
	asl_store_write(store, at, cols, src, cols, rows, cols);
	asl_store_read(store, back, cols, at, cols, rows, cols);
	for (uint64_t i = 0; i < n; i++) {
		assert_word(at[i], src[i], i, 0);
		assert_word(back[i], src[i], i, 0);
	}
	assert_word(at[n], -1.0 - (double)n, n, 0);
	assert_word(back[n], -1.0 - (double)n, n, 0);
	free(back);
	free(src);
}

static void round_trips(void **state)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 31, 64, 129};
	const char *names[] = {"dram", "pmem"};
	const size_t n = sizeof(sizes) / sizeof(sizes[0]);

	(void)state;
	for (int s = 0; s < 2; s++) {
		struct asl_store *store = open_store(names[s], 50000, 1);
		double *at = take(store, 50000);

		for (size_t r = 0; r < n; r++) {
			for (size_t c = 0; c < n; c++) {
				for (uint64_t pad = 0; pad < 10; pad += 3)
					round_trip(store, at, r + pad, sizes[r],
						   sizes[c] + 1, pad);
				contiguous(store, at, sizes[r], sizes[c]);
			}
		}
		round_trip(store, at, 11, 3, 9000, 17);
		assert_true(asl_store_has_data(store));
		asl_store_close(store);
	}
}

/* The build lies on a disk, or in memory. */
static bool there_is_a_disk(void)
{
	struct asl_store_want want = {.name = "disk",
				      .dir = disk_dir,
				      .run_id = "stores",
				      .pieces = 1};
	struct asl_store *store;

	if (asl_store_open(&store, &want) == 0) {
		asl_store_close(store);
		return true;
	}
	print_message("%s\n", asl_failure());
	return false;
}

/*
 * Rows within blocks, across blocks, near each other and far apart, and longer than
 * a slot; and words between them stay.
 */
static void round_trips_to_a_disk(void **state)
{
	static const uint64_t sizes[] = {1, 2, 7, 511, 512, 513, 1029};
	const size_t n = sizeof(sizes) / sizeof(sizes[0]);
	struct asl_store *store;
	double *at;

	(void)state;
	if (!there_is_a_disk())
		skip();
	store = open_store("disk", 300000, 2);
	at = take(store, 300000);
	assert_string_equal(asl_store_medium(store), "disk");
	for (size_t r = 0; r < n; r++)
		for (size_t c = 0; c < n && sizes[r] * sizes[c] < 30000; c++) {
			for (uint64_t pad = 0; pad < 10; pad += 3)
				round_trip(store, at, r + pad, sizes[r],
					   sizes[c], pad);
			round_trip(store, at, 510 + c, 7, sizes[c], 511 * r);
			round_trip(store, at, c, 40, sizes[c], 5000);
			contiguous(store, at, sizes[r], sizes[c]);
		}
	round_trip(store, at, 11, 3, 70000, 17);
	contiguous(store, at, 2, 140000);
	asl_store_close(store);
}

/* Rows that begin and end at any multiple of 4, in what is known byte by byte. */
static void rows_of_bytes(void **state)
{
	enum { WORDS = 4096, BYTES = 8 * WORDS, TRIES = 300 };
	static const char *const names[] = {"dram", "pmem", "node", "disk"};
	static char model[BYTES], from[BYTES], back[BYTES];
	struct dice d = {.family = 11};

	(void)state;
	for (size_t i = 0; i < BYTES; i++)
		from[i] = (char)roll(&d, 1, 255);
	for (int s = 0; s < (there_is_a_disk() ? 4 : 3); s++) {
		struct asl_store *store = open_store(names[s], WORDS, 1);
		char *at = (char *)take(store, WORDS);
		struct asl_store_rows all = {0, 0, 1, BYTES};

		memset(model, 0, BYTES);
		asl_store_write_bytes(store, at, model, &all);
		for (int i = 0; i < TRIES; i++) {
			struct asl_store_rows x = {
				.rows = roll(&d, 0, 9),
				.bytes = 4 * roll(&d, 0, i % 3 ? 20 : 700)};
			uint64_t to = 4 * roll(&d, 0, 50);
			uint64_t of = 4 * roll(&d, 0, 50);

			x.dst_step = x.bytes + 4 * roll(&d, 0, 100);
			x.src_step = x.bytes + 4 * roll(&d, 0, 100);
			asl_store_write_bytes(store, at + to, from + of, &x);
			for (uint64_t r = 0; r < x.rows; r++)
				memcpy(model + to + r * x.dst_step,
				       from + of + r * x.src_step, x.bytes);
			asl_store_read_bytes(store, back, at, &all);
			assert_memory_equal(back, model, BYTES);
			asl_store_read_bytes(store, back, at + of, &x);
			for (uint64_t r = 0; r < x.rows; r++)
				assert_memory_equal(back + r * x.dst_step,
						    model + of + r * x.src_step,
						    x.bytes);
		}
		assert_int_equal(asl_store_error(store), 0);
		asl_store_close(store);
	}
}

/* Words that are read, written or settled leave no page in the page cache. */
static void a_disk_has_no_cache(void **state)
{
	enum { PAGES = 100, WORDS = PAGES * 512 };
	static double words[WORDS];
	unsigned char cached[PAGES];
	struct asl_store *store;
	double *at;

	(void)state;
	if (!there_is_a_disk())
		skip();
	store = open_store("disk", WORDS, 1);
	at = take(store, WORDS);
	frame(at, WORDS);
	assert_int_equal(mincore(at, WORDS * sizeof *at, cached), 0);
	assert_int_equal(cached[PAGES / 2] & 1, 1);
	asl_store_settle(store, at, WORDS);
	asl_store_read(store, words, 200, at + 5, 500, 100, 200);
	asl_store_write(store, at + 7, 500, words, 200, 100, 200);
	asl_store_read(store, words, WORDS, at, WORDS, 1, WORDS);
	assert_int_equal(mincore(at, WORDS * sizeof *at, cached), 0);
	for (int i = 0; i < PAGES; i++)
		assert_int_equal(cached[i] & 1, 0);
	assert_word(words[7], -1.0 - 5, 0, 0);
	assert_word(words[207], -1.0 - 207, 0, 0);
	asl_store_close(store);
}

static void tmpfs_is_no_disk(void **state)
{
	struct asl_store_want want = {
		.name = "disk", .dir = "/dev/shm", .run_id = "stores"};
	struct asl_store *store;

	(void)state;
	if (access("/dev/shm", W_OK | X_OK) != 0)
		skip();
	assert_int_equal(asl_store_open(&store, &want), -EINVAL);
	assert_null(store);
	assert_non_null(strstr(asl_failure(), "found tmpfs in /dev/shm"));
}

/* Pieces of any length, in any order; and no more than were announced. */
static void pieces_of_a_disk(void **state)
{
	struct asl_store *store;
	double *a, *b, *c, *none;

	(void)state;
	if (!there_is_a_disk())
		skip();
	store = open_store("disk", 3000, 3);
	a = take(store, 1000);
	b = take(store, 1500);
	c = take(store, 500);
	a[999] = 1, b[0] = 2, b[1499] = 3, c[0] = 4;
	assert_int_equal(asl_store_take(store, &none, 0), -ENOMEM);
	asl_store_give(store, a);
	assert_int_equal(asl_store_take(store, &none, 3000), -ENOMEM);
	assert_ptr_equal(take(store, 700), a);
	assert_true(b[0] == 2 && b[1499] == 3 && c[0] == 4);
	asl_store_close(store);
}

static void pieces_are_apart_and_aligned(void **state)
{
	static const uint64_t sizes[] = {1,	0,    7,     8,	    9,
					 511,	4096, 4097,  49151, 49152,
					 70001, 1,    65536, 300000};
	enum { N = sizeof(sizes) / sizeof(sizes[0]) };
	const char *names[] = {"dram", "pmem", "node"};

	(void)state;
	for (int s = 0; s < 3; s++) {
		struct asl_store *store = open_store(names[s], 1000000, N);
		double *at[N];

		for (int i = 0; i < N; i++) {
			at[i] = take(store, sizes[i]);
			assert_non_null(at[i]);
			assert_int_equal((uintptr_t)at[i] % 64, 0);
			for (uint64_t k = 0; k < sizes[i]; k++)
				at[i][k] = 1000.0 * i + (double)(k % 1000);
		}
		for (int i = 0; i < N; i++)
			for (uint64_t k = 0; k < sizes[i]; k++)
				assert_word(at[i][k],
					    1000.0 * i + (double)(k % 1000), i,
					    k);
		for (int i = 1; i < N; i += 2)
			asl_store_give(store, at[i]);
		asl_store_give(store, at[0]);
		asl_store_give(store, at[6]);
		asl_store_give(store, NULL);
		asl_store_close(store);
	}
}

static long faults(void)
{
	struct rusage x;

	getrusage(RUSAGE_SELF, &x);
	return x.ru_minflt;
}

enum { PIECES = 12, MOVES = 200 };

/* Take and give pieces of all sizes, each with words of its own. */
static void repetition(struct asl_store *store, struct dice d)
{
	double *piece[PIECES] = {NULL};
	uint64_t words[PIECES];

	for (int i = 0; i < MOVES + PIECES; i++) {
		int j = (int)roll(&d, 0, PIECES - 1);

		if (i >= MOVES)
			j = i - MOVES;
		if (piece[j]) {
			for (uint64_t k = 0; k < words[j]; k++)
				assert_word(piece[j][k], j, (uint64_t)i, k);
			asl_store_give(store, piece[j]);
			piece[j] = NULL;
		} else if (i < MOVES) {
			words[j] = roll_size(&d, 20);
			piece[j] = take(store, words[j]);
			for (uint64_t k = 0; k < words[j]; k++)
				piece[j][k] = j;
		}
	}
}

/* A run that is repeated touches hardly any fresh pages, whatever it takes. */
static void repetitions_find_their_pages(void **state)
{
	const char *names[] = {"dram", "node"};
	long first = 0, last = 0;

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		struct dice d = {.family = 77, .number = i};
		struct asl_store *store = open_store(names[i % 2], 0, PIECES);

		first -= faults();
		repetition(store, d);
		first += faults();
		for (int j = 0; j < 3; j++)
			repetition(store, d);
		last -= faults();
		repetition(store, d);
		last += faults();
		asl_store_close(store);
	}
	assert_in_range(last, 0, first / 10);
}

static void null_has_no_words(void **state)
{
	struct asl_store *store = open_store("null", UINT64_MAX, 1);
	double word = 5, *at = &word;

	(void)state;
	assert_int_equal(asl_store_take(store, &at, UINT64_MAX), 0);
	assert_null(at);
	asl_store_write(store, NULL, 1u << 30, NULL, 1u << 30, 1u << 30, 7);
	asl_store_read(store, &word, 1, NULL, 1, 1, 1);
	asl_store_settle(store, NULL, 1u << 30);
	assert_word(word, 5, 0, 0);
	assert_false(asl_store_has_data(store));
	assert_string_equal(asl_store_medium(store), "model");
	asl_store_give(store, at);
	asl_store_close(store);
}

static void dram_that_is_not_there(void **state)
{
	struct asl_store *store = open_store("dram", 0, 0);
	double word, *at = &word;

	(void)state;
	assert_string_equal(asl_store_medium(store), "dram");
	assert_string_equal(asl_store_note(store), "");
	assert_int_equal(asl_store_take(store, &at, UINT64_MAX), -ENOMEM);
	assert_null(at);
	at = &word;
	assert_int_equal(asl_store_take(store, &at, UINT64_C(1) << 61),
			 -ENOMEM);
	assert_null(at);
	assert_non_null(strstr(asl_failure(), "2305843009213693952 words"));
	asl_store_close(store);
	asl_store_close(NULL);
}

/* Every piece is bound, in whole pages, before it is used; or is not there. */
static void pieces_of_a_node_are_bound(void **state)
{
	struct asl_store *store = open_store("node", 100000, 3);
	double *at, *none = NULL;

	(void)state;
	assert_string_equal(asl_store_medium(store), "hbm");
	bound = 0;
	at = take(store, 1);
	assert_int_equal(bound, 4096);
	asl_store_give(store, at);
	at = take(store, 90000);
	assert_in_range(bound, 4096 + 90000 * sizeof *at,
			4096 + 90000 * sizeof *at + 8192);
	binding = -ENODEV;
	assert_int_equal(asl_store_take(store, &none, 70000), -ENOMEM);
	binding = 0;
	assert_null(none);
	asl_store_close(store);
}

static void stores_have_names(void **state)
{
	const char *const *names = asl_store_names();
	struct asl_store_want want = {.name = "tape"};
	struct asl_store *store = (struct asl_store *)&want;

	(void)state;
	assert_string_equal(names[0], "pmem");
	assert_string_equal(names[1], "dram");
	assert_string_equal(names[2], "node");
	assert_string_equal(names[3], "disk");
	assert_string_equal(names[4], "null");
	assert_null(names[5]);
	for (int i = 0; names[i]; i++)
		assert_true(strlen(asl_store_summary(names[i])) > 10);
	assert_string_equal(asl_store_summary("tape"), "");
	assert_int_equal(asl_store_open(&store, &want), -ENOENT);
	assert_null(store);
	assert_non_null(strstr(asl_failure(), "tape"));
	want.name = NULL;
	assert_int_equal(asl_store_open(&store, &want), -ENOENT);
}

static void default_dir(void **state)
{
	bool shm = access("/dev/shm", W_OK | X_OK) == 0;
	bool fresh;

	(void)state;
	setenv("ASLANT_NVM_DIR", "/nowhere/at/all", 1);
	assert_string_equal(asl_store_default_dir(&fresh), "/nowhere/at/all");
	assert_false(fresh);
	setenv("ASLANT_NVM_DIR", "", 1);
	setenv("TMPDIR", dir, 1);
	assert_string_equal(asl_store_default_dir(&fresh),
			    shm ? "/dev/shm" : dir);
	assert_true(fresh);
	unsetenv("ASLANT_NVM_DIR");
	unsetenv("TMPDIR");
	assert_string_equal(asl_store_default_dir(&fresh),
			    shm ? "/dev/shm" : "/tmp");
	assert_true(fresh);
}

static int make_dir(void **state)
{
	bool fresh;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/asl-stores-XXXXXX",
		 asl_store_default_dir(&fresh));
	return mkdtemp(dir) && mkdtemp(disk_dir) ? 0 : -1;
}

/* Fails when a pool has left something there. */
static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir) | rmdir(disk_dir);
}

/* libpmem looks at its environment when it is loaded. */
static int again_forced(const char *self)
{
	int status;
	pid_t pid;

	if (getenv("PMEM_IS_PMEM_FORCE"))
		return 0;
	setenv("PMEM_IS_PMEM_FORCE", "1", 1);
	pid = fork();
	if (pid == 0) {
		execl("/proc/self/exe", self, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(round_trips_to_a_disk),
		cmocka_unit_test(rows_of_bytes),
		cmocka_unit_test(a_disk_has_no_cache),
		cmocka_unit_test(tmpfs_is_no_disk),
		cmocka_unit_test(pieces_of_a_disk),
		cmocka_unit_test(pieces_are_apart_and_aligned),
		cmocka_unit_test(repetitions_find_their_pages),
		cmocka_unit_test(null_has_no_words),
		cmocka_unit_test(dram_that_is_not_there),
		cmocka_unit_test(pieces_of_a_node_are_bound),
		cmocka_unit_test(stores_have_names),
		cmocka_unit_test(default_dir),
	};
	int failed = cmocka_run_group_tests(tests, make_dir, remove_dir);

	(void)argc;
	return failed || again_forced(argv[0]);
}
