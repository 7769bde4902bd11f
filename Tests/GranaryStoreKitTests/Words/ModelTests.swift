import Testing
import GranaryStoreKit

struct ModelTests {
    /// One index, its model, and random changes to both.
    struct Program {
        var blocks = MemoryBlocks()
        var model = WordModel()
        var random: RandomWords
        let options: WordIndexOptions

        init(seed: UInt64, form: DocumentKeyForm, blockSize: Int, inlineSize: Int, memory: Int) {
            random = RandomWords(seed: seed, form: form)
            var options = WordIndexOptions(keys: form)
            (options.blockSize, options.inlineSize, options.memory) = (blockSize, inlineSize, memory)
            self.options = options
        }

        /// - Parameter share: Of ten changes so many are removals.
        mutating func change(_ count: Int, of keys: Int, removals share: Int) throws {
            let writer = try WordIndexWriter(blocks, index: 7, options)
            for _ in 0..<count {
                let key = random.key(keys)
                if let old = model.documents.removeValue(forKey: key) {
                    try writer.remove(key, WordModel.words(old))
                    if random.below(10) < share { continue }
                    if random.below(3) > 0, !old.isEmpty {
                        var changed = old
                        changed[random.below(old.count)].word = random.word()
                        try writer.add(key, WordModel.words(changed))
                        model.documents[key] = changed
                        continue
                    }
                }
                let new = random.document()
                try writer.add(key, WordModel.words(new))
                model.documents[key] = new
            }
            try writer.flush()
        }

        func verify() throws -> [String] {
            try WordIndexVerifier.verify(blocks, index: 7, keys: options.keys) { body in
                for (key, words) in model.documents { try body(key, WordModel.words(words)) }
            }
        }

        mutating func compare(questions: Int) throws {
            #expect(try verify() == [])
            let reader = try WordIndexReader(blocks, index: 7)
            #expect(reader.totals?.documents == model.documents.count)
            #expect(reader.totals?.words == model.documents.values.reduce(0) { $0 + $1.count })
            for word in RandomWords.vocabulary {
                let frequency = model.documents.values.filter { $0.contains { $0.word == word } }.count
                #expect(try reader.frequency(of: word) == frequency)
            }
            for _ in 0..<questions { try compare(random.question(), reader) }
        }

        mutating func compare(_ question: IndexQuestion, _ reader: WordIndexReader) throws {
            let expected = model.matches(question)
            var found: [[UInt8]] = []
            try reader.matches(question) {
                found.append($0)
                return true
            }
            #expect(found == expected, "\(question)")
            let weights = [2.0, 0.5, 1.0]
            let scores = model.scores(question, weights: weights)
            let statistics = try reader.statistics(question)
            let limit = 1 + random.below(30)
            let best = try reader.best(question, limit: limit, statistics, weights: weights)
            #expect(best.count == min(limit, expected.count))
            for one in best {
                #expect(abs(one.score - (scores[one.key] ?? 0)) < 1e-12, "\(question)")
                let single = try reader.score(question, document: one.key, statistics, weights: weights)
                #expect(single == one.score)
            }
            for (left, right) in zip(best, best.dropFirst()) {
                #expect(
                    left.score > right.score
                        || left.score == right.score && left.key.lexicographicallyPrecedes(right.key))
            }
            let kept = Set(best.map(\.key))
            if let worst = best.last {
                for key in expected where !kept.contains(key) { #expect((scores[key] ?? 0) < worst.score + 1e-12) }
            }
            let absent = random.key(1000)
            if !expected.contains(absent) {
                #expect(try reader.score(question, document: absent, statistics) == nil)
            }
        }
    }

    @Test(arguments: [DocumentKeyForm.integers, .bytes], [1, 2, 3, 4, 5, 6] as [UInt64])
    func `random changes give what a list of documents gives`(_ form: DocumentKeyForm, _ seed: UInt64) throws {
        var program = Program(
            seed: seed, form: form, blockSize: [110, 150, 300, 600][Int(seed % 4)],
            inlineSize: [0, 24, 64][Int(seed % 3)], memory: seed % 2 == 0 ? 1 << 20 : 5000)
        for round in 0..<8 {
            // Grows, changes, and shrinks again.
            try program.change(
                [350, 1, 40, 150][round % 4], of: round < 5 ? 600 : 300, removals: round < 4 ? 1 : 9)
            try program.compare(questions: 12)
        }
    }

    @Test func `an emptied index has no blocks but its totals`() throws {
        var program = Program(seed: 9, form: .integers, blockSize: 120, inlineSize: 20, memory: 1 << 20)
        try program.change(500, of: 400, removals: 2)
        let writer = try WordIndexWriter(program.blocks, index: 7, program.options)
        for (key, words) in program.model.documents { try writer.remove(key, WordModel.words(words)) }
        try writer.flush()
        #expect(program.blocks.keys.count == 1)
        try writer.removeAll()
        #expect(program.blocks.keys.isEmpty)
    }

    @Test func `one changed word touches the blocks of two words`() throws {
        var program = Program(seed: 10, form: .integers, blockSize: 150, inlineSize: 20, memory: 1 << 20)
        try program.change(900, of: 2000, removals: 1)
        let (key, words) = try #require(program.model.documents.first { $0.value.count > 6 })
        var changed = words
        let other = RandomWords.vocabulary[34]
        try #require(!words.contains { $0.word == other })
        changed[2].word = other
        program.blocks.touched = []
        let writer = try WordIndexWriter(program.blocks, index: 7, program.options)
        try writer.remove(key, WordModel.words(words))
        try writer.add(key, WordModel.words(changed))
        try writer.flush()
        // Two headers, the totals, and for each word a block, which may have been joined or divided.
        #expect(program.blocks.touched.count <= 7)
        for key in program.blocks.touched.filter({ $0[4] > 0 }) {
            let term = Array(key.dropFirst(5).prefix { $0 != 0 })
            #expect(term == words[2].word || term == other)
        }
    }

    @Test(arguments: [0, 64])
    func `adding a posting that exists replaces it`(_ inlineSize: Int) throws {
        let blocks = MemoryBlocks()
        var options = WordIndexOptions(keys: .bytes)
        options.inlineSize = inlineSize
        for position in [3, 70_000] {
            let writer = try WordIndexWriter(blocks, index: 7, options)
            for key in [[1], [2], [3]] as [[UInt8]] {
                try writer.add(key, WordModel.words([PlacedWord(word: [97], slot: 0, position: position)]))
            }
            try writer.flush()
        }
        let reader = try WordIndexReader(blocks, index: 7)
        #expect(try reader.frequency(of: [97]) == 3)
        let question = IndexQuestion(terms: [.init(words: [[97]])], tree: .term(0))
        var found: [[UInt8]] = []
        try reader.matches(question) {
            found.append($0)
            return found.count < 2
        }
        #expect(found == [[1], [2]])
    }

    @Test func `unsuitable keys, positions and questions are errors`() throws {
        let blocks = MemoryBlocks()
        let writer = try WordIndexWriter(blocks, index: 7, WordIndexOptions(keys: .integers))
        #expect(throws: WordIndexError.unsuitableKey(byteCount: 3)) { try writer.add([1, 2, 3], DocumentWords()) }
        #expect(throws: WordIndexError.unsuitablePosition(-1)) {
            _ = try WordModel.words([PlacedWord(word: [97], slot: 0, position: -1)])
        }
        try writer.add([128, 0, 0, 0, 0, 0, 0, 1], DocumentWords())
        try writer.flush()
        let reader = try WordIndexReader(blocks, index: 7)
        let terms = [IndexQuestion.Term(words: [[97]])]
        for tree in [.not(.term(0)), .all([.not(.term(0))]), .any([.term(0), .not(.term(0))])] as [IndexQuestion.Tree] {
            #expect(throws: WordIndexError.excludesOnly) {
                try reader.matches(IndexQuestion(terms: terms, tree: tree)) { _ in true }
            }
        }
        #expect(throws: WordIndexError.unknownTerm(1)) {
            _ = try reader.statistics(IndexQuestion(terms: terms, tree: .term(1)))
        }
        #expect(throws: WordIndexError.self) {
            _ = try WordIndexWriter(blocks, index: 7, WordIndexOptions(keys: .bytes))
        }
    }

    @Test func `removing what is not there is corrupt`() throws {
        var program = Program(seed: 11, form: .integers, blockSize: 150, inlineSize: 20, memory: 1 << 20)
        try program.change(100, of: 100, removals: 0)
        for word in [Array("a".utf8), Array("never".utf8)] {
            let writer = try WordIndexWriter(program.blocks, index: 7, program.options)
            try writer.remove(
                [255, 255, 255, 255, 0, 0, 0, 0], WordModel.words([PlacedWord(word: word, slot: 0, position: 0)]))
            #expect(throws: WordIndexError.self) { try writer.flush() }
        }
    }
}
