/*
 * jomma.c -- joint-communication optimal multiplication: the one or the other
 *
 * Memory is enough if it holds the inputs of a brick at the least cut of k, which
 * is when they are largest: Pz = 1 and C cut into bricks as nearly square as the
 * shape allows, m/Px x n/Py.  On square matrices that is M >= n^2/sqrt(P).  Then
 * em-jomma runs, else lm-jomma; their files have the costs.
 *
 * 25d-mml3ool2 and 25d-cowe are what the paper's evaluation calls 2.5D: not
 * Solomonik and Demmel's shifted algorithm (25d.c) but JOMMA's two schedules with
 * the grids that these have for cheap writes, whatever w is: em-jomma's on as
 * nearly cubic a grid as there is where memory is enough, lm-jomma's on
 * sqrt(P/c) x sqrt(P/c) x c, c = min(P^(1/3), sqrt(P M)/n), where it is limited.
 * The integer grid of fewest network words is taken.  They differ in
 * the local kernel, which is their own:
 *
 *	25d-mml3ool2	VOMM: C is written late, B_r ~ 2 sqrt(3) mnk/(P sqrt(S)).
 *			Also called 2.5DMML3ooL2, 2.5DL3ooL2.
 *	25d-cowe	COWE, which needn't know the cache's size and cuts k less the
 *			more expensive writes are.  To leading order r B_r + w B_w is
 *			3 sqrt(3) r^(2/3) w^(1/3) m'n'k'/sqrt(S) for a product of
 *			m' x n' x k' (lib/kernels/cowe.c has the exact count).
 *
 * With Px = Py = Pz = P^(1/3), em-jomma's schedule counts per rank, where the grid
 * divides the shape:
 *
 *	B_h	(1 - 1/Py) mk/(Px Pz) + (1 - 1/Px) kn/(Py Pz)
 *		+ 2 (1 - 1/Pz) mn/(Px Py) at the root
 *	B_w	mn/(Px Py)
 *	B_r	the kernel's, of m/Px, k/Pz, n/Py
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, Algorithm 2, Lemma 7 and section 8, Tables 6 and 7;
 * E. Carson, J. Demmel, L. Grigori, N. Knight, P. Koanantakool, O. Schwartz, H. V.
 * Simhadri, Write-avoiding algorithms, IPDPS 2016.
 */
#include <math.h>

#include "lib/multiply/multiply.h"

extern const struct asl_algorithm asl_multiply_em_jomma, asl_multiply_lm_jomma;

enum { X, Y, Z };

static const struct asl_algorithm *em_or_lm(const struct asl_plan *plan)
{
	double m = (double)asl_shape_of(plan)->m,
	       n = (double)asl_shape_of(plan)->n;
	double k = (double)asl_shape_of(plan)->k, p[3];
	struct asl_plan em = *plan;

	em.runs = &asl_multiply_em_jomma;
	asl_grid_ideal(p, &em, INFINITY);
	return k / p[Z] * fmax(m / p[X], n / p[Y]) >
			       (1 + 1e-9) * (double)plan->memory
		       ? &asl_multiply_lm_jomma
		       : em.runs;
}

static void ideal_for_cheap_writes(double p[3], const struct asl_plan *plan)
{
	struct asl_plan cheap = *plan;

	cheap.costs.write = 0;
	plan->runs->matmul->ideal(p, &cheap);
}

static const struct asl_matmul jomma = {.chooses = em_or_lm};

const struct asl_algorithm asl_multiply_jomma = {
	.name = "jomma",
	.summary = "em-jomma if memory is enough, else lm-jomma (Zhu et al.)",
	.when = "a write costs more than a word over the network",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &jomma,
};

static const struct asl_matmul mml3ool2 = {
	.grid = {.least_words = true},
	.kernel = "vomm",
	.chooses = em_or_lm,
	.ideal = ideal_for_cheap_writes,
};

const struct asl_algorithm asl_multiply_25d_mml3ool2 = {
	.name = "25d-mml3ool2",
	.summary = "2.5D + VOMM, as compared with JOMMA (Carson et al.)",
	.when = "you want to compare JOMMA with it",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &mml3ool2,
};

static const struct asl_matmul cowe = {
	.grid = {.least_words = true},
	.kernel = "cowe",
	.chooses = em_or_lm,
	.ideal = ideal_for_cheap_writes,
};

const struct asl_algorithm asl_multiply_25d_cowe = {
	.name = "25d-cowe",
	.summary = "2.5D + COWE, as compared with JOMMA (Zhu et al., sec. 8)",
	.when = "you want to compare JOMMA with it",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &cowe,
};
