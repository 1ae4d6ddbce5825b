/*
 * steiner_spherical.c -- the circles of the plane over GF(q)
 *
 * GF(q^2), and a point at infinity: q^2 + 1 points.  The images of GF(q) and
 * infinity under the fractional linear maps of GF(q^2) are, as in the complex
 * plane, which lines and circles are: with N(z) = z^(q+1), which is in GF(q),
 *
 *	{a + b t : t in GF(q)} and infinity	q(q + 1) lines
 *	{z : N(z - c) = r}, r not 0		q^2 (q - 1) circles
 *
 * So they can be written down, and no coset of the group need be searched for.
 * With a generator g of GF(q^2), GF(q) is 0 and the powers of g^(q+1), and r is
 * such a power, N(g^i): then N(g^(i + j(q-1))) = r for j from 0 to q.
 *
 * C. J. Colbourn, J. H. Dinitz, The CRC Handbook of Combinatorial Designs, 1996.
 */
#include "lib/symmetric/field.h"
#include "lib/symmetric/steiner_family.h"

bool asl_spherical_size(int64_t *m, int64_t *s, int q)
{
	*m = (int64_t)q * q + 1;
	*s = (int64_t)q + 1;
	return asl_is_prime_power(q);
}

/* Element t of GF(q), of q, within GF(q^2). */
static int small(const struct asl_field *f, int q, int t)
{
	return t ? asl_field_power(f, (t - 1) * (q + 1)) : 0;
}

/*
 * In direction g^i; the parallels go through the multiples of g^(i+1), which is
 * in another direction because g is not in GF(q).
 */
static int *put_line(int *to, const struct asl_field *f, int q, int i,
		     int parallel)
{
	int b = asl_field_power(f, i), aside = asl_field_power(f, i + 1);
	int a = asl_field_multiply(f, aside, small(f, q, parallel));

	for (int t = 0; t < q; t++) {
		int along = asl_field_multiply(f, b, small(f, q, t));

		*to++ = asl_field_add(f, a, along);
	}
	*to++ = q * q;
	return to;
}

static int *put_circle(int *to, const struct asl_field *f, int q, int centre,
		       int i)
{
	for (int j = 0; j <= q; j++) {
		int z = asl_field_power(f, i + j * (q - 1));

		*to++ = asl_field_add(f, centre, z);
	}
	return to;
}

int asl_spherical_build(struct asl_steiner *x, int q)
{
	struct asl_field f;
	int *to = x->point;
	int err = asl_field_make(&f, q * q);

	if (err)
		return err;
	for (int i = 0; i <= q; i++)
		for (int parallel = 0; parallel < q; parallel++)
			to = put_line(to, &f, q, i, parallel);
	for (int centre = 0; centre < q * q; centre++)
		for (int i = 0; i < q - 1; i++)
			to = put_circle(to, &f, q, centre, i);
	asl_field_free(&f);
	return 0;
}
