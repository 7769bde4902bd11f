/// What a store is opened for.
public enum StoreAccess: String, Sendable, Hashable {
    /// The store is created if it is not there.
    case readWrite
    /// Nothing is created or changed; `write` throws `readOnly`.
    case readOnly
}
