import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct ChangeRecordingTests {
    private func writer(_ store: any Store) throws -> SQLiteWriter {
        try #require(try store.beginWrite() as? SQLiteWriter)
    }

    private func isNoted(_ change: RecordChange, by noted: RecordChange) -> Bool {
        guard change.place == noted.place else { return false }
        guard case .updated(let wanted) = change.kind, case .updated(let found) = noted.kind else {
            return change.kind == noted.kind
        }
        return Set(wanted.positions).isSubset(of: found.positions)
    }

    @Test(arguments: [false, true])
    func `what a random program does is noted`(rowChecksums: Bool) throws {
        var (failures, successes) = (0, 0)
        for seed in (1...30).map(TestSeed.of) {
            let folder = try TemporaryFolder()
            let store = try folder.open(rowChecksums: rowChecksums)
            // Statements are prepared here while nobody listens.
            try store.write { (writer) throws in
                try writer.insert(.event, .bytes([UInt8](repeating: 9, count: 16)), 1.0)
                for table in 0..<5 { _ = try writer.deleteAll(FetchRequest(entity: table)) }
            }
            for _ in 0..<2 {
                let writer = try writer(store)
                defer { writer.end() }
                let recorder = ChangeRecorder()
                try writer.record(into: recorder)
                var program = try ChangeProgram(writer, SeededNumbers(seed: seed), replacesRows: false)
                try program.run(steps: 60)
                #expect(recorder.changes() == program.changes, "seed \(seed)")
                failures += program.failures
                successes += program.successes
                _ = try writer.commit()
            }
            #expect(try store.verify() == [])
            try store.close()
        }
        #expect(failures > 300 && successes > 300, "\(failures) failures, \(successes) successes")
    }

    @Test(arguments: [false, true])
    func `each statement notes what really differs, once`(rowChecksums: Bool) throws {
        for seed in (100...115).map(TestSeed.of) {
            let folder = try TemporaryFolder()
            let store = try folder.open(rowChecksums: rowChecksums)
            let writer = try writer(store)
            var recorder = ChangeRecorder()
            try writer.record(into: recorder)
            var program = try ChangeProgram(writer, SeededNumbers(seed: seed), replacesRows: true)
            for _ in 0..<80 {
                recorder = ChangeRecorder()
                try writer.record(into: recorder)
                try program.run(steps: 1) { changes in
                    let noted = recorder.changes()
                    // A row that is replaced is deleted and inserted: an update of all, whatever it was.
                    let missing = changes.filter { change in !noted.contains { isNoted(change, by: $0) } }
                    #expect(missing == [], "seed \(seed)")
                    let others = noted.filter { !changes.contains($0) && $0.kind != .updated(AttributeSet(0..<500)) }
                    #expect(others == [], "seed \(seed)")
                }
            }
            writer.end()
            try store.close()
        }
    }

    @Test func `values that are equal are no change, and a real that is whole is one value`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.insert(.artist, 1, "A", 2.0, 1, 1)
        }
        let writer = try writer(store)
        let recorder = ChangeRecorder()
        try writer.record(into: recorder)
        _ = try writer.update(.artist, 1, "A", 2.0, 1, 1)
        try writer.upsert(.genre, 1, "Rock")
        _ = try writer.executeRaw("UPDATE Artist SET rating = 2, name = name")
        #expect(recorder.isEmpty)
        _ = try writer.update(.artist, 1, "B", 2.0, 1, nil)
        #expect(
            recorder.changes() == [
                RecordChange(place: .init(entity: Table.artist.rawValue, key: 1), kind: .updated(AttributeSet([1, 4])))
            ])
        writer.end()
        try store.close()
    }

    @Test func `a savepoint that was open before is cut where recording began`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        let writer = try writer(store)
        try writer.beginSavepoint()
        let recorder = ChangeRecorder()
        try writer.record(into: recorder)
        try writer.insert(.genre, 1, "Rock")
        try writer.rollbackSavepoint()
        #expect(recorder.isEmpty)
        writer.end()
        try store.close()
    }

    @Test func `nothing is noted of the next transaction`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        let first = try writer(store)
        let recorder = ChangeRecorder()
        try first.record(into: recorder)
        try first.insert(.genre, 1, "Rock")
        _ = try first.commit()
        #expect(recorder.changes().count == 1)
        try store.write { _ = try $0.insert(.genre, 2, "Pop") }
        #expect(recorder.changes().count == 1)
        try store.close()
    }

    @Test func `rows are noted when a table is emptied by a statement that was prepared before`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        let events = FetchRequest(entity: Table.event.rawValue)
        let keys = [UInt8(1), 2].map { StoredValue.bytes([UInt8](repeating: $0, count: 16)) }
        for _ in 0..<2 {
            try store.write { (writer) throws in
                _ = try writer.deleteAll(events)
                for key in keys { try writer.insert(.event, key, 1.0) }
            }
        }
        let writer = try writer(store)
        let recorder = ChangeRecorder()
        try writer.record(into: recorder)
        #expect(try writer.deleteAll(events) == 2)
        #expect(recorder.changes().map(\.key) == keys)
        #expect(recorder.changes().allSatisfy { $0.kind == .deleted })
        writer.end()
        try store.close()
    }

    @Test func `attributes are noted by their place in the schema, wherever their columns are`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let turned = Schema(
            entities: music.entities.reversed().map { entity in
                var entity = entity
                entity.attributes.reverse()
                return entity
            })
        let store = try folder.open(turned)
        let (event, genre) = (0, 4)
        try store.write { (writer) throws in
            try withRow(["Rock", 1]) { _ = try writer.insert($0, into: genre) }
            try withRow([1.0, .bytes(.init(repeating: 1, count: 16))]) { _ = try writer.insert($0, into: event) }
        }
        let writer = try writer(store)
        let recorder = ChangeRecorder()
        try writer.record(into: recorder)
        _ = try withRow(["Pop", 1]) { try writer.update($0, in: genre) }
        _ = try withRow([2.0, .bytes(.init(repeating: 1, count: 16))]) { try writer.update($0, in: event) }
        #expect(
            recorder.changes() == [
                RecordChange(
                    place: .init(entity: event, key: .bytes(.init(repeating: 1, count: 16))),
                    kind: .updated(AttributeSet([0]))),
                RecordChange(place: .init(entity: genre, key: 1), kind: .updated(AttributeSet([0]))),
            ])
        writer.end()
        try store.close()
    }
}
