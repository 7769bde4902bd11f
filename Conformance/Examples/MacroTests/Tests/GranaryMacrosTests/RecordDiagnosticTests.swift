import Testing

@Suite struct RecordDiagnosticTests {
    @Test func `only a struct is a record`() {
        let why = "records are values, which cross threads freely"
        expect(
            "@Record public final class A { @Key public var id: Int64 }", at: "class",
            "error: a class cannot be a record: \(why); make A a struct",
            fixed: ["@Record public struct A { @Key public var id: Int64 }"])
        expect(
            "@Record actor A { @Key var id: Int64 }", at: "actor",
            "error: an actor cannot be a record: \(why); make A a struct")
        expect(
            "@Record enum A { case a }", at: "enum",
            "error: an enum cannot be a record; to use A in one, give it raw values and conform it to AttributeValue")
    }

    @Test func `a generic struct is not a record`() {
        expect(
            "@Record struct A<T> { @Key var id: Int64 }", at: "<T>",
            "error: a generic struct cannot be a record: an entity has one set of attributes; write a struct for each type"
        )
        expect(
            "enum B<T> { @Record struct A { @Key var id: Int64 } }", at: "A {",
            "error: A is nested in a generic type and so generic itself; move it out")
    }

    @Test func `a record stands outside functions`() {
        expect(
            "func f() { @Record struct A { @Key var id: Int64 } }", at: "A {",
            "error: a record inside a function cannot get a conformance; move A out of it")
        expect(
            "struct S { let f = { @Record struct A { @Key var id: Int64 } } }", at: "A {",
            "error: a record inside a function cannot get a conformance; move A out of it")
    }

    @Test func `a private record stands at the top`() {
        expect(
            "enum B { @Record private struct A { @Key var id: Int64 } }", at: "private",
            "error: a private struct inside another type cannot get a conformance; make A fileprivate",
            fixed: ["enum B { @Record fileprivate struct A { @Key var id: Int64 } }"])
    }

    @Test func `a record has a key`() {
        expect(
            "@Record struct A {\n    /// The number.\n    private(set) var id: Int64\n}", at: "A {",
            "error: A has no key; mark id with @Key",
            fixed: ["@Record struct A {\n    /// The number.\n    @Key private(set) var id: Int64\n}"])
        expect(
            "@Record struct A { var name: String }", at: "A {",
            "error: A has no key; mark one property with @Key, or add '@Key var id: Int64'")
    }

    @Test func `a record has one key`() {
        expect(
            property: "@Key var other: Int64", at: "@Key",
            "error: Artist has a key already, id; for a pair that must be unique use @Record(unique: [[...]])",
            fixed: ["var other: Int64"])
    }

    @Test func `a key is not optional`() {
        expect(
            "@Record struct A { @Key var id: Int64? }", at: "Int64?",
            "error: a key cannot be optional: every record has one", fixed: ["@Record struct A { @Key var id: Int64 }"])
    }

    @Test func `a key is of a type that identifies`() {
        for type in ["Double", "Bool", "Date", "Data", "[UInt8]", "Decimal", "URL", "Ref<B>", "JSON<B>"] {
            expect(
                "@Record struct A { @Key var id: \(type) }", at: type,
                "error: a key is an Int64, Int, UUID or String, or a RecordKey of your own, not \(type)")
        }
        expect(
            "@Record struct A { @Key var id: Int32 }", at: "Int32",
            "error: a key is an Int64, Int, UUID or String, or a RecordKey of your own, not Int32",
            fixed: ["@Record struct A { @Key var id: Int64 }"])
        expect(
            "@Record struct A { @Key @Attribute(.json) var id: B }", at: "B",
            "error: a key is stored as it is; remove @Attribute")
        for type in ["Int64", "Int", "UUID", "String", "ArtistID", "Swift.Int64", "Foundation.UUID"] {
            #expect(Expansion("@Record struct A { @Key var id: \(type) }").findings.map(\.message) == [])
        }
    }

    @Test func `a store assigns integer keys`() {
        expect(
            "@Record struct A { @Key(.assigned) var id: String }", at: "String",
            "error: a store assigns only integer keys: make id an Int64, or give the key yourself with @Key",
            fixed: ["@Record struct A { @Key(.assigned) var id: Int64 }", "@Record struct A { @Key var id: String }"])
        expect(
            "@Record struct A { @Key(.assigned) let id: Int64 }", at: "let",
            "error: the store assigns this key after the record is made; make id a var",
            fixed: ["@Record struct A { @Key(.assigned) var id: Int64 }"])
    }

    @Test func `a key's index says nothing new`() {
        expect(
            "@Record struct A { @Key @Unique var id: Int64 }", at: "@Unique",
            "warning: a key is unique and indexed as it is; @Unique adds nothing",
            fixed: ["@Record struct A { @Key var id: Int64 }"])
    }

    @Test func `id is the key`() {
        expect(
            "@Record struct A { @Key var code: String; var id: Int }", at: "id: Int",
            "error: a record's id is its key, which is code here; rename this property, or make it the key")
        expect(
            "@Record struct A { @Key var code: String; @Transient var id = 1 }", at: "id = 1",
            "error: a record's id is its key, which is code here; rename this property, or make it the key")
    }

    @Test func `the key of a public record is public`() {
        expect(
            "@Record public struct A { @Key var id: Int64 }", at: "id",
            "error: id is the key of a public record and must be public too",
            fixed: ["@Record public struct A { @Key public var id: Int64 }"])
        expect(
            "@Record struct A { @Key private var id: Int64 }", at: "id",
            "error: id is the key of an internal record and must be internal too",
            fixed: ["@Record struct A { @Key internal var id: Int64 }"])
        expect(
            "@Record public struct A { @Key private(set) var id: Int64 }", at: "id",
            "error: id is the key of a public record and must be public too",
            fixed: ["@Record public struct A { @Key public private(set) var id: Int64 }"])
    }

    @Test func `a reference refers to a record type`() {
        for target in ["Int", "String", "[Genre]", "(A, B)", "Ref<Genre>", "any Record"] {
            expect(
                property: "var a: Ref<\(target)>", at: target, "error: a Ref refers to a record type; \(target) is none"
            )
        }
        expect(
            property: "var a: Ref<Genre?>", at: "Genre?",
            "error: a Ref refers to a record type; an optional relationship is Ref<Genre>?")
        expect(property: "var a: Ref", at: "Ref", "error: a must say which record it refers to: Ref<Genre>")
    }

    @Test func `a delete rule is for a reference`() {
        expect(
            property: "@Reference(onDelete: .cascade) var a: Int", at: "@Reference",
            "error: @Reference is for relationships; a is not a Ref<...>", fixed: ["var a: Int"])
        expect(
            property: "@Reference(onDelete: rule) var a: Ref<Genre>", at: "rule",
            "error: the rule is written here: .nullify, .cascade, .deny or .noAction")
        expect(
            property: "@Reference(onDelete: .nullify) var a: Ref<Genre>", at: ".nullify",
            "error: a is required, so a deletion cannot set it to nil; make it optional, or use .cascade or .deny",
            fixed: ["@Reference(onDelete: .nullify) var a: Ref<Genre>?"])
    }

    @Test func `an index is over properties of the record`() {
        func record(_ arguments: String) -> String {
            "@Record(\(arguments)) struct A { @Key var id: Int64; var name: String; @Attribute(name: \"b\") var born: Date }"
        }
        expect(
            record("indexes: [[\"nane\"]]"), at: "\"nane\"",
            "error: A has no stored property \"nane\"; did you mean \"name\"?", fixed: [record("indexes: [[\"name\"]]")]
        )
        expect(
            record("unique: [[\"name\", \"b\"]]"), at: "\"b\"",
            "error: A has no stored property \"b\"; did you mean \"born\"?",
            fixed: [record("unique: [[\"name\", \"born\"]]")])
        expect(
            record("unique: [[\"somewhere\"]]"), at: "\"somewhere\"",
            "error: A has no stored property \"somewhere\"; it has: id, name, born")
        expect(record("unique: [[]]"), at: "[]", "error: an index has 1 to 16 properties")
        expect(
            record("unique: [[\"name\", \"name\"]]"), at: "\"name\"]]", "error: an index names each property once")
        let literal = "error: indexes are written here as lists of property names: [[\"name\", \"born\"]]"
        expect(record("indexes: all"), at: "all", literal)
        expect(record("indexes: [all]"), at: "all]", literal)
        expect(record("indexes: [[all]]"), at: "all]]", literal)
    }

    @Test func `a name follows the rules of names`() {
        let rule = "is not a letter (a-z, A-Z) or _ followed by letters, digits and _"
        let advice = "; name it in the store with @Attribute(name: \"...\")"
        expect(
            property: "var naïve: Int", at: "naïve", "error: the attribute name \"naïve\" \(rule)\(advice)",
            fixed: ["@Attribute(name: \"<#name#>\") var naïve: Int"])
        for name in ["rowid", "OID", "sqlite_a", "_rowid_"] {
            expect(
                property: "var \(name): Int", at: name, "error: the attribute name \"\(name)\" is reserved\(advice)",
                fixed: ["@Attribute(name: \"<#name#>\") var \(name): Int"])
        }
        let long = String(repeating: "a", count: 64)
        expect(
            property: "@Attribute(name: \"\(long)\") var a: Int", at: "\"aaa",
            "error: the attribute name \"\(long)\" is longer than 63 bytes")
        expect(
            property: "@Attribute(name: \"\") var a: Int", at: "\"\"", "error: the attribute name \"\" is empty")
        expect(
            property: "@Attribute(name: \"\\(a)\") var a: Int", at: "\"\\(a)",
            "error: the attribute's name is written here as text without interpolation")
        expectAccepted("var \(long.dropLast()): Int")
        expectAccepted("var `default`: Int")
        expectAccepted("@Attribute(name: \"naive\") var naïve: Int")
    }

    @Test func `two attributes differ in more than case`() {
        expect(
            property: "var ID: Int", at: "ID",
            "error: two attributes of Artist are named \"ID\" but for case; name it in the store with"
                + " @Attribute(name: \"...\")")
        expect(
            property: "@Attribute(name: \"id\") var a: Int", at: "\"id\"",
            "error: two attributes of Artist are named \"id\"")
    }

    @Test func `an entity's name follows the rules of names`() {
        let rule = "is not a letter (a-z, A-Z) or _ followed by letters, digits and _"
        expect(
            "@Record struct Künstler { @Key var id: Int64 }", at: "Künstler",
            "error: the entity name \"Künstler\" \(rule); give it another with @Record(\"name\")")
        expect(
            "@Record(\"a b\") struct A { @Key var id: Int64 }", at: "\"a b\"", "error: the entity name \"a b\" \(rule)")
        expect(
            "@Record(name) struct A { @Key var id: Int64 }", at: "name",
            "error: the entity's name is written here as text without interpolation")
        #expect(Expansion("@Record(\"B\") struct Künstler { @Key var id: Int64 }").findings.isEmpty)
        #expect(Expansion("@Record(nil) struct B { @Key var id: Int64 }").findings.isEmpty)
    }

    @Test func `each mistake is reported once and none hides another`() {
        let findings = Expansion(
            """
            @Record(indexes: [["tags"], ["nam"]]) struct A {
                @Key var id: Double
                var name: String
                var tags: [String]
                let five = 5
            }
            """
        ).findings
        #expect(
            findings.map { $0.rest.prefix(6) } == ["Double", "[Strin", "let fi", "\"nam\"]"])
    }
}
