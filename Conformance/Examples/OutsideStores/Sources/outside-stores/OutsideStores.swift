import GranaryConformance
import GranaryConformanceCommand
import GranaryStoreKit
import LogStore
import PlainFileStore

/// Runs the conformance suite on the stores of this package.
@main enum OutsideStores {
    static func main() async {
        var log = ConformanceSubject(
            "log",
            capabilities: [
                .persistence, .readOnlyOpening, .rowChecksums, .indexedQueries, .migration, .history,
                .changeRecording, .storedSchema, .filling, .externalData, .groupCommit,
            ]
        ) { path, access in .log(atPath: path, access: access) }
        log.damage = { damage, path in try damage.applyToLog(at: path) }
        var plain = ConformanceSubject(
            "plain",
            capabilities: [
                .persistence, .readOnlyOpening, .migration, .changeRecording, .storedSchema, .filling, .externalData,
            ]
        ) { path, access in .plainFiles(atPath: path, access: access) }
        plain.damage = { damage, path in try damage.applyToPlainFiles(at: path) }
        await ConformanceArguments.main(on: [log, plain])
    }
}
