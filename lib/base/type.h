/*
 * type.h -- the types of the numbers that operands consist of
 *
 * A word is a number: a double or, of another type, a float, or two of either, the
 * real part first.  Whatever the type, addresses are those of doubles, which only
 * asl_type_at steps through; arithmetic, generators and files know the type, and
 * everything else only moves so many bytes a word.
 */
#ifndef ASL_TYPE_H
#define ASL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum asl_type { ASL_FLOAT64, ASL_COMPLEX64, ASL_FLOAT32, ASL_COMPLEX128 };

struct asl_type_facts {
	const char *name;  /* NumPy's */
	const char *descr; /* in the header of a .npy file */
	bool is_complex;
	bool floats;	/* its parts are floats, else doubles */
	double epsilon; /* of its real numbers */
	/* Time of an addition or multiplication, over that of two doubles. */
	double work;
};

const struct asl_type_facts *asl_type(enum asl_type type);

/* NULL-ended, in the order of the enum; and back again: the first if unknown. */
const char *const *asl_type_names(void);
enum asl_type asl_type_find(const char *name);

/* The type of this descr, which need not end in a zero; false: none of these. */
bool asl_type_described(enum asl_type *type, const char *descr, size_t length);

/* Bytes of a word. */
static inline size_t asl_type_bytes(enum asl_type type)
{
	return type == ASL_FLOAT32 ? 4 : type == ASL_COMPLEX128 ? 16 : 8;
}

/* Bytes of a word over those of a double. */
static inline double asl_type_size(enum asl_type type)
{
	return (double)asl_type_bytes(type) / sizeof(double);
}

/* Doubles that so many words have room in. */
static inline uint64_t asl_type_doubles(enum asl_type type, uint64_t words)
{
	return type == ASL_FLOAT32	? words / 2 + words % 2
	       : type == ASL_COMPLEX128 ? 2 * words
					: words;
}

/* Words that fit into so many doubles. */
static inline uint64_t asl_type_fit(enum asl_type type, uint64_t doubles)
{
	return doubles * sizeof(double) / asl_type_bytes(type);
}

/* The address of a word, or of one before `at`; NULL stays NULL. */
static inline double *asl_type_at(enum asl_type type, const double *at,
				  int64_t word)
{
	return at ? (double *)(void *)((char *)(void *)at +
				       word * (int64_t)asl_type_bytes(type))
		  : NULL;
}

/* Copy a word; addresses need not be aligned. */
static inline void asl_type_copy(enum asl_type type, void *to, const void *from)
{
	switch (asl_type_bytes(type)) {
	case sizeof(float):
		memcpy(to, from, sizeof(float));
		return;
	case sizeof(double):
		memcpy(to, from, sizeof(double));
		return;
	default:
		memcpy(to, from, 2 * sizeof(double));
	}
}

/* Parts of numbers, in memory that is also copied as other types. */
typedef float asl_float_part __attribute__((may_alias));
typedef double asl_double_part __attribute__((may_alias));

/* A number of any type, and in both directions. */
struct asl_number {
	double re, im;
};

struct asl_number asl_number_get(enum asl_type type, const double *at);
void asl_number_put(enum asl_type type, double *at, struct asl_number x);

/* The first word that is not finite, of `count` that need not be aligned; or count. */
uint64_t asl_type_finite(enum asl_type type, const char *at, uint64_t count);

#endif
