import GranaryConformance
import GranaryConformanceCommand
import GranaryStoreKit
import LogStore
import PlainFileStore

/// Runs the conformance suite on the stores of this package.
@main enum OutsideStores {
    static func main() async {
        await ConformanceArguments.main(on: [
            ConformanceSubject(
                "log",
                capabilities: [
                    .persistence, .readOnlyOpening, .rowChecksums, .indexedQueries, .migration, .history,
                    .changeRecording, .storedSchema, .filling,
                ]
            ) { path, access in .log(atPath: path, access: access) },
            ConformanceSubject(
                "plain",
                capabilities: [
                    .persistence, .readOnlyOpening, .migration, .changeRecording, .storedSchema, .filling,
                ]
            ) { path, access in .plainFiles(atPath: path, access: access) },
        ])
    }
}
