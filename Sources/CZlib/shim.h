#ifndef GRANARY_CZLIB_H
#define GRANARY_CZLIB_H
#include <zlib.h>
#endif
