import CPlatform

/// Several objects of one kind, of which each thread uses its own, so that threads which do the same at once do not write to
/// the same memory. More threads than objects share them, so each object needs a lock.
///
/// ```swift
/// let counters = Shards { Counter() }
/// counters.own.add(1)  // for this thread
/// let sum = counters.all.reduce(0) { $0 + $1.value }
/// ```
///
/// An object's own variables must not lie in the cache lines of another one: give its class a `CacheLines`.
///
/// Public for the same reason as ``Lock``.
public struct Shards<Shard: Sendable>: Sendable {
    public let all: [Shard]
    @usableFromInline let mask: Int

    /// - Parameters:
    ///   - most: The greatest number of objects, at least 1. Without it there are twice as many as processors, at most 32.
    ///   - make: Makes one of them.
    public init(most: Int = .max, _ make: () -> Shard) {
        // A power of two, so that choosing one divides nothing.
        var count = 1
        while count < 2 * Processors.count, count < 32, count * 2 <= most { count *= 2 }
        all = (0..<count).map { _ in make() }
        mask = count - 1
    }

    /// The object of the calling thread: the same one at each call.
    @inlinable public var own: Shard { all[threadNumber() & mask] }
}

/// As many bytes as a processor takes from another one at a time: the last property of a class whose objects are changed by one
/// thread each.
package struct CacheLines: Sendable {
    /// Two cache lines of 64 bytes: processors fetch them in pairs.
    package static let size = 128

    // Never read: it keeps what is allocated next away.
    private let bytes:
        (
            UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
            UInt64,
            UInt64, UInt64
        ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    package init() {}
}

package enum Processors {
    /// How many processors the system has.
    package static let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
}

/// The number of the calling thread: threads have 0, 1, 2 and so on in the order of their first calls.
@usableFromInline func threadNumber() -> Int { Int(granary_thread_number()) }
