import Testing

@testable import GranaryStoreKit

/// Errors of broken rules where an engine says that a rule is broken, but not by which attribute.
struct RuleErrorTests {
    private let song = Entity(
        "Song", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("isLive", .bool),
            Attribute("artist", .int64, reference: Attribute.Reference(entity: "Artist", onDelete: .deny)),
        ])

    @Test func `an error without an attribute has the code of the one with it, and names the entity`() {
        let pairs: [(GranaryError, GranaryError)] = [
            (.dangling(of: song), .dangling(song, 2)), (.denied(of: song), .denied(by: song, 2)),
            (.valueNotAllowed(song), .refused(.integer(2), song, 1)),
            (.typeNotAllowed(song), .refused(.real(0.5), song, 1)),
        ]
        for (unlocated, located) in pairs {
            #expect(unlocated.code == located.code)
            #expect(unlocated.entity == "Song" && unlocated.attributes.isEmpty)
            #expect(unlocated.message.contains("Song"))
        }
    }

    @Test func `a dangling reference of an entity that is not known has advice all the same`() {
        let error = GranaryError.dangling(of: nil)
        #expect(error.code == .danglingReference && error.entity == nil)
        #expect(error.message.hasSuffix("Insert that record first."))
    }
}
