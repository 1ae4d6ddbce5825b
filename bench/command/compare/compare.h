/*
 * compare.h -- result directories side by side
 *
 * A side is one directory; the first is what the others are compared with.  A
 * case is the repetitions of a directory whose rows are the same in all that
 * decides what is done, as far as columns say it.  Cases of two sides belong
 * together if they are the same, or else are the nearest of one algorithm; they
 * are compared only if nothing differs but what machines are free to differ in:
 * times, costs, medium, network.
 */
#ifndef ASL_COMPARE_H
#define ASL_COMPARE_H

#include <stdio.h>

#include "bench/command/rows_read.h"
#include "bench/command/stats.h"
#include "bench/library/csv.h"
#include "bench/library/options.h"
#include "lib/rank/ledger.h"

/* ---- What tells cases apart (compare_columns.c) ---- */

/* What is asked, what was counted, what it costs, and where it ran. */
enum asl_role { ASL_ASKED, ASL_COUNTED, ASL_COSTED, ASL_PLACED, ASL_ROLES };

enum { ASL_IDENTITY = 2 * ASL_COUNTERS + 30 }; /* columns at most */

/*
 * The columns of these roles that every side has, as one side numbers them;
 * end[i] is behind the last of role i and of those before it.
 */
struct asl_identity {
	int column[ASL_IDENTITY], end[ASL_ROLES];
	bool varies[ASL_IDENTITY]; /* from case to case of this side */
};

struct asl_measured {
	size_t row;	     /* the first of its rows */
	const char *trouble; /* why its times do not count; NULL: they do */
	double *wall_s;	     /* [time.samples], in ascending order */
	struct asl_estimate time;
};

struct asl_side {
	char letter; /* 'A' is the first */
	const char *dir;
	double price; /* NAN: none was given */
	struct asl_rows rows;
	struct asl_identity identity;
	double *wall_s;		    /* [rows.count] of all cases */
	struct asl_measured *cases; /* in the order of their first rows */
	int count;
};

/* Find the columns in all sides. */
void asl_identify(struct asl_side *sides, int count);

/* < 0, 0, > 0: the order of two rows by their columns of roles up to `last`. */
int asl_identity_order(const struct asl_side *a, size_t row_a,
		       const struct asl_side *b, size_t row_b,
		       enum asl_role last);

/* The columns of a role in which two rows differ: how many, and in words. */
int asl_identity_differences(char *words, size_t room, const struct asl_side *a,
			     size_t row_a, const struct asl_side *b,
			     size_t row_b, enum asl_role role);

/* ---- Sides and their cases (compare_cases.c) ---- */

/* Each returns 0, or the exit code after a complaint; close it either way. */
int asl_side_read(struct asl_side *side, const char *dir);
int asl_side_group(struct asl_side *side); /* once identified */
void asl_side_close(struct asl_side *side);

/* A cell of a case, by the name of its column. */
const char *asl_side_cell(const struct asl_side *side, int i, const char *name);

/* ---- Pairs (compare_match.c) ---- */

struct asl_pair {
	int i, j;      /* cases of the base and the other; -1: it has none */
	char why[240]; /* they are not compared; "": they are */
	struct asl_ratio speed; /* the base's median over the other's */
};

/* One side against the base. */
struct asl_comparison {
	const struct asl_side *base, *other;
	struct asl_pair *pairs; /* those of base first, in the order of cases */
	int count;
	bool mixed; /* emulated and measured times may be compared */
};

int asl_compare_match(struct asl_comparison *c);

/* How many pairs are compared. */
int asl_compare_count(const struct asl_comparison *c);

/* ---- In words (compare_words.c) ---- */

/* How all of it was found: sentences, NULL-ended. */
extern const char *const asl_compare_method[];

/* ---- Means (compare_means.c) ---- */

enum { ASL_MOST_MEANS = 8 };

/* The geometric mean of a family's speeds; the last is of all families. */
struct asl_mean {
	const char *family;
	int cases;
	double speed, weight;
};

const char *asl_pair_family(const struct asl_comparison *c,
			    const struct asl_pair *pair);

/* How many; 0: no pair is compared.  weights: of --weight, or NULL. */
int asl_compare_means(struct asl_mean mean[ASL_MOST_MEANS],
		      const struct asl_comparison *c, const char *weights);

/* 0, or the exit code after a complaint. */
int asl_weights_check(const char *weights);

/* ---- Where it goes: each side against the first ---- */

/* ---- --fail-below (compare_gate.c) ---- */

#endif
