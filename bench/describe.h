/*
 * describe.h -- the command as manual pages and as completions of shells
 */
#ifndef ASL_DESCRIBE_H
#define ASL_DESCRIBE_H

/*
 * aslant --describe man, man-COMMAND, bash or zsh: to stdout; for the build, which
 * makes files of it.  The exit code.
 */
int asl_describe(int argc, char **argv);

/* Each of them; describe_man.c, for scdoc, and describe_shell.c. */
int asl_describe_man(const char *command); /* NULL: of aslant itself */
void asl_describe_bash(void);
void asl_describe_zsh(void);

#endif
