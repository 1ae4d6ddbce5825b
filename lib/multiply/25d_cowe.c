/*
 * 25d_cowe.c -- 2.5D + COWE: fewest words on the network, halving on a rank
 *
 * Grid, schedule, data and B_h are 25d-mml3ool2's; the local kernel is COWE,
 * which need not know the cache's size and cuts k less the dearer writes are.
 * Per rank and product of m' x n' x k', to leading order (lib/kernels/cowe.c has
 * the exact count, and what the papers leave out of it):
 *
 *	r B_r + w B_w	3 sqrt(3) r^(2/3) w^(1/3) m'n'k'/sqrt(S)
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, section 8, Tables 6 and 7.
 */
#include "lib/multiply/25d_schedule.h"

static const struct asl_matmul matmul = {
	.kernel = "cowe",
	.axes_of = asl_25d_axes,
	.calls = asl_25d_calls,
	.ideal = asl_25d_ideal,
	.flops = asl_25d_flops,
	.admits = asl_25d_admits,
	.least_words = true,
	.owns = asl_25d_owns,
	.owns_also = asl_25d_owns_also,
};

const struct asl_algorithm asl_multiply_25d_cowe = {
	.name = "25d-cowe",
	.summary = "2.5D + COWE, as compared with JOMMA (Zhu et al., sec. 8)",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = asl_25d_predict,
	.run = asl_25d_run,
};
