/// A reader whose engine runs statements in a language of its own, and can report them: for the log. A store whose
/// readers do not conform reports none.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `follow` | the handler gets each statement of this reader that has ended, until the reader ends; also `COMMIT` |
/// | the text | has placeholders in the place of values |
/// | without a handler | reading costs no more than without this protocol |
public protocol StatementFollowing: StoreReader {
    /// Reports statements from now on until the reader ends.
    ///
    /// - Parameter handler: Called on the thread of the reader, when a statement has ended. It must not use the reader.
    func follow(_ handler: @escaping @Sendable (StoreStatement) -> Void)
}

/// A statement that an engine has run.
public struct StoreStatement: Sendable, Hashable {
    /// The statement in the language of the engine, without values.
    public let text: String
    /// The number of rows that it has returned.
    public let rows: Int
    /// The time that the engine has worked on it.
    public let duration: Duration

    public init(text: String, rows: Int, duration: Duration) {
        (self.text, self.rows, self.duration) = (text, rows, duration)
    }
}
