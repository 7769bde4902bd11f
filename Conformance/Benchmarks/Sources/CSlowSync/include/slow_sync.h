#ifndef SLOW_SYNC_H
#define SLOW_SYNC_H

/// The time that `fdatasync` and `fsync` take in this process, in microseconds; 0 for that of the disk. A sync then
/// sleeps and leaves the disk alone, so that the figures of two machines can be compared.
void slow_sync_set_microseconds(long microseconds);

#endif
