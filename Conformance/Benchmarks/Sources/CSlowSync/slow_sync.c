#define _GNU_SOURCE
#include "slow_sync.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>

static atomic_long delay = 0;

void slow_sync_set_microseconds(long microseconds) { atomic_store(&delay, microseconds); }

static int slow(void) {
    long microseconds = atomic_load(&delay);
    if (microseconds == 0) return 0;
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, 0);
    return 1;
}

// The libraries that the program links call these, as the program comes before the C library.

int fdatasync(int file) { return slow() ? 0 : (int)syscall(SYS_fdatasync, file); }
int fsync(int file) { return slow() ? 0 : (int)syscall(SYS_fsync, file); }
#else
void slow_sync_set_microseconds(long microseconds) { (void)microseconds; }
#endif
