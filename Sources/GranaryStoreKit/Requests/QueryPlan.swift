/// How a store answers a query: one format for every store.
///
/// ```
/// search Song using Song.artist (artist = ?)
///   look up Artist by key
/// filter
/// sort top 20 by title
/// ```
///
/// Steps come in the order in which they begin. Work that is done for each row of a step, or to prepare the step, is
/// indented beneath it.
public struct QueryPlan: Sendable, Hashable {
    public struct Step: Sendable, Hashable {
        public var action: Action
        /// The entity that is read; empty for a step that reads none.
        public var entity: String
        /// The index: `key`, or the names of its attributes joined by `_`; nil if no index is used.
        public var index: String?
        /// The search terms (`name = ?`) or order terms (`rating desc`).
        public var terms: [String]
        /// Whether the index alone is read, not the rows.
        public var isIndexOnly = false
        public var isBackwards = false
        /// The greatest number of rows that are read or kept; nil if unlimited.
        public var limit: Int?
        /// The depth of the step's indentation.
        public var depth = 0

        public init(_ action: Action, _ entity: String = "", index: String? = nil, terms: [String] = []) {
            self.action = action
            self.entity = entity
            self.index = index
            self.terms = terms
        }
    }

    public enum Action: String, Sendable, Hashable {
        /// A part of a table or an index that the condition names.
        case search
        /// A whole table or index.
        case scan
        /// One record by its key, for each row.
        case lookUp = "look up"
        /// Rows are read and checked.
        case filter
        case sort
        case group
        case distinct
        /// Unsaved changes of a context are merged into the rows.
        case merge
        /// No record can match.
        case nothing
    }

    public var steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// The entities whose rows are all read in the search for some of them: scans without a limit.
    public var fullScans: [String] { steps.filter { $0.action == .scan && $0.limit == nil }.map(\.entity) }
}

extension QueryPlan: CustomStringConvertible {
    public var description: String { lines.joined(separator: "\n") }

    /// One line for each step.
    public var lines: [String] { steps.map(\.description) }
}

extension QueryPlan.Step: CustomStringConvertible {
    public var description: String {
        var words = [action.rawValue]
        if action == .sort, let limit { words.append("top \(limit)") }
        if !entity.isEmpty { words.append(entity) }
        if let index { words.append(isIndexOnly ? "using \(index) alone" : "using \(index)") }
        if !terms.isEmpty {
            let list = terms.joined(separator: ", ")
            words.append(action == .sort || action == .group ? "by \(list)" : "(\(list))")
        }
        if isBackwards { words.append("backwards") }
        if action == .scan, let limit { words.append("until \(limit) found") }
        return String(repeating: "  ", count: depth) + words.joined(separator: " ")
    }
}
