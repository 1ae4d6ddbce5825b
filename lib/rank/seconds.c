/*
 * seconds.c -- how long a rank's verbs take on a machine: a prediction
 */
#include "lib/rank/seconds.h"

#include <math.h>

static const char *const spending_names[ASL_SPENDINGS] = {
	[ASL_ON_ARITHMETIC] = "arithmetic", [ASL_ON_READING] = "reading",
	[ASL_ON_WRITING] = "writing",	    [ASL_ON_NETWORK] = "network",
	[ASL_ON_COPYING] = "copies",
};

const char *asl_spending_name(enum asl_spending part)
{
	return spending_names[part];
}

/* About the words that stay near a core from one product to the next: 8 MiB. */
#define NEAR_WORDS 0x1p20

/* Registers hold 8 rows and columns: of the last ones they may hold fewer. */
static double rounded(uint64_t side)
{
	return (double)((side + 7) / 8 * 8);
}

/*
 * The BLAS packs words of both operands, and reads and writes the result, which it sets to
 * zero before that unless it adds to it.
 */
void asl_product_terms(double term[ASL_PRODUCT_TERMS], uint64_t m, uint64_t n,
		       uint64_t k, bool adds)
{
	double x = (double)m, y = (double)n, z = (double)k;
	double all = x * z + z * y + x * y;

	term[0] = 2 * x * y * z;
	term[1] = 1;
	term[2] = x * z;
	term[3] = z * y;
	term[4] = x * y;
	term[5] = fmax(0, all - NEAR_WORDS);
	/* A vector is not packed. */
	term[6] = m == 1 || n == 1 ? 0
				   : 2 * z * (rounded(m) * rounded(n) - x * y);
	term[7] = adds ? 0 : x * y;
}

double asl_product_ns(const struct asl_times *t, uint64_t m, uint64_t n,
		      uint64_t k, bool adds)
{
	const double ns[] = {t->flop,	t->call, t->left, t->right,
			     t->result, t->far,	 t->edge, t->zero};
	double term[ASL_PRODUCT_TERMS], sum = 0;

	if (t->vector > 0 && (m == 1 || n == 1))
		return t->vector * (double)k * (double)(m * n);
	asl_product_terms(term, m, n, k, adds);
	for (int i = 0; i < ASL_PRODUCT_TERMS; i++)
		sum += ns[i] * term[i];
	return sum;
}

/* Beyond the largest size its words cost what they did from the one before. */
static double on_lines(const double *words, const double *ns, int sizes,
		       double x)
{
	double slope;
	int i = 1;

	if (x <= words[0])
		return ns[0];
	while (i + 1 < sizes && x > words[i])
		i++;
	slope = (ns[i] - ns[i - 1]) / (words[i] - words[i - 1]);
	return ns[i] + (x - words[i]) * slope;
}

double asl_step_ns(const struct asl_times *t, uint64_t words)
{
	return on_lines(t->words, t->step, ASL_STEP_SIZES, (double)words);
}

/* Words cost the same in both; without any, the cache alone makes the difference. */
struct asl_step_work asl_step_work(const struct asl_times *t, uint64_t words,
				   bool crowded)
{
	double x = (double)words, all, later = 0;

	if (!crowded || t->crowded[0] <= 0)
		return (struct asl_step_work){asl_step_ns(t, words), 0};
	all = on_lines(t->words, t->crowded, ASL_STEP_SIZES, x);
	if (t->row > 0)
		later = fmin(t->crowded[0], all) - t->row;
	later = fmax(0, later);
	return (struct asl_step_work){all - later, later};
}

double asl_message_ns(const struct asl_times *t, uint64_t words, bool crowded)
{
	if (!crowded || t->message <= 0)
		return asl_step_work(t, words, crowded).own;
	return t->message +
	       on_lines(t->words, t->crowded, ASL_STEP_SIZES, (double)words) -
	       t->crowded[0];
}

/*
 * A transfer has all that lies within 8 KiB of each other, in whole blocks of 4 KiB; a
 * write reads first what it must not change.
 */
enum { BLOCK_WORDS = 512, GAP_WORDS = 2 * BLOCK_WORDS };

/* Writes were measured whose rows end within blocks; these are read first. */
static double ends_ns(const struct asl_disk_times *t, uint64_t rows)
{
	return t->begin[false] + (double)rows * t->row[false][0];
}

static double row_ns(const struct asl_disk_times *t, bool writes, uint64_t cols)
{
	return on_lines(t->words, t->row[writes], ASL_ROW_SIZES, (double)cols);
}

/*
 * Rows near each other are one transfer, of which little is copied: what it takes of
 * all that it spans, if all were wanted.  A write's part comes after a read.
 */
static double near_ns(const struct asl_disk_times *t, bool writes,
		      uint64_t span)
{
	double all = row_ns(t, writes, ASL_NEAR_WORDS);
	double near = t->near[writes] - t->begin[writes];
	double part = 1;

	if (writes)
		near -= t->near[false];
	if (t->near[writes] > 0)
		part = fmin(1, fmax(1. / 4, near / all));
	return t->begin[writes] + part * row_ns(t, writes, span);
}

double asl_disk_ns(const struct asl_disk_times *t, bool writes, uint64_t rows,
		   uint64_t cols, uint64_t ld)
{
	bool adjoin = rows == 1 || ld == cols;
	bool whole;
	double ns;

	if (!rows || !cols)
		return 0;
	if (!adjoin && ld - cols <= GAP_WORDS) {
		uint64_t span = (rows - 1) * ld + cols;

		ns = near_ns(t, false, span);
		return writes ? ns + near_ns(t, true, span) : ns;
	}
	if (adjoin) {
		cols = (rows - 1) * ld + cols;
		rows = 1;
	}
	/* Such rows begin and end with blocks, as pieces and their tiles do. */
	whole = cols % BLOCK_WORDS == 0 && (adjoin || ld % BLOCK_WORDS == 0);
	ns = t->begin[writes] + (double)rows * row_ns(t, writes, cols);
	/* Not all of it: each was measured with an error of its own. */
	return writes && whole ? fmax(ns / 4, ns - ends_ns(t, rows)) : ns;
}
