import GranaryPlatform

/// What all stores of this process over the same parts share.
// @unchecked: `state` is read and written only while `lock` is held.
final class SharedParts: @unchecked Sendable {
    let coordinator: StoreCoordinator
    /// Held, so that no other objects get their identity.
    private let coordinators: [StoreCoordinator]
    private let lock = Lock()
    private let isOver = Lock.Condition()
    private var state = State()

    private struct State {
        /// The numbers of the parts' commits in a state that all parts had at one time, and the number of that state.
        var known: (numbers: [UInt64], number: UInt64)?
        /// Whether a commit of several parts is between two of them.
        var isBetween = false
        /// The number of such commits that have begun.
        var count = 0
    }

    private init(_ coordinator: StoreCoordinator, _ coordinators: [StoreCoordinator]) {
        (self.coordinator, self.coordinators) = (coordinator, coordinators)
    }

    /// The shared object for open parts; made for the first store over them.
    static func of(_ coordinators: [StoreCoordinator], _ map: PartedSchema) -> SharedParts {
        all.find(coordinators) {
            let keepers = map.places.map { (coordinator: coordinators[$0.part], entity: $0.position) }
            let coordinator = StoreCoordinator(GenerationCounter(), keepers: keepers, parts: coordinators)
            return SharedParts(coordinator, coordinators)
        }
    }

    /// The number of commits of several parts that this process has made. Waits while one is between two parts. If the
    /// number is the same afterwards, none was in between.
    func countOfCommits() -> Int {
        lock.withLock {
            while state.isBetween { _ = isOver.wait(lock, seconds: 1) }
            return state.count
        }
    }

    /// The number of the state with these numbers, if the parts are known to have had them at one time.
    func number(of numbers: [UInt64]) -> UInt64? {
        lock.withLock {
            guard let known = state.known, known.numbers == numbers else { return nil }
            return known.number
        }
    }

    func know(_ numbers: [UInt64], _ number: UInt64) { lock.withLock { state.known = (numbers, number) } }

    func beginBetween() {
        lock.withLock {
            state.isBetween = true
            state.count += 1
        }
    }

    func endBetween() {
        lock.withLock {
            state.isBetween = false
            isOver.broadcast()
        }
    }

    private static let all = Registry()

    // @unchecked: `shared` is read and written only while `lock` is held.
    private final class Registry: @unchecked Sendable {
        private struct Weak { weak var shared: SharedParts? }
        private let lock = Lock()
        private var shared: [[ObjectIdentifier]: Weak] = [:]

        func find(_ coordinators: [StoreCoordinator], _ make: () -> SharedParts) -> SharedParts {
            let key = coordinators.map { ObjectIdentifier($0) }
            return lock.withLock {
                if let found = shared[key]?.shared { return found }
                let made = make()
                shared = shared.filter { $0.value.shared != nil }
                shared[key] = Weak(shared: made)
                return made
            }
        }
    }
}
