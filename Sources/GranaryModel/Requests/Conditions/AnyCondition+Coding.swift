extension AnyCondition: Codable {
    /// Decodes a tree of nodes, and measures and checks it as if it were built.
    ///
    /// - Throws: `invalidQuery` for more than ``maximumDepth`` levels, and for trees that the builders refuse.
    public init(from decoder: any Decoder) throws {
        let node = try Node(from: decoder)
        self.init(rebuilding: node)
        // A part that was invalid when it was encoded stays invalid. A part that has become invalid is refused.
        if case .invalid(let code, let message, _) = root, root != node { throw GranaryError(code, message) }
    }

    /// An object for each node:
    /// `{"kind": "compare", "attribute": "rating", "operator": ">=", "value": {"integer": 4}}`.
    public func encode(to encoder: any Encoder) throws { try root.encode(to: encoder) }
}
