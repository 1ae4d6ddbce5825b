/*
 * append.c -- more at the end of a file, or the file as it was
 */
#include "bench/append.h"

#include <errno.h>
#include <unistd.h>

void asl_cut_back(int fd, off_t bytes)
{
	if (ftruncate(fd, bytes))
		return;
}

int asl_append(int fd, const char *text, size_t bytes)
{
	off_t before = lseek(fd, 0, SEEK_END);
	int err = before < 0 ? -errno : 0;

	while (!err && bytes > 0) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno != EINTR)
			err = -errno;
		if (n > 0) {
			text += n;
			bytes -= (size_t)n;
		}
	}
	if (err && before >= 0)
		asl_cut_back(fd, before);
	return err;
}
