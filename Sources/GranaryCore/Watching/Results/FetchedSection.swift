/// How the records of a ``FetchedResults`` are put into sections.
public struct FetchedSections<Root: Record>: Sendable {
    enum Naming: Sendable {
        case none
        case closure(@Sendable (Root) -> String)
        case value(AnyExpression)
    }

    let naming: Naming

    /// All in one section, which is there also without records.
    public static var none: FetchedSections { FetchedSections(naming: .none) }

    /// By a value of each record, a path's too: `.by(\.album.title)`. Nil is the section with the empty name.
    public static func by<Value: QueryExpression>(_ value: (Root.Fields) -> Value) -> FetchedSections
    where Value.Root == Root {
        FetchedSections(naming: .value(value(Root.fields).untyped))
    }

    /// By a name made from each record, on another thread.
    public static func named(_ name: @escaping @Sendable (Root) -> String) -> FetchedSections {
        FetchedSections(naming: .closure(name))
    }
}

/// Records of a ``FetchedResults`` that have one section name.
public struct FetchedSection: Sendable, Hashable {
    /// What its records have in common.
    public let name: String
    /// Where its records are in ``FetchedResults/fetchedRecords``.
    public let range: Range<Int>

    /// For an index beside the list: the name's first character, in upper case; empty for an empty name.
    public var indexTitle: String { name.first.map { String($0).uppercased() } ?? "" }
    public var count: Int { range.count }
}

/// Where a record is: which section, and which place in it.
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

/// What has become of the records and sections of a ``FetchedResults``, in a form that list views take.
///
/// Old paths say where something was before all of it, new ones where it is after. Records of a section that goes or comes
/// are among the deletions, insertions and moves as any others.
public struct FetchedChanges: Sendable, Hashable {
    public struct Pair: Sendable, Hashable {
        public var from: FetchedPath
        public var to: FetchedPath

        public init(from: FetchedPath, to: FetchedPath) {
            self.from = from
            self.to = to
        }
    }

    /// Old places of sections that are gone, or are elsewhere among the others, ascending.
    public var deletedSections: [Int] = []
    /// The names of ``deletedSections``, one each.
    public var deletedSectionNames: [String] = []
    /// New places of sections that are new, or were elsewhere, ascending.
    public var insertedSections: [Int] = []
    /// Old paths of records that are gone or have ceased to meet the condition, ascending.
    public var deletions: [FetchedPath] = []
    /// The keys of the records of ``deletions`` in their stored form, one each; see ``deletedKeys(of:)``. The records
    /// themselves can be had in ``FetchedResults/onWillChange``.
    public var deletedKeys: [StoredValue] = []
    /// New paths of records that are new or have begun to meet the condition, ascending.
    public var insertions: [FetchedPath] = []
    /// Records that are in another section, or elsewhere among those of their section.
    public var moves: [Pair] = []
    /// Records with other values; one that has moved, too, is in both.
    public var updates: [Pair] = []
    /// Records whose own values are the same, while what is loaded with them has changed; one that has moved, too, is in
    /// both. Empty where nothing is loaded.
    public var relatedUpdates: [Pair] = []

    public init() {}

    /// The keys of the records of ``deletions``, one each.
    public func deletedKeys<R: Record>(of type: R.Type) throws -> [R.Key] {
        try deletedKeys.map { try R.Key(stored: $0) }
    }

    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty
            && updates.isEmpty && relatedUpdates.isEmpty
    }
}
