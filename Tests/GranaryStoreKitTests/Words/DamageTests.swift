import Testing
import GranaryStoreKit

struct DamageTests {
    /// Reads everything in every way. Errors are fine; ends of the process are not.
    private func readAll(_ program: inout ModelTests.Program) {
        let questions: [IndexQuestion] = [
            IndexQuestion(terms: [.init(words: [[97]], isPrefix: true)], tree: .term(0)),
            IndexQuestion(terms: [.init(words: [[97], [97, 98]], distance: 3)], tree: .term(0)),
            IndexQuestion(
                terms: [.init(words: [[97]]), .init(words: [[97, 120]])], tree: .all([.term(0), .term(1)])),
            IndexQuestion(terms: [.init(words: [[]], isPrefix: true, slots: [0])], tree: .term(0)),
        ]
        for question in questions {
            _ = try? WordIndexReader(program.blocks, index: 7).matches(question) { _ in true }
            if let reader = try? WordIndexReader(program.blocks, index: 7),
                let statistics = try? reader.statistics(question)
            {
                _ = try? reader.best(question, limit: 5, statistics)
            }
        }
    }

    @Test(arguments: [DocumentKeyForm.integers, .bytes])
    func `verify finds each damaged byte, and nothing traps`(_ form: DocumentKeyForm) throws {
        var program = ModelTests.Program(seed: 5, form: form, blockSize: 200, inlineSize: 30, memory: 1 << 20)
        try program.change(30, of: 30, removals: 1)
        #expect(try program.verify() == [])
        let blocks = program.blocks
        var missed: [String] = []
        for place in blocks.values.indices {
            let value = blocks.values[place]
            for offset in value.indices {
                for mask in [1, 0xFF] as [UInt8] {
                    var damaged = value
                    damaged[offset] ^= mask
                    blocks.setValue(damaged, at: place)
                    if try program.verify().isEmpty { missed.append("\(blocks.keys[place]) \(offset) \(mask)") }
                    if offset % 7 == 0 { readAll(&program) }
                }
            }
            for count in stride(from: 0, to: value.count, by: 7) {
                blocks.setValue(Array(value.prefix(count)), at: place)
                #expect(try program.verify() != [])
                readAll(&program)
            }
            blocks.setValue(value, at: place)
        }
        // Only the bounds of a block may be wider than its postings; those are one or two bytes.
        #expect(missed.count <= blocks.values.count * 6, "\(missed)")
    }

    @Test(arguments: [DocumentKeyForm.integers, .bytes])
    func `verify finds each damaged key, and nothing traps`(_ form: DocumentKeyForm) throws {
        var program = ModelTests.Program(seed: 5, form: form, blockSize: 200, inlineSize: 30, memory: 1 << 20)
        try program.change(30, of: 30, removals: 1)
        let whole = program.blocks
        for place in whole.keys.indices {
            for offset in whole.keys[place].indices.dropFirst(4) {
                program.blocks = MemoryBlocks()
                for (number, key) in whole.keys.enumerated() {
                    var key = key
                    if number == place { key[offset] ^= 1 }
                    try program.blocks.put(key, whole.values[number])
                }
                #expect(try program.verify() != [], "\(whole.keys[place]) \(offset)")
                if offset % 3 == 0 { readAll(&program) }
            }
        }
    }

    @Test func `changes of damaged blocks never trap`() throws {
        var program = ModelTests.Program(seed: 6, form: .bytes, blockSize: 200, inlineSize: 30, memory: 1 << 20)
        try program.change(60, of: 60, removals: 1)
        for place in program.blocks.values.indices {
            let value = program.blocks.values[place]
            for offset in stride(from: 0, to: value.count, by: 3) {
                let copy = MemoryBlocks()
                for (key, value) in zip(program.blocks.keys, program.blocks.values) { try copy.put(key, value) }
                var damaged = value
                damaged[offset] ^= UInt8(truncatingIfNeeded: 1 << (offset % 8)) | 0x40
                copy.setValue(damaged, at: place)
                guard let writer = try? WordIndexWriter(copy, index: 7, program.options) else { continue }
                for (key, words) in program.model.documents.prefix(8) {
                    try? writer.remove(key, WordModel.words(words))
                    try? writer.add(key, WordModel.words(words.reversed() + words))
                }
                _ = try? writer.flush()
            }
        }
    }

    @Test func `verify names what is missing`() throws {
        var program = ModelTests.Program(seed: 5, form: .integers, blockSize: 200, inlineSize: 30, memory: 1 << 20)
        try program.change(60, of: 60, removals: 1)
        let key = try #require(program.model.documents.first { !$0.value.isEmpty }?.key)
        program.model.documents[key] = nil
        #expect(try program.verify().contains { $0.contains("is in the index only") })
    }
}
