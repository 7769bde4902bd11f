/// A place in imported input.
public struct InputPosition: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, or the name that the source was given.
    public var source: String
    /// The line, counted from 1.
    public var line: Int
    /// The number of bytes before it, after unpacking.
    public var offset: Int
    /// The path to the value: `$.artists[3].born`; empty if the place has no path.
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
    /// The place of the error in the input; nil for errors that are not about reading input.
    public var position: InputPosition? {
        details as? InputPosition ?? (details as? any DetailsWithPosition)?.position
    }

    /// An error of reading input. Its message begins with its position.
    package init(_ code: Code, _ message: String, at position: InputPosition) {
        self.init(code, "\(position): \(message)")
        details = position
    }
}

/// Details of an error which include its position in the input.
package protocol DetailsWithPosition: Sendable {
    var position: InputPosition? { get }
}

extension InputPosition {
    /// An error of the source, with this position added.
    func added(to error: any Error) -> any Error {
        guard var error = error as? GranaryError, error.details == nil else { return error }
        error.message = "\(self): \(error.message)"
        error.details = self
        return error
    }
}
