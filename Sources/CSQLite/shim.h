#ifndef GRANARY_CSQLITE_H
#define GRANARY_CSQLITE_H
#include <sqlite3.h>
#ifdef __APPLE__
#include <dlfcn.h>
#endif

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int granary_sqlite3_db_config_flag(sqlite3 *db, int op, int on) {
    int now = 0;
    return sqlite3_db_config(db, op, on, &now);
}

// So is sqlite3_config.
static inline int granary_sqlite3_config_flag(int option, int on) { return sqlite3_config(option, on); }

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

// The hook that is called before each change of a row. Headers declare it, and libraries have it, only where SQLite was
// built with SQLITE_ENABLE_PREUPDATE_HOOK: all is null where it was not.
typedef void (*granary_sqlite3_row_callback)(
    void *context, sqlite3 *db, int op, const char *schema, const char *table, sqlite3_int64 old_rowid,
    sqlite3_int64 new_rowid);
typedef struct {
    void *(*install)(sqlite3 *, granary_sqlite3_row_callback, void *);
    int (*old_value)(sqlite3 *, int, sqlite3_value **);
    int (*new_value)(sqlite3 *, int, sqlite3_value **);
} granary_sqlite3_row_hook;

#ifdef __APPLE__
// The linker wants each symbol to be in the library of the SDK. Another library of the process may have the names too:
// only those of the one that the rest is called in are taken.
static inline void *granary_sqlite3_symbol(const char *name) {
    Dl_info here, there;
    void *symbol = dlsym(RTLD_DEFAULT, name);
    if (!symbol || !dladdr(symbol, &there) || !dladdr((const void *)&sqlite3_open_v2, &here)) return 0;
    return here.dli_fbase == there.dli_fbase ? symbol : 0;
}
static inline granary_sqlite3_row_hook granary_sqlite3_find_row_hook(void) {
    granary_sqlite3_row_hook hook;
    *(void **)&hook.install = granary_sqlite3_symbol("sqlite3_preupdate_hook");
    *(void **)&hook.old_value = granary_sqlite3_symbol("sqlite3_preupdate_old");
    *(void **)&hook.new_value = granary_sqlite3_symbol("sqlite3_preupdate_new");
    return hook;
}
#else
extern void *sqlite3_preupdate_hook(sqlite3 *, granary_sqlite3_row_callback, void *) __attribute__((weak));
extern int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **) __attribute__((weak));
extern int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **) __attribute__((weak));
static inline granary_sqlite3_row_hook granary_sqlite3_find_row_hook(void) {
    granary_sqlite3_row_hook hook = {sqlite3_preupdate_hook, sqlite3_preupdate_old, sqlite3_preupdate_new};
    return hook;
}
#endif

// Macros with an expression in them, which Swift does not import.
static const int granary_SQLITE_CONSTRAINT_CHECK = SQLITE_CONSTRAINT_CHECK;
static const int granary_SQLITE_CONSTRAINT_FOREIGNKEY = SQLITE_CONSTRAINT_FOREIGNKEY;
static const int granary_SQLITE_CONSTRAINT_NOTNULL = SQLITE_CONSTRAINT_NOTNULL;
static const int granary_SQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int granary_SQLITE_CONSTRAINT_ROWID = SQLITE_CONSTRAINT_ROWID;
static const int granary_SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT_UNIQUE;
#endif
