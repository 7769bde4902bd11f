/// Limits on the size of an unpacked archive, so that a small malicious file cannot keep a program busy without end.
///
/// They do not protect memory: unpacking takes constant memory for every archive.
public struct UnpackingLimits: Sendable, Hashable {
    /// The greatest ratio of unpacked to packed bytes, once 64 MB have been unpacked. JSON and CSV rarely exceed 50; an
    /// archive of zeros has about 1000.
    public var maximumRatio: Int
    /// The greatest unpacked size in bytes; nil for no limit.
    public var maximumSize: Int?

    static let unlimitedStart = 64 << 20

    public init(maximumRatio: Int = 250, maximumSize: Int? = nil) {
        self.maximumRatio = maximumRatio
        self.maximumSize = maximumSize
    }
}
