import GranaryPlatform
import Logging

/// The loggers of a stack, one for each component.
///
/// A line goes to the logger of the task that made the call, as `withLogger` of swift-log binds it, with the metadata of
/// the request; outside of such a task, to the logger that the stack was opened with. The line has the component's label
/// as metadata then. Without either, each component has a logger with its own label. `GRANARY_LOG` sets the levels in
/// each case.
struct StackLogs: Sendable {
    private let given: Logger?
    private let kind: String
    private let levels: LogLevels
    /// The loggers for calls outside of a task with a logger.
    private let own: [Logger]
    /// The logger of the store's statements, for the same calls.
    private let ownStore: Logger

    init(_ given: Logger? = nil, kind: String, levels: LogLevels = .environment) {
        (self.given, self.kind, self.levels) = (given, kind, levels)
        own = LogComponent.allCases.map { StackLogs.logger($0.rawValue, given, levels) }
        ownStore = StackLogs.logger(kind, given, levels)
        let wrong = LogLevelMistakes.shared.unreported(levels, kind: kind)
        guard !wrong.isEmpty else { return }
        own[0].warning(
            "GRANARY_LOG has parts without a meaning: name a component and a level, as in sqlite=debug,import=info",
            metadata: [
                "parts": "\(wrong.joined(separator: ", "))",
                "components": "\((LogComponent.allCases.map(\.rawValue) + [kind]).joined(separator: ", "))",
            ])
    }

    /// The logger of a component for the calling task.
    subscript(component: LogComponent) -> Logger {
        guard let bound = StackLogs.bound else { return own[LogComponent.allCases.firstIndex(of: component) ?? 0] }
        return StackLogs.logger(component.rawValue, bound, levels)
    }

    /// The logger of the store's statements for the calling task.
    var store: Logger { StackLogs.bound.map { StackLogs.logger(kind, $0, levels) } ?? ownStore }

    /// Whether reads, writes or statements are logged. Decided when the stack is opened, so that a read does not ask the
    /// log's handler.
    var followsOperations: Bool {
        let lines = own.filter { ["granary.read", "granary.write"].contains($0.label) }
        return lines.contains { $0.logLevel <= .debug } || ownStore.logLevel <= .trace
    }

    /// The logger of the task. The one that swift-log returns without `withLogger` has an empty label.
    private static var bound: Logger? {
        let current = Logger.current
        return current.label.isEmpty ? nil : current
    }

    private static func logger(_ component: String, _ base: Logger?, _ levels: LogLevels) -> Logger {
        let label = "granary.\(component)"
        var logger: Logger
        if let base {
            logger = Logger(label: label) { _ in base.handler }
            logger[metadataKey: "component"] = "\(label)"
        } else {
            logger = Logger(label: label)
        }
        if let level = levels[component] { logger.logLevel = level }
        return logger
    }
}
