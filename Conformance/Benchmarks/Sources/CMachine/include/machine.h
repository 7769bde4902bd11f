#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/// Lets sleeps of the calling thread end within microseconds of the time they are set to. The system's default is to
/// group them, 50 microseconds apart.
void machine_use_precise_sleep(void);

/// Nanoseconds since some time before the program started. Never set back.
unsigned long long machine_nanoseconds(void);

/// Sleeps until ``machine_nanoseconds`` is at least this; does nothing if it is already.
void machine_sleep_until(unsigned long long nanoseconds);

/// Gives memory that was freed back to the system, so that what the process has of its own is what it uses.
void machine_trim_memory(void);

#endif
