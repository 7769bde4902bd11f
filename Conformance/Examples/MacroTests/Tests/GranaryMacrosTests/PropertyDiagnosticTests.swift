import Testing

@Suite struct PropertyDiagnosticTests {
    @Test func `a type without values an attribute holds is refused where it is written`() {
        let remedy = "which no attribute holds; use another type, or make it @Transient"
        expect(property: "var a: (Int, Int)", at: "(Int, Int)", "error: a is a tuple, \(remedy)")
        expect(property: "var a: () -> Void", at: "() ->", "error: a is a function, \(remedy)")
        expect(property: "var a: @Sendable () -> Void", at: "@Sendable", "error: a is a function, \(remedy)")
        expect(property: "var a: (() -> Void)?", at: "() -> Void", "error: a is a function, \(remedy)")
        expect(property: "var a: Any", at: "Any", "error: a is 'Any', whose type is not known, \(remedy)")
        expect(property: "var a: any Codable", at: "any", "error: a is 'any', whose type is not known, \(remedy)")
        expect(property: "var a: some Codable", at: "some", "error: a is 'some', whose type is not known, \(remedy)")
        expect(property: "var a: A & B", at: "A & B", "error: a is a composition of protocols, \(remedy)")
        expect(property: "var a: Int.Type", at: "Int.Type", "error: a is a metatype, \(remedy)")
        expect(property: "var a: Int??", at: "Int?", "error: a is an optional of an optional, \(remedy)")
        expect(property: "var a: Optional<Int?>", at: "Int?", "error: a is an optional of an optional, \(remedy)")
    }

    @Test func `a collection can be kept as JSON`() {
        let remedy = "which no attribute holds; keep it as JSON with @Attribute(.json)"
        for (type, what) in [
            ("[Int]", "an array"), ("Array<String>", "an array"), ("[[UInt8]]", "an array"),
            ("[String: Int]", "a dictionary"),
            ("Dictionary<String, Int>", "a dictionary"), ("Set<Int>", "a set"), ("Swift.Set<Int>", "a set"),
        ] {
            expect(
                property: "var a: \(type)", at: type, "error: a is \(what), \(remedy)",
                fixed: ["@Attribute(.json) var a: \(type)"])
        }
        expect(
            property: "@Index private var a: [Int]? = nil", at: "[Int]?", "error: a is an array, \(remedy)",
            fixed: ["@Attribute(.json) @Index private var a: [Int]? = nil"])
    }

    @Test func `an array of references is a relationship of the other side`() {
        expect(
            property: "var songs: [Ref<Song>]", at: "[Ref<Song>]",
            "error: songs is an array of references; a record holds no list of others: give the other record a"
                + " Ref<Artist> and declare here which records those are, with static let songs = ToMany(...)")
    }

    @Test func `a type with a near relative is answered with that`() {
        expect(
            property: "var a: Character", at: "Character",
            "error: a is a Character, which no attribute holds; use String",
            fixed: ["var a: String"])
        expect(
            property: "var a: CGFloat?", at: "CGFloat", "error: a is a CGFloat, which no attribute holds; use Double",
            fixed: ["var a: Double?"])
    }

    @Test func `types that attributes hold, and those only the compiler can judge, are accepted`() {
        for line in [
            "var a: [UInt8]", "var a: Array<UInt8>?", "var a: Foundation.Data", "var a: Mood", "var a: Outer.Mood?",
            "var a: Ref<Genre>?", "var a: Ref<Music.Genre>", "var a: Granary.Ref<Genre>", "var a: JSON<[Int]>",
            "@Attribute(.json) var a: (any Thing)?", "var a: (Int)", "var a: Optional<Int>",
            "@Attribute(.json) var a: [Ref<Song>]", "@Wrapper var a: Int", "var a = 0, b = \"\", c: Bool",
            "@Transient lazy var a = f()", "@Transient let a = [f]", "@Transient var a: (() -> Void)?",
            "var a: Int { 5 }", "static var a: [Int] = []", "var a: Int { didSet { } }",
            "var a: Int = 5 { willSet { } didSet { } }", "var a: Int { get { 1 } set { } }", "func f() {}",
            "enum E { case a(Int, Int) }", "#if DEBUG\n    func f() {}\n    var b: Int { 1 }\n    #endif",
            "@Attribute(.scaled(0)) var a: Foundation.Decimal?", "@Reference(onDelete: .nullify) var a: Ref<Genre>?",
            "@Reference(onDelete: DeleteRule.cascade) var a: Ref<Genre>", "init() { id = 0 }",
            "@Attribute(name: \"b\") @Attribute(.json) var a: [Int]", "@Attribute(.agreeing) var a: Int",
            "@Attribute(.scaled(2), .agreeing, name: \"b\") var a: Decimal",
            "@Index(.caseInsensitive) var a: String", "@Index([.caseInsensitive, .diacriticInsensitive]) var a: Name?",
            "@Index @Index(.caseInsensitive) @Unique(TextFolding.diacriticInsensitive) var a: URL",
        ] {
            expectAccepted(line)
        }
    }

    @Test func `a property without a written type is asked for one`() {
        for value in ["f()", "nil", ".calm", "[1]", "URL(string: \"\")", "Int(5)"] {
            expect(
                property: "var a = \(value)", at: "a =",
                "error: a needs a written type: a macro sees the text, not what the compiler infers",
                fixed: ["var a: <#Type#> = \(value)"])
        }
        for value in ["1", "-1", "1.5", "-1.5", "\"\"", "\"\\(x)\"", "true", "UUID()", "UUID.timeOrdered()", "Date()"] {
            expectAccepted("var a = \(value)")
        }
    }

    @Test func `a constant with a value cannot be read`() {
        expect(
            property: "let a: Int = 5", at: "let",
            "error: a always has the value written here and cannot be read from the store; make it a var, or @Transient",
            fixed: ["var a: Int = 5", "@Transient let a: Int = 5"])
    }

    @Test func `a constant without a default is for keys alone`() {
        expect(
            property: "let a: Int", at: "let",
            "error: a is a constant without a default: only a key never changes, any other attribute is updated;"
                + " make it a var",
            fixed: ["var a: Int"])
    }

    @Test func `an implicitly unwrapped type is optional or not`() {
        expect(
            property: "var a: Int!", at: "Int!", "error: an attribute is optional or not; write Int?",
            fixed: ["var a: Int?"])
    }

    @Test func `a lazy property is not an attribute`() {
        expect(
            property: "lazy var a: Int = 5", at: "lazy",
            "error: a lazy property cannot be an attribute: reading would change the record; make a @Transient or computed",
            fixed: ["@Transient lazy var a: Int = 5"])
    }

    @Test func `a tuple of properties is written apart`() {
        expect(
            property: "var (a, b) = (1, 2)", at: "(a, b)",
            "error: a record's property is declared by itself, not in a tuple; write one declaration for each")
    }

    @Test func `a property does not depend on the build`() {
        expect(
            property: "#if DEBUG\n    var a: Int\n    #endif", at: "var a",
            "error: a stored property of a record cannot stand inside #if: the schema would depend on the build; move it"
                + " out")
    }

    @Test func `a transient property has a default`() {
        expect(
            property: "@Transient var a: Int", at: "a: Int",
            "error: a is @Transient and needs a default: a record that is read from the store has no other value for it",
            fixed: ["@Transient var a: Int = <#default#>"])
        expectAccepted("@Transient var a: Int?")
    }

    @Test func `a transient property has no other marker`() {
        expect(
            property: "@Transient @Index var a = 0", at: "@Index",
            "error: a is @Transient and so not kept in the store: @Index means nothing here",
            fixed: ["@Transient var a = 0"])
    }

    @Test func `a scaled decimal has places and is a Decimal`() {
        expect(
            property: "@Attribute(.scaled(2)) var a: Double?", at: "Double?",
            "error: a is kept as a scaled decimal, so its type must be Decimal or Decimal?")
        let message = "error: the number of places is written here as a number from 0 to 18"
        expect(property: "@Attribute(.scaled(19)) var a: Decimal", at: "19", message)
        expect(property: "@Attribute(.scaled(n)) var a: Decimal", at: "n)", message)
        expect(
            property: "@Attribute(kind) var a: Decimal", at: "kind",
            "error: an attribute's kind is written here: .json, .scaled(places), .external or .agreeing")
    }

    @Test func `what an index overlooks is written at the property, which is a text`() {
        let message = "error: what an index overlooks is written here: .caseInsensitive, .diacriticInsensitive or both"
        expect(property: "@Index(folding) var a: String", at: "folding", message)
        expect(property: "@Unique(.caseInsensitive, .all) var a: String", at: ".all", message)
        expect(property: "@Index([.caseInsensitive, f()]) var a: String", at: "f()", message)
        let text = "error: only texts can be compared without regard to case or diacritics; a is none"
        expect(property: "@Index(.caseInsensitive) var a: Int?", at: ".caseInsensitive", text)
        expect(property: "@Index(.caseInsensitive) @Attribute(.json) var a: Name", at: ".caseInsensitive", text)
        expect(property: "@Unique(.caseInsensitive) var a: Ref<Genre>", at: ".caseInsensitive", text)
    }

    @Test func `a marker stands at a stored property of a record`() {
        expect(
            property: "@Index var a: Int { 5 }", at: "@Index",
            "error: @Index marks a stored property; a computed one is not kept in the store",
            fixed: ["var a: Int { 5 }"])
        expect(
            property: "@Unique static var a = 5", at: "@Unique",
            "error: @Unique marks a property of each record; a static property is not one", fixed: ["static var a = 5"])
        expect(
            property: "@Key func f() {}", at: "@Key", "error: @Key marks a stored property of a struct marked @Record",
            fixed: ["func f() {}"])
        expect(
            "struct A { @Key var id: Int64 }", at: "@Key",
            "error: @Key means something only in a struct marked @Record; mark the struct, or remove @Key",
            fixed: ["struct A { var id: Int64 }"])
    }

    @Test func `only Data is external, and it is not indexed`() {
        expect(
            property: "@Attribute(.external) var a: String", at: "String",
            "error: a is kept externally, so its type must be Data or Data?")
        expect(
            property: "@Attribute(.external) @Index var a: Data?", at: "@Index",
            "error: a is kept externally (.external), so it cannot be indexed or unique",
            fixed: ["@Attribute(.external) var a: Data?"])
    }
}
