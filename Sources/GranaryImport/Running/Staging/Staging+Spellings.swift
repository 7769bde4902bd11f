import GranaryCore

// An object may have a name in two spellings, such as `name` and `NAME`. The name itself counts, or the first key if none is the
// name, whatever values the keys have. Few objects have such keys, so they are found by what happens while an object is decoded:
// an attribute is given twice, or it is left alone because of one key and given by another. Then the object is decoded again
// without the keys that do not count.

extension Staging {
    /// Takes from an object what it has for its record. Of several spellings of a name one counts: the others are listed as
    /// unknown keys, and a strict import refuses the object.
    ///
    /// - Parameter left: The members to take, which the thread that reads has left; nil for all.
    mutating func takeMembers(_ object: inout SourceObject, _ left: Range<Int>? = nil) throws {
        overlooksKeys = false
        leftAlone.removeAll(keepingCapacity: true)
        let mark = account.valuesMark
        if let left, let decoded, case .packed(let packed) = object.content {
            for member in decoded.members[left] { try takeMember(member.key, member.slot, of: packed, &object) }
        } else {
            try takeAll(of: object.content, &object)
        }
        guard overlooksKeys || !leftAlone.isEmpty && givesLeftAlone(object),
            case .object(let tree) = object.content.value
        else { return }
        let plan = object.plan
        let overlooked = try overlookedKeys(of: tree, plan)
        guard !overlooked.isEmpty else { return }
        // What was said of the object is forgotten.
        account.forgetValues(since: mark)
        for position in 0..<plan.stage.width { plan.stage.takeBack(object.row, position) }
        object.related = []
        for key in overlooked { account.report.addUnknown(key, of: plan.entity.name) }
        let counting = tree.members.filter { !overlooked.contains($0.key) }
        try takeAll(of: .value(.object(ImportObject(counting))), &object)
    }

    /// Notes that a key of the object leaves its attribute or relationship as it was.
    ///
    /// - Parameter position: That of the attribute; relationships come after the attributes.
    mutating func leaveAlone(_ position: Int) {
        if leftAlone.contains(position) { overlooksKeys = true }
        leftAlone.append(position)
    }

    /// Whether what one key leaves alone is given by another key.
    private func givesLeftAlone(_ object: SourceObject) -> Bool {
        leftAlone.contains { position in
            let (width, entity) = (object.plan.stage.width, object.plan.entity)
            if position < width, object.isGiven(position) { return true }
            return object.has(
                position < width ? entity.attributes[position].name : entity.relationships[position - width].name)
        }
    }

    /// The keys of an object that are another spelling of a name than the one that counts. Keys that a mapping gives a meaning
    /// are not among them.
    private func overlookedKeys(of object: ImportObject, _ plan: EntityPlan) throws -> [String] {
        var counting: [String: String] = [:]
        var overlooked: Set<String> = []
        for key in object.members.map(\.key) {
            guard let name = plan.decoder.keys.meaning(of: key).name(in: plan.entity), plan.mapping.paths[name] == nil,
                key.normalizedKey == name.normalizedKey
            else { continue }
            guard let other = counting[name], other != key else {
                counting[name] = key
                continue
            }
            let isName = key.hasSameBytes(as: name)
            if isName { counting[name] = key }
            overlooked.insert(isName ? other : key)
            guard importer.isStrict else { continue }
            throw GranaryError(
                .typeMismatch,
                "The keys \"\(other)\" and \"\(key)\" both mean \(plan.entity.name).\(name). Ignore one of them.",
                entity: plan.entity.name, attributes: [name])
        }
        return object.members.map(\.key).filter(overlooked.contains)
    }
}
