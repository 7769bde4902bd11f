import Logging

extension Logger {
    /// The logger of stacks. It is made each time, because the application may change the log's destination at any
    /// time.
    static var granary: Logger { Logger(label: "granary") }
}
