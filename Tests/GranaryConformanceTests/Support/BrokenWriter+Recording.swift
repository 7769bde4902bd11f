import ConformanceKit
import GranaryCore

/// What a writer notes, before the fault changes it.
struct BrokenRecording {
    /// Where the changes go at the end.
    let outer: ChangeRecorder
    /// What the store below notes.
    let inner = ChangeRecorder()
    /// The changes of savepoints that were rolled back.
    var undone: [RecordChange] = []
    /// The records that statements have deleted by their keys.
    var deleted: Set<RecordChange.Place> = []
}

extension BrokenWriter {
    func record(into recorder: ChangeRecorder) throws {
        switch fault {
        case .notesNothing: break
        case .notesAllButLast, .notesAgain, .notesOtherKeys, .notesInsertsAsUpdates, .notesDeletesAsUpdates,
            .notesNoAttributes, .notesRolledBack, .notesNoDeleteRules:
            let recording = BrokenRecording(outer: recorder)
            self.recording = recording
            try base.record(into: recording.inner)
        default: try base.record(into: recorder)
        }
    }

    func prepareCommit() throws {
        try base.prepareCommit()
        guard let recording else { return }
        for change in broken(recording.inner.changes(), recording) {
            change.key.withCell { key in
                switch change.kind {
                case .inserted: recording.outer.insert(key, into: change.entity)
                case .updated(let attributes): recording.outer.update(key, in: change.entity, attributes)
                case .deleted: recording.outer.delete(key, from: change.entity)
                }
            }
        }
    }

    private func broken(_ changes: [RecordChange], _ recording: BrokenRecording) -> [RecordChange] {
        switch fault {
        case .notesAllButLast: return changes.dropLast()
        case .notesAgain: return store.exchangeNoted(changes) + changes
        case .notesRolledBack: return changes + recording.undone
        case .notesNoDeleteRules: return changes.filter { $0.kind != .deleted || recording.deleted.contains($0.place) }
        default: return changes.map(broken)
        }
    }

    private func broken(_ change: RecordChange) -> RecordChange {
        var change = change
        switch (fault, change.kind) {
        case (.notesOtherKeys, _):
            if case .integer(let key) = change.key { change.place.key = .integer(key &+ 1) }
        case (.notesInsertsAsUpdates, .inserted), (.notesDeletesAsUpdates, .deleted):
            change.kind = .updated(AttributeSet(schema.entities[change.entity].attributes.indices))
        case (.notesNoAttributes, .updated): change.kind = .updated(AttributeSet())
        default: break
        }
        return change
    }
}
