/*
 * noise.h -- what else ran on this host while a repetition did
 *
 * Linux counts what every core did, in ticks of 10 ms.  A moment is from the end
 * of the last repetition to the end of this one, and at least a fifth of a
 * second: shorter ones are joined.
 */
#ifndef ASL_NOISE_H
#define ASL_NOISE_H

#include <stdbool.h>

struct asl_noise {
	double load;   /* the system's load average, of a minute */
	double steal;  /* share of the cores' time that a hypervisor took */
	double others; /* cores that other programs kept busy */
	double mhz;    /* the clock of this process's core at its end */
	int cores;     /* of the host */
};

/* From here on moments are measured, in this process. */
void asl_noise_begin(void);

/* A moment ends. */
void asl_noise_end(void);

/* The last one; all NAN before asl_noise_begin. */
const struct asl_noise *asl_noise(void);

/* Did it take time from so many threads of ours? */
bool asl_noise_disturbs(const struct asl_noise *x, int threads);

#endif
