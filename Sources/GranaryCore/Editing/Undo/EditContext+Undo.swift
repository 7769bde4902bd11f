extension EditContext {
    /// Whether changes are recorded so that they can be undone. False at first, because the history is kept in memory.
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
    /// When it is switched off, earlier recorded changes stay and can be undone.
    ///
    /// **What undo sets back.** An inserted record is deleted, and a deleted record comes back. In a changed record
    /// those attributes are set back that still have the values that the change gave them: later changes of others
    /// stay. Undoing after a save makes pending changes for the next save. A save or a refresh keeps the history.
    /// Changes that a savepoint took back are not in it.
    ///
    /// **Cost.** Each changed record is kept in its old and its new state until its group is forgotten.
    public var isUndoEnabled: Bool {
        get { history.isEnabled }
        set { history.isEnabled = newValue }
    }

    /// The greatest number of groups that can be undone: older groups are forgotten. 0, the default, keeps all.
    public var undoLevels: Int {
        get { history.levels }
        set { history.levels = max(0, newValue) }
    }

    /// Whether a group can be undone.
    public var canUndo: Bool { !history.undos.isEmpty }
    /// Whether a group can be redone. False after another change.
    public var canRedo: Bool { !history.redos.isEmpty }
    /// The name of the group that ``undo()`` takes back; nil if the group has no name or does not exist.
    public var undoName: String? { history.undos.last?.name }
    /// The name of the group that ``redo()`` makes again; nil if the group has no name or does not exist.
    public var redoName: String? { history.redos.last?.name }

    /// Takes back the last group of changes, all or nothing.
    ///
    /// ```swift
    /// if edit.canUndo { try edit.undo() }
    /// ```
    ///
    /// - Returns: Whether a group was undone.
    /// - Throws: `uniqueness`, `danglingReference`, `recordNotFound` if later changes of others prevent it: then
    ///   nothing is done, and the group stays. `undoGrouping` inside a group or a savepoint.
    @discardableResult public func undo() throws -> Bool {
        try overlay.begin()
        return try history.undo(overlay)
    }

    /// Makes the changes again that the last ``undo()`` took back, all or nothing.
    ///
    /// ```swift
    /// if edit.canRedo { try edit.redo() }
    /// ```
    ///
    /// - Returns: Whether a group was redone.
    /// - Throws: What ``undo()`` throws.
    @discardableResult public func redo() throws -> Bool {
        try overlay.begin()
        return try history.redo(overlay)
    }

    /// Begins a group: changes up to ``endUndoGroup()`` are undone together. Without groups each outermost call is one
    /// group.
    ///
    /// ```swift
    /// edit.beginUndoGroup(named: "Rename")
    /// try edit.update(Artist.self, 101) { $0.name = "Eunice Waymon" }
    /// try edit.update(Artist.self, 102) { $0.name = "Prince Rogers Nelson" }
    /// try edit.endUndoGroup()
    /// ```
    ///
    /// Groups nest, and the outermost group is undone as a whole. It has its own name, or else the first name given
    /// inside it. A savepoint is one call: a group that begins inside it ends with it.
    public func beginUndoGroup(named name: String? = nil) { history.begin(name) }

    /// Ends the group of the last ``beginUndoGroup(named:)``.
    ///
    /// - Throws: `undoGrouping` if no group is open.
    public func endUndoGroup() throws { try history.end(overlay) }

    /// Runs a closure whose changes are undone together. If it throws, its changes stay and can be undone.
    ///
    /// ```swift
    /// try edit.withUndoGroup(named: "Rate all") {
    ///     for artist in try edit.fetch(Artist.all) { try edit.update(Artist.self, artist.id) { $0.rating = 5 } }
    /// }
    /// ```
    @discardableResult public func withUndoGroup<T>(named name: String? = nil, _ body: () throws -> T) throws -> T {
        beginUndoGroup(named: name)
        let result = Result { try body() }
        try endUndoGroup()
        return try result.get()
    }

    /// Runs a closure whose changes are not recorded and cannot be undone.
    ///
    /// ```swift
    /// try edit.disableUndo { try edit.update(Song.self, 1) { $0.plays += 1 } }
    /// ```
    @discardableResult public func disableUndo<T>(_ body: () throws -> T) rethrows -> T {
        let wasEnabled = isUndoEnabled
        isUndoEnabled = false
        defer { isUndoEnabled = wasEnabled }
        return try body()
    }

    /// Forgets all groups that could be undone or redone.
    public func removeAllUndo() {
        overlay.undoHistory?.removeAll()
        overlay.forgetSteps(from: 0)
    }

    private var history: UndoHistory {
        // After a reset the history is empty.
        _ = try? overlay.begin()
        if let history = overlay.undoHistory { return history }
        let made = UndoHistory()
        overlay.undoHistory = made
        return made
    }
}
