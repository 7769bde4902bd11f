import Granary

/// The number of the last commit. It grows by one with each commit that changes something.
func lastCommit(of stack: Stack) async throws -> UInt64 {
    try await stack.read { $0.transactionNumber }
}

/// Whether a store lacks commits that it had when the number was taken.
func lacksCommits(_ stack: Stack, after kept: UInt64) async throws -> Bool {
    try await lastCommit(of: stack) < kept
}
