/*
 * suite_names.c -- the suites that come with aslant, by name
 *
 * They lie beside the command in a build directory, and in share/aslant/suites
 * where it is installed.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/suite.h"

#define ENDING ".json"

static const char *const places[] = {"suites", "../share/aslant/suites"};

enum { PLACES = sizeof places / sizeof places[0] };

static bool name_place(char path[PATH_MAX], int i)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	return snprintf(path, PATH_MAX, "%s/%s", self, places[i]) < PATH_MAX;
}

bool asl_suite_find(char path[PATH_MAX], const char *name)
{
	char dir[PATH_MAX];

	if (!*name || strchr(name, '/'))
		return false;
	for (int i = 0; i < PLACES; i++)
		if (name_place(dir, i) &&
		    snprintf(path, PATH_MAX, "%s/%s" ENDING, dir, name) <
			    PATH_MAX &&
		    !access(path, R_OK))
			return true;
	return false;
}

static int is_suite(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), ending = strlen(ENDING);

	return length > ending &&
	       !strcmp(entry->d_name + length - ending, ENDING);
}

static void show(void (*line)(const char *name, const char *about), char *file)
{
	char path[PATH_MAX];
	const char *about = NULL;
	json_t *root = NULL;

	file[strlen(file) - strlen(ENDING)] = '\0';
	if (asl_suite_find(path, file))
		root = json_load_file(path, 0, NULL);
	if (root)
		about = json_string_value(json_object_get(root, "about"));
	line(file, about ? about : "");
	json_decref(root);
}

static int show_place(void (*line)(const char *name, const char *about),
		      const char *dir)
{
	struct dirent **list;
	int count = scandir(dir, &list, is_suite, alphasort);

	for (int i = 0; i < count; i++) {
		show(line, list[i]->d_name);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return count;
}

void asl_suite_each(void (*line)(const char *name, const char *about))
{
	char dir[PATH_MAX];

	for (int i = 0; i < PLACES; i++)
		if (name_place(dir, i) && show_place(line, dir) > 0)
			return;
}
