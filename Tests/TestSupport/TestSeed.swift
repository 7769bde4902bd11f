import Foundation

/// Where random tests begin.
///
/// Each random test has a number of its own, or some: `SeededNumbers(seed: TestSeed.of(7))`. Without `GRANARY_SEED` in the
/// environment the number is the seed, and every run of the tests is the same. With it, the seed is the sum of both: each run can
/// try something new, and the same value of `GRANARY_SEED` tries the same again.
package enum TestSeed {
    /// The value of `GRANARY_SEED`; nil if it is not set.
    package static let ofEnvironment: UInt64? = ProcessInfo.processInfo.environment["GRANARY_SEED"].map { text in
        guard let seed = UInt64(text) else { preconditionFailure("GRANARY_SEED is not a number: \(text)") }
        return seed
    }

    /// Printed before the first random test, so that it is known when the process crashes.
    private static let ofRun: UInt64 = {
        let seed = ofEnvironment ?? 0
        print("random tests: GRANARY_SEED=\(seed)\(ofEnvironment == nil ? ", as it is not set" : "")")
        // What is written to a pipe is kept back, and lost in a crash.
        fflush(nil)
        return seed
    }()

    /// The seed of the random test, or of the turn of one, that has this number.
    package static func of(_ number: UInt64) -> UInt64 { ofRun &+ number }
}
