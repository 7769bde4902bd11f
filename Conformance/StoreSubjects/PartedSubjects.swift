package import ConformanceKit
import GranaryCore
import GranaryTool

extension ConformanceSubject {
    /// Stacks of two parts, as the suite tries them: about half of the record types are in each.
    package static let parted: [ConformanceSubject] = [
        parted(.sqlite, .memory), parted(.lmdb, .sqlite),
    ]

    private static func parted(_ first: StoreKind, _ second: StoreKind) -> ConformanceSubject {
        let (mine, theirs) = (first.subject.capabilities, second.subject.capabilities)
        var both = mine.intersection(theirs)
        if first.subject.has(.reopening) && second.subject.has(.reopening) { both.insert(.reopening) }
        // Attributes with files of their own are in the first part.
        if mine.contains(.externalData) { both.insert(.externalData) }
        var subject = ConformanceSubject(
            "\(first.rawValue)+\(second.rawValue)", capabilities: both.subtracting([.rawSQL, .filling, .groupCommit])
        ) { path, access in
            let place = path.reversed().drop { $0 == "/" }.reversed()
            return .parts(
                first.provider(at: path, access: access),
                Part(
                    "second", in: second.provider(at: String(place) + ".second", access: access),
                    choosing: isInSecondPart))
        }
        subject.isParted = true
        subject.peers = StoreKind.allCases.map { kind in
            var peer = kind.subject
            peer.peers = []
            return peer
        }
        return subject
    }

    /// By the first letter. What the suite renames, and what it looks for in the files of a store, is in the first part.
    @Sendable private static func isInSecondPart(_ entity: String) -> Bool {
        if ["Note", "Photo", "Piece", "Rack", "Tape", "Term", "Track"].contains(entity) { return false }
        return entity.utf8.first.map { $0.isMultiple(of: 2) } ?? false
    }
}
