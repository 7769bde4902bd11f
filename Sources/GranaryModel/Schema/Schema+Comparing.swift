import GranaryPlatform

extension Schema {
    /// 32 hexadecimal digits that are the same for schemas with the same meaning. Numbers, and the order of entities,
    /// attributes and indexes, are ignored.
    public var fingerprint: String { known.fingerprint(makeFingerprint) }

    private func makeFingerprint() -> String {
        let text = Array(meaning().joined(separator: "\n").utf8)
        return text.withUnsafeBytes { bytes in
            [UInt64(0), 1].map { seed in
                let digits = String(hash64(bytes, seed: seed), radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }
    }

    private func meaning() -> [String] {
        entities.map { $0.meaning().joined(separator: "\n") }.sorted()
    }
}

extension Entity {
    fileprivate func meaning() -> [String] {
        [
            "entity \(name) key \(key) \(keyGeneration)" + (version.map { " version \($0)" } ?? "")
                + (words == WordRules() ? "" : " words by \(words)")
        ]
            + attributes.map(\.description).sorted() + indexes.map(\.meaning).sorted()
    }
}

extension Index {
    fileprivate var meaning: String {
        "\(isUnique ? "unique" : "index")\(folding) (\(attributes.joined(separator: ", ")))"
    }
}
