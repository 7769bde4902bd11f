import GranaryPlatform

/// Answers a question about the words of one record after the other.
///
/// For each record: ``add(_:as:)`` for each of its texts in their order, then ``holds`` or ``score``, then ``clear()``.
package final class WordMatcher {
    /// The distance between the last word of a text and the first word of the next text of the same attribute, so that
    /// words of two texts are never neighbours.
    package static let gap = 1_024

    package let question: WordQuestion
    private var reader: WordReader
    /// The numbers of the questions' words by the hash of the word.
    private var exact: [UInt64: [Int]] = [:]
    /// The words of which only the beginning is given, by their numbers.
    private var beginnings: [Int] = []
    private var words: [[UInt8]] = []
    /// For each term the numbers of its words.
    private var numbers: [[Int]] = []
    /// For each word where it stands in the record: the number of the text and the number of the word there. Ascending.
    private var places: [[Place]] = []
    private var position = 0
    private var lastText = -1
    /// The number of words of the record.
    package private(set) var length = 0

    private struct Place: Hashable, Comparable {
        var text: Int
        var position: Int

        static func < (left: Place, right: Place) -> Bool {
            left.text != right.text ? left.text < right.text : left.position < right.position
        }
    }

    package init(_ question: WordQuestion) {
        self.question = question
        reader = WordReader(question.rules)
        var known: [[UInt8]: Int] = [:]
        for term in question.terms {
            var ofTerm: [Int] = []
            for (index, word) in term.words.enumerated() {
                if term.isPrefix, index == term.words.count - 1 {
                    beginnings.append(words.count)
                } else if let number = known[word] {
                    ofTerm.append(number)
                    continue
                } else {
                    known[word] = words.count
                    exact[word.withUnsafeBytes { hash64($0, seed: 0) }, default: []].append(words.count)
                }
                ofTerm.append(words.count)
                words.append(word)
            }
            numbers.append(ofTerm)
        }
        places = Array(repeating: [], count: words.count)
    }

    /// Forgets the record.
    package func clear() {
        for index in places.indices where !places[index].isEmpty { places[index].removeAll(keepingCapacity: true) }
        (position, lastText, length) = (0, -1, 0)
    }

    /// Adds the words of a text, or those of the strings in JSON.
    ///
    /// - Parameter number: The number of the text among those of the question.
    package func add(_ utf8: UnsafeRawBufferPointer, as number: Int) throws {
        if number != lastText { (lastText, position) = (number, 0) }
        guard question.areJSON.indices.contains(number), question.areJSON[number] else {
            return try add(words: utf8, number)
        }
        var scanner = JSONScanner(utf8)
        while let text = scanner.nextString() {
            try text.withUnsafeBytes { try add(words: $0, number) }
            position += WordMatcher.gap
        }
    }

    private func add(words utf8: UnsafeRawBufferPointer, _ number: Int) throws {
        try reader.forEachWord(in: utf8, after: &position) { word in
            note(word.folded, Place(text: number, position: word.position))
            length += 1
        }
    }

    private func note(_ word: UnsafeRawBufferPointer, _ place: Place) {
        if !exact.isEmpty, let numbers = exact[hash64(word, seed: 0)] {
            for number in numbers
            where words[number].withUnsafeBytes({ $0.count == word.count && isPrefix($0, of: word) }) {
                places[number].append(place)
            }
        }
        for number in beginnings where words[number].withUnsafeBytes({ isPrefix($0, of: word) }) {
            places[number].append(place)
        }
    }

    private func isPrefix(_ start: UnsafeRawBufferPointer, of word: UnsafeRawBufferPointer) -> Bool {
        guard start.count <= word.count else { return false }
        guard let first = start.baseAddress, let second = word.baseAddress else { return true }
        return memcmp(first, second, start.count) == 0
    }

    /// Whether the question holds of the record.
    package var holds: Bool { question.root.holds { has($0) } }

    /// Whether the record has a term.
    package func has(_ term: Int) -> Bool {
        var isThere = false
        forEachOccurrence(of: term) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    /// How well the record answers the question, by BM25: the sum, over the terms that are not excluded, of
    ///
    ///     w · f · (k + 1) / (f + k · (1 - b + b · length / averageLength)),   k = 1.2, b = 0.75
    ///
    /// where f is the number of occurrences of the term, each counted with the weight of its text, `length` the number
    /// of words of the record, and w = ln((N - n + 0.5) / (n + 0.5)), but at least 0.000001, for n of N records that
    /// have the term.
    package var score: Double {
        guard let ranking = question.ranking, let statistics = ranking.statistics else { return 0 }
        var sum = 0.0
        for (term, weight) in statistics.weights.enumerated() where weight > 0 {
            var frequency = 0.0
            forEachOccurrence(of: term) { place in
                frequency += ranking.weights.indices.contains(place.text) ? ranking.weights[place.text] : 1
                return true
            }
            if frequency == 0 { continue }
            sum += TermScore(weight: weight, averageLength: statistics.averageLength)
                .score(frequency: frequency, length: length)
        }
        return sum
    }

    /// The positions of the words of each occurrence of a term that is not excluded.
    package var positions: Set<Int> {
        var wanted: Set<Int> = []
        question.root.addWanted(to: &wanted)
        var positions: Set<Int> = []
        for term in wanted {
            let count = question.terms[term].words.count
            forEachOccurrence(of: term) { place in
                if let distance = question.terms[term].distance {
                    for word in numbers[term] {
                        for other in places[word] where abs(other.position - place.position) <= distance {
                            positions.insert(other.position)
                        }
                    }
                } else {
                    positions.formUnion(place.position..<place.position + count)
                }
                return true
            }
        }
        return positions
    }

    /// Calls a closure with the place of the first word of each occurrence of a term, until it returns false.
    private func forEachOccurrence(of number: Int, _ body: (Place) -> Bool) {
        let term = question.terms[number]
        guard let first = numbers[number].first else { return }
        let others = numbers[number].dropFirst()
        var last: Place?
        for place in places[first] where term.texts?.contains(place.text) ?? true {
            // Two beginnings of one word are one occurrence.
            guard place != last else { continue }
            last = place
            let isWhole: Bool
            if let distance = term.distance {
                isWhole = others.allSatisfy { isNear(place, $0, distance) }
            } else {
                var next = place
                isWhole = others.allSatisfy { other in
                    next.position += 1
                    return contains(next, other)
                }
            }
            if isWhole, !body(place) { return }
        }
    }

    private func contains(_ place: Place, _ word: Int) -> Bool {
        let found = firstIndex(from: place, word)
        return found < places[word].count && places[word][found] == place
    }

    private func isNear(_ place: Place, _ word: Int, _ distance: Int) -> Bool {
        let start = Place(text: place.text, position: max(0, place.position - distance))
        var index = firstIndex(from: start, word)
        while index < places[word].count {
            let other = places[word][index]
            guard other.text == place.text, other.position <= place.position + distance else { return false }
            if other.position != place.position { return true }
            index += 1
        }
        return false
    }

    /// The index of the first place of a word at or after a place.
    private func firstIndex(from place: Place, _ word: Int) -> Int {
        var (low, high) = (0, places[word].count)
        while low < high {
            let middle = (low + high) / 2
            if places[word][middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
