import ArgumentParser

extension CommandLine {
    /// Refuses arguments whose bytes are not UTF-8: the runtime replaces such bytes, so that a path would name another
    /// file.
    ///
    /// - Throws: `ValidationError`.
    static func requireUTF8() throws {
        for number in 0..<Int(argc) {
            guard let bytes = unsafeArgv[number], String(validatingCString: bytes) == nil else { continue }
            throw ValidationError(
                "Argument \(number), \(String(cString: bytes)), is not UTF-8. Give names as UTF-8, and rename files whose names are not."
            )
        }
    }
}
