import GranaryCore

extension ContextModel {
    /// What steps come to: one a record, without those that end as they began.
    static func net(_ steps: Group) -> Group {
        var net: Group = []
        for step in steps {
            if let known = net.firstIndex(where: { $0.place == step.place }) {
                net[known].after = step.after
            } else {
                net.append(step)
            }
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
        for (place, before, after) in group {
            let old = board.rows[place]
            var new = before
            if let before, let after {
                if let old {
                    new = before.indices.map { before[$0] == after[$0] || old[$0] != after[$0] ? old[$0] : before[$0] }
                } else {
                    codes.insert(.recordNotFound)
                }
            } else if before != nil, let old, old != before {
                codes.insert(.uniqueness)
            }
            if old == new { continue }
            board.put(new, at: place)
            written.append((place, old, new))
        }
        board.show()
        for (place, old, new) in written {
            if let new {
                codes.formUnion(board.broken(by: new, at: place, old: old))
            } else if board.isReferredTo(place) {
                codes.insert(.danglingReference)
            }
        }
        if !codes.isEmpty { throw Breach(codes) }
        levels[number].changes = board.changes
        return ContextModel.net(board.steps)
    }
}
