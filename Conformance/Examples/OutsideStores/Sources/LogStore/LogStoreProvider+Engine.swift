package import GranaryKeyValue
import GranaryStoreKit

extension LogStoreProvider {
    /// Opens the engine of a store that no stack has open: for tests that change its entries. The engine is closed afterwards.
    package static func withEngine(ofStoreAt path: String, _ body: (any OrderedKeyValueEngine) throws -> Void) throws {
        let engine = try LogEngine(folder: path + "/gen-0001", access: .readWrite, isNew: false)
        do {
            try body(engine)
        } catch {
            try? engine.close()
            throw error
        }
        try engine.close()
    }
}
