import Foundation
import Testing

/// Each page's code stands in a file of `Pages`, where it is compiled.
struct PageTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let files = here.appending(path: "Pages")
    private static let catalog = here.appending(path: "../../Sources/Granary/Granary.docc")

    /// The code of each page that has any, by the page's name.
    private static func pages() throws -> [String: String] {
        var code: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: catalog.path) where path.hasSuffix(".md") {
            let page = catalog.appending(path: path)
            let text = try String(contentsOf: page, encoding: .utf8)
            let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
                $0.components(separatedBy: "```").first
            }
            if blocks.isEmpty { continue }
            code[page.deletingPathExtension().lastPathComponent] = blocks.joined(separator: "\n")
        }
        return code
    }

    /// What a page says.
    static func text(ofPage name: String) throws -> String {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: catalog.path)
        let path = paths.first { URL(filePath: $0).lastPathComponent == "\(name).md" }
        return try String(contentsOf: catalog.appending(path: try #require(path)), encoding: .utf8)
    }

    /// What comes after the imports, which most pages leave out.
    private static func body(_ code: String) -> [Substring] {
        Array(
            code.split(separator: "\n", omittingEmptySubsequences: false)
                .drop { $0.isEmpty || $0.hasPrefix("import ") })
    }

    @Test func `the code on each page is the code that is compiled here`() throws {
        let pages = try Self.pages()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.files.path)
        #expect(Set(names) == Set(pages.keys.map { "\($0).swift" }))
        for (name, code) in pages {
            let file = Self.files.appending(path: "\(name).swift")
            #expect(Self.body(code) == Self.body(try String(contentsOf: file, encoding: .utf8)), "\(name)")
        }
    }

    @Test func `a page links to pages that exist`() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.catalog.path)
        let names = Set(paths.map { URL(filePath: $0).deletingPathExtension().lastPathComponent })
        for path in paths where path.hasSuffix(".md") {
            let text = try String(contentsOf: Self.catalog.appending(path: path), encoding: .utf8)
            for link in text.components(separatedBy: "<doc:").dropFirst() {
                let name = String(link.prefix { $0 != ">" })
                #expect(names.contains(name), "\(path) links to \(name)")
            }
        }
    }
}
