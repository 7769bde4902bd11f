// Faults in the system calls of this process, without a kernel that helps: functions of the C library that make calls
// on files are defined here and come before the library's own, whether this file is linked into the program or preloaded
// into another. Each counts the calls on files below one folder, lets the plan's one fail, and passes the others on.
// Changes of files are recorded in their order, with their bytes, from which a loss of power at any moment can be worked
// out.
//
// Preloaded, the plan is in the environment:
//
//     cc -shared -fPIC -O2 -I include -o libfaults.so faults.c
//     LD_PRELOAD=./libfaults.so FAULTS_FOLDER=/tmp/x FAULTS_PLAN=sync,3,once,EIO program
//
// The plan is KIND,NUMBER,once|ever,EFFECT; the effect is EIO, ENOSPC, EMFILE, EACCES, ENOMEM, ENOLCK, short, done,
// doneThenError or kill. With FAULTS_COUNTS=1 the number of calls of each kind is printed on standard error when the
// program ends.
//
// The clock may jump: readings of the time of day are wrong then, each by another time. Clocks that only measure are right.
//
// Not seen: writes through memory maps, calls that the C library makes by itself, system calls made directly.

#if defined(__linux__)
#define _GNU_SOURCE
#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct faults_control none, *control = &none;
static const char *const kind_names[] = {"open", "read", "write", "sync", "datasync", "truncate", "allocate",
    "rename", "unlink", "mkdir", "map", "lock", "flock"};
const char *faults_kind_name(int kind) { return kind >= 0 && kind < FAULTS_KINDS ? kind_names[kind] : ""; }

// The function that this one hides.
#define REAL(result, name, ...) \
    static result (*known)(__VA_ARGS__); \
    result (*real)(__VA_ARGS__) = __atomic_load_n(&known, __ATOMIC_RELAXED); \
    if (!real) { \
        real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name); \
        __atomic_store_n(&known, real, __ATOMIC_RELAXED); \
    }

// MARK: Which files are meant

// The files by their descriptors. An entry changes only when its descriptor is opened or closed.
#define DESCRIPTORS 1024
static char *paths[DESCRIPTORS];
static unsigned char are_durable[DESCRIPTORS];

static int is_watched_path(const char *path) {
    size_t length = strlen(control->folder);
    return length > 0 && strncmp(path, control->folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static const char *path_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? paths[descriptor] : NULL;
}

static int is_watched(int descriptor) {
    const char *path = path_of(descriptor);
    return path && is_watched_path(path);
}

// The absolute path of a name below an open folder. Only paths that begin with '/' are watched.
static const char *resolve(int folder, const char *name, char buffer[PATH_MAX]) {
    const char *base = path_of(folder);
    if (name[0] == '/' || !base) return name;
    if (strcmp(name, ".") == 0) return base;
    snprintf(buffer, PATH_MAX, "%s/%s", base, name);
    return buffer;
}

static void remember(int descriptor, const char *path, int flags) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS || !is_watched_path(path)) return;
    free(paths[descriptor]);
    paths[descriptor] = strdup(path);
    are_durable[descriptor] = (flags & O_DSYNC) != 0;
}

static void forget(int descriptor) {
    if (!path_of(descriptor)) return;
    free(paths[descriptor]);
    paths[descriptor] = NULL;
}

// MARK: The plan

// Counts a call on a path, and says what is to happen to it. An error is in errno.
static int fate(int kind, const char *path) {
    int64_t number = __atomic_add_fetch(&control->counts[kind], 1, __ATOMIC_SEQ_CST);
    if (control->effect == FAULTS_NONE || control->kind != kind) return FAULTS_NONE;
    int is_pair = control->effect == FAULTS_DONE_THEN_ERROR;
    int64_t last = control->for_ever ? INT64_MAX : control->at + is_pair;
    if (number < control->at || number > last) return FAULTS_NONE;
    __atomic_add_fetch(&control->fired, 1, __ATOMIC_SEQ_CST);
    snprintf(control->fired_path, sizeof control->fired_path, "%s", path ? path : "");
    if (control->effect == FAULTS_KILL) kill(getpid(), SIGKILL);
    errno = control->error_number;
    if (is_pair) return number == control->at ? FAULTS_DONE : FAULTS_ERROR;
    return control->effect;
}

// What a call returns that was made: its own result, or a failure that the plan pretends.
static ssize_t told(ssize_t result, int what) {
    if (what != FAULTS_DONE || result < 0) return result;
    errno = control->error_number;
    return -1;
}

void faults_follow(struct faults_control *next) { control = next ? next : &none; }
int faults_fork(void) { return fork(); }

__attribute__((constructor)) static void read_environment(void) {
    const char *folder = getenv("FAULTS_FOLDER"), *plan = getenv("FAULTS_PLAN");
    if (!folder) return;
    snprintf(none.folder, sizeof none.folder, "%s", folder);
    char kind[32], mode[32], effect[32];
    long at;
    if (!plan || sscanf(plan, "%31[a-z],%ld,%31[a-z],%31[A-Za-z]", kind, &at, mode, effect) != 4) return;
    static const struct { const char *name; int number; } errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC},
        {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"ENOMEM", ENOMEM}, {"ENOLCK", ENOLCK}};
    for (none.kind = 0; none.kind < FAULTS_KINDS && strcmp(kind, kind_names[none.kind]) != 0;) none.kind++;
    none.at = at;
    none.for_ever = strcmp(mode, "ever") == 0;
    none.error_number = EIO;
    none.effect = strcmp(effect, "short") == 0 ? FAULTS_SHORT
        : strcmp(effect, "done") == 0          ? FAULTS_DONE
        : strcmp(effect, "kill") == 0          ? FAULTS_KILL
        : strcmp(effect, "doneThenError") == 0 ? FAULTS_DONE_THEN_ERROR
                                               : FAULTS_ERROR;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(effect, errors[i].name) == 0) none.error_number = errors[i].number;
}

__attribute__((destructor)) static void print_counts(void) {
    if (!getenv("FAULTS_COUNTS") || !none.folder[0]) return;
    for (int kind = 0; kind < FAULTS_KINDS; kind++)
        if (none.counts[kind]) fprintf(stderr, "%s %lld\n", kind_names[kind], (long long)none.counts[kind]);
    fprintf(stderr, "failed %lld\n", (long long)none.fired);
}

// MARK: The record

// Held while a change is made and recorded, so that the record has the order in which changes were made.
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define CHANGE(...) (struct faults_change){__VA_ARGS__}

static void record(struct faults_change change, const char *name, const struct iovec *parts, int count) {
    if (!control->log) return;
    change.name_length = name ? (uint32_t)strlen(name) : 0;
    // A renaming has two names, with a zero between them.
    if (change.kind == FAULTS_RENAMED) change.name_length += 1 + (uint32_t)strlen(name + change.name_length + 1);
    uint64_t left = change.byte_count, size = sizeof change + change.name_length + left;
    if (control->log_used + size > control->log_capacity) {
        control->log_overflowed = 1;
        return;
    }
    uint8_t *to = control->log + control->log_used;
    memcpy(to, &change, sizeof change);
    to += sizeof change;
    if (name) memcpy(to, name, change.name_length);
    to += change.name_length;
    for (int i = 0; i < count && left > 0; i++) {
        size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;
        memcpy(to, parts[i].iov_base, part);
        to += part;
        left -= part;
    }
    control->log_used += size;
}

void faults_mark(const char *bytes, size_t count) {
    struct iovec part = {(void *)bytes, count};
    pthread_mutex_lock(&order);
    record(CHANGE(.kind = FAULTS_MARKED, .byte_count = count), NULL, &part, 1);
    pthread_mutex_unlock(&order);
}

static uint64_t file_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static uint64_t file_at(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? status.st_ino : 0;
}

// The folder that a path names something in.
static uint64_t folder_of(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    return file_at(folder);
}

static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// MARK: Opening and closing

typedef int open_function(int, const char *, int, mode_t);

static int opened(open_function *real, int folder, const char *name, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = resolve(folder, name, buffer);
    if (!is_watched_path(path)) return real(folder, name, flags, mode);
    if (fate(FAULTS_OPEN, path) == FAULTS_ERROR) return -1;
    pthread_mutex_lock(&order);
    int is_new = (flags & O_CREAT) && file_at(path) == 0;
    int descriptor = real(folder, name, flags, mode), number = errno;
    remember(descriptor, path, flags);
    if (descriptor >= 0 && control->log) {
        if (is_new)
            record(CHANGE(.kind = FAULTS_CREATED, .folder = folder_of(path), .file = file_of(descriptor)),
                name_in(path), NULL, 0);
        else if (flags & O_TRUNC)
            record(CHANGE(.kind = FAULTS_TRUNCATED, .file = file_of(descriptor)), NULL, NULL, 0);
    }
    pthread_mutex_unlock(&order);
    errno = number;
    return descriptor;
}

#define MODE() \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }
static int real_openat(int folder, const char *name, int flags, mode_t mode) {
    REAL(int, openat, int, const char *, int, ...);
    return real(folder, name, flags, mode);
}
int open(const char *path, int flags, ...) { MODE() return opened(real_openat, AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE() return opened(real_openat, AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *name, int flags, ...) {
    MODE() return opened(real_openat, folder, name, flags, mode);
}
int openat64(int folder, const char *name, int flags, ...) {
    MODE() return opened(real_openat, folder, name, flags, mode);
}

int close(int descriptor) {
    REAL(int, close, int);
    forget(descriptor);
    return real(descriptor);
}

// MARK: Reading and writing

ssize_t read(int descriptor, void *bytes, size_t count) {
    REAL(ssize_t, read, int, void *, size_t);
    if (is_watched(descriptor) && fate(FAULTS_READ, path_of(descriptor)) == FAULTS_ERROR) return -1;
    return real(descriptor, bytes, count);
}

static ssize_t read_at(int descriptor, void *bytes, size_t count, off64_t offset) {
    REAL(ssize_t, pread64, int, void *, size_t, off64_t);
    if (is_watched(descriptor) && fate(FAULTS_READ, path_of(descriptor)) == FAULTS_ERROR) return -1;
    return real(descriptor, bytes, count, offset);
}
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return read_at(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    return read_at(descriptor, bytes, count, offset);
}

static ssize_t real_writev(int descriptor, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    return real(descriptor, parts, count);
}
static ssize_t real_pwritev(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t);
    return real(descriptor, parts, count, offset);
}

// Every way of writing. An offset below zero: where the file's position is.
static ssize_t write_parts(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    if (!is_watched(descriptor))
        return offset < 0 ? real_writev(descriptor, parts, count) : real_pwritev(descriptor, parts, count, offset);
    int what = fate(FAULTS_WRITE, path_of(descriptor));
    if (what == FAULTS_ERROR) return -1;
    struct iovec half = parts[0];
    if (what == FAULTS_SHORT) {
        half.iov_len = half.iov_len > 1 ? half.iov_len / 2 : half.iov_len;
        parts = &half;
        count = 1;
    }
    pthread_mutex_lock(&order);
    off64_t position = offset;
    if (position < 0) {
        struct stat status;
        int is_appending = fcntl(descriptor, F_GETFL) & O_APPEND;
        position = is_appending && fstat(descriptor, &status) == 0 ? status.st_size : lseek64(descriptor, 0, SEEK_CUR);
    }
    ssize_t result =
        offset < 0 ? real_writev(descriptor, parts, count) : real_pwritev(descriptor, parts, count, offset);
    int number = errno;
    if (result > 0 && control->log)
        record(CHANGE(.kind = FAULTS_WRITTEN, .file = file_of(descriptor), .offset = position,
                   .byte_count = result, .is_durable = are_durable[descriptor]), NULL, parts, count);
    pthread_mutex_unlock(&order);
    errno = number;
    return told(result, what);
}
static ssize_t write_bytes(int descriptor, const void *bytes, size_t count, off64_t offset) {
    struct iovec part = {(void *)bytes, count};
    return write_parts(descriptor, &part, 1, offset);
}
ssize_t write(int descriptor, const void *bytes, size_t count) { return write_bytes(descriptor, bytes, count, -1); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_bytes(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return write_bytes(descriptor, bytes, count, offset);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return write_parts(descriptor, parts, count, -1);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return write_parts(descriptor, parts, count, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    return write_parts(descriptor, parts, count, offset);
}

// MARK: Syncing and sizes

static int synced(int (*real)(int), int kind, int descriptor) {
    if (!is_watched(descriptor)) return real(descriptor);
    int what = fate(kind, path_of(descriptor)), number = errno;
    pthread_mutex_lock(&order);
    if (what == FAULTS_ERROR) {
        record(CHANGE(.kind = FAULTS_NOT_SYNCED, .file = file_of(descriptor)), NULL, NULL, 0);
        pthread_mutex_unlock(&order);
        errno = number;
        return -1;
    }
    int result = real(descriptor);
    number = errno;
    if (result == 0) record(CHANGE(.kind = FAULTS_SYNCED, .file = file_of(descriptor)), NULL, NULL, 0);
    pthread_mutex_unlock(&order);
    errno = number;
    return told(result, what);
}
int fsync(int descriptor) { REAL(int, fsync, int); return synced(real, FAULTS_SYNC, descriptor); }
int fdatasync(int descriptor) { REAL(int, fdatasync, int); return synced(real, FAULTS_DATASYNC, descriptor); }

static int truncated(int descriptor, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    if (!is_watched(descriptor)) return real(descriptor, size);
    if (fate(FAULTS_TRUNCATE, path_of(descriptor)) == FAULTS_ERROR) return -1;
    pthread_mutex_lock(&order);
    int result = real(descriptor, size), number = errno;
    if (result == 0)
        record(CHANGE(.kind = FAULTS_TRUNCATED, .file = file_of(descriptor), .offset = size), NULL, NULL, 0);
    pthread_mutex_unlock(&order);
    errno = number;
    return result;
}
int ftruncate(int descriptor, off_t size) { return truncated(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return truncated(descriptor, size); }

// posix_fallocate returns the error; fallocate sets errno.
static int allocated(int descriptor, off64_t offset, off64_t length) {
    REAL(int, posix_fallocate64, int, off64_t, off64_t);
    if (!is_watched(descriptor)) return real(descriptor, offset, length);
    if (fate(FAULTS_ALLOCATE, path_of(descriptor)) == FAULTS_ERROR) return errno;
    pthread_mutex_lock(&order);
    int result = real(descriptor, offset, length);
    if (result == 0)
        record(CHANGE(.kind = FAULTS_EXTENDED, .file = file_of(descriptor), .offset = offset + length),
            NULL, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}
int posix_fallocate(int descriptor, off_t offset, off_t length) { return allocated(descriptor, offset, length); }
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
    return allocated(descriptor, offset, length);
}
static int allocated_in_mode(int descriptor, int mode, off64_t offset, off64_t length) {
    REAL(int, fallocate64, int, int, off64_t, off64_t);
    if (mode != 0 || !is_watched(descriptor)) return real(descriptor, mode, offset, length);
    int number = allocated(descriptor, offset, length);
    if (number) errno = number;
    return number ? -1 : 0;
}
int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    return allocated_in_mode(descriptor, mode, offset, length);
}
int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    return allocated_in_mode(descriptor, mode, offset, length);
}

// MARK: Names

int renameat(int from, const char *old, int to, const char *new) {
    REAL(int, renameat, int, const char *, int, const char *);
    char buffers[2][PATH_MAX];
    const char *source = resolve(from, old, buffers[0]), *target = resolve(to, new, buffers[1]);
    if (!is_watched_path(source) && !is_watched_path(target)) return real(from, old, to, new);
    int what = fate(FAULTS_RENAME, target);
    if (what == FAULTS_ERROR) return -1;
    pthread_mutex_lock(&order);
    int result = real(from, old, to, new), number = errno;
    if (result == 0 && control->log) {
        char names[2 * NAME_MAX + 3] = {0};
        int length = snprintf(names, NAME_MAX + 1, "%s", name_in(source));
        snprintf(names + length + 1, NAME_MAX + 1, "%s", name_in(target));
        record(CHANGE(.kind = FAULTS_RENAMED, .folder = folder_of(source), .other = folder_of(target)),
            names, NULL, 0);
    }
    pthread_mutex_unlock(&order);
    errno = number;
    return told(result, what);
}
int rename(const char *old, const char *new) { return renameat(AT_FDCWD, old, AT_FDCWD, new); }

int unlinkat(int folder, const char *name, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    char buffer[PATH_MAX];
    const char *path = resolve(folder, name, buffer);
    if (!is_watched_path(path)) return real(folder, name, flags);
    if (fate(FAULTS_UNLINK, path) == FAULTS_ERROR) return -1;
    pthread_mutex_lock(&order);
    int result = real(folder, name, flags), number = errno;
    if (result == 0 && control->log)
        record(CHANGE(.kind = FAULTS_REMOVED, .folder = folder_of(path)), name_in(path), NULL, 0);
    pthread_mutex_unlock(&order);
    errno = number;
    return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *name, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    char buffer[PATH_MAX];
    const char *path = resolve(folder, name, buffer);
    if (!is_watched_path(path)) return real(folder, name, mode);
    if (fate(FAULTS_MKDIR, path) == FAULTS_ERROR) return -1;
    pthread_mutex_lock(&order);
    int result = real(folder, name, mode), number = errno;
    if (result == 0 && control->log)
        record(CHANGE(.kind = FAULTS_MADE, .folder = folder_of(path), .file = file_at(path)), name_in(path), NULL, 0);
    pthread_mutex_unlock(&order);
    errno = number;
    return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// MARK: The time of day

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(int, clock_gettime, clockid_t, struct timespec *);
    int result = real(clock, time);
    if (result != 0 || clock != CLOCK_REALTIME || !control->clock_jumps) return result;
    static const int64_t jumps[] = {0, 1, -1, 3600, -3600, 86400, -86400, 3155760000, -3155760000};
    uint64_t number = (uint64_t)__atomic_add_fetch(&control->clock_readings, 1, __ATOMIC_RELAXED);
    time->tv_sec += jumps[(number * 0x9E3779B97F4A7C15u >> 32) % (sizeof jumps / sizeof *jumps)];
    return result;
}

// MARK: Maps and locks

static void *mapped(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    REAL(void *, mmap64, void *, size_t, int, int, int, off64_t);
    if (!(flags & MAP_ANONYMOUS) && is_watched(descriptor) && fate(FAULTS_MAP, path_of(descriptor)) == FAULTS_ERROR) return MAP_FAILED;
    return real(address, length, protection, flags, descriptor, offset);
}
void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return mapped(address, length, protection, flags, descriptor, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return mapped(address, length, protection, flags, descriptor, offset);
}

static int controlled(int descriptor, int command, void *argument) {
    REAL(int, fcntl64, int, int, ...);
    int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (is_lock && is_watched(descriptor)) {
        // Giving a lock up does not fail.
        if (((struct flock *)argument)->l_type != F_UNLCK && fate(FAULTS_LOCK, path_of(descriptor)) == FAULTS_ERROR) return -1;
    }
    int result = real(descriptor, command, argument);
    if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC) && is_watched(descriptor))
        remember(result, paths[descriptor], are_durable[descriptor] ? O_DSYNC : 0);
    return result;
}
#define ARGUMENT() \
    va_list arguments; \
    va_start(arguments, command); \
    void *argument = va_arg(arguments, void *); \
    va_end(arguments);
int fcntl(int descriptor, int command, ...) { ARGUMENT() return controlled(descriptor, command, argument); }
int fcntl64(int descriptor, int command, ...) { ARGUMENT() return controlled(descriptor, command, argument); }

int flock(int descriptor, int operation) {
    REAL(int, flock, int, int);
    if (is_watched(descriptor) && !(operation & 8 /* LOCK_UN */) && fate(FAULTS_FLOCK, path_of(descriptor)) == FAULTS_ERROR) return -1;
    return real(descriptor, operation);
}
#endif
