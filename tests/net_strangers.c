/*
 * net_strangers.c -- messages and connections that are not of this run
 *
 *	net_strangers MODE,... [PROVIDER]	as one of two ranks on ofi, or over TCP
 *
 *	tag	a stranger, whose tags are wrong, sends to rank 0: it never hears
 *	head	who knows the tag, but not the run, is found out: exit code 5
 *	brief	the same, of fewer bytes than a head has
 *	port	garbage to every socket that rank 0 listens on, or to its host's
 *		port of RoCE: it never hears
 *
 * Without arguments it starts these as jobs, with mpiexec.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "net/ofi.h"

#define ROUNDS 200
#define TEXT_BYTES 64

#define ROCE_PORT 4791

static const char *mode, *provider = "net";

/* ---- What strangers do ---- */

/* An endpoint of another run, to which rank 0 is at `peer`. */
static int be_stranger(struct asl_ofi *other, const struct asl_ofi *o,
		       fi_addr_t *peer, const char *at)
{
	other->boot = o->boot;
	other->boot.secret.tag = ~o->boot.secret.tag;
	other->boot.secret.message = ~o->boot.secret.message;
	if (asl_ofi_open(other, o->net.provider))
		return -ENETDOWN;
	return fi_av_insert(other->av, at, 1, peer, 0, NULL) == 1 ? 0
								  : -ENETDOWN;
}

static int send_as(struct asl_ofi *o, fi_addr_t peer, uint64_t run,
		   size_t bytes)
{
	struct asl_ofi_head head = {.run = ~o->boot.secret.message};
	char text[sizeof head + TEXT_BYTES] = "";
	struct fi_cq_msg_entry done;
	ssize_t err;

	memcpy(text, &head, sizeof head);
	do {
		err = fi_tsend(o->ep, text, bytes, NULL, peer, run | 1, NULL);
		fi_cq_read(o->cq, &done, 1);
	} while (err == -FI_EAGAIN);
	/* It cannot be waited for: nobody takes it. */
	for (int i = 0; i < 1000 && !err; i++) {
		fi_cq_read(o->cq, &done, 1);
		usleep(100);
	}
	return (int)err;
}

static int wrong_tag(struct asl_ofi *o, const char *at)
{
	struct asl_ofi other = {0};
	fi_addr_t peer;
	int err = be_stranger(&other, o, &peer, at);

	if (!err)
		err = send_as(&other, peer, other.run,
			      sizeof(struct asl_ofi_head) + TEXT_BYTES);
	asl_ofi_close(&other);
	return err;
}

static int wrong_head(struct asl_ofi *o)
{
	bool brief = strstr(mode, "brief");

	return send_as(o, o->peers[0].address, o->run,
		       brief ? 5 : sizeof(struct asl_ofi_head) + TEXT_BYTES);
}

static int garbage_to_roce(struct sockaddr_in to)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char text[4096];
	ssize_t sent = 0;

	to.sin_port = htons(ROCE_PORT);
	for (int i = 0; i < 100 && sent >= 0; i++) {
		memset(text, 'a' + i % 26, sizeof text);
		sent = sendto(fd, text, (size_t)1 << i % 11, 0,
			      (struct sockaddr *)&to, sizeof to);
	}
	close(fd);
	return sent < 0 ? -errno : 0;
}

/* The address of an endpoint begins as a struct sockaddr_in. */
static int garbage(const char *at)
{
	struct sockaddr_in to;
	char text[4096];

	memcpy(&to, at, sizeof to);
	if (strncmp(provider, "verbs", 5) == 0)
		return garbage_to_roce(to);
	for (int i = 0; i < 20; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		memset(text, 'a' + i, sizeof text);
		if (connect(fd, (struct sockaddr *)&to, sizeof to))
			return -errno;
		if (i % 4)
			send(fd, text, (size_t)(1 << i % 12), MSG_NOSIGNAL);
		if (i % 3)
			close(fd); /* or wait for ever */
	}
	return 0;
}

static int disturb(struct asl_ofi *o, const char *at)
{
	int err = 0;

	if (strstr(mode, "tag"))
		err = wrong_tag(o, at);
	if (!err && strstr(mode, "port"))
		err = garbage(at);
	if (!err && (strstr(mode, "head") || strstr(mode, "brief")))
		err = wrong_head(o);
	return err;
}

/* ---- A run of two ---- */

static int swap(struct asl_net *net, int k)
{
	char out[TEXT_BYTES], in[TEXT_BYTES] = "";
	int other = 1 - asl_net_rank(net), err;
	struct asl_net_op op = {
		.to = other,
		.from = other,
		.out = out,
		.in = in,
		.out_bytes = sizeof out,
		.in_bytes = sizeof in,
	};

	memset(out, 'A' + k % 26 + asl_net_rank(net), sizeof out);
	err = asl_net_start(net, &op);
	if (!err)
		err = asl_net_wait(net, &op);
	if (!err && (in[0] != 'A' + k % 26 + other || in[0] != in[63]))
		err = -EBADMSG;
	return err;
}

static int body(struct asl_net *net, void *arg)
{
	struct asl_ofi *o = (struct asl_ofi *)net;
	char at[256] = "";
	size_t room = sizeof at;
	int err = fi_getname(&o->ep->fid, at, &room);

	(void)arg;
	if (!err)
		err = asl_net_share(net, at, sizeof at);
	for (int k = 0; k < ROUNDS && !err; k++) {
		if (k == ROUNDS / 2 && asl_net_rank(net) == 1)
			err = disturb(o, at);
		if (!err)
			err = swap(net, k);
	}
	if (err)
		asl_net_abort(net, err == -ECONNABORTED ? 5 : 4, asl_failure());
	return err;
}

static int as_rank(void)
{
	struct asl_net_want want = {
		.transport = "ofi",
		.provider = provider,
		.data = true,
	};
	int err = asl_net_run(&want, body, NULL);

	if (err)
		fprintf(stderr, "%s: %s\n", strerror(-err), asl_failure());
	return err ? 1 : 0;
}

/* ---- Jobs ---- */

/* Its exit code; and what it says, to text. */
static int job(char *text, size_t room, const char *how)
{
	char self[4096], command[4300];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	size_t used;
	FILE *f;

	assert_true(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof command,
		 "timeout 60 mpiexec.mpich -n 2 '%s' %s 2>&1", self, how);
	f = popen(command, "r");
	assert_non_null(f);
	used = fread(text, 1, room - 1, f);
	text[used] = '\0';
	return WEXITSTATUS(pclose(f));
}

static void are_not_heard(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(job(text, sizeof text, "tag,port"), 0);
	assert_string_equal(text, "");
}

static void are_found_out(void **state)
{
	static const char *const modes[] = {"head", "brief"};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_int_equal(job(text, sizeof text, modes[i]), 5);
		assert_non_null(strstr(text, "aslant: rank 0: "));
		assert_non_null(strstr(text, "in the name of rank 1, which "
					     "are not of this run\n"));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_not_heard),
		cmocka_unit_test(are_found_out),
	};

	if (argc > 1) {
		mode = argv[1];
		provider = argc > 2 ? argv[2] : provider;
		return as_rank();
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
