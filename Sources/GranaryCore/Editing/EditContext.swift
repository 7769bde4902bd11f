import Logging

/// Changes that are held until they are saved or dropped, over a stack or over another context.
///
/// ```swift
/// let edit = try stack.makeContext(named: "editor")
/// try edit.update(Artist.self, 100) { $0.rating = 5 }
/// try edit.fetch(Artist.where { $0.rating >= 4.5 })   // sees the change, in its place
/// try await edit.save()                               // durable; or edit.rollback()
/// ```
///
/// In every query it shows the newest committed state with its own changed attributes laid over it. It holds no
/// transaction and no lock between calls: a context may live as long as a window. It belongs to the actor that made it:
/// it is not `Sendable`, so the compiler keeps it there. Records are values and may be passed between actors.
///
/// `update(_:)` writes a whole record: one that was fetched some time ago overwrites what others have changed since.
/// Change it by key, as above, or pass the value that it was changed from: `update(artist, from: old)`.
///
/// References, uniqueness and delete rules are checked in each call, against the state that the context shows, and once
/// more by the store in a save.
public final class EditContext: Context {
    /// The context's name in logs, in conflicts, and in the origin of its commits.
    public let name: String?
    /// The context that ``saveToParent()`` hands its changes to; nil if that is the store.
    public let parent: EditContext?
    /// Marks the commits of this context in the change sets of the store.
    public let origin: ChangeOrigin
    /// What happens to records that were changed here and, in the meantime, one level up.
    public var mergePolicy = MergePolicy.error

    /// Whether a save is under way, and the saves that wait for its end.
    var isSaving = false { didSet { noteFollowing() } }
    var waitingSaves: [CheckedContinuation<Void, Never>] = []
    /// Changes that were dropped during a save: the state that the save writes for them stays.
    var droppedInSave = DroppedChanges()
    /// The contexts over this one that may still be used.
    private var children: [Child] = []
    /// References of workers over this context are led to these successors if a save has given up the record since the
    /// workers began.
    var successors = WorkerSuccessors()
    /// The last save, if it is not known whether it was committed.
    var uncertainSave: UncertainSave? { didSet { noteFollowing() } }
    let stackReference: StackReference
    let overlay: Overlay
    let generation: ContextGeneration
    /// Whether this is the main context, which goes on with the new contents after a reset.
    let outlivesResets: Bool
    /// The stack's logger. The stack may be gone before its main context.
    let logger: Logger

    /// - Parameter outlivesResets: Whether it is the main context.
    convenience init(
        _ stack: StackReference, parent: EditContext?, named name: String?, outlivesResets: Bool = false,
        _ cancellation: CancellationFlag = CancellationFlag()
    ) throws {
        let generation = ContextGeneration(try stack.get())
        try self.init(stack, parent: parent, named: name, generation, outlivesResets) {
            if let parent { return try parent.beginRead() }
            return try stack.get().beginContextRead(cancellation)
        }
    }

    /// A context over changes that other contexts hold at this moment, the topmost first.
    ///
    /// - Parameter generation: The number of the contents that the changes belong to.
    convenience init(
        over levels: [PendingChanges], of stack: Stack, _ generation: Int, named name: String?,
        _ cancellation: CancellationFlag
    ) throws {
        let generation = ContextGeneration(stack, number: generation)
        let levels = HeldLevels(levels, stack.schema)
        try self.init(StackReference(holding: stack), parent: nil, named: name, generation, false) {
            let below = try stack.beginContextRead(cancellation)
            do {
                let shown = try levels.following(below).reduce(below) { OverlayReader($0, $1, stack.schema) }
                return OwningReader(shown, below)
            } catch {
                below.end()
                throw error
            }
        }
    }

    private init(
        _ stack: StackReference, parent: EditContext?, named name: String?, _ generation: ContextGeneration,
        _ outlivesResets: Bool, opening: @escaping () throws -> any StoreReader
    ) throws {
        let opened = try stack.get()
        self.name = name
        self.parent = parent
        self.generation = generation
        self.outlivesResets = outlivesResets
        origin = ChangeOrigin(name: name)
        stackReference = stack
        logger = opened.logs[.context]
        overlay = Overlay(opened.schema, opened.store.coordinator, opening: opening)
        overlay.limits = opened.store.capabilities.limits
        super.init(overlay, opened.settings.own, validates: false, raisesVersions: false)
        overlay.generation = generation
        overlay.noticeReset = { [weak self] in try self?.noticeReset() }
        parent?.children.removeAll { $0.context == nil }
        parent?.children.append(Child(context: self))
    }

    private struct Child {
        weak var context: EditContext?
    }

    /// Changes that are being saved, or may be saved already, are compared with the store, and so must not be adjusted
    /// to it.
    private func noteFollowing() {
        let isFollowing = !isSaving && uncertainSave == nil
        if overlay.isFollowing != isFollowing { overlay.isFollowing = isFollowing }
    }

    /// This context and all contexts over it.
    var family: [EditContext] { [self] + children.compactMap(\.context).flatMap(\.family) }

    /// The stack whose records the context shows.
    ///
    /// - Throws: `closed` if the stack is gone.
    public var stack: Stack { get throws { try stackReference.get() } }

    deinit {
        let count = overlay.pending.count
        guard count > 0 else { return }
        // Dropping a child is the normal way to cancel a dialogue.
        logger.log(
            level: parent == nil ? .warning : .debug, "a context was dropped with changes that were not saved",
            metadata: ["context": "\(name ?? "unnamed")", "records": "\(count)"])
    }

    /// The reader of a child: this context's state, opened for one call.
    func beginRead() throws -> any StoreReader { try overlay.openLayer() }

    /// Runs a closure during which the level below stays in one state.
    @usableFromInline func asOneCall<T>(_ body: () throws -> T) throws -> T {
        try overlay.withBelow { _ in try body() }
    }

    public override func savepoint<T>(_ body: () throws -> T) throws -> T {
        try keepingDropped { try super.savepoint(body) }
    }

    /// Restores `droppedInSave` if the closure throws.
    private func keepingDropped<T>(_ body: () throws -> T) throws -> T {
        let dropped = droppedInSave
        do {
            return try body()
        } catch {
            droppedInSave = dropped
            throw error
        }
    }
}

/// A strong or weak reference to a stack. The stack holds its main context, so that context must not hold the stack.
struct StackReference: Sendable {
    private let held: Stack?
    // The reference is set once; reading a weak reference is safe from any thread.
    private weak let known: Stack?

    init(holding stack: Stack) {
        held = stack
        known = nil
    }

    init(knowing stack: Stack) {
        held = nil
        known = stack
    }

    func get() throws -> Stack {
        guard let stack = held ?? known else {
            throw GranaryError(.closed, "The stack of this context is gone. Keep the stack as long as its contexts.")
        }
        return stack
    }
}
