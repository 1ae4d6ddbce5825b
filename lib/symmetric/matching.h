/*
 * matching.h -- dealing items out to places, evenly, each to one that suits it
 */
#ifndef ASL_MATCHING_H
#define ASL_MATCHING_H

#include "lib/symmetric/lists.h"

/*
 * Every item, which is a list of the places that suit it, gets one of them,
 * place_of[item], such that the fullest place has as few as can be, and the
 * others have the integer part of the average if all can.  With as many items as
 * places, and as many choices for each as items for each, that is a perfect
 * matching.  Every item needs a choice.  0 or -ENOMEM.
 */
int asl_match_evenly(int *place_of, const struct asl_lists *choices,
		     int places);

#endif
