import GranaryCore
import GranaryFormats
import GranaryPlatform
import Rainbow
import Synchronization

/// Standard output, where results go.
///
/// A pipe whose reader has gone is no error: what is written then is dropped, and what writes much asks ``isClosed`` and stops.
final class Output: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var isClosed = false
        var failure: GranaryError?
    }

    private let state = Mutex(State())
    private static let bufferSize = 1 << 16

    init() {
        // Otherwise the system ends the process, perhaps in the middle of a write to a store.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether a person looks at it.
    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// How many columns the terminal has; nil if it does not say so, or is none.
    let terminalWidth: Int? = {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }()

    /// Whether nothing reads it any more.
    var isClosed: Bool { state.withLock { $0.isClosed || $0.failure != nil } }

    /// Writes text as it is: that of a format with escapes of its own.
    func write(_ text: String) { write(text.utf8) }

    func write(_ bytes: some Sequence<UInt8>) {
        state.withLock { state in
            state.buffer += bytes
            if state.buffer.count >= Output.bufferSize { Output.flush(&state) }
        }
    }

    /// How the beginning of a line looks where a person reads it.
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

    /// Writes a line, or lines, in which nothing is obeyed by a terminal.
    ///
    /// - Parameter head: The beginning of the line, in a style.
    func line(_ head: String, _ style: Style, _ text: String = "") {
        let head = head.inLines
        write((isTerminal ? style.applied(to: head) : head) + text.inLines + "\n")
    }

    func line(_ text: String = "") { write(text.inLines + "\n") }

    /// Prints a value as JSON, whole and in lines.
    func json(_ value: JSONText) throws { write(try value.pretty + "\n") }

    /// Writes what is left.
    ///
    /// - Throws: `io`, `full` if something could not be written.
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

/// Where a writer of a format writes to standard output.
final class OutputSink: ByteSink {
    private let output: Output

    init(_ output: Output) { self.output = output }

    func write(_ bytes: UnsafeRawBufferPointer) { output.write(bytes) }
    func finish() {}
}

/// Writing to the descriptors that a process begins with.
enum StandardStream {
    /// - Returns: Whether there is a reader still.
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
                // A terminal or pipe that another program has made not to wait.
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

/// `write` of the C library, apart from the methods of that name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
