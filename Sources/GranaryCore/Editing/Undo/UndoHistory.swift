/// What a context can undo and redo.
///
/// Both are lists of groups, and taking a group back makes the group that takes that back: of what undo does for the list
/// of redo, of what redo does for that of undo.
final class UndoHistory {
    private enum Doing { case changes, undo, redo }

    var isEnabled = false
    /// How many groups are kept; 0 for all.
    var levels = 0 {
        didSet { trim() }
    }
    private(set) var undos: [UndoGroup] = []
    private(set) var redos: [UndoGroup] = []
    /// Groups that were begun and not ended.
    private var depth = 0
    private var name: String?
    private var steps: [Overlay.Step] = []
    private var doing = Doing.changes

    /// Is given what a call has done.
    func take(_ done: [Overlay.Step]) {
        switch doing {
        case .changes:
            // Switched on or off inside a savepoint, it is so for the steps from there on.
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

    /// Inside a savepoint, whose steps are given when it ends, the group ends with it.
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

    /// Forgets everything; a group that is open stays open, and empty.
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
    /// An undo group was ended that was not begun, or undo was called inside a group or a savepoint.
    public static let undoGrouping = GranaryError.Code(rawValue: "undoGrouping")
}
