/// Canonical decomposition, order and composition (NFD and NFC, UAX #15).
///
/// While a text is decomposed, each element holds a scalar in its lower 24 bits and the scalar's combining class above
/// them, so that each class is looked up once.
enum CanonicalForm {
    private static let scalarBits: UInt32 = 0xFF_FFFF

    /// Whether NFC surely leaves these scalars unchanged, after any preceding text. A quick test: false means unknown.
    static func isSurelyComposed(_ scalars: [UInt32]) -> Bool {
        let mappings = CanonicalMappings.shared
        for scalar in scalars where scalar >= 0x300 {
            guard mappings.isSurelyComposed(scalar), combiningClass(scalar) == 0 else { return false }
        }
        return true
    }

    /// Replaces `output` with the scalars, decomposed and in canonical order, with their combining classes in the upper
    /// bits.
    static func decompose(_ scalars: [UInt32], into output: inout [UInt32]) {
        output.removeAll(keepingCapacity: true)
        let mappings = CanonicalMappings.shared
        for scalar in scalars {
            let start = output.count
            if Hangul.isSyllable(scalar) {
                Hangul.appendLetters(of: scalar, to: &output)
                continue
            }
            // The parts are found from the last to the first.
            var base = scalar
            while let parts = mappings.parts(of: base) {
                if parts.second != 0 { output.append(withClass(parts.second)) }
                base = parts.first
            }
            output.append(withClass(base))
            if output.count - start > 1 { output[start...].reverse() }
        }
        order(&output)
    }

    /// Composes the result of ``decompose(_:into:)`` and removes the combining classes.
    static func compose(_ scalars: inout [UInt32]) {
        let mappings = CanonicalMappings.shared
        var starter: Int?
        // The class of the last mark kept since the starter; -1 if there is none.
        var last = -1
        var count = 0
        for index in scalars.indices {
            let scalar = scalars[index] & scalarBits
            let combiningClass = Int(scalars[index] >> 24)
            if let starter, last < combiningClass, let composite = mappings.composite(of: scalars[starter], scalar) {
                scalars[starter] = composite
                continue
            }
            if combiningClass == 0 {
                starter = count
                last = -1
            } else {
                last = combiningClass
            }
            scalars[count] = scalar
            count += 1
        }
        scalars.removeSubrange(count...)
    }

    static func isNonspacingMark(_ element: UInt32) -> Bool {
        let scalar = element & scalarBits
        return scalar >= 0x300 && Unicode.Scalar(scalar)?.properties.generalCategory == .nonspacingMark
    }

    /// Sorts each run of marks by class. Marks of the same class stay in their order.
    private static func order(_ scalars: inout [UInt32]) {
        var start = 0
        while start < scalars.count {
            guard scalars[start] >> 24 != 0 else {
                start += 1
                continue
            }
            var end = start + 1
            var isOrdered = true
            while end < scalars.count, scalars[end] >> 24 != 0 {
                isOrdered = isOrdered && scalars[end - 1] >> 24 <= scalars[end] >> 24
                end += 1
            }
            if !isOrdered {
                // Runs may be as long as a text, so they are sorted, not shifted in place: by class, then position.
                let keys = (start..<end).map { UInt64(scalars[$0] >> 24) << 56 | UInt64($0) }.sorted()
                let sorted = keys.map { scalars[Int($0 & 0xFF_FFFF_FFFF_FFFF)] }
                scalars.replaceSubrange(start..<end, with: sorted)
            }
            start = end
        }
    }

    private static func withClass(_ scalar: UInt32) -> UInt32 {
        scalar < 0x300 ? scalar : UInt32(combiningClass(scalar)) << 24 | scalar
    }

    private static func combiningClass(_ scalar: UInt32) -> UInt8 {
        Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
    }
}
