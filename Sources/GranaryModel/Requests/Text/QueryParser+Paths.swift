extension QueryParser {
    /// Names with points between them.
    struct Path {
        var parts: [String] = []
        /// Whether the last name was written without backquotes.
        var endsPlain = false
        /// Whether a point and an aggregate follow.
        var isBeforeAggregate = false

        var name: String { parts.joined(separator: ".") }

        /// The relationship of `songs.isEmpty`.
        var emptyRelationship: String? {
            endsPlain && parts.count > 1 && parts.last == "isEmpty" ? parts.dropLast().joined(separator: ".") : nil
        }
    }

    /// The path that begins with the current token.
    mutating func path() throws -> Path {
        var path = Path()
        switch scopes.last {
        case .constants:
            throw failure(
                "the right side of ANY, ALL and NONE is a value. For attributes write ANY relationship (a > b)")
        case .variable(let variable):
            guard token == .variable(variable) else {
                throw failure("inside this SUBQUERY attributes are named as $\(variable).name, and no others can be")
            }
            try advance()
            guard token == .symbol(.point) else { throw expected("a point and an attribute") }
        case .record, nil:
            guard try part(of: &path) else { throw expected("the name of an attribute") }
            if path.parts == ["self"] || path.parts == ["SELF"], path.endsPlain {
                guard token == .symbol(.point) else { throw expected("a point and an attribute") }
                path.parts = []
            }
        }
        try parts(of: &path)
        return path
    }

    /// The path that begins with a name that was read already.
    mutating func path(after name: String) throws -> Path {
        var path = Path(parts: [name], endsPlain: true)
        if name.lowercased() == "self" {
            guard token == .symbol(.point) else { throw expected("a point and an attribute") }
            path.parts = []
        }
        try parts(of: &path)
        return path
    }

    /// The further names, each after a point.
    private mutating func parts(of path: inout Path) throws {
        while try take(.point) {
            if case .aggregate = token {
                guard !path.parts.isEmpty else { throw failure("expected a relationship before the aggregate") }
                path.isBeforeAggregate = true
                return
            }
            guard try part(of: &path) else { throw expected("the name of an attribute") }
        }
    }

    /// One name.
    private mutating func part(of path: inout Path) throws -> Bool {
        switch token {
        case .name(let name):
            path.parts.append(name)
            path.endsPlain = true
        case .quotedName(let name):
            path.parts.append(name)
            path.endsPlain = false
        case .placeholder("K"):
            path.parts.append(try nameArgument())
            path.endsPlain = false
            return true
        default: return false
        }
        try advance()
        return true
    }

    /// The attribute after `@sum.`, of the records that are summed.
    mutating func aggregatedPath() throws -> String {
        var path = Path()
        guard try part(of: &path) else { throw expected("the name of an attribute") }
        try parts(of: &path)
        guard !path.isBeforeAggregate else { throw failure("an aggregate of an aggregate is not known") }
        return path.name
    }
}
