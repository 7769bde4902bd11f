import Foundation
import GranaryCore

/// What is asked of a large store.
extension LargeBench {
    func openAgain() throws {
        var stack: Stack?
        try measure(.open, count: 1) { stack = try kind.open(TrackForm.original, path, .refuse) }
        try stack?.blocking.close()
        let copied = folder + "/copied-files"
        try FileManager.default.copyItem(atPath: path, toPath: copied)
        try measure(.openCopied, count: 1) { stack = try kind.open(TrackForm.original, copied, .refuse) }
        try stack?.blocking.close()
        try FileManager.default.removeItem(atPath: copied)
    }

    func read() throws {
        let stack = try kind.open(TrackForm.original, path, .refuse)
        try measure(.scan, count: rows) { try expectScan(stack, all) }
        try find(stack)
        try fetchPages(stack)
        var found = StreamSum()
        try measure(.indexScan, count: inRange.count) {
            let query = Track.where { $0.artist >= LargeBench.firstArtist && $0.artist < LargeBench.endArtist }
                .sorted(by: \.artist)
            try stack.blocking.read { snapshot in try query.forEach(in: snapshot) { found.add($0) } }
        }
        try expect(found, inRange)
        try measure(.verify, count: rows) {
            let faults = try stack.blocking.verify()
            guard faults == [] else { throw BenchmarkError("The store is not whole: \(faults)") }
        }
        try stack.blocking.close()
    }

    private func find(_ stack: Stack) throws {
        let wanted = (0..<min(rows, 100_000)).map { keys[$0] }
        var found = StreamSum()
        try measure(.find, count: wanted.count) {
            for key in wanted {
                if let track = try stack.blocking.read({ try $0.find(Track.self, key) }) { found.add(track) }
            }
        }
        var expected = StreamSum()
        for key in wanted { expected.add(generator.track(key)) }
        try expect(found, expected)
    }

    private func fetchPages(_ stack: Stack) throws {
        let size = min(100, rows)
        let firsts = (0..<min(rows, 1_000)).map { min(keys[$0], Int64(rows - size + 1)) }
        try timing(.page, count: firsts.count) { add in
            for first in firsts {
                let start = ContinuousClock.now
                let page = try stack.blocking.read {
                    try Track.where { $0.id >= first }.page(in: $0, size: size).records
                }
                add(ContinuousClock.now - start)
                let keys = Array(first..<(first + Int64(size)))
                guard page.map(\.id) == keys, page.first == generator.track(first) else {
                    throw BenchmarkError("The page that begins with \(first) has other tracks.")
                }
            }
        }
    }
}
