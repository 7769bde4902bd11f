import Granary
import Testing

struct ComposedTextTests {
    @Test(arguments: Kind.allCases)
    func `a type of your own normalizes what is written and what is looked for`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Village.self)) { stack in
            try await stack.write { tx in
                try tx.insert(Village(id: 1, name: "M\u{e9}ze", region: "Bretan\u{303}a"))
                #expect(throws: GranaryError.self) { try tx.insert(Village(id: 2, name: "Me\u{301}ze", region: "")) }
            }
            let found = try await stack.read { snapshot in
                (
                    try snapshot.fetch(Village.where { $0.name == "Me\u{301}ze" }).map(\.id),
                    try snapshot.fetch(
                        Village.where { $0.region.equals("BRETANA", [.caseInsensitive, .diacriticInsensitive]) }
                    ).map(\.id)
                )
            }
            #expect(found.0 == [1] && found.1 == [1])
        }
    }
}
