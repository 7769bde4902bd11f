import Logging

extension Logger {
    /// What stacks log to. Made each time: the application may say at any time where logs go.
    static var granary: Logger { Logger(label: "granary") }
}
