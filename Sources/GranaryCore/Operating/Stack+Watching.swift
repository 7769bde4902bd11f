import GranaryPlatform
import Logging

// A stack without a recorder takes the short way: one look at a constant, and nothing else.

extension Stack {
    /// Runs a read of one state, watched if something needs to know about it.
    func watchedRead<T: Sendable>(
        _ name: String?, _ body: @escaping @Sendable (Snapshot) throws -> T,
        _ read: (@escaping @Sendable (Snapshot) throws -> T) async throws -> T
    ) async throws -> T {
        guard let recorder else { return try await read(body) }
        let running = recorder.begin(.read, name)
        do {
            let result = try await read { try running.running($0, body) }
            running.ended(nil)
            return result
        } catch {
            running.ended(error)
            throw error
        }
    }

    /// Writes like `writeNumbered`, watched if something needs to know about it.
    func watchedWrite<T: Sendable>(
        from origin: ChangeOrigin, _ durability: WriteDurability = WriteDurability(asked: nil),
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> (result: T, commit: GroupCommitOutcome) {
        guard let recorder else { return try await writeNumbered(from: origin, durability, body) }
        let running = recorder.begin(.write, origin.name)
        do {
            let written = try await writeNumbered(from: origin, durability) { try running.running($0, body) }
            running.ended(nil, commit: written.commit)
            return written
        } catch {
            running.ended(error)
            throw error
        }
    }

    /// The same on the calling thread.
    func watchedWrite<T>(
        from origin: ChangeOrigin, _ durability: WriteDurability = WriteDurability(asked: nil),
        _ body: (Transaction) throws -> T
    ) throws -> (result: T, commit: GroupCommitOutcome) {
        guard let recorder else { return try writeNumbered(from: origin, durability, body) }
        let running = recorder.begin(.write, origin.name)
        return try running.ending({ $0.commit }) {
            try writeNumbered(from: origin, durability) { try running.running($0, body) }
        }
    }

    /// Reports the progress of an import to the log and the instrument.
    package func noteImport(_ progress: ImportProgress) {
        instrument?.imported(progress)
        logs[.import].debug(
            progress.isComplete ? "an import has ended" : "an import has committed a part",
            metadata: [
                "entity": "\(progress.entity)", "objects": "\(progress.objects)", "time": "\(progress.duration)",
            ])
    }
}

extension ImportProgress {
    package init(entity: String, objects: Int, seconds: Double, isComplete: Bool) {
        (self.entity, self.objects, self.isComplete) = (entity, objects, isComplete)
        duration = .seconds(seconds)
    }
}
