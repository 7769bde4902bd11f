import GranaryCore

extension Staging {
    /// Takes the relationships whose records are chosen from what is at one path.
    mutating func takeChoices(of whole: ImportValue, _ object: inout SourceObject) throws {
        let (plan, place) = (object.plan, object.place)
        for (slots, choice) in plan.choices {
            guard let value = choice.path.value(in: whole, at: place) else { continue }
            let parent = ParentObject(.value(whole), place)
            let field = choice.path.description
            guard case .array(let elements) = value else {
                let name = try chosen(choice, value, ImportPlace(field, of: parent), plan)
                for slot in slots {
                    let isChosen = name.map { $0.hasSameBytes(as: slot.name) } ?? false
                    try take(.value(isChosen ? value : .null), slot.name, slot.slot, &object)
                }
                continue
            }
            let names = try elements.enumerated().map { index, element in
                try chosen(choice, element, ImportPlace(field, of: parent, index: index), plan)
            }
            for (slot, name) in slots {
                // What is not chosen leaves its place, so that the others are at theirs.
                var own = zip(elements, names).map { element, chosen in
                    chosen.map { $0.hasSameBytes(as: name) } ?? false ? element : .null
                }
                if case .attribute = slot { own.removeAll { $0 == .null } }
                try take(.value(.array(own)), name, slot, &object)
            }
        }
    }

    private func chosen(
        _ choice: ImportChoice, _ value: ImportValue, _ place: ImportPlace, _ plan: EntityPlan
    ) throws -> String? {
        if case .null = value { return nil }
        do {
            guard let name = try choice.choice(value, place) else { return nil }
            guard choice.names.contains(where: { $0.hasSameBytes(as: name) }) else {
                throw GranaryError(
                    .invalidQuery,
                    "\"\(name)\" was chosen for an object, and is not one of \(choice.names.joined(separator: ", ")). Return one of these, or nil.",
                    entity: plan.entity.name, attributes: choice.names)
            }
            return name
        } catch {
            let error = GranaryError.wrapping(error, plan.entity).with(value: value.textOfError)
            try account.keepValue(error, "", at: place)
            return nil
        }
    }
}
