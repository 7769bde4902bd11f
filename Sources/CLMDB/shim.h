#ifndef GRANARY_CLMDB_H
#define GRANARY_CLMDB_H
#include <lmdb.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif
#endif
