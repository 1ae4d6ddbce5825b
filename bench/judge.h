/*
 * judge.h -- is a repetition right: its result, and what was counted?
 */
#ifndef ASL_JUDGE_H
#define ASL_JUDGE_H

#include "lib/run/run.h"

/* False after a complaint about what is wrong. */
bool asl_rep_check(const struct asl_rep *rep);

#endif
