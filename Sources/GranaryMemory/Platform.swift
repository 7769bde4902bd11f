#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The few things of the C library that the engine needs.
enum Platform {
    /// Compares bytes as `memcmp` does.
    @inline(__always)
    static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int {
        Int(memcmp(left, right, count))
    }

    /// Memory from `malloc`: unlike Swift's own allocation it says so when there is none.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer? { malloc(count) }

    static func free(_ pointer: UnsafeMutableRawPointer) {
        #if canImport(Glibc)
            Glibc.free(pointer)
        #elseif canImport(Musl)
            Musl.free(pointer)
        #else
            Darwin.free(pointer)
        #endif
    }

    /// A thread, while it runs.
    struct Thread: Equatable {
        private let thread: pthread_t

        static var current: Thread { Thread(thread: pthread_self()) }

        static func == (left: Thread, right: Thread) -> Bool { pthread_equal(left.thread, right.thread) != 0 }
    }
}
