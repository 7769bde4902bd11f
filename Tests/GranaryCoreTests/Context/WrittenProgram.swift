import GranaryCore
import TestSupport

/// What is done to a writer.
indirect enum WrittenStatement {
    case insert(Int, [StoredValue])
    case update(Int, [StoredValue])
    case upsert(Int, [StoredValue])
    case delete(Int, StoredValue)
    case updateAll(FetchRequest, [Assignment])
    case deleteAll(FetchRequest)
    /// Kept, or undone at its end.
    case savepoint([WrittenStatement], isKept: Bool)
    /// References may dangle until the end, where all is undone if one does.
    case deferring([WrittenStatement])
}

/// What came of a statement.
enum WrittenOutcome: Equatable {
    case done(Int64?)
    case key(Int64?)
    case failed(GranaryError.Code, String?, [String])
}

extension StoreWriter {
    /// Runs one statement. What parts of it come to is told as well.
    func run(_ statement: WrittenStatement, _ told: (WrittenOutcome) -> Void) throws {
        switch statement {
        case .insert(let entity, let row):
            told(try outcome { .key(try withRow(row) { row throws in try self.insert(row, into: entity) }) })
        case .update(let entity, let row):
            told(try outcome { .done(try withRow(row) { row throws in try self.update(row, in: entity) } ? 1 : 0) })
        case .upsert(let entity, let row):
            told(try outcome { .key(try withRow(row) { row throws in try self.upsert(row, into: entity) }) })
        case .delete(let entity, let key):
            told(try outcome { .done(try key.withCell { try self.delete($0, from: entity) } ? 1 : 0) })
        case .updateAll(let request, let values):
            told(try outcome { .done(Int64(try self.updateAll(request, setting: values))) })
        case .deleteAll(let request):
            told(try outcome { .done(Int64(try self.deleteAll(request))) })
        case .savepoint(let statements, let isKept):
            try beginSavepoint()
            for statement in statements { try run(statement, told) }
            if isKept { try releaseSavepoint() } else { try rollbackSavepoint() }
        case .deferring(let statements):
            try beginSavepoint()
            try deferReferences()
            for statement in statements { try run(statement, told) }
            let end = try outcome {
                try self.checkReferences()
                return .done(nil)
            }
            told(end)
            if case .done = end { try releaseSavepoint() } else { try rollbackSavepoint() }
        }
    }

    private func outcome(_ body: () throws -> WrittenOutcome) throws -> WrittenOutcome {
        do {
            return try body()
        } catch let error as GranaryError {
            // Which of several forbids is the store's choice.
            if error.code == .deniedDeletion { return .failed(error.code, nil, []) }
            return .failed(error.code, error.entity, error.attributes)
        }
    }
}

/// Makes statements of values from small sets, so that keys meet, unique values clash and references hit and miss.
struct WrittenProgramMaker {
    var random: SeededNumbers
    private let schema = WrittenSchema.schema

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    private mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

    mutating func program(_ count: Int) -> [WrittenStatement] { (0..<count).map { _ in statement(depth: 3) } }

    private mutating func statement(depth: Int) -> WrittenStatement {
        let entity = one(of: [0, 0, 1, 1, 2, 2, 2, 2, 3])
        switch below(depth > 0 ? 100 : 90) {
        case 0..<35: return .insert(entity, row(entity))
        case 35..<48: return .update(entity, row(entity))
        case 48..<60: return .upsert(entity, row(entity))
        case 60..<74: return .delete(entity, key(entity))
        case 74..<85:
            var values: [Assignment] = []
            for _ in 0..<(1 + below(2)) {
                let position = 1 + below(schema.entities[entity].attributes.count - 1)
                let value = value(entity, position)
                // Whether a value that does not fit is an error where no record matches is the store's choice.
                if values.contains(where: { $0.position == position }) || value == 300 { continue }
                values.append(Assignment(position: position, value: value))
            }
            return .updateAll(request(entity), values)
        case 85..<90: return .deleteAll(request(entity))
        case 90..<96: return .savepoint(part(depth), isKept: chance(50))
        default: return .deferring(part(depth))
        }
    }

    private mutating func part(_ depth: Int) -> [WrittenStatement] {
        (0..<(1 + below(5))).map { _ in statement(depth: depth - 1) }
    }

    private mutating func row(_ entity: Int) -> [StoredValue] {
        schema.entities[entity].attributes.indices.map { $0 == 0 ? key(entity) : value(entity, $0) }
    }

    static let integerKeys = (1...5).map { StoredValue.integer($0) }
    static let boxKeys = ["a", "b", "c", "d", "e", "f", "g"].map { StoredValue.string($0) }

    private mutating func key(_ entity: Int) -> StoredValue {
        entity == WrittenSchema.box ? one(of: Self.boxKeys) : one(of: Self.integerKeys)
    }

    private mutating func value(_ entity: Int, _ position: Int) -> StoredValue {
        let attribute = schema.entities[entity].attributes[position]
        if chance(attribute.isOptional ? 35 : 1) { return .null }
        if let reference = attribute.reference {
            return key(schema.entities.firstIndex { $0.name == reference.entity } ?? 0)
        }
        switch attribute.type {
        case .int8: return .integer(one(of: [0, 1, 2, 2, 1, 300]))
        default: return chance(1) ? .integer(1) : .string(one(of: ["", "x", "X", "xs", "é", "É", "ß", "SS"]))
        }
    }

    private mutating func request(_ entity: Int) -> FetchRequest {
        var request = FetchRequest(entity: entity)
        let position = below(schema.entities[entity].attributes.count)
        let value = position == 0 ? key(entity) : value(entity, position)
        let isMisfit = value.kind != schema.entities[entity].attributes[position].type.storage
        if value == .null || isMisfit {
            request.condition = .compare(position: 0, .greater, key(entity))
        } else {
            request.condition = .compare(position: position, one(of: [.equal, .notEqual, .less]), value)
        }
        if chance(20) { request.limit = 1 + below(3) }
        return request
    }
}
