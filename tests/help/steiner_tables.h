/*
 * steiner_tables.h -- systems that were published, as files of them
 *
 * Tables 1 and 3 of H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse,
 * M. Verite, Minimizing Communication for Parallel Symmetric Tensor Times Same
 * Vector Computation, 2025: a processor's set of row blocks a line.
 */
#ifndef ASL_TEST_STEINER_TABLES_H
#define ASL_TEST_STEINER_TABLES_H

static const char steiner_10_4[] = "{1,2,3,7}\n{1,2,4,5}\n{1,2,6,10}\n"
				   "{1,2,8,9}\n{1,3,4,10}\n{1,3,5,8}\n"
				   "{1,3,6,9}\n{1,4,6,8}\n{1,4,7,9}\n"
				   "{1,5,6,7}\n{1,5,9,10}\n{1,7,8,10}\n"
				   "{2,3,4,8}\n{2,3,5,6}\n{2,3,9,10}\n"
				   "{2,4,6,9}\n{2,4,7,10}\n{2,5,7,9}\n"
				   "{2,5,8,10}\n{2,6,7,8}\n{3,4,5,9}\n"
				   "{3,4,6,7}\n{3,5,7,10}\n{3,6,8,10}\n"
				   "{3,7,8,9}\n{4,5,6,10}\n{4,5,7,8}\n"
				   "{4,8,9,10}\n{5,6,8,9}\n{6,7,9,10}\n";

static const char steiner_8_4[] = "{1,2,3,4}\n{1,2,5,6}\n{1,2,7,8}\n{1,3,5,7}\n"
				  "{1,3,6,8}\n{1,4,5,8}\n{1,4,6,7}\n{2,3,5,8}\n"
				  "{2,3,6,7}\n{2,4,5,7}\n{2,4,6,8}\n{3,4,5,6}\n"
				  "{3,4,7,8}\n{5,6,7,8}\n";

#endif
