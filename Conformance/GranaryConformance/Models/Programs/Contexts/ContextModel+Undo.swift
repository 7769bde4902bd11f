import ConformanceKit
import GranaryCore

extension ContextModel {
    /// What steps come to: one a record, without those that end as they began.
    static func net(_ steps: Group) -> Group {
        var net: Group = []
        for step in steps {
            let known = net.firstIndex { $0.place == step.place } ?? net.count
            if known == net.count { net.append((step.place, step.before, step.before, [])) }
            net[known].added = ModelBoard.added(
                net[known].before, (net[known].after, net[known].added), step.after, added: step.added)
            net[known].after = step.after
        }
        return net.filter { $0.before != $0.after }
    }

    mutating func note(_ group: Group, in number: Int) {
        if group.isEmpty { return }
        levels[number].redos = []
        levels[number].undos.append(group)
        let kept = levels[number].undoLevels
        if kept > 0 { levels[number].undos = levels[number].undos.suffix(kept) }
    }

    /// Returns whether there was something.
    mutating func undo(_ number: Int) throws(Breach) -> Bool {
        guard let group = levels[number].undos.last else { return false }
        let back = try takeBack(group, in: number)
        levels[number].undos.removeLast()
        if !back.isEmpty { levels[number].redos.append(back) }
        return true
    }

    mutating func redo(_ number: Int) throws(Breach) -> Bool {
        guard let group = levels[number].redos.last else { return false }
        let back = try takeBack(group, in: number)
        levels[number].redos.removeLast()
        if !back.isEmpty { levels[number].undos.append(back) }
        return true
    }

    private mutating func takeBack(_ group: Group, in number: Int) throws(Breach) -> Group {
        var board = board(number)
        var codes: Set<GranaryError.Code> = []
        var written: [(place: Place, old: Row?, new: Row?)] = []
        for (place, before, after, added) in group {
            let old = board.rows[place]
            var new = before
            var subtracted: Set<Int> = []
            if let before, let after {
                if let old {
                    for position in before.indices where added.contains(position) {
                        if ModelBoard.amount(from: after[position], to: before[position]) != nil {
                            subtracted.insert(position)
                        }
                    }
                    new = before.indices.map { position in
                        if before[position] == after[position] { return old[position] }
                        if old[position] == after[position] { return before[position] }
                        guard subtracted.contains(position),
                            let amount = ModelBoard.amount(from: after[position], to: before[position])
                        else { return old[position] }
                        return ModelBoard.sum(old[position], amount)
                    }
                } else {
                    codes.insert(.recordNotFound)
                }
            } else if before != nil, let old, old != before {
                codes.insert(.uniqueness)
            }
            if old == new { continue }
            board.put(new, at: place, added: subtracted)
            written.append((place, old, new))
        }
        // A record that is taken away takes none along: what others have made refer to it forbids that. One of its key that it has
        // hidden, one level up, does not count.
        let taken = Set(written.filter { $0.new == nil }.map(\.place))
        if taken.contains(where: { board.isReferredTo($0, besides: taken) }) { codes.insert(.danglingReference) }
        board.show()
        for (place, old, new) in written {
            guard let new else { continue }
            codes.formUnion(board.broken(by: new, at: place, old: old))
        }
        if !codes.isEmpty { throw Breach(codes) }
        levels[number].changes = board.changes
        return ContextModel.net(board.steps)
    }
}
