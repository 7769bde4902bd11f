import ConformanceKit
import Foundation
import GranaryCore
import GranaryTool
import StoreSubjects
import Testing

/// Work that needs room for a second store, on a disk that has room for more and more of it.
extension FullDiskTests {
    enum Job: String, CaseIterable {
        case migrate, reset, copy, backup, compact, seed
    }

    private static let (records, seeded) = (1_000, 800)

    /// Does a job, and then closes every stack that it has opened. The records of a store that is open stay if it fails.
    private func perform(_ job: Job, _ kind: StoreKind, on store: String, seed: String, to made: String) async throws {
        let schema = MigrationWorker.schema(isRequired: false)
        let isMigration = job == .migrate
        let path = job == .seed ? made : store
        let stack = try kind.subject.open(
            isMigration ? MigrationWorker.schema(isRequired: true) : schema, at: path,
            migration: isMigration ? .inferred : .refuse,
            seed: [.reset, .seed].contains(job) ? .store(kind.provider(at: seed)) : nil)
        do {
            switch job {
            case .migrate, .seed: break
            case .reset: try await stack.reset(to: .seed)
            case .copy: try await stack.copy(to: kind.provider(at: made)).close()
            case .backup: try await stack.backUp(to: URL(filePath: made))
            case .compact: try await stack.compact()
            }
        } catch {
            #expect(try await stack.read { try $0.count(Request("Item")) } == Self.records)
            try? await stack.close()
            throw error
        }
        try? await stack.close()
    }

    @Test(ownDisk, arguments: [StoreKind.sqlite, .lmdb], Job.allCases)
    func `work that finds too little room throws full wherever that is, and is done when there is room`(
        _ kind: StoreKind, _ job: Job
    ) async throws {
        try await withSmallDisk("8m") { disk in
            let (store, seed, made) = (disk + "/Store.granary", disk + "/Seed.granary", disk + "/Made.granary")
            try MigrationWorker.make(kind.subject, at: store, count: Self.records)
            try MigrationWorker.make(kind.subject, at: seed, count: Self.seeded)
            let filler = try fill(disk)
            var size = try #require(FileManager.default.attributesOfItem(atPath: filler)[.size] as? Int)
            var codes: [GranaryError.Code] = []
            while true {
                do {
                    try await perform(job, kind, on: store, seed: seed, to: made)
                    break
                } catch let error as GranaryError {
                    codes.append(error.code)
                    #expect(error.code == .full, "\(error) after \(codes.count) attempts")
                    #expect(try kind.provider(at: made).exists() != true)
                }
                try #require(size > 0, "it never finds room enough")
                size = max(0, size - 32 * 1024)
                try #require(run(["truncate", "-s", "\(size)", filler]))
            }
            #expect(!codes.isEmpty)
            try FileManager.default.removeItem(atPath: filler)
            for (path, count) in [(store, job == .reset ? Self.seeded : Self.records), (seed, Self.seeded)] {
                let stack = try await Stack(store: kind.provider(at: path))
                #expect(try await stack.read { try $0.count(Request("Item")) } == count)
                #expect(try stack.blocking.verify() == [])
                try await stack.close()
                let names = try FileManager.default.contentsOfDirectory(atPath: path)
                #expect(names.count { $0.hasPrefix("gen-") } == 1, "\(names)")
            }
            guard [.copy, .backup, .seed].contains(job) else { return }
            let stack = try await Stack(store: kind.provider(at: made))
            #expect(
                try await stack.read { try $0.count(Request("Item")) }
                    == (job == .seed ? Self.seeded : Self.records))
            #expect(try stack.blocking.verify() == [])
            try await stack.close()
        }
    }
}
