/*
 * clones.h -- one text for processors with different vectors
 *
 * The compiler makes, on x86-64, three versions of a function marked ASL_CLONES:
 * for AVX-512, for AVX2, and for any processor; the loader takes the best that
 * this machine can run.  Elsewhere there is one version, and with clang, too:
 * some releases give the function another name than its callers use.  The loader
 * asks before ThreadSanitizer is ready.
 */
#ifndef ASL_CLONES_H
#define ASL_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) &&    \
	!defined(__SANITIZE_THREAD__)
#define ASL_CLONES                                                             \
	__attribute__((                                                        \
		target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASL_CLONES
#endif

#endif
