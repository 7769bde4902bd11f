/// Rows of an overlay. Keeps the state below open as long as it lives.
final class OverlayCursor: RowCursor {
    private let overlay: Overlay
    private let version: Int
    private let cursor: any RowCursor
    private let lease: BelowLease?

    init(_ overlay: Overlay, _ cursor: any RowCursor, _ lease: BelowLease?) {
        self.overlay = overlay
        version = overlay.version &- overlay.followings
        self.cursor = cursor
        self.lease = lease
    }

    func next() throws -> Row? {
        if overlay.isEnded { throw GranaryError.transactionEnded }
        if overlay.version &- overlay.followings != version { throw GranaryError.cursorInvalidated }
        return try cursor.next()
    }
}
