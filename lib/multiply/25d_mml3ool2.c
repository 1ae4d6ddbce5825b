/*
 * 25d_mml3ool2.c -- 2.5D + VOMM: fewest words on the network, C written late
 *
 * 2.5DMML3ooL2, also 2.5DL3ooL2, in the form in which JOMMA was compared with it
 * (25d_schedule.h).  Per rank, where the grid divides the shape:
 *
 * Memory enough, M >= n^2/sqrt(P), Px = Py = Pz = P^(1/3), em-jomma's schedule:
 *
 *	B_h	(1 - 1/Py) mk/(Px Pz) + (1 - 1/Px) kn/(Py Pz)
 *		+ 2 (1 - 1/Pz) mn/(Px Py) at the root
 *	B_w	mn/(Px Py)
 *	B_r	VOMM's, of m/Px, k/Pz, n/Py: 2 sqrt(3) mnk/(P sqrt(S))
 *
 * Else lm-jomma's schedule, and its table, with c = min(P^(1/3), sqrt(P M)/n),
 * Px = Py = sqrt(P/c) and Pz = c; VOMM's reads add up to the same.
 *
 * The grid is the one of fewest network words among integer grids, and does not
 * depend on what a write costs.  When memory is enough, and what rectangular
 * shapes get, is as in jomma.c and the two files that it names.
 *
 * E. Carson, J. Demmel, L. Grigori, N. Knight, P. Koanantakool, O. Schwartz, H.
 * V. Simhadri, Write-avoiding algorithms, IPDPS 2016; L. Zhu, Q.-S. Hua, H. Jin,
 * Joint-communication optimal matrix multiplication with asymmetric memories,
 * section 8, Tables 6 and 7.
 */
#include "lib/multiply/25d_schedule.h"

static const struct asl_matmul matmul = {
	.kernel = "vomm",
	.axes_of = asl_25d_axes,
	.calls = asl_25d_calls,
	.ideal = asl_25d_ideal,
	.flops = asl_25d_flops,
	.admits = asl_25d_admits,
	.least_words = true,
	.owns = asl_25d_owns,
	.owns_also = asl_25d_owns_also,
};

const struct asl_algorithm asl_multiply_25d_mml3ool2 = {
	.name = "25d-mml3ool2",
	.summary = "2.5D + VOMM, as compared with JOMMA (Carson et al.)",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = asl_25d_predict,
	.run = asl_25d_run,
};
