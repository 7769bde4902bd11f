import GranaryStoreKit

/// A query of one value that `granary_ask` runs within another statement. SQLite's parser reads it by itself, so it may
/// be nested as deeply as the request is.
struct SQLQuestion {
    private let statement: Statement
    /// The parameter for the key.
    private let parameter: Int32

    /// - Parameter statement: Its other parameters are bound, and it is lent for as long as the other statement.
    init(_ statement: Statement, key parameter: Int32) {
        self.statement = statement
        self.parameter = parameter
    }

    /// Passes the value for a key, valid during the call.
    ///
    /// - Throws: What the query throws.
    func answer(for key: Cell, _ body: (Cell) -> Void) throws {
        defer { statement.reset() }
        try statement.bind(key, at: parameter)
        body(try statement.step() ? statement.cell(at: 0) : .null)
    }
}
