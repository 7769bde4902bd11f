import GranaryPlatform
package import Logging

/// A log of its own, for a stack that gets its logger.
package final class MemoryLog: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var all: [LoggedLines.Line] = []

    package init() {}

    package var lines: [LoggedLines.Line] { lock.withLock { all } }

    package func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "test") { _ in Handler(log: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let log: MemoryLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        init(log: MemoryLog, logLevel: Logger.Level) { (self.log, self.logLevel) = (log, logLevel) }

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let line = LoggedLines.Line(level: event.level, message: "\(event.message)", metadata: all)
            log.lock.withLock { log.all.append(line) }
        }
    }
}
