/// Keeps the best of many documents: a heap whose first element is the worst that is kept.
struct BestDocuments<Key: DocumentKey> {
    private let limit: Int
    private var heap: [(score: Double, key: Key)] = []

    init(limit: Int) { self.limit = max(0, limit) }

    /// Whether a document that comes after all others would be kept.
    @inline(__always) func accepts(_ score: Double) -> Bool {
        guard heap.count == limit else { return true }
        return limit > 0 && score > heap[0].score
    }

    var isFull: Bool { heap.count == limit }

    mutating func insert(_ key: Key, _ score: Double) {
        if heap.count < limit {
            heap.append((score, key))
            var child = heap.count - 1
            while child > 0, isWorse(heap[child], heap[(child - 1) / 2]) {
                heap.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        } else if limit > 0, isWorse(heap[0], (score, key)) {
            heap[0] = (score, key)
            sink()
        }
    }

    /// The best first, and of equal scores the lesser key.
    func sorted() -> [ScoredDocument] {
        heap.sorted { isWorse($1, $0) }.map { ScoredDocument(key: $0.key.encoded, score: $0.score) }
    }

    private func isWorse(_ left: (score: Double, key: Key), _ right: (score: Double, key: Key)) -> Bool {
        left.score != right.score ? left.score < right.score : left.key > right.key
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, isWorse(heap[child + 1], heap[child]) { child += 1 }
            guard isWorse(heap[child], heap[parent]) else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
