/// A pattern with wildcards, cut into pieces at its stars.
///
/// The first piece must stand at the beginning of the text, the last piece at its end. Each other piece is taken at the
/// first place where it fits after the previous piece. The first place leaves the most text for the following pieces,
/// so no choice is ever taken back. Pieces without `?` are found as bytes. This is correct because in UTF-8 the bytes
/// of a scalar never occur inside another scalar.
struct LikePattern: Sendable {
    enum Part: Sendable, Hashable {
        case bytes([UInt8])
        /// A number of arbitrary scalars.
        case scalars(Int)
    }
    typealias Piece = ArraySlice<Part>

    private let pieces: [Piece]

    init(_ scalars: [Unicode.Scalar], _ folding: TextFolding) throws(GranaryError) {
        var pieces: [Piece] = [[]]
        var literal: [UInt8] = []
        func endLiteral() throws(GranaryError) {
            let bytes = try folding.folded(literal)
            if !bytes.isEmpty { pieces[pieces.count - 1].append(.bytes(bytes)) }
            literal = []
        }
        var index = 0
        while index < scalars.count {
            switch scalars[index] {
            case "*":
                try endLiteral()
                // Several stars in a row mean the same as one.
                if pieces.count == 1 || pieces.last?.isEmpty == false { pieces.append([]) }
            case "?":
                try endLiteral()
                if case .scalars(let count)? = pieces.last?.last {
                    pieces[pieces.count - 1].removeLast()
                    pieces[pieces.count - 1].append(.scalars(count + 1))
                } else {
                    pieces[pieces.count - 1].append(.scalars(1))
                }
            case "\\":
                index += 1
                guard index < scalars.count, ["?", "*", "\\"].contains(scalars[index]) else {
                    throw GranaryError(
                        .invalidQuery,
                        "The `like` pattern has a single backslash at column \(index). Write \\\\ for a backslash.")
                }
                literal.append(UInt8(truncatingIfNeeded: scalars[index].value))
            default: UTF8Scan.append(scalars[index].value, to: &literal)
            }
            index += 1
        }
        try endLiteral()
        self.pieces = pieces
    }

    var literalPrefix: [UInt8] {
        if case .bytes(let bytes)? = pieces[0].first { bytes } else { [] }
    }

    func matches(_ text: UnsafeRawBufferPointer, stepLimit: Int) throws(GranaryError) -> Bool {
        // The remaining steps.
        var steps = stepLimit
        guard var position = try end(of: pieces[0], in: text, at: 0, &steps) else { return false }
        guard pieces.count > 1 else { return position == text.count }
        for piece in pieces[1..<(pieces.count - 1)] {
            guard let found = try firstEnd(of: piece, in: text, from: position, &steps) else {
                guard steps >= 0 else { throw TextMatcher.tooManySteps(stepLimit) }
                return false
            }
            position = found
        }
        guard let last = pieces.last, let start = start(ofLast: last, in: text), start >= position else { return false }
        return try end(of: last, in: text, at: start, &steps) == text.count
    }

    /// The end of a piece, if the piece stands at `start`; otherwise nil.
    private func end(
        of piece: Piece, in text: UnsafeRawBufferPointer, at start: Int, _ steps: inout Int
    ) throws(GranaryError) -> Int? {
        var position = start
        for part in piece {
            steps -= 1
            switch part {
            case .bytes(let bytes):
                steps -= bytes.count / 64
                guard ByteSearch.begins(UnsafeRawBufferPointer(rebasing: text[position...]), with: bytes) else {
                    return nil
                }
                position += bytes.count
            case .scalars(let count):
                steps -= count
                for _ in 0..<count {
                    guard position < text.count else { return nil }
                    position += try length(in: text, at: position)
                }
            }
        }
        return position
    }

    /// The end of the first occurrence of a piece at or after `start`; also nil when the steps are used up.
    private func firstEnd(
        of piece: Piece, in text: UnsafeRawBufferPointer, from start: Int, _ steps: inout Int
    ) throws(GranaryError) -> Int? {
        var position = start
        // If a piece begins with arbitrary scalars, they are skipped, and the rest is searched after them.
        if case .scalars? = piece.first {
            guard let skipped = try end(of: piece.prefix(1), in: text, at: start, &steps) else { return nil }
            return try firstEnd(of: piece.dropFirst(), in: text, from: skipped, &steps)
        }
        guard case .bytes(let bytes)? = piece.first else { return start }
        while steps >= 0 {
            let found = bytes.withUnsafeBytes { ByteSearch.first($0, in: text, from: position) }
            guard let found else { return nil }
            if piece.count == 1 { return found + bytes.count }
            if let end = try end(of: piece, in: text, at: found, &steps) { return end }
            position = found + 1
        }
        return nil
    }

    /// The beginning of the last piece, if it stands at the end of the text: its length in scalars or bytes is known.
    private func start(ofLast piece: Piece, in text: UnsafeRawBufferPointer) -> Int? {
        var position = text.count
        for part in piece.reversed() {
            switch part {
            case .bytes(let bytes): position -= bytes.count
            case .scalars(let count):
                for _ in 0..<count {
                    repeat { position -= 1 } while position >= 0 && text[position] & 0xC0 == 0x80
                    if position < 0 { return nil }
                }
            }
            if position < 0 { return nil }
        }
        return position
    }

    private func length(in text: UnsafeRawBufferPointer, at position: Int) throws(GranaryError) -> Int {
        let (_, length) = UTF8Scan.scalar(text, at: position)
        guard length > 0 else { throw GranaryError.invalidText() }
        return length
    }
}
