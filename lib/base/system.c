/*
 * system.c -- system files: of this machine, or of one recorded in a directory
 */
#include "lib/base/system.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

FILE *asl_system_open(const char *root, const char *path)
{
	char name[3 * PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", root, path);
	return fopen(name, "re");
}

bool asl_system_line(char *line, size_t room, const char *root,
		     const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	FILE *f;
	bool got;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	f = asl_system_open(root, path);
	if (!f)
		return false;
	got = fgets(line, (int)room, f) != NULL;
	fclose(f);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}
