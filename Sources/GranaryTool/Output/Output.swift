import GranaryCore
import GranaryFormats
import GranaryPlatform
import Rainbow
import Synchronization

/// Standard output, for results.
///
/// A pipe without a reader is no error: further output is dropped. Code with much output asks ``isClosed`` and stops.
final class Output: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var isClosed = false
        var failure: GranaryError?
    }

    private let state = Mutex(State())
    private static let bufferSize = 1 << 16

    init() {
        // Otherwise this signal ends the process, perhaps in the middle of a write to a store.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether standard output is a terminal.
    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The number of columns of the terminal; nil if it is unknown, or if there is no terminal.
    let terminalWidth: Int? = {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }()

    /// Whether the output has no reader any more.
    var isClosed: Bool { state.withLock { $0.isClosed || $0.failure != nil } }

    /// Writes text unchanged: for formats with their own escapes.
    func write(_ text: String) { write(text.utf8) }

    func write(_ bytes: some Sequence<UInt8>) {
        state.withLock { state in
            state.buffer += bytes
            if state.buffer.count >= Output.bufferSize { Output.flush(&state) }
        }
    }

    /// The style of the beginning of a line on a terminal.
    enum Style {
        case bold, red, green, yellow

        fileprivate func applied(to text: String) -> String {
            switch self {
            case .bold: text.bold
            case .red: text.red
            case .green: text.green
            case .yellow: text.yellow
            }
        }
    }

    /// Writes one or more lines, without control characters that a terminal obeys.
    ///
    /// - Parameter head: The beginning of the line, in a style.
    func line(_ head: String, _ style: Style, _ text: String = "") {
        let head = head.inLines
        write((isTerminal ? style.applied(to: head) : head) + text.inLines + "\n")
    }

    func line(_ text: String = "") { write(text.inLines + "\n") }

    /// Prints a complete value as JSON in several lines.
    func json(_ value: JSONText) throws { write(try value.pretty + "\n") }

    /// Writes the buffered text.
    ///
    /// - Throws: `io`, `full` if a part of the output could not be written.
    func finish() throws {
        let failure = state.withLock { state in
            Output.flush(&state)
            return state.failure
        }
        if let failure { throw failure }
    }

    private static func flush(_ state: inout State) {
        defer { state.buffer.removeAll(keepingCapacity: true) }
        guard !state.isClosed, state.failure == nil, !state.buffer.isEmpty else { return }
        do {
            if try !StandardStream.write(state.buffer, to: STDOUT_FILENO) { state.isClosed = true }
        } catch {
            state.failure = error
        }
    }
}

/// A sink with which the writer of a format writes to standard output.
final class OutputSink: ByteSink {
    private let output: Output

    init(_ output: Output) { self.output = output }

    func write(_ bytes: UnsafeRawBufferPointer) { output.write(bytes) }
    func finish() {}
}

/// Writes to the standard descriptors of the process.
enum StandardStream {
    /// - Returns: Whether the descriptor still has a reader.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(GranaryError) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: return false
            case EAGAIN:
                // Another program has made this terminal or pipe non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            case let number:
                throw GranaryError(
                    number == ENOSPC ? .full : .io, "The output cannot be written. Check where it goes.",
                    underlying: .init(engine: "posix", code: number, message: String(cString: strerror(number))))
            }
        }
        return true
    }
}

/// The C library's `write`, outside types that have methods of this name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
