import CPlatform

/// The stack of the thread that asks, for code that calls itself as deep as its input is nested: a thread has 8 MB on Linux,
/// 512 KB on Apple's systems, 128 KB where the C library is musl, and whatever its maker gave it.
package struct ThreadStack {
    /// How many bytes of a large stack are kept free, for the functions that a step calls besides itself.
    private static let reserve: UInt = 256 << 10

    private var thread: UInt = 0
    private var stack: Range<UInt> = 0..<0

    package init() {}

    /// Whether a step should not call itself again: less than half of the stack is left, or less than 256 KB of a large one.
    /// Costs some nanoseconds, and some microseconds where another thread asked before.
    package mutating func isNearlyFull() -> Bool {
        if thread != currentThread() {
            thread = currentThread()
            stack = Self.current()
        }
        let place = UInt(bitPattern: granary_stack_place())
        // Where the system does not tell there are no bounds.
        guard stack.contains(place) else { return false }
        return place - stack.lowerBound < min(Self.reserve, UInt(stack.count) / 2)
    }

    /// The addresses of the current thread's stack, which grows downwards; none if the system does not tell.
    private static func current() -> Range<UInt> {
        var (lowest, size) = (0, 0)
        guard granary_thread_stack(&lowest, &size) == 0 else { return 0..<0 }
        let start = UInt(bitPattern: lowest)
        let (end, overflow) = start.addingReportingOverflow(UInt(bitPattern: size))
        return overflow ? 0..<0 : start..<end
    }
}
