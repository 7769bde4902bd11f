// Keys whose byte order is the order of the values.
//
// | value | bytes |
// |---|---|
// | bool | one byte, 0 or 1 |
// | integer | 8 bytes big-endian, sign bit flipped |
// | real | IEEE bits big-endian; negative: all flipped, else the sign bit |
// | uuid | 16 bytes |
// | text, data | the bytes, 00 written as 00 FF, then 00 00 |
//
// A row's key is the encoded key. An index's key is, for each attribute, 00 for nil or 01 and the encoded value; then
// the row's key; then, if row keys differ in length, one byte with that length, by which the two are split again.
//
// Engines bound their keys (LMDB: 511 bytes), texts are not bounded. So an encoded key longer than `rowKeyPrefix` is
// cut there and followed by a 16-byte hash of the whole value. The value part of an index key is cut in the same way at
// `indexPrefix`. Three consequences keep order and uniqueness right:
// - No encoding is the beginning of another, so a key that was not cut sorts correctly against one that was: they
//   differ within the prefix. Only keys that were cut with equal prefixes are in the order of their hashes; readers
//   that need the order sort such a group by the whole values, which the rows hold.
// - The length shows whether a key was cut: uncut keys are never as long as a cut one.
// - A bound longer than the prefix is cut too. It widens the range, and the condition checks the rest.

/// The sizes of the key format. Part of the file format: they never change.
enum KeyFormat {
    /// A longer row key is cut to this length and hashed.
    static let rowKeyPrefix = 164
    /// A longer value part of an index key is cut to this length and hashed.
    static let indexPrefix = 274
    static let hashSize = 16
    static let cutRowKey = rowKeyPrefix + hashSize
    static let cutIndexValue = indexPrefix + hashSize
    /// The longest possible key: it fits the smallest limit of an engine.
    static let longest = cutIndexValue + cutRowKey + 1
    static let bufferSize = 480

    static let hashSeeds: (UInt64, UInt64) = (0x6772_616E_6172_7931, 0x6B65_7963_7574_3032)
}
