import GranaryPlatform

extension GranaryError {
    /// The key of the record that the error is about, in its stored form, where one record is known.
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
}
