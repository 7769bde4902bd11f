import Foundation
import Testing

@testable import GranaryModel

struct JSONPathTests {
    private static func keys(_ names: String...) -> [JSONPath.Step] { names.map { .key(Array($0.utf8)) } }

    @Test func `keys and positions`() throws {
        #expect(try JSONPath("theme.name").steps == JSONPathTests.keys("theme", "name"))
        #expect(try JSONPath("tags[0]").steps == JSONPathTests.keys("tags") + [.position(0)])
        #expect(try JSONPath("[3][12].x").steps == [.position(3), .position(12)] + JSONPathTests.keys("x"))
        #expect(try JSONPath(#""odd key".x"#).steps == JSONPathTests.keys("odd key", "x"))
        #expect(try JSONPath(#"a."b\"c\\d""#).steps == JSONPathTests.keys("a", #"b"c\d"#))
        #expect(try JSONPath(#"a.""[1]"#).steps == JSONPathTests.keys("a", "") + [.position(1)])
        #expect(try JSONPath("größe.$id.a-b").steps == JSONPathTests.keys("größe", "$id", "a-b"))
    }

    @Test func `a path's description is the shortest text that reads as the same path`() throws {
        let table = [
            ("theme.name", "theme.name"), (#""theme"."name""#, "theme.name"), ("[007]", "[7]"), ("a[0].b", "a[0].b"),
            (#""odd key".x"#, #""odd key".x"#), (#""a\"\\".b"#, #""a\"\\".b"#), (#""""#, #""""#),
            (#""a.b""#, #""a.b""#),
        ]
        for (text, description) in table {
            let path = try JSONPath(text)
            #expect(path.description == description)
            #expect(try JSONPath(description) == path)
            let coded = try JSONEncoder().encode([path])
            #expect(try JSONDecoder().decode([JSONPath].self, from: coded) == [path])
        }
    }

    @Test func `keys that Swift's strings hold equal are different paths`() throws {
        #expect(try JSONPath("é") != JSONPath("e\u{301}"))
    }

    @Test(
        arguments: [
            ("", 1), (".a", 1), ("a.", 3), ("a..b", 3), ("a b", 2), ("a[", 3), ("a[x]", 3), ("a[-1]", 3), ("a[1", 4),
            ("a[1]b", 5), ("a]", 2), (#""abc"#, 1), (#""a\n""#, 4), ("a[99999999999999999999]", 3), ("é é", 2),
        ] as [(String, Int)])
    func `a path that is none names the column`(_ text: String, _ column: Int) {
        do {
            _ = try JSONPath(text)
            Issue.record("\(text) was read as a path")
        } catch let error as GranaryError {
            #expect(error.code == .invalidQuery)
            #expect(error.message.contains("column \(column)."), "\(error.message)")
        } catch {
            Issue.record(error)
        }
    }
}
