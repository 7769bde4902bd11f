extension Array {
    /// The elements in parts of at most `count`. The default suits keys: so many go into one request.
    package func chunks(of count: Int = 1_000) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
