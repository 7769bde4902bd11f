extension Array {
    /// The elements in parts of at most `count`. By default, as many as one request takes keys.
    package func chunks(of count: Int = 1_000) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
