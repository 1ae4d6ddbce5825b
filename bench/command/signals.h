/*
 * signals.h -- signals that end the command, and its last words
 *
 * SIGTERM, SIGINT, SIGHUP and SIGXCPU print a line, in a job by rank 0,
 * and the process ends by the signal as if it had not been caught (128 + n).  A
 * file beyond ulimit -f is an error like others, and no signal.  A page of a pool
 * or an operand that cannot be had ends the command with exit code 3.
 */
#ifndef ASL_SIGNALS_H
#define ASL_SIGNALS_H

struct asl_options;

/* At the begin of the command.  `what` runs, for people. */
void asl_signals_catch(const char *what);

/* Inside a job: be watched over, from now on, as the options say. */
void asl_signals_guard(const struct asl_options *o);

/* Something to add to the line, for people; NULL: nothing. */
void asl_signals_add(const char *text);

/* Between these, rows and files are written: signals wait. */
void asl_signals_hold(void);
void asl_signals_release(void);

/* The line, and the end, as if such a signal had come now. */
_Noreturn void asl_signals_end(int number);

#endif
