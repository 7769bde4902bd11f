#ifndef GRANARY_FAULTS_H
#define GRANARY_FAULTS_H
// Faults in the calls that a program makes on the files of one folder. See faults.c.

#include <stddef.h>
#include <stdint.h>

// The kinds of calls, in the order of faults_kind_name.
enum faults_kind {
    FAULTS_OPEN, FAULTS_READ, FAULTS_WRITE, FAULTS_SYNC, FAULTS_DATASYNC, FAULTS_TRUNCATE, FAULTS_ALLOCATE,
    FAULTS_RENAME, FAULTS_UNLINK, FAULTS_MKDIR, FAULTS_MAP, FAULTS_LOCK, FAULTS_FLOCK, FAULTS_KINDS
};

// What happens to the call that the plan names.
enum faults_effect {
    FAULTS_NONE,
    FAULTS_ERROR,  // It fails with `error_number` and does nothing.
    FAULTS_SHORT,  // A write writes half of its bytes and says so.
    FAULTS_DONE,   // It does what it should, and says that it failed.
    FAULTS_KILL,   // The process is killed before it.
    FAULTS_DONE_THEN_ERROR  // As FAULTS_DONE; and as FAULTS_ERROR the next call of the kind, which may be to undo it.
};

// One plan, and what came of it. The harness keeps it in memory that a child shares with its parent.
struct faults_control {
    char folder[1024];  // Calls on paths that begin so are counted; empty: none are.
    int32_t kind, effect, error_number, for_ever;
    int64_t at;  // The number of the call, from 1.
    int64_t fired, counts[FAULTS_KINDS];
    int64_t clock_jumps, clock_readings;  // Not 0: each reading of the time of day is off by up to a hundred years.
    char fired_path[1024];  // Of the last call that something happened to.
    uint8_t *log;  // Where changes are recorded; null: nowhere.
    uint64_t log_capacity, log_used, log_overflowed;
};

// The recorded changes. Each is a `faults_change` and then `name_length` and `byte_count` bytes, without padding.
enum faults_change_kind {
    FAULTS_CREATED,    // `file` in `folder`, by the name
    FAULTS_MADE,       // the folder `file` in `folder`, by the name
    FAULTS_REMOVED,    // the name, from `folder`
    FAULTS_RENAMED,    // from the name in `folder` to the one in `other`; names are separated by a zero
    FAULTS_WRITTEN,    // the bytes, to `file` at `offset`
    FAULTS_TRUNCATED,  // `file` to `offset` bytes
    FAULTS_EXTENDED,   // `file` to at least `offset` bytes
    FAULTS_SYNCED,     // `file`, which may be a folder
    FAULTS_NOT_SYNCED, // `file`: the call failed
    FAULTS_MARKED      // the bytes are a line of the program's own
};
struct faults_change {
    uint32_t kind, name_length;
    uint64_t folder, other, file, offset, byte_count, is_durable;  // durable: written by a descriptor with O_DSYNC
};

// Follows the plan from now on, or none.
void faults_follow(struct faults_control *control);
// Records a line of the program's own between the changes.
void faults_mark(const char *bytes, size_t count);
const char *faults_kind_name(int kind);
// Swift does not offer it. The caller must have one thread.
int faults_fork(void);

#endif
