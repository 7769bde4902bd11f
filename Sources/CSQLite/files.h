#ifndef GRANARY_CSQLITE_FILES_H
#define GRANARY_CSQLITE_FILES_H
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mman.h>

// SQLite's own access to files, with three things done differently. All state below belongs to the object file that the
// functions are compiled into: one Swift file alone calls them.

#define GRANARY_FILES "granary"

// Of the calling thread: how long it may sleep in calls to SQLite, and how long it has slept, in microseconds; and the
// errno of the last file that could not be written, 0 for none.
typedef struct {
    sqlite3_int64 allowed, slept;
    int file_error;
} granary_thread;

static inline granary_thread *granary_sqlite3_thread(void) {
    static _Thread_local granary_thread thread = {-1, 0, 0};
    return &thread;
}

// Begins anew. Less than nothing: as long as SQLite likes.
static inline void granary_sqlite3_allow_sleep(sqlite3_int64 microseconds) {
    granary_thread *thread = granary_sqlite3_thread();
    thread->allowed = microseconds;
    thread->slept = 0;
    thread->file_error = 0;
}

static inline int granary_sqlite3_file_error(void) { return granary_sqlite3_thread()->file_error; }

typedef struct {
    sqlite3_vfs *system;
    sqlite3_vfs vfs;
    const sqlite3_io_methods *system_methods;
    sqlite3_io_methods methods;
} granary_files;

static inline granary_files *granary_sqlite3_files(void) {
    static granary_files files;
    return &files;
}

// Where a lock fails for ever, a read tries a hundred times and sleeps ten seconds in all, whatever the busy time-out is.
// With nothing left to sleep the rest of its attempts take no time.
static inline int granary_sqlite3_sleep(sqlite3_vfs *vfs, int microseconds) {
    sqlite3_vfs *system = granary_sqlite3_files()->system;
    granary_thread *thread = granary_sqlite3_thread();
    if (thread->allowed >= 0) {
        sqlite3_int64 rest = thread->allowed - thread->slept;
        if (rest <= 0) return 0;
        if (microseconds > rest) microseconds = (int)rest;
        thread->slept += microseconds;
    }
    return system->xSleep(system, microseconds);
}

// SQLite gives the shared memory its size by writing one byte into every 4 KiB. Where the disk's blocks are smaller the
// rest are holes, and on a full disk touching one ends the process with SIGBUS. Linux gives a mapping its blocks when
// asked to, and says that it could not; a Linux before 5.14 does not know the question, and nothing is gained there.
static inline int granary_sqlite3_shm_map(
    sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    int code = granary_sqlite3_files()->system_methods->xShmMap(file, region, size, extend, memory);
#ifdef __linux__
    const int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers lack
    if (code == SQLITE_OK && *memory && madvise((void *)*memory, (size_t)size, populate_write) != 0 &&
        (errno == EFAULT || errno == ENOSPC)) {
        *memory = 0;
        errno = granary_sqlite3_thread()->file_error = ENOSPC;
        return SQLITE_IOERR_SHMSIZE;
    }
#endif
    return code;
}

// SQLite forgets at COMMIT why a file could not be written or synced. It may have been that the disk is full.
static inline int granary_sqlite3_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int code = granary_sqlite3_files()->system_methods->xWrite(file, bytes, count, offset);
    if (code != SQLITE_OK) granary_sqlite3_thread()->file_error = errno;
    return code;
}
static inline int granary_sqlite3_sync(sqlite3_file *file, int flags) {
    int code = granary_sqlite3_files()->system_methods->xSync(file, flags);
    if (code != SQLITE_OK) granary_sqlite3_thread()->file_error = errno;
    return code;
}
static inline int granary_sqlite3_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = granary_sqlite3_files()->system_methods->xTruncate(file, size);
    if (code != SQLITE_OK) granary_sqlite3_thread()->file_error = errno;
    return code;
}

// The files' methods are the system's but for these. They are not known before a file is open.
static inline int granary_sqlite3_open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *actual) {
    granary_files *files = granary_sqlite3_files();
    int code = files->system->xOpen(files->system, name, file, flags, actual);
    if (code != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) || file->pMethods->iVersion < 2) return code;
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    if (!files->system_methods) {
        files->methods = *file->pMethods;
        files->methods.xShmMap = granary_sqlite3_shm_map;
        files->methods.xWrite = granary_sqlite3_write;
        files->methods.xSync = granary_sqlite3_sync;
        files->methods.xTruncate = granary_sqlite3_truncate;
        files->system_methods = file->pMethods;
    }
    // Others belong to file systems with locks of another kind: left as they are.
    if (file->pMethods == files->system_methods) file->pMethods = &files->methods;
    sqlite3_mutex_leave(mutex);
    return SQLITE_OK;
}

// Makes SQLite's own way to files known by another name. Called once, before any other.
static inline int granary_sqlite3_register_files(void) {
    granary_files *files = granary_sqlite3_files();
    files->system = sqlite3_vfs_find(0);
    if (!files->system) return SQLITE_ERROR;
    files->vfs = *files->system;
    files->vfs.zName = GRANARY_FILES;
    files->vfs.pNext = 0;
    files->vfs.xOpen = granary_sqlite3_open_file;
    files->vfs.xSleep = granary_sqlite3_sleep;
    return sqlite3_vfs_register(&files->vfs, 0);
}
#endif
