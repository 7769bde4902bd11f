public import GranaryCore

/// One behaviour that every store must show: a name, what it needs, and a body that throws when a store does not.
///
/// ```swift
/// ConformanceCase("nulls.not-equal", in: .nulls, "`x != 5` holds of nil") { trial in
///     try trial.write { try $0.insert(Sample(id: 1, integer: nil)) }
///     try expectEqual(try trial.read { try $0.count(Sample.where { $0.integer != 5 }) }, 1)
/// }
/// ```
public struct ConformanceCase: Sendable, Identifiable {
    /// `area.what`, unique in the suite and stable over time.
    public let id: String
    public let area: Area
    /// A sentence about behaviour.
    public let summary: String
    /// What the store must be able to do for the case to run.
    public let requires: Set<Capability>
    /// Whether the case takes much time or memory, and so is left to a release build.
    public let isHeavy: Bool
    /// The ways the case is run. Those a store cannot do are reported as skipped.
    public let modes: [Mode]
    package let body: @Sendable (Trial) async throws -> Void
    /// What a store without ``requires`` must do instead.
    package let otherwise: (@Sendable (Trial) async throws -> Void)?

    public init(
        _ id: String, in area: Area, _ summary: String, requires: Set<Capability> = [], isHeavy: Bool = false,
        modes: [Mode] = [.fresh, .reopened], _ body: @escaping @Sendable (Trial) async throws -> Void,
        otherwise: (@Sendable (Trial) async throws -> Void)? = nil
    ) {
        self.id = id
        self.area = area
        self.summary = summary
        self.requires = requires
        self.isHeavy = isHeavy
        self.modes = modes
        self.body = body
        self.otherwise = otherwise
    }

    /// A topic of the suite.
    public struct Area: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        public static let parts = Area(rawValue: "parts")
        public static let opening = Area(rawValue: "opening")
        public static let types = Area(rawValue: "types")
        public static let nulls = Area(rawValue: "nulls")
        public static let keys = Area(rawValue: "keys")
        public static let records = Area(rawValue: "records")
        public static let uniqueness = Area(rawValue: "uniqueness")
        public static let references = Area(rawValue: "references")
        public static let predicates = Area(rawValue: "predicates")
        public static let order = Area(rawValue: "order")
        public static let expressions = Area(rawValue: "expressions")
        public static let text = Area(rawValue: "text")
        public static let paths = Area(rawValue: "paths")
        public static let relationships = Area(rawValue: "relationships")
        public static let subqueries = Area(rawValue: "subqueries")
        public static let search = Area(rawValue: "search")
        public static let aggregates = Area(rawValue: "aggregates")
        public static let groups = Area(rawValue: "groups")
        public static let projections = Area(rawValue: "projections")
        public static let pages = Area(rawValue: "pages")
        public static let loading = Area(rawValue: "loading")
        public static let linking = Area(rawValue: "linking")
        public static let finders = Area(rawValue: "finders")
        public static let defaultStack = Area(rawValue: "default")
        public static let plans = Area(rawValue: "plans")
        public static let transactions = Area(rawValue: "transactions")
        public static let isolation = Area(rawValue: "isolation")
        public static let concurrency = Area(rawValue: "concurrency")
        public static let history = Area(rawValue: "history")
        public static let observation = Area(rawValue: "observation")
        public static let migration = Area(rawValue: "migration")
        public static let compacting = Area(rawValue: "compacting")
        public static let copy = Area(rawValue: "copy")
        public static let seed = Area(rawValue: "seed")
        public static let reset = Area(rawValue: "reset")
        public static let verify = Area(rawValue: "verify")
        public static let operating = Area(rawValue: "operating")
        public static let external = Area(rawValue: "external")
        public static let limits = Area(rawValue: "limits")
        public static let messages = Area(rawValue: "messages")
        public static let contexts = Area(rawValue: "contexts")
        public static let merging = Area(rawValue: "merging")
        public static let undo = Area(rawValue: "undo")
        public static let programs = Area(rawValue: "programs")
        public static let importing = Area(rawValue: "import")
        public static let exporting = Area(rawValue: "export")
        public static let differential = Area(rawValue: "differential")
    }

    /// How a case is run.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// On one stack, opened once.
        case fresh
        /// The stack is closed and opened again before each read. Needs ``/Granary/Capability/reopening``.
        case reopened
    }
}
