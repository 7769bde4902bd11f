/// How much an archive may unpack to, so that a small file made with bad intent cannot keep a program busy for ever.
///
/// Memory is not what these protect: unpacking takes constant memory, whatever the archive holds.
public struct UnpackingLimits: Sendable, Hashable {
    /// How many bytes may come out for each byte of the archive, once 64 MB have come out. JSON and CSV rarely exceed
    /// 50; an archive of zeros has about 1000.
    public var maximumRatio: Int
    /// How many bytes may come out at all; nil for any number.
    public var maximumSize: Int?

    static let unlimitedStart = 64 << 20

    public init(maximumRatio: Int = 250, maximumSize: Int? = nil) {
        self.maximumRatio = maximumRatio
        self.maximumSize = maximumSize
    }
}
