import GranaryCore
import Testing

@testable import GranaryImport

/// What a file of mappings may say, in its short and its long forms.
struct MappingFileTests {
    private func mapping(_ text: String) throws -> ImportMapping {
        try #require(try MappingFile(parsing: #"{"Artist": \#(text)}"#).mappings["Artist"])
    }

    @Test func `formats are given for all dates, for one attribute, and for data`() throws {
        try #expect(mapping(#"{"dates": ["yyyy", "rfc3339"]}"#).dateFormats == [.pattern("yyyy"), .rfc3339])
        try #expect(mapping(#"{"dates": {"born": "dotNet"}}"#).dateFormatsByName == ["born": [.dotNet]])
        let data = try mapping(#"{"data": {"cover": "hex", "mark": "base64"}}"#)
        #expect(data.dataFormats == ["cover": .hex, "mark": .base64])
    }

    @Test func `a relationship has a policy alone, or an object`() throws {
        let rules = try mapping(
            #"{"relate": {"songs": "add", "albums": {"policy": "replaceAndDelete", "by": "title", "keyed": true}}}"#
        ).relationships
        #expect(rules["songs"]?.policy == .add)
        #expect(rules["albums"]?.policy == .replaceAndDelete)
        #expect(rules["albums"]?.identity == ["title"])
        #expect(rules["albums"]?.isKeyed == true)
    }

    @Test func `a relationship is connected by paths alone, or by an object that has them`() throws {
        let connections = try mapping(
            #"{"connect": {"genre": {"genre_name": "label"}, "home": {"by": {"place": "name"}, "missing": "ignore"}}}"#
        ).connections
        #expect(connections["genre"]?.pairs.map(\.attribute) == ["label"])
        #expect(connections["genre"]?.missing == .wait)
        #expect(connections["home"]?.pairs.map(\.attribute) == ["name"])
        #expect(connections["home"]?.missing == .ignore)
    }

    @Test(arguments: [("error", MissingKeyPolicy.error), ("skip", .skip), ("create", .create)])
    func `a file says what becomes of objects without a key`(_ word: String, _ policy: MissingKeyPolicy) throws {
        try #expect(MappingFile(parsing: #"{"@missingKey": "\#(word)"}"#).missingKey == policy)
    }

    @Test(arguments: [
        (#"{"data": {"cover": "octal"}}"#, "$.Artist.data is not one of base64, hex"),
        (#"{"dates": ["QQ"]}"#, "$.Artist.dates has the pattern"),
        (#"{"relate": {"songs": "most"}}"#, "$.Artist.relate.songs is not one of add, replace, replaceAndDelete"),
        (#"{"relate": {"songs": {"buy": "id"}}}"#, "$.Artist.relate.songs.buy is not one of"),
        (#"{"connect": {"genre": "label"}}"#, "$.Artist.connect.genre is not an object"),
        (#"{"connect": {"genre": {"by": {}, "else": 1}}}"#, "$.Artist.connect.genre.else is not one of by, missing"),
        (#"{"map": {"name": "a..b"}}"#, "$.Artist.map has the path \"a..b\", which has an empty part"),
        (#"{"map": {"name": "@me.x"}}"#, "and @me is not one of @self"),
    ])
    func `what a file of mappings cannot say is refused with its place`(_ text: String, _ part: String) throws {
        let error = #expect(throws: GranaryError.self) { _ = try mapping(text) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
}
