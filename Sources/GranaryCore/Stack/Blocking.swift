/// The verbs of a ``Stack``, an ``EditContext`` or ``FetchedResults`` that block the calling thread, for code that is
/// not asynchronous.
///
/// ```swift
/// try stack.blocking.write { try $0.insert(artist) }
/// let artists = try stack.blocking.read { try $0.fetch(Artist.all) }
/// try context.blocking.save()
/// ```
///
/// They do the same as the asynchronous verbs of the same names. In asynchronous code they block a thread of Swift's
/// pool: use the asynchronous verbs there.
public struct Blocking<Base> {
    package let base: Base

    init(_ base: Base) { self.base = base }
}

extension Blocking: Sendable where Base: Sendable {}

extension Stack {
    /// The verbs that block the calling thread.
    public var blocking: Blocking<Stack> { Blocking(self) }
}

extension EditContext {
    /// The verbs that block the calling thread.
    public var blocking: Blocking<EditContext> { Blocking(self) }
}
