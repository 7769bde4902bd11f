/// The rules for names of entities and attributes. `Schema.validate()` checks the same rules.
enum NameRules {
    static let maximumLength = 63

    /// The mistake in a name, as the end of a sentence that begins with the name; nil for a valid name.
    static func problem(with name: String) -> String? {
        let utf8 = Array(name.utf8)
        func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let first = utf8.first else { return "is empty" }
        guard isLetter(first), utf8.allSatisfy({ isLetter($0) || isDigit($0) }) else {
            return "is not a letter (a-z, A-Z) or _ followed by letters, digits and _"
        }
        guard utf8.count <= maximumLength else { return "is longer than \(maximumLength) bytes" }
        let lower = name.lowercased()
        guard !lower.hasPrefix("sqlite_"), !["rowid", "oid", "_rowid_"].contains(lower) else { return "is reserved" }
        return nil
    }

    /// The name that was probably meant: one that differs only in case, or in at most two letters.
    static func nearest(to name: String, among names: [String]) -> String? {
        if let same = names.first(where: { $0.lowercased() == name.lowercased() }) { return same }
        let near = names.map { ($0, distance($0, name)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= 2, near.1 < name.count else { return nil }
        return near.0
    }

    /// The number of letters to insert, remove or replace (Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let substituted = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
