/// Why an index of words could not be read or changed.
package enum WordIndexError: Error, Hashable {
    /// The blocks contradict the format, each other, or the changes. The text says in which way.
    case corrupt(String)
    /// A document's key is longer than an index allows, or has a length that does not fit the form of its keys.
    case unsuitableKey(byteCount: Int)
    /// A slot or a position that is negative or too large.
    case unsuitablePosition(Int)
    /// A question asks for all documents without something, which an index of words cannot list.
    case excludesOnly
    /// A question's tree names a term that is not in its list.
    case unknownTerm(Int)
}
