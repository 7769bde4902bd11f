/// A reader that stands between the reader of an engine and its users.
package protocol LayeredReader: StoreReader {
    /// The reader below.
    func engineReader() throws -> any StoreReader
}

extension StoreReader {
    /// The engine's own reader, below all layers.
    package func lowestReader() throws -> any StoreReader {
        guard let layer = self as? any LayeredReader else { return self }
        return try layer.engineReader().lowestReader()
    }
}
