extension Overlay {
    /// Runs one call, all or nothing.
    func statement<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try withBelow { below in
            let start = moment
            do {
                return try body(below)
            } catch {
                restore(start)
                throw error
            }
        }
    }

    /// The state that is needed to restore the beginning of a call.
    private var moment: Moment { Moment(steps: steps.count, deferred: deferred.records.count, baseState: baseState) }

    private func restore(_ moment: Moment) {
        takeBack(to: moment.steps, moment.baseState)
        deferred.takeBack(to: moment.deferred)
    }

    /// The state that is needed to restore the beginning of several calls.
    var current: Savepoint {
        Savepoint(
            moment: moment, deferredParts: deferred.parts, takenKeys: takenKeys, reservedKeys: reservedKeys.mark)
    }

    func restore(_ point: Savepoint) {
        restore(point.moment)
        deferred.takeBack(to: point.moment.deferred, in: point.deferredParts)
        takenKeys = point.takenKeys
        reservedKeys.takeBack(to: point.reservedKeys) { coordinator.giveBack($0, of: $1) }
    }

    // The state one level up stays open from the beginning of the outermost savepoint to its end, so that a part that
    // writes many records opens it once.

    package func beginSavepoint() throws {
        if isEnded { throw GranaryError.transactionEnded }
        try limits.checkSavepoint(insideOf: savepoints.count)
        if savepoints.isEmpty { try hold() }
        savepoints.append(current)
    }

    package func releaseSavepoint() throws {
        if isEnded { throw GranaryError.transactionEnded }
        guard savepoints.popLast() != nil else { throw GranaryError.noSavepoint }
        if savepoints.isEmpty {
            reservedKeys = ReservedKeys()
            letGo()
        }
    }

    package func rollbackSavepoint() throws {
        if isEnded { throw GranaryError.transactionEnded }
        guard let point = savepoints.popLast() else { throw GranaryError.noSavepoint }
        restore(point)
        if savepoints.isEmpty { letGo() }
    }
}
