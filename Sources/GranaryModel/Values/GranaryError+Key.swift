import GranaryPlatform

extension GranaryError {
    /// The key of the record that the error is about, in its stored form; nil if no single record is known.
    public var key: StoredValue? {
        get { knownKey as? StoredValue }
        set { knownKey = newValue }
    }
}

extension StoredValue: KeyOfError {
    package var textOfError: String? {
        switch self {
        case .integer(let number): "\(number)"
        case .bytes: withCell { try? UUID.decode($0) }?.uuidString
        default: nil
        }
    }

    package var textOfData: String? {
        switch self {
        case .text(let utf8): String(decoding: utf8, as: UTF8.self).shortened
        case .real(let number): "\(number)"
        case .bytes(let bytes): textOfError ?? "of \(bytes.count) bytes"
        case .integer, .null: textOfError
        }
    }
}
