package import GranaryCore
import GranaryPlatform
import Logging

/// The log of one stack, collected.
package final class CollectedLog: Sendable {
    package struct Line: Sendable {
        package let level: String
        package let message: String
        package let metadata: [String: String]

        /// All that a reader of the log sees.
        package var text: String { "\(message) \(metadata.values.joined(separator: " "))" }
    }

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var collected: [Line] = []

    package init() {}

    package var lines: [Line] { lock.withLock { collected } }

    /// The lines of a component with a message.
    package func lines(_ component: String, _ message: String) -> [Line] {
        lines.filter { $0.metadata["component"] == "granary.\(component)" && $0.message == message }
    }

    /// A logger that writes into this log.
    fileprivate func logger(_ level: Logger.Level) -> Logger {
        Logger(label: "case") { _ in Handler(log: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        init(log: CollectedLog, logLevel: Logger.Level) { (self.log, self.logLevel) = (log, logLevel) }

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let line = Line(level: "\(event.level)", message: "\(event.message)", metadata: all)
            log.lock.withLock { log.collected.append(line) }
        }
    }
}

extension Trial {
    /// A stack on the store of this run that is watched.
    ///
    /// - Parameters:
    ///   - log: Gets its lines, if there is one.
    ///   - traces: Whether statements and requests are logged too.
    package func watched(
        log: CollectedLog? = nil, traces: Bool = false, slow: Duration? = nil, longestRead: Duration = .seconds(3600),
        instrument: (any StackInstrument)? = nil
    ) throws -> Stack {
        let stack = try Stack(
            SuiteSchema.standard, store: subject.provider(storePath, .readWrite), longestRead: longestRead,
            logger: log?.logger(traces ? .trace : .debug), slow: slow, instrument: instrument)
        keep(stack)
        return stack
    }
}
