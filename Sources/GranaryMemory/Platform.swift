import GranaryPlatform

/// The few functions of the C library that the engine needs.
enum Platform {
    /// Compares bytes as `memcmp` does.
    @inline(__always)
    static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int {
        Int(memcmp(left, right, count))
    }

    /// Memory from `malloc`, or nil: for sizes that a caller chose.
    static func allocateIfPossible(_ count: Int) -> UnsafeMutableRawPointer? { malloc(count) }

    /// Memory from `malloc`, aligned for any type. Swift's own `allocate` requests aligned memory, which takes longer.
    /// So it is used here only to stop the process in Swift's way when there is no memory left.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        malloc(count) ?? .allocate(byteCount: count, alignment: 16)
    }

    static func deallocate(_ pointer: UnsafeMutableRawPointer) { free(pointer) }
}
