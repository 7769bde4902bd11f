import Testing

@Suite struct VersionTests {
    @Test func `a record has one version, an integer that is not the key`() {
        expect(
            property: "@Version var a: Int = 0\n    @Version var b: Int = 0", at: "@Version var b",
            "error: Artist has a version already, a; one counts all changes",
            fixed: ["@Version var a: Int = 0\n    var b: Int = 0"])
        for type in ["Int?", "String", "Double"] {
            expect(
                property: "@Version var a: \(type)", at: type,
                "error: a version is an integer, and not optional: var version: Int = 0")
        }
        expect(
            "@Record struct A { @Key @Version var id: Int64 }", at: "@Version",
            "error: a key never changes, so it cannot be the version, which counts the changes",
            fixed: ["@Record struct A { @Key var id: Int64 }"])
    }
}
