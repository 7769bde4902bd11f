// Patterns are false of nil. Without a folding texts compare byte by byte, as everywhere; with one as ``TextFolding`` says.
extension QueryExpression where Value.Unwrapped == String {
    /// True of texts with this in them; of every text if it is empty.
    public func contains(_ text: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.contains, text, folding)
    }

    /// True of texts that begin with this. An index answers it.
    public func hasPrefix(_ text: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.prefix, text, folding)
    }

    /// True of texts that end with this.
    public func hasSuffix(_ text: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.suffix, text, folding)
    }

    /// True of texts that are this one but for case, diacritics or both.
    public func equals(_ text: String, _ folding: TextFolding) -> Condition<Root> { matching(.equal, text, folding) }

    /// True of texts that meet a pattern as a whole: `?` is any one Unicode scalar, `*` any number of them, `\` takes
    /// what follows it as it is.
    public func like(_ pattern: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.like, pattern, folding)
    }

    /// True of texts that meet a regular expression as a whole. The dialect, the same in every store, is described with
    /// ``TextMatch``; the time is proportional to the text.
    ///
    /// A pattern that is not valid throws `invalidQuery` when the query is run.
    public func matches(_ pattern: String, _ folding: TextFolding = []) -> Condition<Root> {
        matching(.matches, pattern, folding)
    }

    /// The text as it is compared without regard to case, diacritics or both: to sort, group and compare by.
    public func folded(_ folding: TextFolding) -> Computed<Root, Value> {
        Computed(.function(.folded(folding), untyped))
    }

    /// The number of Unicode scalars.
    public var length: Computed<Root, Int.Nilable> { Computed(.function(.length, untyped)) }

    private func matching(_ kind: TextMatch.Kind, _ pattern: String, _ folding: TextFolding) -> Condition<Root> {
        Condition(.text(untyped, TextMatch(kind, pattern, folding)))
    }
}
