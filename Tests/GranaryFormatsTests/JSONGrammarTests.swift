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

    @Test(arguments: JSONGrammarCase.all)
    func `taking plain values at once changes nothing, wherever the input is cut`(_ example: JSONGrammarCase) {
        let bytes = example.bytes
        // Values are plain in objects whose keys are known, and in arrays.
        let known = Array("[{\"a\":0,\"b\":0,\"\":0},".utf8)
        let member = known + Array("{\"a\":".utf8) + bytes + Array(",\"b\":1}]".utf8)
        let element = known + bytes + Array(",".utf8) + bytes + Array("]".utf8)
        guard bytes.count <= 100 else {
            for text in [bytes, member, element] { expectSameReading(text, sizes: [[1_000, 7]], example.name) }
            return
        }
        expectSameReading(member, sizes: everyCut(member.count, from: known.count + 5), example.name)
        expectSameReading(bytes, sizes: [[1]], example.name)
        expectSameReading(element, sizes: [[3], [known.count, 2, 7]], example.name)
        for policy in [JSONOptions.DuplicateKeys.first, .last] {
            expectSameReading(member, JSONOptions(duplicateKeys: policy), example.name)
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
