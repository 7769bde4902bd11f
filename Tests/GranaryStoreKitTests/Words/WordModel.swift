import Foundation
import GranaryStoreKit
import TestSupport

/// A word at its place.
struct PlacedWord: Hashable {
    var word: [UInt8]
    var slot: Int
    var position: Int
}

/// Documents in a dictionary, and answers found by looking at all of them.
struct WordModel {
    var documents: [[UInt8]: [PlacedWord]] = [:]

    static func words(_ placed: [PlacedWord]) throws -> DocumentWords {
        var words = DocumentWords()
        for word in placed {
            try word.word.withUnsafeBytes { try words.append($0, slot: word.slot, position: word.position) }
        }
        return words
    }

    /// The places of the first word of a term in a document.
    func places(_ term: IndexQuestion.Term, _ document: [PlacedWord]) -> [(slot: Int, position: Int)] {
        guard let first = term.words.first else { return [] }
        let lists = term.words.enumerated().map { index, word in
            let isPrefix = term.isPrefix && index == term.words.count - 1
            return document.filter { isPrefix ? $0.word.starts(with: word) : $0.word == word }
        }
        _ = first
        var seen: Set<[Int]> = []
        return lists[0].filter { place in
            guard term.slots?.contains(place.slot) ?? true else { return false }
            guard seen.insert([place.slot, place.position]).inserted else { return false }
            return lists.indices.dropFirst().allSatisfy { index in
                lists[index].contains { other in
                    guard other.slot == place.slot else { return false }
                    if let distance = term.distance {
                        return other.position != place.position && abs(other.position - place.position) <= distance
                    }
                    return other.position == place.position + index
                }
            }
        }.map { ($0.slot, $0.position) }
    }

    func fits(_ tree: IndexQuestion.Tree, _ terms: [IndexQuestion.Term], _ document: [PlacedWord]) -> Bool {
        switch tree {
        case .nothing: false
        case .term(let term): !places(terms[term], document).isEmpty
        case .all(let parts): !parts.isEmpty && parts.allSatisfy { fits($0, terms, document) }
        case .any(let parts): parts.contains { fits($0, terms, document) }
        case .not(let part): !fits(part, terms, document)
        }
    }

    func matches(_ question: IndexQuestion) -> [[UInt8]] {
        documents.filter { fits(question.tree, question.terms, $0.value) }.keys
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The scores of all documents, by the formula as it is written in books.
    func scores(_ question: IndexQuestion, weights: [Double]) -> [[UInt8]: Double] {
        let count = Double(documents.count)
        let average = Double(documents.values.reduce(0) { $0 + $1.count }) / count
        var scores: [[UInt8]: Double] = [:]
        for term in question.positiveTerms {
            let found = documents.mapValues { places(question.terms[term], $0) }.filter { !$0.value.isEmpty }
            let frequency = Double(found.count)
            let inverse = max(1e-6, log((count - frequency + 0.5) / (frequency + 0.5)))
            for (key, places) in found {
                let tf = places.reduce(0) { $0 + ($1.slot < weights.count ? weights[$1.slot] : 1) }
                let length = Double(documents[key]?.count ?? 0)
                scores[key, default: 0] += inverse * (tf * 2.2) / (tf + 1.2 * (0.25 + 0.75 * length / average))
            }
        }
        return scores
    }
}

extension WordIndexReader {
    /// The statistics of a question whose terms all have the weights of their frequencies.
    func statistics(_ question: IndexQuestion) throws -> WordQuestion.Statistics {
        let found = try frequencies(question, of: Set(question.positiveTerms))
        return WordQuestion.Statistics(
            weights: found.ofTerms.map { WordStatistics.weight(of: $0, among: found.documents) },
            averageLength: found.documents > 0 ? Double(found.words) / Double(found.documents) : 0)
    }
}
