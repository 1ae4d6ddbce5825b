/*
 * calibrate_file.h -- what was measured, as a profile
 */
#ifndef ASL_CALIBRATE_FILE_H
#define ASL_CALIBRATE_FILE_H

#include "bench/options.h"
#include "lib/calibrate/calibrate.h"

/* calibrated-HOST.json */
const char *asl_calibrate_default(void);

/* A profile at path.  0 or a negative errno, with asl_failure(). */
int asl_calibrate_write(const char *path, const struct asl_calibration *x,
			const struct asl_calibrate_want *want);

#endif
