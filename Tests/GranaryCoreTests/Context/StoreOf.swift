import GranaryMemory

@testable import GranaryCore

/// A store in memory that counts who reads it.
final class StoreOf {
    let store: any Store
    /// How many readers were opened, and are open.
    private(set) var opened = 0
    private(set) var open = 0

    init(_ schema: Schema) throws { store = try MemoryStoreProvider.inMemory.open(schema, migration: .automatic) }

    func write<T>(_ body: (any StoreWriter) throws -> T) throws -> T {
        let writer = try store.beginWrite()
        defer { writer.end() }
        let result = try body(writer)
        try writer.commit()
        return result
    }

    func overlay() -> Overlay { Overlay(store.schema, store.coordinator) { try self.reader() } }

    private func reader() throws -> any StoreReader {
        opened += 1
        open += 1
        return EndingReader(try store.beginRead(CancellationFlag())) { self.open -= 1 }
    }
}

extension Overlay {
    /// A child of an overlay.
    convenience init(over parent: Overlay) {
        self.init(parent.schema, parent.coordinator) { try parent.openLayer() }
    }
}

/// A reader that does something when it ends.
private final class EndingReader: ForwardingReader {
    private let ending: () -> Void

    init(_ reader: any StoreReader, _ ending: @escaping () -> Void) {
        self.ending = ending
        super.init(reader)
    }

    override func end() {
        super.end()
        ending()
    }
}
