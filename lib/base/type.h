/*
 * type.h -- the types of the numbers that operands consist of
 *
 * A number is a word of 8 bytes: a double, or a complex number, which is two
 * floats, the real part first.  Words of either type lie where a double would, and
 * are moved like doubles; only arithmetic, generators and files know the type.
 */
#ifndef ASL_TYPE_H
#define ASL_TYPE_H

#include <stdint.h>

enum asl_type { ASL_FLOAT64, ASL_COMPLEX64 };

struct asl_type_facts {
	const char *name;  /* NumPy's */
	const char *descr; /* in the header of a .npy file */
	double epsilon;	   /* of its real numbers */
	/* Time of an addition or multiplication, over that of two doubles. */
	double work;
};

const struct asl_type_facts *asl_type(enum asl_type type);

/* NULL-ended, in the order of the enum; and back again: the first if unknown. */
const char *const *asl_type_names(void);
enum asl_type asl_type_find(const char *name);

/* The parts of complex numbers in memory that is also copied as doubles. */
typedef float asl_part_of_word __attribute__((may_alias));

/* A number of any type, and in both directions. */
struct asl_number {
	double re, im;
};

struct asl_number asl_number_get(enum asl_type type, const double *at);
void asl_number_put(enum asl_type type, double *at, struct asl_number x);

/* The first word that is not finite, of `count` that need not be aligned; or count. */
uint64_t asl_type_finite(enum asl_type type, const char *at, uint64_t count);

#endif
