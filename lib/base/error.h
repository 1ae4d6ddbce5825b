/*
 * error.h -- the one channel for what an error was about
 *
 * A function that fails returns a negative errno and sets a line aside that says
 * more.  Each thread has a line of its own, which the next failure replaces;
 * ranks that are fibers of one process share it.
 */
#ifndef ASL_ERROR_H
#define ASL_ERROR_H

/* Set the line aside, which may quote asl_failure(); returns err. */
int asl_fail(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The line of the last error, valid until the next; "": none. */
const char *asl_failure(void);
void asl_forget_failure(void);

/* The exit code of the command for an error: enum asl_exit. */
int asl_exit_code(int err);

#endif
