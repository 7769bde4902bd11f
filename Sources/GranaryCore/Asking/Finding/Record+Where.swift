// Finders with a condition in place of a query: `Artist.count(where: { $0.rating > 4 }, in: snapshot)` is
// `Artist.where { $0.rating > 4 }.count(in: snapshot)`.
extension Record {
    /// The records of which a condition holds, by key.
    public static func fetch(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: ReadContext
    ) throws -> [Self] {
        try context.fetch(Self.where(condition))
    }

    /// The first record by key of which a condition holds, or nil.
    public static func first(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: ReadContext
    ) throws -> Self? {
        try context.first(Self.where(condition))
    }

    /// The last record by key of which a condition holds, or nil.
    public static func last(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: ReadContext
    ) throws -> Self? {
        try context.last(Self.where(condition))
    }

    /// How many records there are of which a condition holds.
    public static func count(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: ReadContext
    ) throws -> Int {
        try context.count(Self.where(condition))
    }

    /// Whether there is a record of which a condition holds.
    public static func exists(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: ReadContext
    ) throws -> Bool {
        try context.exists(Self.where(condition))
    }

    /// Deletes the records of which a condition holds, following the delete rules. Returns how many there were.
    @discardableResult public static func deleteAll(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: Context
    ) throws -> Int {
        try Self.where(condition).deleteAll(in: context)
    }
}

// The same on the main context of the default stack; see ``Stack/default``.
@MainActor extension Record {
    /// The records of which a condition holds, by key.
    public static func fetch(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> [Self] {
        try Self.where(condition).fetch()
    }

    /// The first record by key of which a condition holds, or nil.
    public static func first(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> Self? {
        try Self.where(condition).first()
    }

    /// The last record by key of which a condition holds, or nil.
    public static func last(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> Self? {
        try Self.where(condition).last()
    }

    /// How many records there are of which a condition holds.
    public static func count(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> Int {
        try Self.where(condition).count()
    }

    /// Whether there is a record of which a condition holds.
    public static func exists(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> Bool {
        try Self.where(condition).exists()
    }

    /// Deletes the records of which a condition holds, following the delete rules. Returns how many there were.
    @discardableResult public static func deleteAll(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>
    ) throws -> Int {
        try Self.where(condition).deleteAll()
    }
}
