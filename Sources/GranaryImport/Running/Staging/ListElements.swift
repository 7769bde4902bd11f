import GranaryCore

/// The elements that a to-many relationship has in the source, with their places.
struct ListElements: Sequence, IteratorProtocol {
    private enum Rest {
        case packed(PackedValue.Elements)
        case values([ImportContent].Iterator)
        /// The values of a dictionary, with their keys.
        case members([ImportObject.Member].Iterator)
    }

    private var rest: Rest
    /// The place of the first element; those of the others differ by their numbers alone.
    private let place: ImportPlace
    private let name: String
    private let parent: ParentObject
    private var index = 0

    init(_ list: Member, _ rule: RelationshipRule, _ parent: ParentObject) {
        (name, self.parent) = (list.name, parent)
        var isArray = true
        switch list.content {
        case .packed(let packed) where packed.kind == .array: rest = .packed(packed.elements)
        case .value(.array(let values)): rest = .values(values.map { .value($0) }.makeIterator())
        default:
            isArray = false
            if rule.isKeyed, case .object(let object) = list.value {
                rest = .members(object.members.makeIterator())
            } else {
                rest = .values([list.content].makeIterator())
            }
        }
        place = ImportPlace(list.name, of: parent, index: isArray ? 0 : nil)
    }

    mutating func next() -> (content: ImportContent, place: ImportPlace)? {
        defer { index += 1 }
        switch rest {
        case .packed(var elements):
            let content = elements.next()
            rest = .packed(elements)
            return content.map { ($0, place.sibling(at: index)) }
        case .values(var values):
            let content = values.next()
            rest = .values(values)
            return content.map { ($0, place.sibling(at: index)) }
        case .members(var members):
            let member = members.next()
            rest = .members(members)
            return member.map {
                (.value($0.value), ImportPlace(name, of: parent, index: index, key: $0.key))
            }
        }
    }
}
