/// The purpose for which a store is opened.
public enum StoreAccess: String, Sendable, Hashable {
    /// Reading and writing. The store is created if it does not exist.
    case readWrite
    /// Nothing is created or changed; `write` throws `readOnly`.
    case readOnly
}
