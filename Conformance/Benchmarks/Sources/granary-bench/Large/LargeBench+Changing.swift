import Foundation
import GranaryCore

/// What is done with the whole of a large store.
extension LargeBench {
    func copy() throws {
        let stack = try kind.open(TrackForm.original, path, .refuse)
        let (saved, copied) = (folder + "/saved", folder + "/copied")
        try measure(.backUp, count: rows) {
            try waiting { try await stack.backUp(to: URL(fileURLWithPath: saved)) }
        }
        try measure(.copy, count: rows) { try kind.copy(stack, to: copied) }
        try stack.blocking.close()
        for place in [saved, copied] {
            let other = try kind.open(TrackForm.original, place, .refuse)
            try expectScan(other, all)
            try other.blocking.close()
            try FileManager.default.removeItem(atPath: place)
        }
    }

    func change() throws {
        try deleteTenth()
        let plays = try compact()
        var converted: Stack?
        try measure(.migrate, count: remaining.count) {
            converted = try kind.open(TrackForm.converted, path, TrackForm.conversion)
        }
        guard let converted else { return }
        let (count, sum) = try converted.blocking.read {
            (try Request("Track").count(in: $0), try Request("Track").sum(of: "plays", in: $0))
        }
        guard count == remaining.count, case .integer(let whole) = plays, sum == .real(Double(whole)) else {
            throw BenchmarkError("After the change \(count) tracks have \(sum) plays, not \(plays).")
        }
        try converted.blocking.close()
    }

    private func deleteTenth() throws {
        let stack = try kind.open(TrackForm.original, path, .refuse)
        let removed = rows - remaining.count
        try timing(.deleteTenth, count: max(1, removed)) { add in
            for start in stride(from: 1, through: rows, by: 500_000) {
                let keys = (Int64(start)...Int64(min(start + 499_999, rows))).filter(LargeBench.isDeleted)
                let begin = ContinuousClock.now
                let count = try stack.blocking.write { try $0.delete(Track.self, keys) }
                add(ContinuousClock.now - begin)
                guard count == keys.count else { throw BenchmarkError("\(count) of \(keys.count) were deleted.") }
            }
        }
        try expectScan(stack, remaining)
        // What LMDB keeps of the pages that were changed is given back, and does not count as memory of the next step.
        try stack.blocking.close()
    }

    /// - Returns: The sum of all plays.
    private func compact() throws -> StoredValue {
        let stack = try kind.open(TrackForm.original, path, .refuse)
        try measure(.compact, count: remaining.count) { try waiting { try await stack.compact() } }
        try expectScan(stack, remaining)
        let plays = try stack.blocking.read { try Request("Track").sum(of: "plays", in: $0) }
        try stack.blocking.close()
        return plays
    }
}
