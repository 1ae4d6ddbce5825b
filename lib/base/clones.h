/*
 * clones.h -- one text for processors with different vectors
 *
 * Of a function marked ASL_CLONES the compiler makes, on x86-64, one version for
 * AVX-512, one for AVX2 and one for any processor, and the loader takes the best
 * that this machine can run.  Elsewhere there is one version; and with clang, some
 * releases of which give the function that the loader calls another name than its
 * callers know.
 */
#ifndef ASL_CLONES_H
#define ASL_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define ASL_CLONES                                                             \
	__attribute__((                                                        \
		target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASL_CLONES
#endif

#endif
