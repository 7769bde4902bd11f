import GranaryPlatform

/// The few things of the C library that the engine needs.
enum Platform {
    /// Compares bytes as `memcmp` does.
    @inline(__always)
    static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int {
        Int(memcmp(left, right, count))
    }

    /// Memory from `malloc`, or nil: for sizes that a caller chose.
    static func allocateIfPossible(_ count: Int) -> UnsafeMutableRawPointer? { malloc(count) }

    /// Memory from `malloc`, aligned for anything. Swift's own `allocate` asks for aligned memory, which takes longer
    /// than that, so it is used here only to stop the process in Swift's way when there is no memory left.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        malloc(count) ?? .allocate(byteCount: count, alignment: 16)
    }

    static func deallocate(_ pointer: UnsafeMutableRawPointer) { free(pointer) }
}
