/// A document's key and its score.
package struct ScoredDocument: Hashable, Sendable {
    package var key: [UInt8]
    package var score: Double
}
