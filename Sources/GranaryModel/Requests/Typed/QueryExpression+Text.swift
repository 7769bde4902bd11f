// Patterns are false for nil. Without a folding, texts are compared byte by byte, as everywhere; with one, as
// ``TextFolding`` says.
extension QueryExpression where Value.Unwrapped == String {
    /// True for texts that contain `text`; for every text if `text` is empty.
    public func contains(_ text: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.contains, text, folding)
    }

    /// True for texts that begin with `text`. An index can answer it.
    public func hasPrefix(_ text: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.prefix, text, folding)
    }

    /// True for texts that end with `text`.
    public func hasSuffix(_ text: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.suffix, text, folding)
    }

    /// True for texts that equal `text` except in case, diacritics or both.
    public func equals(_ text: String, _ folding: TextFolding) -> Condition<Root> { matching(.equal, text, folding) }

    /// True for texts that match a pattern as a whole: `?` is any one Unicode scalar, `*` any number of them, and `\`
    /// makes the next character literal.
    public func like(_ pattern: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.like, pattern, folding)
    }

    /// True for texts that match a regular expression as a whole. The dialect, the same in every store, is described
    /// with ``TextMatch``; the time is proportional to the text.
    ///
    /// A pattern that is not valid throws `invalidQuery` when the query is run.
    public func matches(_ pattern: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.matches, pattern, folding)
    }

    /// The form of the text in which case, diacritics or both are ignored: for sorting, grouping and comparing.
    public func folded(_ folding: TextFolding) -> Computed<Root, Value> {
        Computed(.function(.folded(folding), untyped))
    }

    /// True of the empty text; false of nil.
    public var isEmpty: Condition<Root> { Condition(.relation(untyped, .equal, AnyExpression(""))) }

    /// The number of Unicode scalars.
    public var length: Computed<Root, Int.Nilable> { Computed(.function(.length, untyped)) }

    private func matching(_ kind: TextMatch.Kind, _ pattern: String, _ folding: TextFolding) -> Condition<Root> {
        Condition(.text(untyped, TextMatch(kind, pattern, folding)))
    }
}

// What one writes by habit, so that the compiler answers with what to write here.
extension QueryExpression where Value.Unwrapped == String {
    @available(
        *, unavailable,
        message: "Compare without case by `equals(_, .caseInsensitive)`; order and group by `folded(.caseInsensitive)`."
    )
    public func lowercased() -> Computed<Root, Value> { folded(.caseInsensitive) }

    @available(
        *, unavailable,
        message: "Compare without case by `equals(_, .caseInsensitive)`; order and group by `folded(.caseInsensitive)`."
    )
    public func uppercased() -> Computed<Root, Value> { folded(.caseInsensitive) }

    @available(*, unavailable, renamed: "hasPrefix(_:)")
    public func starts(with text: String) -> Condition<Root> { .never }

    @available(
        *, unavailable, message: "Write `contains(_, [.caseInsensitive, .diacriticInsensitive])`."
    )
    public func localizedStandardContains(_ text: String) -> Condition<Root> { .never }

    @available(*, unavailable, message: "Write `contains(_, .caseInsensitive)`.")
    public func localizedCaseInsensitiveContains(_ text: String) -> Condition<Root> { .never }

    @available(*, unavailable, message: "Write `contains(_:_:)`, or `matches(_:_:)` for a regular expression.")
    public func range(of text: String) -> Computed<Root, Int?> { Computed(untyped) }
}
