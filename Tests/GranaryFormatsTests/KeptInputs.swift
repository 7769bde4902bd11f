import Foundation

/// The readers that are tried with random input.
enum TriedReader: String {
    case json, records, jsonLines, csv, archives
}

/// Bytes that a reader is tried with, and the seed from which the test draws how they are read.
struct ReadInput {
    let reader: TriedReader
    let seed: UInt64
    let bytes: [UInt8]

    /// Says which input failed, and how it is tried in every run from then on.
    var advice: String {
        """
        seed \(seed): \(String(decoding: bytes.prefix(2_000), as: UTF8.self))
        To try this input in every run, add the line to ReadInput.kept, in KeptInputs.swift:
                (.\(reader), \(seed), "\(Data(bytes).base64EncodedString())"),
        """
    }

    /// Inputs with which a reader once failed, their bytes in base64. Each run of the tests tries them before random ones.
    ///
    /// A failure of ``RandomReadingTests`` prints the line that is added here. After a crash, the `GRANARY_SEED` that was
    /// printed makes the same inputs again.
    static let kept: [(reader: TriedReader, seed: UInt64, bytes: String)] = [
        // A control character behind escapes, which a reader that was broken on purpose took.
        (.json, 3577, "In9cXHJcdBVcYiBlIOKCrH8iCg==")
    ]

    /// The inputs that are kept for a reader; nil for a line whose bytes are not base64.
    static func kept(for reader: TriedReader) -> [ReadInput?] {
        kept.filter { $0.reader == reader }.map { line in
            Data(base64Encoded: line.bytes).map { ReadInput(reader: reader, seed: line.seed, bytes: Array($0)) }
        }
    }
}
