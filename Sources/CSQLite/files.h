#ifndef GRANARY_CSQLITE_FILES_H
#define GRANARY_CSQLITE_FILES_H
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mman.h>

// SQLite's own access to files, with a few things done differently. All state below belongs to the object file that the
// functions are compiled into: one Swift file alone calls them.

#define GRANARY_FILES "granary"

// Of the calling thread: how long it may sleep in calls to SQLite, and how long it has slept, in microseconds; and the
// errno of the last call on a file that failed, 0 for none.
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

// Notes why a call on a file failed. SQLite asks for errno when it reports an error, which may be some calls later.
static inline int granary_sqlite3_noted(int code) {
    if (code != SQLITE_OK && errno != 0) granary_sqlite3_thread()->file_error = errno;
    return code;
}

// The methods of one kind of file: the database's take locks, those of the files beside it do not. A file's pMethods point
// to `methods`, so that the rest is found from there.
typedef struct {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *system;
    int is_written;  // opened for writing
} granary_methods;

static inline const sqlite3_io_methods *granary_sqlite3_system(sqlite3_file *file) {
    return ((const granary_methods *)file->pMethods)->system;
}

// More than SQLite has; a file of yet another kind is left as it is.
#define GRANARY_KINDS 8

typedef struct {
    sqlite3_vfs *system;
    sqlite3_vfs vfs;
    granary_methods kinds[GRANARY_KINDS];
    int (*system_open)(const char *, int, int);
} granary_files;

static inline granary_files *granary_sqlite3_files(void) {
    static granary_files files;
    return &files;
}

// A file that cannot be opened for writing SQLite opens for reading, which succeeds or fails for another reason. Stands in
// the place of `open` for all of SQLite in this process.
static inline int granary_sqlite3_open_call(const char *path, int flags, int mode) {
    int descriptor = granary_sqlite3_files()->system_open(path, flags, mode);
    if (descriptor < 0 && (flags & O_ACCMODE) == O_RDWR) granary_sqlite3_thread()->file_error = errno;
    return descriptor;
}

// Around what opens files. What went wrong first is noted, or what was noted before.
static inline int granary_sqlite3_begin(void) {
    int before = granary_sqlite3_thread()->file_error;
    errno = granary_sqlite3_thread()->file_error = 0;
    return before;
}
static inline void granary_sqlite3_end(int code, int before) {
    granary_thread *thread = granary_sqlite3_thread();
    if (thread->file_error == 0) granary_sqlite3_noted(code);
    if (thread->file_error == 0) thread->file_error = before;
}

// How much of a pause the calling thread may take, which counts as slept; in microseconds.
static inline int granary_sqlite3_take_sleep(int microseconds) {
    granary_thread *thread = granary_sqlite3_thread();
    if (thread->allowed < 0) return microseconds;
    sqlite3_int64 rest = thread->allowed - thread->slept;
    if (rest <= 0) return 0;
    if (microseconds > rest) microseconds = (int)rest;
    thread->slept += microseconds;
    return microseconds;
}

// Where a lock fails for ever, a read tries a hundred times and sleeps ten seconds in all, whatever the busy time-out is.
// With nothing left to sleep the rest of its attempts take no time.
static inline int granary_sqlite3_sleep(sqlite3_vfs *vfs, int microseconds) {
    sqlite3_vfs *system = granary_sqlite3_files()->system;
    microseconds = granary_sqlite3_take_sleep(microseconds);
    return microseconds > 0 ? system->xSleep(system, microseconds) : 0;
}

// Where the log or the shared memory was opened for reading only, the first write fails, on another thread perhaps. A
// connection that is to write fails at once.
//
// SQLite gives the shared memory its size by writing one byte into every 4 KiB. Where the disk's blocks are smaller the
// rest are holes, and on a full disk touching one ends the process with SIGBUS. Linux gives a mapping its blocks when
// asked to, and says that it could not; a Linux before 5.14 does not know the question, and nothing is gained there.
static inline int granary_sqlite3_shm_map(
    sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    int before = granary_sqlite3_begin();
    int code = granary_sqlite3_system(file)->xShmMap(file, region, size, extend, memory);
    granary_sqlite3_end(code, before);
    if ((code & 0xFF) == SQLITE_READONLY && ((const granary_methods *)file->pMethods)->is_written) {
        *memory = 0;
        return SQLITE_READONLY_CANTLOCK;
    }
#ifdef __linux__
    const int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers lack
    if (code == SQLITE_OK && *memory && madvise((void *)*memory, (size_t)size, populate_write) != 0 &&
        (errno == EFAULT || errno == ENOSPC)) {
        *memory = 0;
        errno = ENOSPC;
        return granary_sqlite3_noted(SQLITE_IOERR_SHMSIZE);
    }
#endif
    return code;
}

static inline int granary_sqlite3_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return granary_sqlite3_noted(granary_sqlite3_system(file)->xWrite(file, bytes, count, offset));
}
static inline int granary_sqlite3_sync(sqlite3_file *file, int flags) {
    return granary_sqlite3_noted(granary_sqlite3_system(file)->xSync(file, flags));
}
static inline int granary_sqlite3_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return granary_sqlite3_noted(granary_sqlite3_system(file)->xTruncate(file, size));
}

// Where a file is removed for good its folder is synced, which may fail too.
static inline int granary_sqlite3_delete_file(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
    sqlite3_vfs *system = granary_sqlite3_files()->system;
    int code = system->xDelete(system, name, syncs_folder);
    return code == SQLITE_IOERR_DELETE_NOENT ? code : granary_sqlite3_noted(code);
}

// Gives an open file the methods above. The system's own are not known before a file is open.
static inline void granary_sqlite3_adopt(sqlite3_file *file, int is_written) {
    granary_files *files = granary_sqlite3_files();
    if (file->pMethods->iVersion < 2) return;
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    for (int i = 0; i < GRANARY_KINDS; i++) {
        granary_methods *kind = &files->kinds[i];
        if (!kind->system) {
            kind->methods = *file->pMethods;
            if (kind->methods.xShmMap) kind->methods.xShmMap = granary_sqlite3_shm_map;
            kind->methods.xWrite = granary_sqlite3_write;
            kind->methods.xSync = granary_sqlite3_sync;
            kind->methods.xTruncate = granary_sqlite3_truncate;
            kind->is_written = is_written;
            kind->system = file->pMethods;
        }
        if (kind->system == file->pMethods && kind->is_written == is_written) {
            file->pMethods = &kind->methods;
            break;
        }
    }
    sqlite3_mutex_leave(mutex);
}

// Whether a log's database was opened for writing.
static inline int granary_sqlite3_is_written(const char *log_name) {
    granary_files *files = granary_sqlite3_files();
    const granary_methods *kind = (const granary_methods *)sqlite3_database_file_object(log_name)->pMethods;
    return kind >= files->kinds && kind < files->kinds + GRANARY_KINDS && kind->is_written;
}

static inline int granary_sqlite3_open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *actual) {
    sqlite3_vfs *system = granary_sqlite3_files()->system;
    int opened = 0, before = granary_sqlite3_begin();
    int code = system->xOpen(system, name, file, flags, &opened);
    int is_written = (opened & SQLITE_OPEN_READWRITE) != 0;
    int is_less = (flags & SQLITE_OPEN_READWRITE) && !is_written;
    granary_sqlite3_end(is_less ? SQLITE_READONLY : code, before);
    if (actual) *actual = opened;
    if (code != SQLITE_OK) return code;
    if (is_less && (flags & SQLITE_OPEN_WAL) && granary_sqlite3_is_written(name)) {
        file->pMethods->xClose(file);
        file->pMethods = 0;
        return SQLITE_READONLY;
    }
    granary_sqlite3_adopt(file, is_written);
    return SQLITE_OK;
}

// Makes SQLite's own way to files known by another name. Called once, before any other.
static inline int granary_sqlite3_register_files(void) {
    granary_files *files = granary_sqlite3_files();
    files->system = sqlite3_vfs_find(0);
    if (!files->system) return SQLITE_ERROR;
    if (files->system->iVersion >= 3 && files->system->xGetSystemCall) {
        files->system_open = (int (*)(const char *, int, int))files->system->xGetSystemCall(files->system, "open");
        if (files->system_open)
            files->system->xSetSystemCall(files->system, "open", (sqlite3_syscall_ptr)granary_sqlite3_open_call);
    }
    files->vfs = *files->system;
    files->vfs.zName = GRANARY_FILES;
    files->vfs.pNext = 0;
    files->vfs.xOpen = granary_sqlite3_open_file;
    files->vfs.xDelete = granary_sqlite3_delete_file;
    files->vfs.xSleep = granary_sqlite3_sleep;
    return sqlite3_vfs_register(&files->vfs, 0);
}
#endif
