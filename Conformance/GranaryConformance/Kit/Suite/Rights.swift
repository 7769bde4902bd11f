import GranaryPlatform

/// Ends a case that cannot be tried here. It is reported as skipped, with the reason.
package struct NotTested: Error, CustomStringConvertible {
    package var reason: String
    package init(reason: String) { self.reason = reason }
    package var description: String { "NOT TESTED: \(reason)" }
}

/// Runs the body without the rights of root, for this thread and for files only (`setfsuid(2)`): root may write everywhere.
///
/// - Throws: ``NotTested`` where the process has these rights and cannot give them up.
package func withoutRightsOfRoot(_ body: () throws -> Void) throws {
    guard geteuid() == 0 else { return try body() }
    let failure = NotTested(reason: "root cannot give up its rights here")
    typealias SetUser = @convention(c) (UInt32) -> Int32
    guard let symbol = dlsym(nil, "setfsuid") else { throw failure }
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    _ = setUser(65_534)
    defer { _ = setUser(0) }
    guard setUser(65_534) == 65_534 else { throw failure }
    try body()
}
