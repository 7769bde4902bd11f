/// A result of ``JSONReader/next()``.
public enum JSONEvent: UInt8, Sendable, Hashable {
    case beginObject
    case endObject
    case beginArray
    case endArray
    /// The key of a member: ``JSONReader/text``. Its value comes next.
    case key
    /// A string: ``JSONReader/text``.
    case string
    /// A number: ``JSONReader/text``, ``JSONReader/int64``, ``JSONReader/double``.
    case number
    case `true`
    case `false`
    case null
    /// The document has ended: no more events follow.
    case end
}
