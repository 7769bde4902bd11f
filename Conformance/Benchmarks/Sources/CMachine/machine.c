#define _GNU_SOURCE
#include "machine.h"

#include <time.h>

unsigned long long machine_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long)time.tv_sec * 1000000000ULL + (unsigned long long)time.tv_nsec;
}

#ifdef __linux__
#include <malloc.h>
#include <sys/prctl.h>

void machine_use_precise_sleep(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

void machine_sleep_until(unsigned long long nanoseconds) {
    struct timespec time = {(time_t)(nanoseconds / 1000000000ULL), (long)(nanoseconds % 1000000000ULL)};
    // A signal may end the sleep early.
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, 0) != 0) {}
}

void machine_trim_memory(void) { malloc_trim(0); }
#else
void machine_use_precise_sleep(void) {}

void machine_sleep_until(unsigned long long nanoseconds) {
    unsigned long long now = machine_nanoseconds();
    while (now < nanoseconds) {
        unsigned long long rest = nanoseconds - now;
        struct timespec time = {(time_t)(rest / 1000000000ULL), (long)(rest % 1000000000ULL)};
        nanosleep(&time, 0);
        now = machine_nanoseconds();
    }
}

void machine_trim_memory(void) {}
#endif
