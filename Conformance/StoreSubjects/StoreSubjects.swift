package import ConformanceKit
import GranaryCore
package import GranaryTool

extension StoreKind {
    /// The store as the conformance suite tries it.
    package var subject: ConformanceSubject {
        var subject = alone
        subject.peers = StoreKind.allCases.filter { $0 != self }.map(\.alone)
        return subject
    }

    private var alone: ConformanceSubject {
        var subject = ConformanceSubject(rawValue, capabilities: capabilities) { path, access in
            provider(at: path, access: access)
        }
        subject.damage = { try damage($0, $1) }
        return subject
    }

    /// What this kind of store must be able to do. The suite compares it with what the store says of itself.
    private var capabilities: Set<Capability> {
        switch self {
        case .sqlite:
            [
                .persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels, .rawSQL, .indexedQueries,
                .migration, .history, .changeRecording, .storedSchema, .filling, .externalData, .groupCommit,
            ]
        case .lmdb:
            [
                .persistence, .multipleProcesses, .readOnlyOpening, .durabilityLevels, .rowChecksums,
                .indexedQueries, .migration, .history, .changeRecording, .storedSchema, .filling, .externalData,
                .groupCommit,
            ]
        case .memory:
            [
                .reopening, .rowChecksums, .indexedQueries, .migration, .history, .changeRecording, .storedSchema,
                .filling, .groupCommit,
            ]
        }
    }
}
