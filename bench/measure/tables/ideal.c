/*
 * ideal.c -- the cheapest counts of tiles, as real numbers
 *
 * With the model's X, Y, Z, and N for the lower bound of an array's tiles, the
 * price that depends on the tiles is
 *
 *	pass[Y] n[Y] + pass[Z] n[Z] + turn[A] cut(J) + turn[B] cut(I)
 *
 * where only rotation inside has the last two terms.  Without them the only
 * constraint is n[Y] n[Z] >= N[X]: n[X] and `again` cost nothing.  With them the
 * solution depends on the place of C, which does not rotate, in the order:
 *
 *	first	A and B are within, and n[X] = n[C] is free: as without
 *	second	`again` is free, n[X] and n[Y] follow from n[Z]: a sum of t,
 *		max(1, N/t) and max(1, N'/t)
 *	third	everything follows from n[X] and n[Y]: the price is a sum of
 *		products of their powers, or of maxima of such products.
 *		Lines, straight in the logarithms, cut the plane into pieces.
 *		Within each the price falls in some direction (the only piece
 *		with a minimum has it beyond its edge, as C is both read and
 *		written); so the minimum is on a line, or where two meet, and
 *		each of these has a closed form.
 */
#include "bench/measure/tables/cell.h"

static double largest(double a, double b, double c)
{
	return fmax(a, fmax(b, c));
}

struct problem {
	const struct asl_ooc_terms *t;
	enum asl_operand X, Y, Z;
};

/* The y that minimizes a y + b z, where y z >= N and both are 1 or more. */
static double balanced(double a, double b, double N)
{
	if (N <= 1 || b == 0)
		return a == 0 ? fmax(1, N) : 1;
	return fmin(fmax(1, sqrt(b * N / a)), N);
}

static void plain(struct asl_ooc_tiles *n, const struct problem *x)
{
	double N = x->t->tiles[x->X];

	n->n[x->Y] = balanced(x->t->pass[x->Y] + x->t->turn[x->Y],
			      x->t->pass[x->Z] + x->t->turn[x->Z], N);
	n->n[x->Z] = fmax(1, N / n->n[x->Y]);
}

/* ---- C second: one dimension ---- */

/* a t + b max(1, N/t) + c max(1, M/t). */
struct hump {
	double a, b, N, c, M;
};

static double hump_at(const struct hump *x, double t)
{
	return x->a * t + x->b * fmax(1, x->N / t) + x->c * fmax(1, x->M / t);
}

static double hump_minimum(const struct hump *x)
{
	double at[] = {x->N, x->M, sqrt(x->b * x->N / x->a),
		       sqrt(x->c * x->M / x->a),
		       sqrt((x->b * x->N + x->c * x->M) / x->a)};
	double best = 1;

	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		double t = fmax(1, at[i]);

		if (hump_at(x, t) < hump_at(x, best))
			best = t;
	}
	return best;
}

static void second(struct asl_ooc_tiles *n, const struct problem *x)
{
	const struct asl_ooc_terms *t = x->t;
	struct hump h = {t->pass[x->Z] + t->turn[x->Z], t->pass[x->Y],
			 t->tiles[x->X], t->turn[x->X], t->tiles[x->Y]};

	n->n[x->Z] = hump_minimum(&h);
	n->n[x->Y] = fmax(1, h.N / n->n[x->Z]);
}

/* ---- C third: two dimensions, x = n[X] and y = n[Y] ---- */

struct plane {
	double a, b;	   /* pass[Y], pass[Z] */
	double p, s;	   /* turn[X], turn[Y] */
	double NX, NY, NZ; /* of tiles */
	double x, y, price;
};

static double plane_at(const struct plane *f, double x, double y)
{
	return f->a * y + f->b * largest(1, f->NX / y, f->NY / x) + f->p * x +
	       f->s * fmax(y, f->NZ / x);
}

static void try(struct plane *f, double x, double y)
{
	double price;

	x = fmax(1, x);
	y = fmax(1, y);
	price = plane_at(f, x, y);
	if (price < f->price) {
		f->x = x;
		f->y = y;
		f->price = price;
	}
}

/* Along a line y = c x^e: prices that rise with x, and that fall. */
struct line {
	double c;
	int e;
	double up, up_maybe, down, down_maybe, down_maybe_too;
};

static void try_line(struct plane *f, const struct line *l)
{
	for (int i = 0; i < 8; i++) {
		double up = l->up + (i & 1) * l->up_maybe;
		double down = l->down + (i >> 1 & 1) * l->down_maybe +
			      (i >> 2 & 1) * l->down_maybe_too;
		double x = fmax(1, sqrt(down / up));

		try(f, x, l->c * pow(x, l->e));
	}
}

static void try_lines(struct plane *f)
{
	double slope = f->NX / f->NY;
	const struct line lines[] = {
		{1, 0, f->p, 0, 0, f->b * f->NY, f->s * f->NZ},
		{f->NX, 0, f->p, 0, 0, f->b * f->NY, f->s * f->NZ},
		{slope, 1, f->p + f->a * slope, f->s * slope, 0, f->b * f->NY,
		 f->s * f->NZ},
		{f->NZ, -1, f->p, f->b * f->NX / f->NZ, (f->a + f->s) * f->NZ,
		 f->b * f->NY, 0},
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		try_line(f, &lines[i]);
}

/* Where x = 1 and x = N[Y] meet the other lines, and where these meet. */
static void try_meetings(struct plane *f)
{
	double slope = f->NX / f->NY;
	const double xs[] = {1, f->NY}, ys[] = {1, f->NX};

	for (int i = 0; i < 2; i++) {
		double x = fmax(1, xs[i]), y = fmax(1, ys[i]);

		for (int j = 0; j < 2; j++)
			try(f, x, ys[j]);
		try(f, x, sqrt(f->b * f->NX / f->a));
		try(f, x, sqrt(f->b * f->NX / (f->a + f->s)));
		try(f, x, f->NZ / x);
		try(f, y / slope, y);
		try(f, f->NZ / y, y);
	}
	try(f, sqrt(f->NZ / slope), sqrt(f->NZ * slope));
}

static void third(struct asl_ooc_tiles *n, const struct problem *x)
{
	const struct asl_ooc_terms *t = x->t;
	struct plane f = {.a = t->pass[x->Y],
			  .b = t->pass[x->Z],
			  .p = t->turn[x->X],
			  .s = t->turn[x->Y],
			  .NX = t->tiles[x->X],
			  .NY = t->tiles[x->Y],
			  .NZ = t->tiles[x->Z],
			  .price = INFINITY};

	try_lines(&f);
	try_meetings(&f);
	n->n[x->X] = f.x;
	n->n[x->Y] = f.y;
	n->n[x->Z] = largest(1, f.NX / f.y, f.NY / f.x);
}

/* ---- All ---- */

/*
 * The smallest feasible n[X] and `again`, where they cost nothing; where n[X] has
 * a price, `again` is for Z alone.
 */
static void complete(struct asl_ooc_tiles *n, const struct problem *x)
{
	const double *N = x->t->tiles;
	double for_Z = x->Y == ASL_C ? 1 : N[x->Z] / n->n[x->Y];

	if (n->n[x->X] == 0)
		n->n[x->X] = largest(1, N[x->Y] / n->n[x->Z], for_Z);
	n->again = fmax(1, N[x->Z] / (n->n[x->X] * n->n[x->Y]));
}

struct asl_ooc_tiles asl_ooc_ideal(const struct asl_ooc_model *x)
{
	struct asl_ooc_terms t = asl_ooc_terms(x);
	struct problem problem = {&t, x->order.at[0], x->order.at[1],
				  x->order.at[2]};
	struct asl_ooc_tiles n = {{0}, 1};

	if (problem.X == ASL_C || (t.turn[ASL_A] == 0 && t.turn[ASL_B] == 0))
		plain(&n, &problem);
	else if (problem.Y == ASL_C)
		second(&n, &problem);
	else
		third(&n, &problem);
	complete(&n, &problem);
	return n;
}

static double rounded(double count, bool beyond)
{
	/* 6.0000000000001 is 6. */
	double whole = round(count);
	bool is_whole = fabs(count - whole) <= 1e-9 * whole;

	if (count <= 1 + 1e-9)
		return 1;
	if (is_whole)
		return whole + beyond;
	return ceil(count);
}

struct asl_ooc_tiles asl_ooc_round(const struct asl_ooc_tiles *t, bool beyond)
{
	struct asl_ooc_tiles up = {.again = rounded(t->again, beyond)};

	for (int i = 0; i < ASL_OPERANDS; i++)
		up.n[i] = rounded(t->n[i], beyond);
	return up;
}
