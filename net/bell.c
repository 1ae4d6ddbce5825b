/*
 * bell.c -- what ranks on a host tell each other beside their messages
 *
 * A rank that polls takes time from the ranks at work on its core, and one that naps
 * wakes late.  Here it sleeps on a word of shared memory (a futex) until a rank that
 * has sent it something rings.  To ring for a rank that is awake is one addition.
 *
 * Each rank counts what it has received from each other one.  A sender that reads the
 * count knows how many of its messages lie in the receiver's queue.
 *
 * The memory is a file without a name, which rank 0 creates and the others open by
 * way of /proc: nothing can stay behind.
 */
#include "net/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/error.h"

struct bell {
	alignas(64) _Atomic uint32_t rung;
	_Atomic uint32_t wanted; /* the ring that wakes who is asleep */
	_Atomic bool asleep;
};

/* Where all ranks meet, again and again. */
struct gate {
	alignas(64) _Atomic uint32_t here, passed;
};

/* How many messages of one rank another has received. */
struct mail {
	_Atomic uint32_t taken;
	_Atomic bool wanted; /* the sender waits until more are */
};

struct asl_bells {
	int me, count;
	struct gate *gate;
	struct bell *bell;
	struct mail *mail; /* [receiver][sender] */
};

/* The file of rank 0; fd -1: there is none. */
struct file {
	pid_t process;
	int fd;
	ino_t inode;
	off_t bytes;
};

static size_t bytes_for(size_t ranks)
{
	return sizeof(struct gate) +
	       ranks * (sizeof(struct bell) + ranks * sizeof(struct mail));
}

static struct file create(int ranks)
{
	struct file f = {
		.process = getpid(),
		.fd = memfd_create("aslant-bells", MFD_CLOEXEC),
		.bytes = (off_t)bytes_for((size_t)ranks),
	};
	struct stat is;

	if (f.fd >= 0 && (ftruncate(f.fd, f.bytes) || fstat(f.fd, &is))) {
		close(f.fd);
		f.fd = -1;
	}
	if (f.fd >= 0)
		f.inode = is.st_ino;
	return f;
}

/* In another container the path may lead to another file. */
static bool is_it(int fd, const struct file *f)
{
	struct stat is;

	return !fstat(fd, &is) && S_ISREG(is.st_mode) &&
	       is.st_ino == f->inode && is.st_size == f->bytes;
}

static int open_file(const struct file *f)
{
	char path[64];

	if (f->process == getpid())
		return f->fd;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)f->process, f->fd);
	return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

static int map(struct asl_bells *x, const struct file *f)
{
	int fd = f->fd < 0 ? -1 : open_file(f);
	void *at = MAP_FAILED;

	if (fd >= 0 && is_it(fd, f))
		at = mmap(NULL, (size_t)f->bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	if (fd >= 0 && fd != f->fd)
		close(fd);
	if (at == MAP_FAILED)
		return asl_fail(-ENOENT, "no bells");
	x->gate = at;
	x->bell = (struct bell *)(x->gate + 1);
	x->mail = (struct mail *)(x->bell + x->count);
	return 0;
}

struct asl_bells *asl_bells_open(const struct asl_boot *boot)
{
	struct asl_bells *x = calloc(1, sizeof *x);
	struct file f = {.fd = -1};
	int err;

	if (boot->rank == 0)
		f = create(boot->size);
	asl_boot_share(&f, sizeof f);
	if (x)
		*x = (struct asl_bells){
			.me = boot->rank,
			.count = boot->size,
		};
	err = x ? map(x, &f) : asl_fail(-ENOMEM, "no bells");
	err = asl_boot_agree(boot, err);
	if (boot->rank == 0 && f.fd >= 0)
		close(f.fd);
	if (!err)
		return x;
	asl_forget_failure();
	asl_bells_close(x);
	return NULL;
}

void asl_bells_close(struct asl_bells *x)
{
	if (x && x->gate)
		munmap(x->gate, bytes_for((size_t)x->count));
	free(x);
}

/* Either the sleeper sees that it rang, or the ringer that it sleeps.  One wakes it. */
static void ring(struct bell *b, bool wakes)
{
	uint32_t rung = atomic_fetch_add(&b->rung, 1) + 1;

	if (atomic_load(&b->asleep) &&
	    (wakes || (int32_t)(rung - atomic_load(&b->wanted)) >= 0) &&
	    atomic_exchange(&b->asleep, false))
		syscall(SYS_futex, &b->rung, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void asl_bells_ring(struct asl_bells *x, int rank)
{
	ring(&x->bell[rank], false);
}

void asl_bells_wake(struct asl_bells *x, int rank)
{
	ring(&x->bell[rank], true);
}

uint32_t asl_bells_rung(const struct asl_bells *x)
{
	return atomic_load(&x->bell[x->me].rung);
}

void asl_bells_sleep(struct asl_bells *x, uint32_t rung, int more, long ns)
{
	struct timespec most = {ns / 1000000000, ns % 1000000000};
	struct bell *b = &x->bell[x->me];

	atomic_store(&b->wanted, rung + (uint32_t)more);
	atomic_store(&b->asleep, true);
	syscall(SYS_futex, &b->rung, FUTEX_WAIT, rung, &most, NULL, 0);
	atomic_store(&b->asleep, false);
}

static struct mail *mail_of(const struct asl_bells *x, int to, int from)
{
	return &x->mail[(size_t)to * (size_t)x->count + (size_t)from];
}

/* Either the sender sees that more are taken, or the receiver that it waits. */
void asl_bells_took(struct asl_bells *x, int from)
{
	struct mail *m = mail_of(x, x->me, from);

	atomic_fetch_add(&m->taken, 1);
	if (!atomic_load(&m->wanted))
		return;
	atomic_store(&m->wanted, false);
	asl_bells_wake(x, from);
}

bool asl_bells_taken(struct asl_bells *x, int to, uint32_t number)
{
	struct mail *m = mail_of(x, to, x->me);

	if ((int32_t)(atomic_load(&m->taken) - number) >= 0)
		return true;
	atomic_store(&m->wanted, true);
	return (int32_t)(atomic_load(&m->taken) - number) >= 0;
}

uint32_t asl_bells_arrive(struct asl_bells *x)
{
	uint32_t passed = atomic_load(&x->gate->passed);

	if (atomic_fetch_add(&x->gate->here, 1) + 1 < (uint32_t)x->count)
		return passed;
	atomic_store(&x->gate->here, 0);
	atomic_store(&x->gate->passed, passed + 1);
	for (int i = 0; i < x->count; i++)
		asl_bells_wake(x, i);
	return passed;
}

bool asl_bells_passed(const struct asl_bells *x, uint32_t ticket)
{
	return atomic_load(&x->gate->passed) != ticket;
}
