extension ImportMapping {
    /// Lets code choose one of several relationships for each object at a path, and so the type of the object's record.
    ///
    /// ```swift
    /// ImportMapping().choose(among: "songs", "films", from: "items") { value, _ in
    ///     value["type"] == "film" ? "films" : "songs"
    /// }
    /// ```
    ///
    /// Each relationship gets the objects that are chosen for it, in their order, as if the source had them under the
    /// relationship's own name: a list gets all of them, a reference the only one or null. The path may lead to an
    /// array or to one object. If the value is absent, the relationships stay unchanged; `null` and `[]` clear all of
    /// them.
    ///
    /// If the records of the source itself have several types, use ``Importer/choose``.
    ///
    /// - Parameters:
    ///   - names: The references and to-many relationships of the record.
    ///   - path: The path in the object to the records.
    ///   - choice: Returns one of `names`; nil to leave the object out. If it throws or returns another name, this is
    ///     reported, and the object is left out.
    public func choose(
        among names: String..., from path: ImportPath,
        _ choice: @escaping @Sendable (ImportValue, ImportPlace) throws -> String?
    ) -> ImportMapping {
        var mapping = self
        mapping.choices.append(ImportChoice(names: names, path: path, choice: choice))
        return mapping
    }
}

/// Several relationships whose records are at one path.
struct ImportChoice: Sendable {
    let names: [String]
    let path: ImportPath
    let choice: @Sendable (ImportValue, ImportPlace) throws -> String?
}
