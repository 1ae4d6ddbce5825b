/*
 * follow.h -- how the job that was launched ends, whatever its launcher makes of it
 */
#ifndef ASL_FOLLOW_H
#define ASL_FOLLOW_H

#include <sys/types.h>

/*
 * Wait for the launcher, whose stderr comes through `errors`, and return the
 * exit code.  What it says is passed on, signals that come to us go to it.
 *
 * Launchers take their exit code from any rank, or from those that they have
 * killed, and some wait for a host that is gone.  So once a rank's guard has said
 * that the job ends, it ends soon, with ASL_PEER_LOST.
 */
int asl_launcher_wait(pid_t launcher, int errors);

/* Before the launcher is forked: signals wait for asl_launcher_wait. */
void asl_follow_prepare(void);
void asl_follow_unprepare(void); /* in the child */

#endif
