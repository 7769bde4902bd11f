import ConformanceKit
import GranaryCore

/// A store and contexts on it, in the plainest way.
struct ContextModel {
    typealias Place = ModelBoard.Place
    typealias Row = ModelBoard.Row
    typealias Breach = ModelBoard.Breach
    typealias Merged = ModelBoard.Merged
    /// What one undo takes back: one step a record, with the positions that were changed by additions alone.
    typealias Group = [ModelBoard.Step]

    struct Level {
        var changes: [Place: ModelBoard.Change] = [:]
        var undos: [Group] = []
        var redos: [Group] = []
        /// How many groups are kept; 0 for all.
        var undoLevels = 0
    }

    var store: [Place: Row] = [:]
    var levels = ContextProgram.parents.map { _ in Level() }

    /// What a context shows; nil for the store.
    func board(_ number: Int?) -> ModelBoard {
        guard let number else { return ModelBoard(store: store) }
        return ModelBoard(over: board(ContextProgram.parents[number]).rows, levels[number].changes)
    }

    /// Has what is pending in every context follow what others have made of its records one level up: attributes that the
    /// context has not changed are theirs, and what it has added is added to their value. If that is as one level up, as nil
    /// stays nil, nothing is pending any more.
    mutating func follow() {
        for (number, parent) in ContextProgram.parents.enumerated() {
            let below = board(parent).rows
            for (place, change) in levels[number].changes {
                guard var base = change.base, var current = change.current, let newest = below[place] else { continue }
                for position in base.indices where newest[position] != base[position] {
                    if current[position] == base[position] {
                        current[position] = newest[position]
                    } else if change.added.contains(position),
                        let amount = ModelBoard.amount(from: base[position], to: current[position])
                    {
                        current[position] = ModelBoard.sum(newest[position], amount)
                    } else {
                        continue
                    }
                    base[position] = newest[position]
                }
                if base == change.base { continue }
                levels[number].changes[place] =
                    base == current
                    ? nil
                    : ModelBoard.Change(
                        base: base, current: current, added: change.added, written: change.written ?? change.current)
            }
        }
    }

    /// Calls of a context, each of which is undone by itself or all together. Returns what each comes to.
    mutating func perform(_ writes: [ContextProgram.Write], in number: Int, together: Bool = false)
        -> [CallResult]
    {
        var board = board(number)
        let results = writes.map { write in
            let result = CallResult { () throws(Breach) in try board.perform(write) }
            if !together { keep(&board, in: number) }
            return result
        }
        keep(&board, in: number)
        return results
    }

    private mutating func keep(_ board: inout ModelBoard, in number: Int) {
        levels[number].changes = board.changes
        note(ContextModel.net(board.steps), in: number)
        board.forgetSteps()
    }

    // MARK: - Saving

    /// The changes of a context and of those above it, joined as far as the store: by level, and all.
    private func joined(_ number: Int, _ policy: ContextProgram.Policy) throws(Breach) -> (
        chain: [Int], pending: [Place: ModelBoard.Change], merged: Merged
    ) {
        var chain = [number]
        var pending = levels[number].changes
        var merged = Merged()
        while let parent = ContextProgram.parents[chain[chain.count - 1]] {
            var board = board(parent)
            merged = merged.followed(by: try board.merge(pending, policy))
            pending = board.changes
            chain.append(parent)
        }
        return (chain, pending, merged)
    }

    mutating func save(_ number: Int, _ policy: ContextProgram.Policy) throws(Breach) -> Merged {
        let (chain, pending, joined) = try joined(number, policy)
        var board = board(nil)
        let merged = joined.followed(by: try board.merge(pending, policy))
        store = board.rows
        for level in chain { levels[level].changes = [:] }
        lead(merged, chain[chain.count - 1])
        return merged
    }

    /// A save that begins, waits for a transaction, and ends; the context is changed in between.
    mutating func save(
        _ number: Int, _ policy: ContextProgram.Policy, during transaction: [ContextProgram.Write],
        calls: [ContextProgram.Write]
    ) -> (saved: Result<Merged, Breach>, transaction: [CallResult], calls: [CallResult]) {
        let before = levels
        let begun = Result { () throws(Breach) in try joined(number, policy) }
        // Nothing to write is nothing to wait for.
        let isEmpty = if case .success(let all) = begun { all.pending.isEmpty } else { false }
        if isEmpty, case .success(let all) = begun { for level in all.chain { rebase(level, before[level].changes) } }
        let called = perform(calls, in: number)
        var board = board(nil)
        let written = transaction.map { write in CallResult { () throws(Breach) in try board.perform(write) } }
        store = board.rows
        let saved = Result { () throws(Breach) -> Merged in
            let (chain, pending, joined) = try begun.get()
            let merged = joined.followed(by: try board.merge(pending, policy))
            store = board.rows
            if !isEmpty { for level in chain { rebase(level, before[level].changes) } }
            lead(merged, chain[chain.count - 1])
            return merged
        }
        return (saved, written, called)
    }

    /// What was saved is what a context begins from now.
    private mutating func rebase(_ number: Int, _ saved: [Place: ModelBoard.Change]) {
        for (place, done) in saved {
            let now = levels[number].changes[place]
            let current = now.map(\.current) ?? done.base
            levels[number].changes[place] =
                current == done.current
                ? nil : ModelBoard.Change(base: done.current, current: current, added: now?.added ?? [])
        }
    }

    mutating func saveToParent(_ number: Int, _ policy: ContextProgram.Policy) throws(Breach) -> Merged {
        guard let parent = ContextProgram.parents[number] else { return try save(number, policy) }
        var board = board(parent)
        let merged = try board.merge(levels[number].changes, policy)
        keep(&board, in: parent)
        levels[number].changes = [:]
        lead(merged, number)
        return merged
    }

    /// Has what is pending in a context, and in those over it, refer to what has the unique values of new records that were given
    /// up.
    private mutating func lead(_ merged: Merged, _ number: Int) {
        for level in levels.indices where ContextProgram.isOver(level, number) {
            for (place, change) in levels[level].changes {
                var row = change.current
                for (dropped, key) in merged.successors {
                    let holder = Place(entity: dropped.entity, key: key)
                    row = ModelBoard.leading((place, row), besides: nil, from: dropped, to: holder).row
                }
                if row == change.current { continue }
                levels[level].changes[place]?.current = row
                if row == change.base { levels[level].changes[place] = nil }
            }
        }
    }

    mutating func work(_ writes: [ContextProgram.Write], in number: Int, _ policy: ContextProgram.Policy)
        throws(Breach) -> [CallResult]
    {
        var board = board(number)
        var worker = ModelBoard(over: board.rows, [:])
        let results = writes.map { write in CallResult { () throws(Breach) in try worker.perform(write) } }
        _ = try board.merge(worker.changes, policy)
        keep(&board, in: number)
        return results
    }

    mutating func refresh(_ number: Int, _ policy: ContextProgram.Policy) throws(Breach) -> [ModelBoard
        .Conflict]
    {
        let below = board(ContextProgram.parents[number]).rows
        let pending = levels[number].changes
        var (changes, conflicts, isSettled) = (pending, [ModelBoard.Conflict](), true)
        for (place, change) in pending {
            let outcome = ModelBoard.outcome(place, change, below[place], policy) { other in
                below[other] != nil && !(pending[other] != nil && pending[other]?.current == nil)
            }
            if let kind = outcome.conflict {
                conflicts.append(ModelBoard.Conflict(place: place, kind: kind))
                // What was done alike is taken as done.
                let isAlike = kind == .changedAlike || kind == .insertedTwice && change.current == below[place]
                if isAlike {
                    let alike = ModelBoard.outcome(place, change, below[place], .contextWins) { _ in true }
                    changes[place] =
                        alike.row == below[place]
                        ? nil : ModelBoard.Change(base: below[place], current: alike.row, added: alike.added)
                    continue
                }
                isSettled = isSettled && policy != .error
            }
            changes[place] =
                outcome.row == below[place]
                ? nil : ModelBoard.Change(base: below[place], current: outcome.row, added: outcome.added)
        }
        if !isSettled { throw Breach(.mergeConflict) }
        levels[number].changes = changes
        return conflicts
    }

    mutating func rollback(_ number: Int) {
        levels[number].changes = [:]
        levels[number].undos = []
        levels[number].redos = []
    }
}

/// What a call came to: how many records it was about, or which errors are right.
struct CallResult: Sendable {
    var count: Int
    var codes: Set<GranaryError.Code>

    init(count: Int) { (self.count, codes) = (count, []) }
    init(code: GranaryError.Code) { (count, codes) = (0, [code]) }

    init(_ body: () throws(ModelBoard.Breach) -> Int) {
        do throws(ModelBoard.Breach) {
            (count, codes) = (try body(), [])
        } catch {
            (count, codes) = (0, error.codes)
        }
    }

    /// Whether what a store did is what was expected.
    func allows(_ actual: CallResult) -> Bool {
        codes.isEmpty
            ? actual.codes.isEmpty && actual.count == count
            : actual.codes.count == 1 && codes.isSuperset(of: actual.codes)
    }
}
