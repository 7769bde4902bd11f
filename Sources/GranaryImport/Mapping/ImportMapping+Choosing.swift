extension ImportMapping {
    /// Has code choose to which of several relationships each object at a path belongs, and so which type its record has.
    ///
    /// ```swift
    /// ImportMapping().choose(among: "songs", "films", from: "items") { value, _ in
    ///     value["type"] == "film" ? "films" : "songs"
    /// }
    /// ```
    ///
    /// Each of the relationships gets the objects that are chosen for it, in their order, as if the source had them under the
    /// relationship's own name: a list gets all of them, a reference the only one or null. What is at the path may be an array or
    /// one object. If it is absent, the relationships stay as they are; `null` and `[]` clear all of them.
    ///
    /// Where the records of the source itself have several types, use ``Importer/choose``.
    ///
    /// - Parameters:
    ///   - names: The references and to-many relationships of the record.
    ///   - path: Where in the object the records are.
    ///   - choice: Returns one of `names`; nil to leave the object out. Throwing, or another name, is reported, and the object is
    ///     left out.
    public func choose(
        among names: String..., from path: ImportPath,
        _ choice: @escaping @Sendable (ImportValue, ImportPlace) throws -> String?
    ) -> ImportMapping {
        var mapping = self
        mapping.choices.append(ImportChoice(names: names, path: path, choice: choice))
        return mapping
    }
}

/// Several relationships that have their records under one path.
struct ImportChoice: Sendable {
    let names: [String]
    let path: ImportPath
    let choice: @Sendable (ImportValue, ImportPlace) throws -> String?
}
