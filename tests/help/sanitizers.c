/*
 * sanitizers.c -- what the sanitizers are told, in programs built for them
 *
 * CMake adds it to every program if ASLANT_SANITIZED is on (preset asan): what
 * starts the ranks need not pass an environment on.
 */
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

/*
 * The leak checker says nothing unless there is a leak.  If it looked for pointers
 * in thread-local storage, it would crash where libfabric has loaded its
 * providers.
 */
__attribute__((visibility("default"))) const char *__lsan_default_options(void)
{
	return "print_suppressions=0:use_tls=0";
}

/*
 * libfabric never gives back the descriptions of a provider that it has opened;
 * the others hold theirs in thread-local storage.
 */
__attribute__((visibility("default"))) const char *
__lsan_default_suppressions(void)
{
	return "leak:libfabric.so\n"
	       "leak:libpmemobj.so\n"
	       "leak:ld-linux-x86-64.so\n"
	       "leak:elf/dl-\n"
	       "leak:dlfcn/dlerror.c\n";
}
