/// Ordered entries of bytes that hold indexes of words: a table of SQLite, or a keyspace of a key/value store.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | keys | ordered by `memcmp`, with a prefix first; 1 to 480 bytes |
/// | values | any size; most are a little less than the block size of the index |
/// | reading | one consistent state; a writer sees its own writes |
/// | bytes | lent to the closure during its call only |
/// | closures | may throw, which ends the reading; they do not write. They may read, also from these blocks |
package protocol WordBlocks: AnyObject {
    /// Calls the closure with the value of exactly this key. Returns whether the key exists.
    func read(_ key: [UInt8], _ body: (_ value: UnsafeRawBufferPointer) throws -> Void) throws -> Bool
    /// Calls the closure with the last entry whose key is at or before this one. Returns whether such an entry exists.
    func readLast(atOrBefore key: [UInt8], _ body: (WordBlock) throws -> Void) throws -> Bool
    /// Calls the closure with each entry from this key on, in the order of the keys, while it returns true.
    func readEach(from key: [UInt8], _ body: (WordBlock) throws -> Bool) throws
}

/// Blocks that one writer may change.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `put` | creates or replaces; later calls often have greater keys |
/// | `delete` | does nothing if the key does not exist |
/// | all | atomic together with the transaction of the caller; after an error the caller ends its transaction |
package protocol WritableWordBlocks: WordBlocks {
    func put(_ key: [UInt8], _ value: [UInt8]) throws
    func delete(_ key: [UInt8]) throws
    /// Removes each entry whose key begins with these bytes.
    func deleteAll(prefix: [UInt8]) throws
}

/// A key and its value, whose bytes are lent to the closure that gets them.
package struct WordBlock {
    package var key: UnsafeRawBufferPointer
    package var value: UnsafeRawBufferPointer

    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        self.key = key
        self.value = value
    }
}
