/// A search in the searchable attributes of a record: the type of `$0.search` in a query.
///
/// `@Record` gives it to a type with `@Searchable` attributes. By hand it is a member of `Fields`:
///
/// ```swift
/// let search = RecordSearch<Song>()
/// ```
public struct RecordSearch<Root: Record>: Sendable {
    public init() {}

    /// True for records whose searchable attributes have the words.
    ///
    /// ```swift
    /// Song.where { $0.search("purple haze") }                        // as a person types it
    /// Song.where { $0.search(.any("fire smoke")) && $0.plays > 100 }
    /// ```
    ///
    /// A text in quotation marks is read by ``SearchText/init(fromUser:)``.
    public func callAsFunction(_ search: SearchText) -> Condition<Root> { Condition(.search(search)) }

    /// How well a record answers the searches of the request's condition: a number of 0 or more.
    ///
    /// It is the BM25 of the record (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): the sum,
    /// over the words and phrases that are searched for and not excluded, of
    ///
    ///     w · f · 2.2 / (f + 1.2 · (0.25 + 0.75 · length / average))
    ///
    /// f is how often the word or phrase occurs in the record, each time with the weight of its attribute; `length` the
    /// number of words of the record, and `average` that of all records of its type. w = ln((N - n + 0.5) / (n + 0.5)),
    /// but at least 0.000001, where n of all N records have it. Ranks of different searches cannot be compared.
    public var rank: Computed<Root, Double> { Computed(.rank()) }
}

extension Field {
    /// True for records whose attribute has the words, or, for a reference, whose record has them in its searchable
    /// attributes.
    ///
    /// ```swift
    /// Song.where { $0.title.search("fire") && $0.artist.search("hendrix") }
    /// ```
    ///
    /// Running it throws `invalidQuery` for an attribute that is not searchable.
    public func search(_ search: SearchText) -> Condition<Root> { Condition(.search(search, of: attributePath)) }
}
