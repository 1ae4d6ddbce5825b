/*
 * module.h -- multiplications in shared objects, for --load
 *
 * A module is a shared object with one or more algorithms, compiled with the
 * headers of the aslant that loads it:
 *
 *	static const struct asl_algorithm mine = { ... };
 *	ASL_MODULE(&mine)
 *
 *	cc -shared -fPIC $(pkg-config --cflags aslant-algorithms) mine.c -o mine.so
 *	aslant run mine --load ./mine.so --n 1000 --ranks 4
 *
 * It calls what these headers declare in lib, which the command exports, and
 * nothing of stores and networks: words move by a rank's verbs, which count them.
 * What an algorithm is, lib/plan/plan.h and lib/multiply/multiply.h say.
 */
#ifndef ASL_MODULE_H
#define ASL_MODULE_H

#include "lib/multiply/multiply.h"
#include "lib/rank/collective.h"

/* Increased whenever a function or a struct of these headers changes its meaning. */
enum { ASL_MODULE_ABI = 6 };

struct asl_module {
	uint32_t abi;
	/* Sizes of structs that both sides see: a layout that changed is noticed. */
	uint32_t algorithm_bytes, matmul_bytes, plan_bytes, rank_bytes;
	const struct asl_algorithm *const *algorithms; /* NULL-ended */
};

/* The layout, as whoever compiles this sees it. */
#define ASL_MODULE_LAYOUT                                                      \
	.abi = ASL_MODULE_ABI,                                                 \
	.algorithm_bytes = sizeof(struct asl_algorithm),                       \
	.matmul_bytes = sizeof(struct asl_matmul),                             \
	.plan_bytes = sizeof(struct asl_plan),                                 \
	.rank_bytes = sizeof(struct asl_rank)

/* The module of a shared object, once in it. */
#define ASL_MODULE(...)                                                        \
	extern __attribute__((visibility("default")))                          \
	const struct asl_module asl_module;                                    \
	const struct asl_module asl_module = {                                 \
		ASL_MODULE_LAYOUT,                                             \
		.algorithms =                                                  \
			(const struct asl_algorithm *const[]){__VA_ARGS__,     \
							      NULL},           \
	};

/*
 * Load a module and add its algorithms, none of whose names is_taken, to
 * asl_algorithms.  0, or a negative errno that asl_failure() explains, and nothing
 * was added.
 */
int asl_module_load(const char *path, bool (*is_taken)(const char *name));

#endif
