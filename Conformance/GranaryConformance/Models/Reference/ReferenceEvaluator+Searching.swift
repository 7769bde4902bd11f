import Foundation
import GranaryCore

// Searches once more, word by word: only for texts of letters, digits and spaces, where a word is what stands between
// spaces.

extension ReferenceEvaluator {
    /// The words of a record: for each searchable attribute those of each of its texts.
    private typealias Words = [(attribute: String, texts: [[String]])]

    func found(_ search: SearchText, at path: String, _ place: Place) throws -> Bool {
        if path.isEmpty { return try holds(search.root, words(of: place), nil) }
        let reached = try value(.attribute(path), place)
        let (owner, last) = try follow(path, from: place)
        let attribute = state.schema.entities[owner.entity].attributes.first { $0.name == last }
        guard let target = attribute?.reference?.entity else {
            return try owner.row != nil && holds(.attribute(String(last), search.root), words(of: owner), nil)
        }
        let entity = try entity(named: target)
        guard let row = state.row(reached.value, in: entity) else { return false }
        return try holds(search.root, words(of: Place(entity: entity, row: row)), nil)
    }

    private func words(of place: Place) throws -> Words {
        guard let row = place.row else { return [] }
        return try state.schema.entities[place.entity].attributes.enumerated().compactMap { position, attribute in
            guard attribute.searchWeight != nil else { return nil }
            guard case .text(let utf8) = row[position] else { return (attribute.name, []) }
            let texts =
                attribute.type == .json
                ? try JSONDecoder().decode([String].self, from: Data(utf8)) : [String(decoding: utf8, as: UTF8.self)]
            return (attribute.name, try texts.map(words))
        }
    }

    private func words(in text: String) throws -> [String] {
        let folded = try TextFolding([.caseInsensitive, .diacriticInsensitive]).folded(Array(text.utf8))
        return String(decoding: folded, as: UTF8.self).split(separator: " ").map(String.init)
    }

    private func holds(_ node: SearchText.Node, _ words: Words, _ attribute: String?) throws -> Bool {
        switch node {
        case .all(let parts): return try parts.allSatisfy { try holds($0, words, attribute) }
        case .any(let parts): return try parts.contains { try holds($0, words, attribute) }
        case .not(let inner): return try !holds(inner, words, attribute)
        case .attribute(let name, let inner): return try holds(inner, words, name)
        case .words, .near: return try !places(of: node, words, attribute).isEmpty
        case .invalid(let reason): throw GranaryError(.invalidQuery, reason)
        }
    }

    /// For each occurrence of a term the name of its attribute.
    private func places(of node: SearchText.Node, _ words: Words, _ attribute: String?) throws -> [String] {
        var found: [String] = []
        for (name, texts) in words where attribute == nil || attribute == name {
            for text in texts {
                for start in text.indices where try begins(node, text, at: start) { found.append(name) }
            }
        }
        return found
    }

    private func begins(_ node: SearchText.Node, _ text: [String], at start: Int) throws -> Bool {
        switch node {
        case .words(let words, let isBeginning):
            let wanted = try self.words(in: words)
            guard !wanted.isEmpty, start + wanted.count <= text.count else { return false }
            return wanted.indices.allSatisfy { index in
                let word = text[start + index]
                return word == wanted[index]
                    || isBeginning && index == wanted.count - 1 && word.hasPrefix(wanted[index])
            }
        case .near(let words, let distance):
            let wanted = try self.words(in: words)
            guard let first = wanted.first, text[start] == first else { return false }
            let others = (max(0, start - distance)...min(text.count - 1, start + distance)).filter { $0 != start }
            return wanted.dropFirst().allSatisfy { word in others.contains { text[$0] == word } }
        default: return false
        }
    }

    /// BM25, from its definition.
    func rank(_ search: SearchText, _ place: Place) throws -> Double {
        guard let row = place.row else { return 0 }
        return try ranks(search, of: place.entity, [row]).first ?? 0
    }

    /// The ranks of some rows of an entity.
    func ranks(_ search: SearchText, of entity: Int, _ rows: [[StoredValue]]) throws -> [Double] {
        let all = try state.tables[entity].values.map { try words(of: Place(entity: entity, row: $0)) }
        func length(_ words: Words) -> Int { words.reduce(0) { $1.texts.reduce($0) { $0 + $1.count } } }
        let average = max(Double(all.reduce(0) { $0 + length($1) }) / Double(max(1, all.count)), .ulpOfOne)
        let attributes = state.schema.entities[entity].attributes
        let terms = try Set(terms(search.root, nil, isExcluded: false)).map { term in
            let having = try all.filter { try !places(of: term.node, $0, term.attribute).isEmpty }.count
            return (term, max(log((Double(all.count - having) + 0.5) / (Double(having) + 0.5)), 0.000_001))
        }
        return try rows.map { row in
            let own = try words(of: Place(entity: entity, row: row))
            return try terms.reduce(0.0) { sum, term in
                let (term, weight) = term
                let frequency = try places(of: term.node, own, term.attribute).reduce(0.0) { sum, name in
                    sum + (attributes.first { $0.name == name }?.searchWeight ?? 0)
                }
                if frequency == 0 { return sum }
                return sum + weight * frequency * 2.2
                    / (frequency + 1.2 * (0.25 + 0.75 * Double(length(own)) / average))
            }
        }
    }

    private struct Term: Hashable {
        var node: SearchText.Node
        var attribute: String?
    }

    /// The terms that are not excluded. Words that are the same when they are folded are one term.
    private func terms(_ node: SearchText.Node, _ attribute: String?, isExcluded: Bool) throws -> [Term] {
        switch node {
        case .words(let text, let isBeginning):
            if isExcluded { return [] }
            let folded = try words(in: text).joined(separator: " ")
            return [Term(node: .words(folded, isBeginning: isBeginning), attribute: attribute)]
        case .near(let text, let distance):
            if isExcluded { return [] }
            let folded = try words(in: text).joined(separator: " ")
            return [Term(node: .near(folded, distance: distance), attribute: attribute)]
        case .all(let parts), .any(let parts):
            return try parts.flatMap { try terms($0, attribute, isExcluded: isExcluded) }
        case .not(let inner): return try terms(inner, attribute, isExcluded: !isExcluded)
        case .attribute(let name, let inner): return try terms(inner, name, isExcluded: isExcluded)
        case .invalid: return []
        }
    }
}
