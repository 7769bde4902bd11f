extension AnyCondition: Codable {
    /// From a tree of nodes, measured and checked as if it were built.
    ///
    /// - Throws: `invalidQuery` for more than ``maximumDepth`` levels, and for what the builders refuse.
    public init(from decoder: any Decoder) throws {
        let node = try Node(from: decoder)
        self.init(rebuilding: node)
        // What was not valid when it was encoded stays so; what has become so is refused.
        if case .invalid(let code, let message, _) = root, root != node { throw GranaryError(code, message) }
    }

    /// An object for each node: `{"kind": "compare", "attribute": "rating", "operator": ">=", "value": {"integer": 4}}`.
    public func encode(to encoder: any Encoder) throws { try root.encode(to: encoder) }
}
