#ifndef GRANARY_CSQLITE_H
#define GRANARY_CSQLITE_H
#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int granary_sqlite3_db_config_flag(sqlite3 *db, int op, int on) {
    int now = 0;
    return sqlite3_db_config(db, op, on, &now);
}
#endif
