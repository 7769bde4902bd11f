// Chosen values and groups asked of a context, in the order of reading:
// `Song.where { $0.plays > 100 }.select { ($0.title, $0.plays) }.fetch(in: snapshot)`.
extension Projection {
    /// The chosen values, a value or a tuple a record.
    public func fetch(in context: ReadContext) throws -> [Output] { try context.fetch(self) }

    /// The chosen values of the first record, or nil.
    public func first(in context: ReadContext) throws -> Output? { try context.first(self) }

    /// How many tuples there are: of a distinct projection, how many different ones.
    public func count(in context: ReadContext) throws -> Int { try context.count(self) }
}

extension GroupedQuery {
    /// The groups, a value or a tuple a group.
    public func fetch(in context: ReadContext) throws -> [Output] { try context.fetch(self) }
}

// The same on the main context of the default stack; see ``Stack/default``.
@MainActor extension Projection {
    /// The chosen values, a value or a tuple a record.
    public func fetch() throws -> [Output] { try fetch(in: try Stack.requireDefault().mainContext) }

    /// The chosen values of the first record, or nil.
    public func first() throws -> Output? { try first(in: try Stack.requireDefault().mainContext) }

    /// How many tuples there are: of a distinct projection, how many different ones.
    public func count() throws -> Int { try count(in: try Stack.requireDefault().mainContext) }
}

@MainActor extension GroupedQuery {
    /// The groups, a value or a tuple a group.
    public func fetch() throws -> [Output] { try fetch(in: try Stack.requireDefault().mainContext) }
}
