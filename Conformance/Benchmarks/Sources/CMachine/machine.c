#define _GNU_SOURCE
#include "machine.h"

#ifdef __linux__
#include <malloc.h>
#include <sys/prctl.h>

void machine_use_precise_sleep(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

void machine_trim_memory(void) { malloc_trim(0); }
#else
void machine_use_precise_sleep(void) {}

void machine_trim_memory(void) {}
#endif
