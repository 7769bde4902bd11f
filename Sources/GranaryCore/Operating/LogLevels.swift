internal import Foundation
import GranaryPlatform
import Logging

/// The levels that the environment variable `GRANARY_LOG` gives to the components of the log:
/// `GRANARY_LOG=sqlite=debug,import=info`. A level without a component is for all: `GRANARY_LOG=debug,sqlite=trace`.
struct LogLevels: Sendable, Equatable {
    /// The level of components without one of their own; nil if the logger's level stays.
    private(set) var common: Logger.Level?
    private(set) var levels: [String: Logger.Level] = [:]
    /// The parts that have no meaning.
    private(set) var wrong: [String] = []

    init(_ text: String = "") {
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false).map { side in
                side.trimmingCharacters(in: .whitespaces)
            }
            if sides.allSatisfy(\.isEmpty) { continue }
            guard sides.count <= 2, let level = sides.last.flatMap({ Logger.Level(rawValue: $0.lowercased()) }) else {
                wrong.append(part.trimmingCharacters(in: .whitespaces).inOneLine)
                continue
            }
            if sides.count == 1 { common = level } else { levels[sides[0]] = level }
        }
    }

    /// The level of a component; nil if the logger's own level stays.
    subscript(component: String) -> Logger.Level? { levels[component] ?? common }

    /// The parts that name no component of a stack over a store of this kind, and no kind of store of Granary.
    func unknown(beside kind: String) -> [String] {
        let known = Set(LogComponent.allCases.map(\.rawValue) + ["sqlite", "lmdb", "memory", kind])
        return levels.keys.filter { !known.contains($0) }.sorted()
    }

    /// The levels in the environment of this process, read once.
    static let environment = LogLevels(ProcessInfo.processInfo.environment["GRANARY_LOG"] ?? "")
}

/// A part of the log with a label of its own: `granary.read`, `granary.merge`. A store's part has the kind of the store
/// in its place: `granary.sqlite`.
enum LogComponent: String, Sendable, CaseIterable {
    /// Opening, closing, and work in the background.
    case stack
    case read
    case write
    /// Conflicts that a merge policy has settled, and what a merge did beyond the requested changes.
    case merge
    /// Contexts and their saves.
    case context
    case `import`
}

/// Reports mistakes in `GRANARY_LOG` once in a process.
final class LogLevelMistakes: Sendable {
    static let shared = LogLevelMistakes()

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var reported: Set<String> = []

    /// The parts of these levels that are wrong and were not returned before.
    func unreported(_ levels: LogLevels, kind: String) -> [String] {
        let found = levels.wrong + levels.unknown(beside: kind)
        if found.isEmpty { return [] }
        return lock.withLock { found.filter { reported.insert($0).inserted } }
    }
}
