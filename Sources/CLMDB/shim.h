#ifndef GRANARY_CLMDB_H
#define GRANARY_CLMDB_H
#include <lmdb.h>
#endif
