/*
 * stream.c -- how long does a word take to and from a file that is mapped?
 *
 *	speed-stream nt|msync DIR MIB SECONDS
 *
 * The plainest loops that do what calibration measures: memcpy from the file
 * into a buffer that a core's cache holds; and the other way stores past the
 * cache, with a fence after each buffer, or memcpy and msync.  It has no code of
 * aslant, with which it is compared (bench/measure/speed/calibrate).  The file has
 * no name.
 *
 * It prints nanoseconds a word, read and written: medians of chunks of 1 MiB, so
 * that short disturbances do not show.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 256 << 10, CHUNK = 1 << 20, MOST_CHUNKS = 4096, MOST = 1000 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_buffer(char *buffer, const char *at)
{
	memcpy(buffer, at, BUFFER);
	/* The compiler must believe that the buffer is used. */
	__asm__ volatile("" : : "r"(buffer) : "memory");
}

static void write_nt(const char *buffer, char *at)
{
	const __m128i *from = (const __m128i *)buffer;
	__m128i *to = (__m128i *)at;

	for (size_t i = 0; i < BUFFER / sizeof *from; i++)
		_mm_stream_si128(to + i, _mm_load_si128(from + i));
	_mm_sfence();
}

static void write_msync(const char *buffer, char *at)
{
	memcpy(at, buffer, BUFFER);
	msync(at, BUFFER, MS_SYNC);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One chunk, in nanoseconds a word. */
static double chunk(char *at, char *buffer,
		    void (*write_buffer)(const char *, char *))
{
	double since = now_s();

	for (size_t i = 0; i < CHUNK; i += BUFFER)
		if (write_buffer)
			write_buffer(buffer, at + i);
		else
			read_buffer(buffer, at + i);
	return 1e9 * (now_s() - since) / ((double)CHUNK / sizeof(double));
}

/* The median of one pass's chunks; fio takes that of its blocks. */
static double pass(char *at, size_t bytes, char *buffer,
		   void (*write_buffer)(const char *, char *))
{
	static double ns[MOST_CHUNKS];
	size_t count = bytes / CHUNK;

	for (size_t i = 0; i < count; i++)
		ns[i] = chunk(at + i * CHUNK, buffer, write_buffer);
	qsort(ns, count, sizeof *ns, compare);
	return ns[count / 2];
}

/* Reads and writes alternate, so that a disturbance affects both. */
static void measure(char *at, size_t bytes, char *buffer, double seconds,
		    void (*write_buffer)(const char *, char *))
{
	static double ns[2][MOST];
	double end = now_s() + seconds;
	int count = 0;

	pass(at, bytes, buffer, write_buffer);
	do {
		ns[0][count] = pass(at, bytes, buffer, NULL);
		ns[1][count] = pass(at, bytes, buffer, write_buffer);
		count++;
	} while (count < MOST && now_s() < end);
	for (int i = 0; i < 2; i++)
		qsort(ns[i], (size_t)count, sizeof ns[i][0], compare);
	printf("%.4f %.4f\n", ns[0][count / 2], ns[1][count / 2]);
}

static int failed(const char *what)
{
	perror(what);
	return 3;
}

int main(int argc, char **argv)
{
	size_t bytes;
	char *at, *buffer;
	int fd;

	if (argc != 5 || (strcmp(argv[1], "nt") && strcmp(argv[1], "msync")) ||
	    (bytes = strtoull(argv[3], NULL, 10) << 20) == 0 ||
	    bytes > (size_t)MOST_CHUNKS * CHUNK) {
		fprintf(stderr,
			"usage: %s nt|msync DIR MIB SECONDS, with 1 to 4096 "
			"MIB\n",
			argv[0]);
		return 2;
	}
	fd = open(argv[2], O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(argv[2]);
	if (posix_fallocate(fd, 0, (off_t)bytes))
		return failed("no room");
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	buffer = aligned_alloc(4096, BUFFER);
	if (at == MAP_FAILED || !buffer)
		return failed("no memory");
	memset(buffer, 1, BUFFER);
	measure(at, bytes, buffer, atof(argv[4]),
		strcmp(argv[1], "nt") ? write_msync : write_nt);
	free(buffer);
	munmap(at, bytes);
	close(fd);
	return 0;
}
