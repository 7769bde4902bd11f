import GranaryStoreKit
import GranaryPlatform

// Requests of one shape differ only in values. So the statement written for one request answers another with its own
// values bound, and no text needs to be written and looked up again. In a query for the 20 records with the highest
// score that text took about one in twenty of the instructions.
//
// Only plain requests have a shape. Their text depends on a value only by its being nil, and their parameters are in
// the text in the order of the request. So a plain request has no group inside a group (the deepest is written first),
// no list that might go to a table, no text pattern, and no computed value.

extension FetchRequest {
    /// A number that requests of one shape share; nil if the request is not plain.
    var shapeHash: UInt64? {
        guard columns == nil, !isDistinct else { return nil }
        var hash = ShapeHash()
        hash.add((limit == nil ? 0 : 1) + (offset == 0 ? 0 : 2), entity)
        for term in order {
            guard let position = term.value.position else { return nil }
            hash.add((term.isDescending ? 1 : 0) + (term.nilsFirst ? 2 : 0), position)
        }
        guard condition?.addShape(to: &hash, inGroup: false) ?? true else { return nil }
        return hash.value
    }

    /// Whether another plain request has the same shape.
    func hasShape(of other: FetchRequest) -> Bool {
        guard entity == other.entity, (limit == nil) == (other.limit == nil), (offset == 0) == (other.offset == 0),
            order == other.order
        else { return false }
        return switch (condition, other.condition) {
        case (nil, nil): true
        case (let condition?, let other?): condition.hasShape(of: other)
        default: false
        }
    }

    /// The parameters of the statement for a plain request, in their order.
    func forEachParameter(_ body: (StoredValue) throws -> Void) rethrows {
        try condition?.forEachParameter(body)
        if let limit { try body(.integer(Int64(limit))) }
        if offset != 0 { try body(.integer(Int64(offset))) }
    }
}

/// A plain request, kept for comparison with others of its shape. A class, so that looking at it copies nothing.
final class RequestShape {
    let hash: UInt64
    let request: FetchRequest

    init(_ hash: UInt64, _ request: FetchRequest) {
        self.hash = hash
        self.request = request
    }
}

extension SQLText {
    /// The greatest number of bytes of text or data that is kept with a statement.
    private static let mostKept = 1_000

    /// Whether the text, written for a plain request, serves every request of its shape, and is worth keeping.
    func isShape(of request: FetchRequest) -> Bool {
        // Anything before the statement changes the order of its parameters.
        guard lists.isEmpty, failure == nil, !text.hasPrefix("WITH ") else { return false }
        var index = 0
        var isSame = true
        request.forEachParameter { value in
            defer { index += 1 }
            if case .text(let bytes) = value, bytes.count > SQLText.mostKept { return isSame = false }
            if case .bytes(let bytes) = value, bytes.count > SQLText.mostKept { return isSame = false }
            guard isSame, index < parameters.count, case .value(value) = parameters[index] else {
                return isSame = false
            }
        }
        return isSame && index == parameters.count
    }
}

private struct ShapeHash {
    var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// - Parameter kind: Less than 8.
    mutating func add(_ kind: Int, _ number: Int) {
        value = hashFold(value ^ UInt64(bitPattern: Int64(number &<< 3 | kind)), 0xA076_1D64_78BD_642F)
    }
}

extension ResolvedCondition {
    /// - Returns: Whether the condition is plain.
    fileprivate func addShape(to hash: inout ShapeHash, inGroup: Bool) -> Bool {
        switch self {
        case .compare(let position, let comparison, let value):
            hash.add(0, position << 4 | comparison.shapeNumber << 1 | (value == .null ? 1 : 0))
            return true
        case .among(let position, let values):
            guard values.count <= 64 else { return false }
            hash.add(1, position << 8 | values.count << 1 | (values.first == .null ? 1 : 0))
            return true
        case .toOne(let position, let entity, let inner, let isNegated):
            hash.add(isNegated ? 2 : 3, position << 16 | entity)
            return inner.addShape(to: &hash, inGroup: inGroup)
        case .toMany(let entity, let position, let inner, let isNegated):
            hash.add(isNegated ? 4 : 5, position << 16 | entity)
            return inner.addShape(to: &hash, inGroup: inGroup)
        case .all(let parts):
            hash.add(6, parts.count)
            return !inGroup && parts.allSatisfy { $0.addShape(to: &hash, inGroup: true) }
        case .any(let parts):
            hash.add(7, parts.count)
            return !inGroup && parts.allSatisfy { $0.addShape(to: &hash, inGroup: true) }
        case .always, .notAmong, .relation, .listed, .text, .amongRows: return false
        }
    }

    fileprivate func hasShape(of other: ResolvedCondition) -> Bool {
        switch (self, other) {
        case (.compare(let position, let comparison, let value), .compare(let position2, let comparison2, let value2)):
            position == position2 && comparison == comparison2 && (value == .null) == (value2 == .null)
        case (.among(let position, let values), .among(let position2, let values2)):
            position == position2 && values.count == values2.count
                && (values.first == .null) == (values2.first == .null)
        case (
            .toOne(let position, let entity, let inner, let isNegated),
            .toOne(let position2, let entity2, let inner2, let isNegated2)
        ),
            (
                .toMany(let entity, let position, let inner, let isNegated),
                .toMany(let entity2, let position2, let inner2, let isNegated2)
            ):
            position == position2 && entity == entity2 && isNegated == isNegated2 && inner.hasShape(of: inner2)
        case (.all(let parts), .all(let parts2)), (.any(let parts), .any(let parts2)):
            parts.count == parts2.count && zip(parts, parts2).allSatisfy { $0.hasShape(of: $1) }
        default: false
        }
    }

    fileprivate func forEachParameter(_ body: (StoredValue) throws -> Void) rethrows {
        switch self {
        case .compare(_, _, let value): if value != .null { try body(value) }
        case .among(_, let values): for value in values where value != .null { try body(value) }
        case .toOne(_, _, let inner, _), .toMany(_, _, let inner, _): try inner.forEachParameter(body)
        case .all(let parts), .any(let parts): for part in parts { try part.forEachParameter(body) }
        case .always, .notAmong, .relation, .listed, .text, .amongRows: break
        }
    }
}

extension Comparison {
    fileprivate var shapeNumber: Int {
        switch self {
        case .equal: 0
        case .notEqual: 1
        case .less: 2
        case .lessOrEqual: 3
        case .greater: 4
        case .greaterOrEqual: 5
        }
    }
}
