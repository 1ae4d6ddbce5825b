/*
 * net_pmi.c -- what ranks tell each other by the process manager
 *
 * As jobs of mpiexec: random bytes arrive as they were, whatever their length and
 * however many are zeros, and all ranks hear of the first that failed.  With a
 * manager of our own, that has room for short values, and stops or answers nonsense
 * at each of its requests in turn: the rank says so.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "net/net.h"
#include "net/pmi.h"
#include "tests/help/random.h"

#define MOST_BYTES 5000

static const char *self;

/* ---- A rank ---- */

/* The bytes that `rank` brings to a round: zeros and random ones, in runs. */
static void fill(unsigned char *to, size_t bytes, unsigned round, int rank)
{
	struct dice d = {(uint32_t)rank, round, 0};
	bool zero = false;

	for (size_t i = 0, left = 0; i < bytes; i++) {
		if (!left) {
			left = roll_size(&d, 10);
			zero = !zero;
		}
		left--;
		to[i] = zero ? 0 : (unsigned char)roll(&d, 0, 255);
	}
}

static bool gathers(unsigned round, int rank, int size)
{
	struct dice d = {1000, round, 0};
	size_t bytes = roll(&d, 0, 3) ? roll_size(&d, 12) : roll(&d, 0, 3);
	unsigned char *all = malloc((size_t)size * MOST_BYTES);
	unsigned char mine[MOST_BYTES];
	bool ok;

	fill(mine, bytes, round, rank);
	ok = all && !asl_pmi_gather(all, mine, bytes);
	for (int r = 0; ok && r < size; r++) {
		fill(mine, bytes, round, r);
		ok = !memcmp(all + (size_t)r * bytes, mine, bytes);
	}
	free(all);
	fill(mine, bytes, round, 0);
	all = calloc(1, MOST_BYTES);
	if (all && !rank)
		memcpy(all, mine, bytes);
	ok = ok && all && !asl_pmi_share(all, bytes) &&
	     !memcmp(all, mine, bytes);
	free(all);
	return ok;
}

/* Each rank fails in a quarter of the rounds, or in none. */
static bool finds_first(unsigned round, int rank, int size)
{
	int first = 0, mine = 0, who = -1;

	for (int r = size - 1; r >= 0; r--) {
		struct dice d = {2000 + (uint32_t)r, round, 0};
		int err = roll(&d, 0, 3) ? 0 : -(int)roll(&d, 1, 100);

		if (err) {
			first = err;
			who = r;
		}
		if (r == rank)
			mine = err;
	}
	return !asl_pmi_first(&rank, &mine) && mine == first &&
	       (!first || rank == who);
}

static int be_rank(int rank, int size)
{
	int err = asl_pmi_open(rank, size);

	for (unsigned i = 0; !err && i < how_many(15, 60); i++)
		if (!gathers(i, rank, size) || !finds_first(i, rank, size)) {
			fprintf(stderr, "rank %d of %d: round %u: %s\n", rank,
				size, i, asl_failure());
			return 1;
		}
	if (!err)
		err = asl_pmi_close();
	if (err)
		fprintf(stderr, "rank %d: %s\n", rank, asl_failure());
	return err ? 1 : 0;
}

static void ranks_of_a_job(void **state)
{
	static const char *const ranks[] = {"1", "2", "5", "12"};

	(void)state;
	for (int i = 0; i < 4; i++) {
		int status;
		pid_t child = fork();

		if (!child) {
			execlp("mpiexec.mpich", "mpiexec.mpich", "-n", ranks[i],
			       self, (char *)NULL);
			_exit(127);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

/* ---- A manager of one rank ---- */

#define LONGEST 1024
#define LINE_LONGEST 1024 /* as Slurm's */
#define PAIRS 400

static struct manager {
	int fd, requests, fails_at, room;
	const char *nonsense; /* NULL: it stops */
	int pairs;
	char key[PAIRS][64], value[PAIRS][LONGEST];
} manager;

static void reply_to_put(char *answer, const char *line)
{
	struct manager *m = &manager;
	const char *value = strstr(line, " value=");

	if (m->pairs == PAIRS || !value || strlen(value + 7) >= (size_t)m->room)
		return;
	sscanf(strstr(line, " key="), " key=%63s", m->key[m->pairs]);
	strcpy(m->value[m->pairs++], value + 7);
	strcpy(answer, "cmd=put_result rc=0 msg=success\n");
}

static void reply_to_get(char *answer, const char *line)
{
	struct manager *m = &manager;
	char key[64];
	int i = 0;

	sscanf(strstr(line, " key="), " key=%63s", key);
	while (i < m->pairs && strcmp(m->key[i], key))
		i++;
	if (i < m->pairs)
		sprintf(answer, "cmd=get_result rc=0 value=%s\n", m->value[i]);
	else
		strcpy(answer, "cmd=get_result rc=-1 msg=key_not_found\n");
}

static void reply(char *answer, const char *line)
{
	static const char *const replies[][2] = {
		{"cmd=init", "cmd=response_to_init rc=0 pmi_version=1\n"},
		{"cmd=get_my_kvsname", "cmd=my_kvsname kvsname=ours\n"},
		{"cmd=barrier_in", "cmd=barrier_out\n"},
		{"cmd=finalize", "cmd=finalize_ack\n"},
	};

	if (!strncmp(line, "cmd=put", 7))
		reply_to_put(answer, line);
	else if (!strncmp(line, "cmd=get ", 8))
		reply_to_get(answer, line);
	else if (!strcmp(line, "cmd=get_maxes"))
		sprintf(answer, "cmd=maxes rc=0 keylen_max=64 vallen_max=%d\n",
			manager.room);
	else
		for (int i = 0; i < 4; i++)
			if (!strncmp(line, replies[i][0],
				     strlen(replies[i][0])))
				strcpy(answer, replies[i][1]);
}

static void *manage(void *arg)
{
	struct manager *m = arg;
	char line[2 * LINE_LONGEST], answer[2 * LINE_LONGEST];
	ssize_t n;

	while ((n = read(m->fd, line, sizeof line - 1)) > 0 &&
	       n <= LINE_LONGEST) {
		strcpy(answer, "cmd=nothing rc=1\n");
		line[n - (line[n - 1] == '\n')] = '\0';
		if (m->requests++ == m->fails_at) {
			if (!m->nonsense)
				break;
			strcpy(answer, m->nonsense);
		} else {
			reply(answer, line);
		}
		assert_int_equal(write(m->fd, answer, strlen(answer)),
				 strlen(answer));
	}
	close(m->fd);
	return NULL;
}

/* All calls, in one of which the manager fails; 0: it did not. */
static int call_all(int room, int fails_at, const char *nonsense)
{
	unsigned char mine[3000] = {1}, all[3000] = "";
	int ends[2], rank = 0, brought = -5, err;
	pthread_t thread;
	char fd[16];

	memset(mine + 100, 7, room * 2);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	manager = (struct manager){.fd = ends[1],
				   .room = room,
				   .fails_at = fails_at,
				   .nonsense = nonsense};
	assert_int_equal(pthread_create(&thread, NULL, manage, &manager), 0);
	snprintf(fd, sizeof fd, "%d", ends[0]);
	setenv("PMI_FD", fd, 1);
	assert_true(asl_pmi_is_there());
	err = asl_pmi_open(0, 1);
	if (!err)
		err = asl_pmi_gather(all, mine, sizeof mine);
	if (!err) {
		assert_memory_equal(all, mine, sizeof mine);
		err = asl_pmi_first(&rank, &brought);
	}
	if (!err) {
		assert_int_equal(rank, 0);
		assert_int_equal(brought, -5);
	}
	if (err)
		close(ends[0]);
	else
		err = asl_pmi_close();
	pthread_join(thread, NULL);
	unsetenv("PMI_FD");
	return err;
}

static void managers_that_fail(void **state)
{
	static const char *const nonsense[] = {
		NULL,
		"\n",
		"cmd=who_knows rc=0\n",
		"cmd=get_result rc=0\n",
		"cmd=get_result rc=0 value=-.ff.ff.ff\n",
		"cmd=get_result rc=0 value=-0\n",
		"cmd=get_result rc=0 value=-xx\n",
		"cmd=put_result rc=-1\n",
		"cmd=barrier_out rc=3\n",
		"cmd=maxes vallen_max=10\n",
		"cmd=my_kvsname\n",
		"cmd=finalize_ack rc=1\n"};

	(void)state;
	assert_int_equal(call_all(64, -1, NULL), 0);
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		int all = manager.requests;

		assert_true(all > 10);
		for (int at = 0; at < all; at++) {
			asl_forget_failure();
			assert_int_not_equal(call_all(64, at, nonsense[i]), 0);
			assert_true(*asl_failure());
		}
		assert_int_equal(call_all(64, -1, NULL), 0);
	}
}

/* Whatever length of values the manager allows. */
static void lines_are_short(void **state)
{
	(void)state;
	for (int room = 64; room <= 1024; room += 64)
		assert_int_equal(call_all(room, -1, NULL), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_a_job),
		cmocka_unit_test(managers_that_fail),
		cmocka_unit_test(lines_are_short),
	};
	int rank, size;

	self = argv[0];
	(void)argc;
	if (asl_pmi_is_there() && asl_net_job(&rank, &size))
		return be_rank(rank, size);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
