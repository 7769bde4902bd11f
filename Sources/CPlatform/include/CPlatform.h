#ifndef GRANARY_CPLATFORM_H
#define GRANARY_CPLATFORM_H
#include <stddef.h>

// What Swift cannot say, and what Linux has and its C library declares for GNU source alone, as which Swift does not read its
// headers.

/// The lowest address and the size in bytes of the calling thread's stack. Returns 0, or what went wrong.
int granary_thread_stack(size_t *lowest, size_t *size);

/// An address near the end of what the calling thread uses of its stack. Local variables may lie elsewhere: a sanitizer keeps
/// them on the heap.
size_t granary_stack_place(void);

/// The number of the calling thread: threads have 0, 1, 2 and so on in the order of their first calls.
size_t granary_thread_number(void);

/// Has the system begin to write to the disk what it holds of a file, and does not wait for it. Does nothing where the
/// system cannot.
void granary_begin_writing(int file);

#endif
