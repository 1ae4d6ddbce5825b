/*
 * brief.h -- numbers for people: three digits and a unit
 */
#ifndef ASL_BRIEF_H
#define ASL_BRIEF_H

enum { ASL_BRIEF = 32 };

/* 1.23 M; k, M, G, T, P multiply by 1000.  "-": not a number. */
const char *asl_brief(char text[ASL_BRIEF], double x);

/* 1.23 ms, 12.3 s, 3.4 min, ..., 5.6 years. */
const char *asl_brief_seconds(char text[ASL_BRIEF], double s);

/* 1.23 MB: bytes, by thousands. */
const char *asl_brief_bytes(char text[ASL_BRIEF], double bytes);

#endif
