package import GranaryStoreKit

/// A commit that no rule checks, to a store that no stack has open: for tests that damage it.
package struct UncheckedCommit {
    private let engine: PlainFileEngine
    private var state: State

    package init(toStoreAt path: String) throws {
        engine = try PlainFileEngine(path + "/gen-0001", nil, .readWrite)
        state = try engine.current()
    }

    /// Puts a row in the place of the one with its key; nil removes that one.
    package mutating func put(_ key: StoredValue, _ row: StoredRow?, of entity: String) throws {
        let number = try engine.schema.position(ofEntity: entity)
        state.tables[number].put(key, row)
        state.tables[number].written.insert(key)
    }

    /// Sets the counter of assigned keys.
    package mutating func setLastKey(_ key: Int64, of entity: String) throws {
        state.tables[try engine.schema.position(ofEntity: entity)].lastKey = key
    }

    /// Commits, and closes the files.
    package func end() throws {
        _ = try engine.commit(state, as: nil)
        try engine.close()
    }
}
