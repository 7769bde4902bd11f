import Granary
import Testing

/// What the page about searching says, done.
struct SearchingTests {
    @Test(arguments: Kind.allCases) func `words are found, and the best come first`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Essay.self, Essayist.self)) { (stack: Stack) async throws in
            try await stack.write { tx in
                let woolf = try tx.insert(Essayist(name: "Virginia Woolf"))
                try tx.insert([
                    Essay(title: "On Time", text: "Time is money, and money is short.", author: Ref(woolf)),
                    Essay(title: "Money and time"), Essay(title: "Walking", text: "Time for a walk.", tags: ["times"]),
                    Essay(title: "Rain"), Essay(title: "Snow"), Essay(title: "Wind"), Essay(title: "Fog"),
                ])
            }
            let found = try await stack.read { try best("TIME -walk*", in: $0) }
            #expect(found == ["Money and time", "Time is money, and money is short."])
            #expect(try await stack.read { try count(in: $0) } == [2, 2, 2, 2, 0])
        }
    }

    @Test(arguments: Kind.allCases) func `words by rules of an app, and groups of attributes`(
        _ kind: Kind
    ) async throws {
        try await withStack(kind, Schema(Film.self)) { (stack: Stack) async throws in
            try await stack.write { tx in
                try tx.insert([
                    Film(title: "City Lights", director: "Charles Chaplin", composer: "Charles Chaplin"),
                    Film(title: "Chaplin, the light", director: "Richard Attenborough", composer: "John Barry"),
                    Film(title: "Out of Africa", director: "Sydney Pollack", composer: "John Barry"),
                ])
            }
            func found(_ typed: String, _ person: String) async throws -> [String] {
                try await stack.read { try films(typed, by: person, in: $0) }
            }
            #expect(try await found("the lights", "chaplin") == ["City Lights: Lights"])
            #expect(try await found("light", "john") == ["Chaplin, the light: light"])
            #expect(try await found("africa", "barry") == ["Out of Africa: Africa"])
        }
    }
}
