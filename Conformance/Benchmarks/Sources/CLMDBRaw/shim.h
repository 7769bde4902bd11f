#ifndef BENCH_CLMDBRAW_H
#define BENCH_CLMDBRAW_H
#include <lmdb.h>
#endif
