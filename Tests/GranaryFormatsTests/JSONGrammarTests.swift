import GranaryFormats
import Testing

struct JSONGrammarTests {
    @Test(arguments: JSONGrammarCase.all)
    func `the grammar decides, whatever the chunks`(_ example: JSONGrammarCase) {
        let whole = trace(example.bytes)
        switch example.verdict {
        case .accept: #expect(failure(example.bytes) == nil)
        case .refuse: #expect(failure(example.bytes)?.position != nil)
        case .either: break
        }
        for chunk in chunkSizes where example.bytes.count * 10 < 1_000_000 || chunk > 2 {
            #expect(trace(example.bytes, chunk: chunk) == whole, "chunks of \(chunk)")
        }
    }

    @Test func `the table is as long as the collections it restates`() {
        #expect(JSONGrammarCase.all.count >= 300)
    }

    @Test func `padding moves every token over the end of the window`() {
        let document = "{\"ключ\\u0041\":[1234567890123,\"a\\ud83d\\ude39é𝄞\",true,false,null,-1.5e-3],\"next\":{}}"
        let expected = trace(document)
        #expect(expected == "{ ключA: [ 1234567890123 'a😹é𝄞' true false null -1.5e-3 ] next: { } } ; ")
        for before in 65_536 - document.utf8.count - 2...65_536 + 2 {
            #expect(trace(String(repeating: " ", count: before) + document) == expected)
        }
    }
}
