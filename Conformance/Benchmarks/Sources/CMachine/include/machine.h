#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/// Lets sleeps of the calling thread end within microseconds of the time they are set to. The system's default is to
/// group them, 50 microseconds apart.
void machine_use_precise_sleep(void);

/// Gives memory that was freed back to the system, so that what the process has of its own is what it uses.
void machine_trim_memory(void);

#endif
