// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into the perf of the archive that "make dist" makes: its scripts in
 * Python get the Python modules beside this library. PYTHONHOME would say the
 * same, to whatever perf runs as well: a Python program that is recorded, for
 * one. And what a user gives in PYTHONHOME is for those, not for perf.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void set_home(void)
{
	void (*set_python_home)(const wchar_t *home) = dlsym(RTLD_NEXT, "Py_SetPythonHome");
	wchar_t *(*decode)(const char *text, size_t *size) = dlsym(RTLD_NEXT, "Py_DecodeLocale");
	char path[PATH_MAX], *slash;
	Dl_info info;

	if (!set_python_home || !decode || !dladdr(set_home, &info))
		return;
	snprintf(path, sizeof(path) - sizeof("/python"), "%s", info.dli_fname);
	slash = strrchr(path, '/');
	if (!slash)
		return;
	strcpy(slash, "/python");
	set_python_home(decode(path, NULL));
}

/* In place of libpython's, which it calls. */
void Py_Initialize(void)
{
	void (*initialize)(void) = dlsym(RTLD_NEXT, "Py_Initialize");
	char *home = getenv("PYTHONHOME");

	home = home ? strdup(home) : NULL;
	set_home();
	unsetenv("PYTHONHOME");
	initialize();
	if (home)
		setenv("PYTHONHOME", home, 1);
	free(home);
}
