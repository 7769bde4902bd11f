#ifndef GRANARY_CSQLITE_H
#define GRANARY_CSQLITE_H
#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int granary_sqlite3_db_config_flag(sqlite3 *db, int op, int on) {
    int now = 0;
    return sqlite3_db_config(db, op, on, &now);
}

// SQLITE_TRANSIENT is a cast that Swift does not import.
static inline int granary_sqlite3_bind_text_copy(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
    return sqlite3_bind_text64(s, i, (const char *)p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int granary_sqlite3_bind_blob_copy(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
    return sqlite3_bind_blob64(s, i, p, n, SQLITE_TRANSIENT);
}

static inline void granary_sqlite3_result_text_copy(sqlite3_context *c, const void *p, sqlite3_uint64 n) {
    sqlite3_result_text64(c, (const char *)p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline void granary_sqlite3_result_blob_copy(sqlite3_context *c, const void *p, sqlite3_uint64 n) {
    sqlite3_result_blob64(c, p, n, SQLITE_TRANSIENT);
}

// Macros with an expression in them, which Swift does not import.
static const int granary_SQLITE_CONSTRAINT_CHECK = SQLITE_CONSTRAINT_CHECK;
static const int granary_SQLITE_CONSTRAINT_FOREIGNKEY = SQLITE_CONSTRAINT_FOREIGNKEY;
static const int granary_SQLITE_CONSTRAINT_NOTNULL = SQLITE_CONSTRAINT_NOTNULL;
static const int granary_SQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int granary_SQLITE_CONSTRAINT_ROWID = SQLITE_CONSTRAINT_ROWID;
static const int granary_SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT_UNIQUE;
#endif
