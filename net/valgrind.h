/*
 * valgrind.h -- telling valgrind which memory is a stack
 *
 * It takes a step from one stack to another that it does not know for a frame of
 * many megabytes.  Where valgrind's header was not there, or it is not valgrind
 * that runs the program, all of this is nothing.
 */
#ifndef ASL_NET_VALGRIND_H
#define ASL_NET_VALGRIND_H

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) ((void)(low), (void)(high), 0U)
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

#endif
