/// The groups that a context can undo and redo.
///
/// Both are lists of groups. Taking a group back makes a group of opposite changes: an undo adds it to the list of
/// redos, a redo adds it to the list of undos.
final class UndoHistory {
    private enum Doing { case changes, undo, redo }

    var isEnabled = false
    /// The number of groups that are kept; 0 for all.
    var levels = 0 {
        didSet { trim() }
    }
    private(set) var undos: [UndoGroup] = []
    private(set) var redos: [UndoGroup] = []
    /// The number of open groups.
    private var depth = 0
    private var name: String?
    private var steps: [Overlay.Step] = []
    private var doing = Doing.changes

    /// Records the steps of a call.
    func take(_ done: [Overlay.Step]) {
        switch doing {
        case .changes:
            // If undo is switched on or off inside a savepoint, this applies to the steps from there on.
            steps += done.filter(\.isNoted)
            if depth == 0 { close() }
        case .undo: if let group = UndoGroup(done, named: undos.last?.name) { redos.append(group) }
        case .redo: if let group = UndoGroup(done, named: redos.last?.name) { undos.append(group) }
        }
    }

    func begin(_ name: String?) {
        depth += 1
        if self.name == nil { self.name = name }
    }

    /// Inside a savepoint the group ends with the savepoint, which hands its steps over then.
    func end(_ overlay: Overlay) throws {
        guard depth > 0 else {
            throw GranaryError(.undoGrouping, "No undo group is open. Begin one before ending it.")
        }
        depth -= 1
        if depth == 0 && overlay.savepoints.isEmpty { close() }
    }

    /// Takes the last group back. Returns false if no group is left.
    func undo(_ overlay: Overlay) throws -> Bool {
        try checkIdle(overlay)
        guard let group = undos.last else { return false }
        doing = .undo
        defer { doing = .changes }
        try overlay.takeBack(group)
        undos.removeLast()
        return true
    }

    /// Takes the last undo back. Returns false if no undo is left.
    func redo(_ overlay: Overlay) throws -> Bool {
        try checkIdle(overlay)
        guard let group = redos.last else { return false }
        doing = .redo
        defer { doing = .changes }
        try overlay.takeBack(group)
        redos.removeLast()
        return true
    }

    /// Forgets all groups. An open group stays open, and becomes empty.
    func removeAll() {
        undos = []
        redos = []
        steps = []
    }

    private func close() {
        defer {
            steps = []
            name = nil
        }
        guard let group = UndoGroup(steps, named: name) else { return }
        redos = []
        undos.append(group)
        trim()
    }

    private func trim() {
        guard levels > 0 else { return }
        undos.removeFirst(max(0, undos.count - levels))
        redos.removeFirst(max(0, redos.count - levels))
    }

    private func checkIdle(_ overlay: Overlay) throws {
        guard depth == 0 else {
            throw GranaryError(.undoGrouping, "An undo group is open. End it before undoing or redoing.")
        }
        guard overlay.savepoints.isEmpty else {
            throw GranaryError(.undoGrouping, "A savepoint is open. Undo and redo outside of it.")
        }
    }
}

extension GranaryError.Code {
    /// An undo group was ended without having begun, or undo was called inside a group or a savepoint.
    public static let undoGrouping = GranaryError.Code(rawValue: "undoGrouping")
}
