/*
 * error.h -- the one channel for errors: what failed, and whether it was printed
 *
 * A function that fails returns a negative errno and leaves a line that says
 * more.  Each thread has one such line, which the next failure replaces; ranks
 * that are fibers of one process share it.
 */
#ifndef ASL_ERROR_H
#define ASL_ERROR_H

#include <stdarg.h>

/* Set the line, which may quote asl_failure(); returns err. */
int asl_fail(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int asl_vfail(int err, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* The line of the last error, valid until the next; "": none. */
const char *asl_failure(void);
void asl_forget_failure(void);

/* Note that the line has been printed, by another rank or by the network. */
void asl_failure_printed(void);

/* The line, or "" if it has been printed. */
const char *asl_failure_to_print(void);

/* The exit code of the command for an error: enum asl_exit. */
int asl_exit_code(int err);

#endif
