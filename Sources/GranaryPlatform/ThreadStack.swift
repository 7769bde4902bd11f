import CPlatform

/// The stack of the current thread, for code whose recursion is as deep as its input is nested. A thread has 8 MB on
/// Linux, 512 KB on Apple's systems, 128 KB with the C library musl, or the size that its creator chose.
package struct ThreadStack {
    /// How many bytes of a large stack are kept free for other functions that a step calls.
    private static let reserve: UInt = 256 << 10

    private var thread: UInt = 0
    private var stack: Range<UInt> = 0..<0

    package init() {}

    /// Whether a step should avoid a recursive call: less than half of the stack is left, or less than 256 KB of a
    /// large stack. Costs some nanoseconds, or some microseconds if another thread called it before.
    package mutating func isNearlyFull() -> Bool {
        if thread != currentThread() {
            thread = currentThread()
            stack = Self.current()
        }
        let place = UInt(bitPattern: granary_stack_place())
        // If the system does not tell, there are no bounds.
        guard stack.contains(place) else { return false }
        return place - stack.lowerBound < min(Self.reserve, UInt(stack.count) / 2)
    }

    /// The addresses of the current thread's stack, which grows downwards; empty if the system does not tell.
    private static func current() -> Range<UInt> {
        var (lowest, size) = (0, 0)
        guard granary_thread_stack(&lowest, &size) == 0 else { return 0..<0 }
        let start = UInt(bitPattern: lowest)
        let (end, overflow) = start.addingReportingOverflow(UInt(bitPattern: size))
        return overflow ? 0..<0 : start..<end
    }
}
