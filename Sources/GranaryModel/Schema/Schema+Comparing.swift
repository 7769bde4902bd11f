extension Schema {
    /// 32 hexadecimal digits that are the same for schemas of the same meaning: numbers, and the order of entities,
    /// attributes and indexes, do not enter.
    public var fingerprint: String {
        let text = Array(meaning().joined(separator: "\n").utf8)
        return text.withUnsafeBytes { bytes in
            [UInt64(0), 1].map { seed in
                let digits = String(hash64(bytes, seed: seed), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }
    }

    /// What differs from another schema, in words, one line a difference; empty when the fingerprints agree.
    public func differences(from stored: Schema) -> [String] {
        let mine = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let theirs = Dictionary(stored.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var differences: [String] = []
        for name in Set(mine.keys).union(theirs.keys).sorted() {
            switch (theirs[name], mine[name]) {
            case (nil, .some): differences.append("entity \(name) is not in the store")
            case (.some, nil): differences.append("entity \(name) is in the store only")
            case (let old?, let new?): differences += new.differences(from: old)
            case (nil, nil): break
            }
        }
        return differences
    }

    private func meaning() -> [String] {
        entities.map { $0.meaning().joined(separator: "\n") }.sorted()
    }
}

extension Entity {
    fileprivate func meaning() -> [String] {
        ["entity \(name) key \(key) \(keyGeneration)" + (version.map { " version \($0)" } ?? "")]
            + attributes.map(\.description).sorted() + indexes.map(\.meaning).sorted()
    }

    fileprivate func differences(from old: Entity) -> [String] {
        var differences: [String] = []
        if (key, keyGeneration) != (old.key, old.keyGeneration) {
            differences.append(
                "\(name): the key was \(old.key) (\(old.keyGeneration)) and is \(key) (\(keyGeneration))")
        }
        if version != old.version {
            differences.append("\(name): the version was \(old.version ?? "none") and is \(version ?? "none")")
        }
        let theirs = Dictionary(
            old.attributes.map { ($0.name, $0.description) }, uniquingKeysWith: { first, _ in first })
        let mine = Dictionary(attributes.map { ($0.name, $0.description) }, uniquingKeysWith: { first, _ in first })
        for attribute in Set(mine.keys).union(theirs.keys).sorted() where mine[attribute] != theirs[attribute] {
            switch (theirs[attribute], mine[attribute]) {
            case (nil, let new?): differences.append("\(name): \(new) is not in the store")
            case (let old?, nil): differences.append("\(name): \(old) is in the store only")
            case (let old?, let new?): differences.append("\(name): the store has \(old), the program \(new)")
            case (nil, nil): break
            }
        }
        let (old, new) = (Set(old.indexes.map(\.meaning)), Set(indexes.map(\.meaning)))
        differences += new.subtracting(old).sorted().map { "\(name): \($0) is not in the store" }
        differences += old.subtracting(new).sorted().map { "\(name): \($0) is in the store only" }
        return differences
    }
}

extension Index {
    fileprivate var meaning: String {
        "\(isUnique ? "unique" : "index")\(folding) (\(attributes.joined(separator: ", ")))"
    }
}
