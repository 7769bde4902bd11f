/// Case folding of one scalar with the standard library's full mappings: to lower case, to upper case, to lower case
/// again.
///
/// The first step decomposes İ. The second step unites letters with several lower-case forms (ς and σ, ſ and s) and
/// spells out ligatures. The third step converts the result to lower case. Only ı is excluded, because its upper-case
/// form I would make it an i; with that exception the same texts become equal as in Unicode's own full case folding.
enum CaseFolding {
    private static let dotlessI: UInt32 = 0x131

    /// The folded form of each scalar of Latin, Greek, Cyrillic and Armenian.
    private static let common: [[UInt32]] = (UInt32(0)..<0x590).map { scalar in
        var folded: [UInt32] = []
        appendMapped(scalar, to: &folded)
        return folded
    }

    /// The folded form, if it is one scalar that never joins a preceding one.
    private static let alone: [UInt32] = common.map { folded in
        folded.count == 1 && CanonicalForm.isSurelyComposed(folded) ? folded[0] : notAlone
    }
    private static let notAlone = UInt32.max

    /// The folded form of a common scalar, if it is one scalar that never joins a preceding one.
    static func alone(_ scalar: UInt32) -> UInt32? {
        guard scalar < alone.count else { return nil }
        let folded = alone[Int(scalar)]
        return folded == notAlone ? nil : folded
    }

    static func append(_ scalar: UInt32, to scalars: inout [UInt32]) {
        if scalar < common.count {
            scalars += common[Int(scalar)]
        } else {
            appendMapped(scalar, to: &scalars)
        }
    }

    private static func appendMapped(_ value: UInt32, to scalars: inout [UInt32]) {
        guard value != dotlessI, let scalar = Unicode.Scalar(value) else {
            scalars.append(value)
            return
        }
        let properties = scalar.properties
        guard properties.changesWhenLowercased || properties.changesWhenUppercased else {
            scalars.append(value)
            return
        }
        for small in properties.lowercaseMapping.unicodeScalars {
            for large in small.properties.uppercaseMapping.unicodeScalars {
                for folded in large.properties.lowercaseMapping.unicodeScalars {
                    scalars.append(folded.value)
                }
            }
        }
    }
}
