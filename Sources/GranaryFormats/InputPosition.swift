/// Where something stands in what is imported.
public struct InputPosition: Sendable, Hashable, CustomStringConvertible {
    /// What is read: the path of a file, or the name that the source was given.
    public var source: String
    /// The line, counted from 1.
    public var line: Int
    /// The number of bytes before it, after unpacking.
    public var offset: Int
    /// The way to the value: `$.artists[3].born`; empty where there is none.
    public var path: String

    public init(source: String, line: Int, offset: Int, path: String = "") {
        self.source = source
        self.line = line
        self.offset = offset
        self.path = path
    }

    /// `music.json, line 12, byte 345, $.artists[3].born`
    public var description: String {
        "\(source), line \(line), byte \(offset)\(path.isEmpty ? "" : ", \(path)")"
    }
}

extension GranaryError {
    /// Where in the input the error is, for errors of reading it; otherwise nil.
    public var position: InputPosition? {
        details as? InputPosition ?? (details as? any DetailsWithPosition)?.position
    }

    /// An error of reading an input, with its position as part of the message.
    package init(_ code: Code, _ message: String, at position: InputPosition) {
        self.init(code, "\(position): \(message)")
        details = position
    }
}

/// What is known of an error besides where in the input it is.
package protocol DetailsWithPosition: Sendable {
    var position: InputPosition? { get }
}

extension InputPosition {
    /// An error of the source, with the position where it came.
    func added(to error: any Error) -> any Error {
        guard var error = error as? GranaryError, error.details == nil else { return error }
        error.message = "\(self): \(error.message)"
        error.details = self
        return error
    }
}
