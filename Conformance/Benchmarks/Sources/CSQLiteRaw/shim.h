#ifndef BENCH_CSQLITERAW_H
#define BENCH_CSQLITERAW_H
#include <sqlite3.h>
#endif
