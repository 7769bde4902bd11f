/// How the records of a ``FetchedResults`` are divided into sections.
public struct FetchedSections<Root: Record>: Sendable {
    enum Naming: Sendable {
        case none
        case closure(@Sendable (Root) -> String)
        case value(AnyExpression)
        case counted(AnyExpression, SortDirection)
    }

    let naming: Naming

    /// All records in one section, which exists also without records.
    public static var none: FetchedSections { FetchedSections(naming: .none) }

    /// By a value of each record or of a path: `.by(\.album.title)`. Records with nil are in the section with the empty
    /// name.
    public static func by<Value: QueryExpression>(_ value: (Root.Fields) -> Value) -> FetchedSections
    where Value.Root == Root {
        FetchedSections(naming: .value(value(Root.fields).untyped))
    }

    /// By a value of each record or of a path, where the sections and their counts come from one grouped count and
    /// records are read when they are first asked for: `.counted(by: \.album.title)`. For a list of any length: neither
    /// records nor keys are held, but a few batches.
    ///
    /// Sections come in the order of their values, records in the order of the request. A change reports sections that
    /// come and go, and all others in ``FetchedChanges/reloadedSections``: which of their records have changed is not
    /// known. The request has no limit and no offset.
    ///
    /// Cost: a change runs the grouped count again; a batch is read by an offset within its section.
    public static func counted<Value: QueryExpression>(
        by value: (Root.Fields) -> Value, _ direction: SortDirection = .ascending
    ) -> FetchedSections where Value.Root == Root {
        FetchedSections(naming: .counted(value(Root.fields).untyped, direction))
    }

    /// By a name that a closure makes for each record. The closure runs on another thread.
    public static func named(_ name: @escaping @Sendable (Root) -> String) -> FetchedSections {
        FetchedSections(naming: .closure(name))
    }
}

/// Records of a ``FetchedResults`` with the same section name.
public struct FetchedSection: Sendable, Hashable {
    /// The section name of its records.
    public let name: String
    /// The range of its records in ``FetchedResults/fetchedRecords``.
    public let range: Range<Int>

    /// The title for an index beside the list: the name's first character in upper case; empty for an empty name.
    public var indexTitle: String { name.first.map { String($0).uppercased() } ?? "" }
    public var count: Int { range.count }
}

/// The position of a record: its section, and its place in the section.
public struct FetchedPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var section: Int
    public var item: Int

    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    public var description: String { "[\(section), \(item)]" }

    public static func < (left: FetchedPath, right: FetchedPath) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

/// The changes of the records and sections of a ``FetchedResults``, in the form for list views.
///
/// Old paths are positions before all changes, new paths are positions after them. Records of deleted and inserted
/// sections are also listed in the deletions, insertions and moves.
public struct FetchedChanges: Sendable, Hashable {
    public struct Pair: Sendable, Hashable {
        public var from: FetchedPath
        public var to: FetchedPath

        public init(from: FetchedPath, to: FetchedPath) {
            self.from = from
            self.to = to
        }
    }

    /// Old places of sections that are deleted or moved, ascending.
    public var deletedSections: [Int] = []
    /// The names of ``deletedSections``, one each.
    public var deletedSectionNames: [String] = []
    /// New places of sections that are inserted or moved, ascending.
    public var insertedSections: [Int] = []
    /// New places of sections whose records may have changed, ascending: for sections by counts, which report no
    /// records. Empty for others.
    public var reloadedSections: [Int] = []
    /// Old paths of records that are deleted or no longer meet the condition, ascending.
    public var deletions: [FetchedPath] = []
    /// The keys of the records of ``deletions`` in their stored form, one each; see ``deletedKeys(of:)``. The records
    /// themselves can be read in ``FetchedResults/onWillChange``.
    public var deletedKeys: [StoredValue] = []
    /// New paths of records that are inserted or begin to meet the condition, ascending.
    public var insertions: [FetchedPath] = []
    /// Records that moved to another section, or within their section.
    public var moves: [Pair] = []
    /// Records with changed values. A record that has also moved is in both lists.
    public var updates: [Pair] = []
    /// Records whose own values are the same but whose loaded related records have changed. A record that has also
    /// moved is in both lists. Empty if nothing is loaded.
    public var relatedUpdates: [Pair] = []

    public init() {}

    /// The keys of the records of ``deletions``, one each.
    public func deletedKeys<R: Record>(of type: R.Type) throws -> [R.Key] {
        try deletedKeys.map { try R.Key(stored: $0) }
    }

    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && reloadedSections.isEmpty && deletions.isEmpty
            && insertions.isEmpty && moves.isEmpty && updates.isEmpty && relatedUpdates.isEmpty
    }
}
