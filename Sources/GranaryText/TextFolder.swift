/// Folds one text after the other with the same buffers.
///
/// An ASCII byte never composes with a preceding scalar, so a text can be cut before each ASCII byte. Runs of ASCII are
/// copied in lower case. Only stretches of other scalars, with the ASCII scalar before them that a mark may join, go
/// through the tables.
package struct TextFolder: Sendable {
    package let folding: TextFolding
    private var scalars: [UInt32] = []
    private var decomposed: [UInt32] = []

    package init(_ folding: TextFolding) {
        self.folding = folding
    }

    /// Replaces `output` with the folded text. NUL bytes are kept.
    /// - Throws: `corrupt` for bytes that are not UTF-8.
    package mutating func fold(_ utf8: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(GranaryError) {
        output.removeAll(keepingCapacity: true)
        guard !folding.isEmpty else {
            output.append(contentsOf: utf8)
            return
        }
        var position = 0
        while position < utf8.count {
            let asciiEnd = UTF8Scan.endOfASCII(utf8, from: position)
            let plainEnd = asciiEnd == utf8.count ? asciiEnd : max(position, asciiEnd - 1)
            appendASCII(UnsafeRawBufferPointer(rebasing: utf8[position..<plainEnd]), to: &output)
            guard asciiEnd < utf8.count else { return }
            let runEnd = UTF8Scan.endOfNonASCII(utf8, from: asciiEnd)
            try foldRun(UnsafeRawBufferPointer(rebasing: utf8[plainEnd..<runEnd]), into: &output)
            position = runEnd
        }
    }

    private func appendASCII(_ ascii: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: ascii)
        guard folding.contains(.caseInsensitive) else { return }
        output.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count {
                let byte = bytes[index]
                bytes[index] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            }
        }
    }

    private mutating func foldRun(_ utf8: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(GranaryError) {
        if folding == .caseInsensitive, foldCommonRun(utf8, into: &output) { return }
        scalars.removeAll(keepingCapacity: true)
        var position = 0
        let foldsCase = folding.contains(.caseInsensitive)
        while position < utf8.count {
            let (scalar, length) = UTF8Scan.scalar(utf8, at: position)
            guard length > 0 else { throw GranaryError.invalidText() }
            if foldsCase {
                CaseFolding.append(scalar, to: &scalars)
            } else {
                scalars.append(scalar)
            }
            position += length
        }
        if folding.contains(.diacriticInsensitive) {
            CanonicalForm.decompose(scalars, into: &decomposed)
            decomposed.removeAll(where: CanonicalForm.isNonspacingMark)
            CanonicalForm.compose(&decomposed)
            UTF8Scan.append(decomposed, to: &output)
        } else if CanonicalForm.isSurelyComposed(scalars) {
            UTF8Scan.append(scalars, to: &output)
        } else {
            CanonicalForm.decompose(scalars, into: &decomposed)
            CanonicalForm.compose(&decomposed)
            UTF8Scan.append(decomposed, to: &output)
        }
    }
    /// Folds letters of common scripts one by one, if they join nothing. Returns false, and appends nothing, if the run
    /// has other scalars.
    private func foldCommonRun(_ utf8: UnsafeRawBufferPointer, into output: inout [UInt8]) -> Bool {
        let start = output.count
        var position = 0
        while position < utf8.count {
            let (scalar, length) = UTF8Scan.scalar(utf8, at: position)
            guard length > 0, let folded = CaseFolding.alone(scalar) else {
                output.removeLast(output.count - start)
                return false
            }
            UTF8Scan.append(folded, to: &output)
            position += length
        }
        return true
    }
}
