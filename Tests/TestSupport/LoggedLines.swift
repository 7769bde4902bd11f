import GranaryPlatform
package import Logging

/// What was logged since ``begin()``. One test process has one logging system: this one.
package enum LoggedLines {
    package struct Line: Sendable {
        package var level: Logger.Level
        package var message: String
        package var metadata: [String: String]
    }

    private static let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private static var all: [Line] = []
    private static let installed: Void = LoggingSystem.bootstrap { _ in Handler() }

    /// Called before the stack is made: a logger keeps its handler.
    package static func begin() { installed }

    /// The lines of a context, which has a name of its own.
    package static func of(context name: String) -> [Line] {
        lock.withLock { all.filter { $0.metadata["context"] == name } }
    }

    package static func of(entity name: String) -> [Line] {
        lock.withLock { all.filter { $0.metadata["entity"] == name } }
    }

    package static func all(_ isWanted: (Line) -> Bool) -> [Line] { lock.withLock { all.filter(isWanted) } }

    private struct Handler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let own = (event.metadata ?? [:]).mapValues { "\($0)" }
            lock.withLock { all.append(Line(level: event.level, message: "\(event.message)", metadata: own)) }
        }
    }
}
