/// The keys that paths read within a value, as a tree. Other keys of its objects have no meaning.
struct KnownKeys: Sendable {
    /// Whether the value is read as a whole, so that every key within it is known.
    private var isWhole = false
    private var keys: [String: KnownKeys] = [:]

    /// For each first key of a path with several steps: the known keys within its value.
    static func byFirstKey(of paths: [ImportPath]) -> [String: KnownKeys] {
        var known = KnownKeys()
        for path in paths { known.add(path.steps[...]) }
        return known.keys.filter { !$0.value.isWhole }
    }

    private mutating func add(_ steps: ArraySlice<ImportPath.Step>) {
        let rest = steps.dropFirst()
        switch steps.first {
        case .key(let key)?: keys[key, default: KnownKeys()].add(rest)
        // A key that is read from one object of an array is known in all of them.
        case .element?: add(rest)
        case .whole?: add(rest)
        case nil, .dictionaryKey?, .index?, .parent?, .root?: isWhole = true
        }
    }

    /// Calls `body` with the path of each unknown key.
    ///
    /// - Parameter path: The path of the value.
    func forEachUnknown(in value: ImportValue, at path: String, _ body: (String) throws -> Void) rethrows {
        guard !isWhole else { return }
        switch value {
        case .object(let object):
            for member in object.members {
                let inner = "\(path).\(member.key)"
                if let known = keys[member.key] {
                    try known.forEachUnknown(in: member.value, at: inner, body)
                } else {
                    try body(inner)
                }
            }
        case .array(let elements):
            for element in elements { try forEachUnknown(in: element, at: path, body) }
        default: break
        }
    }
}
