#ifndef GRANARY_CPLATFORM_H
#define GRANARY_CPLATFORM_H
#include <stddef.h>

// What Linux has and its C library declares for GNU source alone, as which Swift does not read its headers.

/// The lowest address and the size in bytes of the calling thread's stack. Returns 0, or what went wrong.
int granary_thread_stack(size_t *lowest, size_t *size);

/// Has the system begin to write to the disk what it holds of a file, and does not wait for it. Does nothing where the
/// system cannot.
void granary_begin_writing(int file);

#endif
