/*
 * pmi.c -- what the process manager does for the ranks that it started: PMI-1
 *
 * A request is a line of words name=value, the answer another.  A rank puts values
 * under keys; after the next barrier any rank gets them.  A value is text without
 * blanks of a limited length, so bytes go as digits, with runs of zeros counted,
 * in as many pieces as it takes.
 */
#include "net/pmi.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"

#define VALUE_LEAST 64
#define KVS_MOST 256

/* Slurm has room for values of 1024, but for no lines above that. */
#define LINE_MOST 1024
#define VALUE_MOST (LINE_MOST - KVS_MOST - 128)

static struct {
	int fd, rank, size;
	unsigned meetings; /* barriers so far: part of all keys */
	size_t value_most;
	char kvs[KVS_MOST];
	char line[2 * LINE_MOST]; /* asked, then the answer */
} pmi = {.fd = -1};

/* ---- Requests and answers ---- */

static int manager_failed(void)
{
	return asl_fail(-ECONNRESET, "the process manager does not answer");
}

static int unexpected(void)
{
	return asl_fail(-EPROTO, "the process manager answers '%.100s'",
			pmi.line);
}

static int send_line(size_t length)
{
	for (size_t sent = 0; sent < length;) {
		ssize_t n = send(pmi.fd, pmi.line + sent, length - sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return manager_failed();
		sent += (size_t)n;
	}
	return 0;
}

/* Nothing follows an answer until the next request. */
static int receive_line(void)
{
	size_t got = 0;

	while (got < sizeof pmi.line - 1) {
		ssize_t n =
			read(pmi.fd, pmi.line + got, sizeof pmi.line - 1 - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return manager_failed();
		got += (size_t)n;
		if (pmi.line[got - 1] != '\n')
			continue;
		pmi.line[got - 1] = '\0';
		return 0;
	}
	return asl_fail(-EPROTO,
			"an answer of the process manager is too long");
}

/* The value of a word of the answer, of `length` characters; NULL: it has none. */
static const char *find_word(const char *name, size_t *length)
{
	char start[32];
	const char *at;

	snprintf(start, sizeof start, " %s=", name);
	at = strstr(pmi.line, start);
	if (!at)
		return NULL;
	at += strlen(start);
	*length = strcspn(at, " ");
	return at;
}

static long word(const char *name, long otherwise)
{
	size_t length;
	const char *at = find_word(name, &length);

	return at ? strtol(at, NULL, 10) : otherwise;
}

__attribute__((format(printf, 2, 3))) static int ask(const char *answer,
						     const char *format, ...)
{
	char start[32];
	va_list args;
	int length, err;

	va_start(args, format);
	length = vsnprintf(pmi.line, LINE_MOST, format, args);
	va_end(args);
	if (length < 0 || length >= LINE_MOST)
		return asl_fail(-EINVAL, "too long for the process manager");
	err = send_line((size_t)length);
	if (!err)
		err = receive_line();
	if (err)
		return err;
	snprintf(start, sizeof start, "cmd=%s", answer);
	if (!strncmp(pmi.line, start, strlen(start)) && !word("rc", 0))
		return 0;
	return unexpected();
}

/* ---- Bytes as text ---- */

#define RUN_MOST 255

/* Two digits a byte; a dot and two digits are as many zeros.  Returns its length. */
static size_t write_text(char *text, const unsigned char *from, size_t bytes)
{
	char *at = text;

	for (size_t i = 0, run; i < bytes; i += run) {
		for (run = 0; i + run < bytes && run < RUN_MOST; run++)
			if (from[i + run])
				break;
		if (run > 1) {
			at += sprintf(at, ".%02zx", run);
			continue;
		}
		run = 1;
		at += sprintf(at, "%02x", from[i]);
	}
	return (size_t)(at - text);
}

static bool read_byte(unsigned *byte, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const char *high = *text ? strchr(digits, *text) : NULL;
	const char *low = high && text[1] ? strchr(digits, text[1]) : NULL;

	if (low)
		*byte = (unsigned)(high - digits) * 16 +
			(unsigned)(low - digits);
	return low;
}

/* As many bytes, neither fewer nor more. */
static bool read_text(unsigned char *to, size_t bytes, const char *text)
{
	unsigned x;

	for (; *text; text += 2) {
		size_t run = 1;
		bool zeros = *text == '.';

		if (!read_byte(&x, text += zeros))
			return false;
		if (zeros)
			run = x;
		if (run > bytes)
			return false;
		memset(to, zeros ? 0 : (int)x, run);
		to += run;
		bytes -= run;
	}
	return !bytes;
}

/* ---- Values ---- */

/* A piece begins with '+' if another follows, the last with '-'. */
static int put(const void *mine, size_t bytes)
{
	char *text = malloc(2 * bytes + 1);
	size_t length, most = pmi.value_most - 1, at = 0, step;
	int err = 0;

	if (!text)
		return asl_fail(-ENOMEM, "no memory to meet other ranks");
	length = write_text(text, mine, bytes);
	for (unsigned piece = 0; !err && (at < length || !piece); piece++) {
		step = asl_min(length - at, most);
		err = ask("put_result",
			  "cmd=put kvsname=%s key=aslant-%u-%d-%u "
			  "value=%c%.*s\n",
			  pmi.kvs, pmi.meetings, pmi.rank, piece,
			  at + step < length ? '+' : '-', (int)step, text + at);
		at += step;
	}
	free(text);
	return err;
}

/* Appends a piece, and says whether it was the last. */
static int get_piece(bool *last, char *text, size_t *length, size_t room,
		     int rank, unsigned piece)
{
	size_t more;
	const char *value;
	int err = ask("get_result", "cmd=get kvsname=%s key=aslant-%u-%d-%u\n",
		      pmi.kvs, pmi.meetings - 1, rank, piece);

	if (err)
		return err;
	value = find_word("value", &more);
	if (!value || !more || *length + more > room)
		return unexpected();
	*last = *value == '-';
	memcpy(text + *length, value + 1, more - 1);
	*length += more - 1;
	text[*length] = '\0';
	return 0;
}

static int get(void *to, size_t bytes, int rank)
{
	size_t room = 2 * bytes + 1, length = 0;
	char *text = malloc(room);
	bool last = false;
	int err = text ? 0 : asl_fail(-ENOMEM, "no memory to meet other ranks");

	for (unsigned piece = 0; !err && !last; piece++)
		err = get_piece(&last, text, &length, room, rank, piece);
	if (!err && !read_text(to, bytes, text))
		err = unexpected();
	free(text);
	return err;
}

/* Wait for all ranks: then each can get what any of them has put. */
static int meet(void)
{
	int err = ask("barrier_out", "cmd=barrier_in\n");

	pmi.meetings++;
	return err;
}

int asl_pmi_share(void *at, size_t bytes)
{
	int err = pmi.rank ? 0 : put(at, bytes);

	if (!err)
		err = meet();
	return err || !pmi.rank ? err : get(at, bytes, 0);
}

/* Rank 0 gets them, and puts all in as few values as they take. */
int asl_pmi_gather(void *all, const void *mine, size_t bytes)
{
	int err = put(mine, bytes);

	if (!err)
		err = meet();
	for (int r = 0; !err && !pmi.rank && r < pmi.size; r++)
		err = get((char *)all + (size_t)r * bytes, bytes, r);
	return err ? err : asl_pmi_share(all, (size_t)pmi.size * bytes);
}

/* Rank 0 looks for it: n values for it, and one for each of the others. */
int asl_pmi_first(int *rank, int *brought)
{
	int first[2] = {0, *brought}, err = put(brought, sizeof *brought);

	if (!err)
		err = meet();
	for (int r = 1; !err && !pmi.rank && !first[1] && r < pmi.size; r++) {
		first[0] = r;
		err = get(&first[1], sizeof first[1], r);
	}
	if (!err)
		err = asl_pmi_share(first, sizeof first);
	*rank = first[0];
	*brought = first[1];
	return err;
}

/* ---- Open, close ---- */

bool asl_pmi_is_there(void)
{
	const char *fd = getenv("PMI_FD");

	return fd && *fd;
}

static int introduce(void)
{
	const char *name;
	size_t length;
	long most;
	int err = ask("response_to_init",
		      "cmd=init pmi_version=1 pmi_subversion=1\n");

	if (!err)
		err = ask("maxes", "cmd=get_maxes\n");
	if (err)
		return err;
	most = word("vallen_max", VALUE_LEAST); /* with the zero at its end */
	pmi.value_most = most < VALUE_MOST ? (size_t)most - 1 : VALUE_MOST - 1;
	if (most < VALUE_LEAST)
		return asl_fail(-EPROTO,
				"the process manager has room for %ld "
				"characters, %d are needed",
				most, VALUE_LEAST);
	err = ask("my_kvsname", "cmd=get_my_kvsname\n");
	if (err)
		return err;
	name = find_word("kvsname", &length);
	if (!name || length >= sizeof pmi.kvs)
		return unexpected();
	memcpy(pmi.kvs, name, length);
	pmi.kvs[length] = '\0';
	return 0;
}

int asl_pmi_open(int rank, int size)
{
	pmi.fd = atoi(getenv("PMI_FD"));
	pmi.rank = rank;
	pmi.size = size;
	return introduce();
}

/* All come first: managers end a job of which a process has ended early. */
int asl_pmi_close(void)
{
	int err = meet();

	if (!err)
		err = ask("finalize_ack", "cmd=finalize\n");
	shutdown(pmi.fd, SHUT_RDWR);
	close(pmi.fd);
	pmi.fd = -1;
	return err;
}

void asl_pmi_abort(int exit_code)
{
	int length = snprintf(pmi.line, sizeof pmi.line,
			      "cmd=abort exitcode=%d\n", exit_code);

	(void)send_line((size_t)length);
}
