#ifndef GRANARY_CSQLITE_LOG_H
#define GRANARY_CSQLITE_LOG_H
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

// The index of the log begins with two copies of a header, of 48 bytes each, which is another after each commit of any
// process, and then says how much of the log has been copied into the database (https://sqlite.org/walformat.html). It is in
// memory that all connections share.

typedef struct {
    uint32_t words[25];
} granary_log_header;

// Where the header is, for as long as the connection is open; null if the connection has no log. It must have read before.
static inline const void *granary_sqlite3_log_index(sqlite3 *db) {
    sqlite3_file *file = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file) return 0;
    if (!file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    void volatile *page = 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &page) != SQLITE_OK) return 0;
    return (const void *)page;
}

static inline granary_log_header granary_sqlite3_log_header(const void *index) {
    granary_log_header header;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(&header, index, sizeof header);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return header;
}

// Whether nothing was committed or copied since the header was read. One that is being written is never the same. A state that
// was taken before the log was copied keeps the log from being begun anew; one that is taken afterwards does not.
static inline int granary_sqlite3_is_same_log(const void *index, const granary_log_header *header) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return memcmp(index, header, sizeof *header) == 0;
}

#endif
