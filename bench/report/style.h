/*
 * style.h -- style.css, which is part of the command
 */
#ifndef ASL_STYLE_H
#define ASL_STYLE_H

extern const char asl_style[]; /* ends with '\0' */

#endif
