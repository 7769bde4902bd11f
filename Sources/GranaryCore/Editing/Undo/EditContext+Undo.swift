extension EditContext {
    /// Whether changes are noted, so that they can be undone. False at first: what can be undone is kept in memory.
    ///
    /// ```swift
    /// edit.isUndoEnabled = true
    /// try edit.withUndoGroup(named: "Rename") {
    ///     try edit.update(artist)
    ///     try edit.update(album)
    /// }
    /// try edit.undo()      // both are as they were
    /// try edit.redo()      // and renamed again
    /// ```
    ///
    /// Switched off, what was noted before stays and can be undone.
    ///
    /// **What undo sets back.** A record that was inserted is deleted, one that was deleted comes back, and of one that
    /// was changed those attributes go back that still are as they were made: what others have made of it since stays.
    /// Undoing after a save makes changes that wait for the next one. A save or a refresh leaves the history; what a
    /// savepoint took back is not in it.
    ///
    /// **Cost.** A record that was changed is kept as it was and as it is, until it is forgotten.
    public var isUndoEnabled: Bool {
        get { history.isEnabled }
        set { history.isEnabled = newValue }
    }

    /// How many groups can be undone at most: the oldest are forgotten. 0, as at first, for all.
    public var undoLevels: Int {
        get { history.levels }
        set { history.levels = max(0, newValue) }
    }

    /// Whether ``undo()`` would find something.
    public var canUndo: Bool { !history.undos.isEmpty }
    /// Whether ``redo()`` would find something: not after another change.
    public var canRedo: Bool { !history.redos.isEmpty }
    /// The name of the group that ``undo()`` takes back; nil if the group has no name, or no group is left.
    public var undoName: String? { history.undos.last?.name }
    /// The name of the group that ``redo()`` does again.
    public var redoName: String? { history.redos.last?.name }

    /// Takes back the last group of changes, all or nothing.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `uniqueness`, `danglingReference`, `recordNotFound` if what others have changed meanwhile is in the way:
    ///   then nothing is done, and the group stays. `undoGrouping` inside a group or a savepoint.
    @discardableResult public func undo() throws -> Bool {
        try overlay.begin()
        return try history.undo(overlay)
    }

    /// Does again what the last ``undo()`` took back, all or nothing.
    ///
    /// - Returns: Whether there was something.
    /// - Throws: What ``undo()`` throws.
    @discardableResult public func redo() throws -> Bool {
        try overlay.begin()
        return try history.redo(overlay)
    }

    /// From here to ``endUndoGroup()`` changes are undone together. Without groups each outermost call is one.
    ///
    /// Groups nest, and the outermost is what is undone. It has its own name, or else the first name given inside. A
    /// savepoint is one call: a group inside it ends with it.
    public func beginUndoGroup(named name: String? = nil) { history.begin(name) }

    /// - Throws: `undoGrouping` if no group is open.
    public func endUndoGroup() throws { try history.end(overlay) }

    /// Runs a part that is undone together. If it throws, what it has done stays and can be undone.
    @discardableResult public func withUndoGroup<T>(named name: String? = nil, _ body: () throws -> T) throws -> T {
        beginUndoGroup(named: name)
        let result = Result { try body() }
        try endUndoGroup()
        return try result.get()
    }

    /// Runs a part that is not noted and cannot be undone.
    @discardableResult public func disableUndo<T>(_ body: () throws -> T) rethrows -> T {
        let wasEnabled = isUndoEnabled
        isUndoEnabled = false
        defer { isUndoEnabled = wasEnabled }
        return try body()
    }

    /// Forgets what could be undone and redone.
    public func removeAllUndo() {
        overlay.undoHistory?.removeAll()
        overlay.forgetSteps(from: 0)
    }

    private var history: UndoHistory {
        // Undo finds nothing after a reset.
        _ = try? overlay.begin()
        if let history = overlay.undoHistory { return history }
        let made = UndoHistory()
        overlay.undoHistory = made
        return made
    }
}
