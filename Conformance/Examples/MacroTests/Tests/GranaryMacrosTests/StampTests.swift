import Foundation
import Testing

@Suite struct StampTests {
    @Test func `a time that the stack sets is an optional date`() {
        for type in ["Date", "String?", "Int"] {
            expect(
                property: "@CreatedAt var a: \(type)", at: type,
                "error: a is nil until the record is stored, so its type must be Date?",
                fixed: ["@CreatedAt var a: Date?"])
        }
        expect(
            property: "@CreatedAt @UpdatedAt var a: Date?", at: "@UpdatedAt",
            "error: a time is either that of the insertion or that of the last change",
            fixed: ["@CreatedAt var a: Date?"])
        expect(
            property: "@UpdatedAt @Transient var a: Date?", at: "@UpdatedAt",
            "error: a is @Transient and so not kept in the store: @UpdatedAt means nothing here",
            fixed: ["@Transient var a: Date?"])
    }

    @Test func `its attribute says what the time tells`() {
        let text = Expansion(
            "@Record struct A { @Key var id: Int64; @CreatedAt var a: Date?; @UpdatedAt @Index var b: Date? }"
        ).text
        #expect(text.contains(#"Granary.Attribute("a", Date?.self).stamped(.created),"#))
        #expect(text.contains(#"Granary.Attribute("b", Date?.self).stamped(.updated),"#))
    }
}

@Suite struct DefaultTests {
    private func attribute(_ property: String) -> String {
        let text = Expansion("@Record struct A { @Key var id: Int64; \(property) }").text
        let line = text.split(separator: "\n").first { $0.contains(#"Granary.Attribute("a""#) } ?? ""
        return line.trimmingCharacters(in: .whitespaces)
    }

    @Test func `a literal or a case is the schema's default`() {
        #expect(attribute("var a = 3") == #"Granary.Attribute("a", Int.self, default: 3),"#)
        #expect(attribute("var a: Mood = .calm") == #"Granary.Attribute("a", Mood.self, default: Mood.calm),"#)
        #expect(attribute("var a: Mood = Mood.calm") == #"Granary.Attribute("a", Mood.self, default: Mood.calm),"#)
        #expect(attribute("var a: Mood? = .none") == #"Granary.Attribute("a", Mood?.self),"#)
        #expect(
            attribute("@Attribute(.json) var a: Mood = .calm")
                == #"Granary.Attribute("a", Granary.JSON<Mood>.self, default: Granary.JSON(Mood.calm)),"#)
    }

    @Test func `a value that is made for each record is no default of the schema`() {
        for property in [
            "var a: Date = .now", "var a: UUID = .init()", "var a: Mood = .random()", "var a: Mood = Other.calm",
            "var a: Mood = Mood(3)", "var a: Data = .empty",
        ] {
            let type = property.split(separator: " ")[2]
            #expect(attribute(property) == "Granary.Attribute(\"a\", \(type).self),")
        }
    }
}

@Suite struct IncompleteTests {
    @Test func `a property with a mistake leaves the others as they are`() {
        let expansion = Expansion("@Record struct A { @Key var id: Int64; var a: (Int, Int); var b: String }")
        #expect(expansion.findings.count == 1)
        #expect(expansion.text.contains(#"let b = Granary.Field<A, String>("b")"#))
        #expect(expansion.text.contains("extension A: nonisolated Granary.Record {"))
        #expect(!expansion.text.contains(#"Granary.Field<A, (Int, Int)>"#))
    }

    @Test func `a struct without a key does not become a record`() {
        let expansion = Expansion("@Record struct A { var a: (Int, Int); var b: String }")
        #expect(!expansion.text.contains("Granary.Record"))
    }
}
