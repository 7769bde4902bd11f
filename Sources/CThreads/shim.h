#ifndef GRANARY_CTHREADS_H
#define GRANARY_CTHREADS_H
#ifdef __linux__
#include <pthread.h>
// The C library declares it for GNU source alone, as which Swift does not read its headers.
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
#endif
#endif
