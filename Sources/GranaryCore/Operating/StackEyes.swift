import Logging

/// Who watches a stack: its parameters `logger`, `slow` and `instrument`.
struct StackEyes: Sendable {
    var logger: Logger?
    var slow: Duration?
    var instrument: (any StackInstrument)?

    init(_ logger: Logger? = nil, _ slow: Duration? = nil, _ instrument: (any StackInstrument)? = nil) {
        (self.logger, self.slow, self.instrument) = (logger, slow, instrument)
    }
}
