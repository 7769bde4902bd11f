#ifdef __linux__
#define _GNU_SOURCE
#include <fcntl.h>
#endif
#include "CPlatform.h"
#include <pthread.h>
#include <stdatomic.h>

int granary_thread_stack(size_t *lowest, size_t *size) {
#ifdef __APPLE__
    // It grows downwards, and what the system tells is its end.
    *size = pthread_get_stacksize_np(pthread_self());
    *lowest = (size_t)pthread_get_stackaddr_np(pthread_self()) - *size;
    return 0;
#else
    pthread_attr_t attributes;
    void *address = NULL;
    int result = pthread_getattr_np(pthread_self(), &attributes);
    if (result != 0) return result;
    result = pthread_attr_getstack(&attributes, &address, size);
    pthread_attr_destroy(&attributes);
    *lowest = (size_t)address;
    return result;
#endif
}

size_t granary_stack_place(void) { return (size_t)__builtin_frame_address(0); }

size_t granary_thread_number(void) {
    static atomic_size_t next = 1;
    // 0 until the first call.
    static _Thread_local size_t number = 0;
    if (number == 0) number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    return number - 1;
}

void granary_begin_writing(int file) {
#ifdef __linux__
    // What fails here fails in the sync, which tells.
    (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)file;
#endif
}
