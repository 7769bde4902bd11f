import ConformanceKit
import GranaryCore

/// What a writer has appended since the filling began.
struct BrokenFilling {
    /// The last row, which is appended with the next one or at the end.
    var last: (values: [StoredValue], entity: Int)?
}

extension BrokenWriter {
    func beginFilling() throws {
        try base.beginFilling()
        filling = BrokenFilling()
        for (entity, rows) in (store.kept?.rows ?? []).enumerated() {
            for row in rows { try StoredRow(row).withRow { try base.append($0, to: entity) } }
        }
        for entry in store.kept?.history ?? [] { try base.keepHistory(entry) }
    }

    func append(_ row: borrowing Row, to entity: Int) throws {
        guard fault == .fillingRepeatsRow || fault == .fillingDropsLastRow else {
            return try base.append(row, to: entity)
        }
        let values = row.values
        if let last = filling?.last { try StoredRow(last.values).withRow { try base.append($0, to: last.entity) } }
        filling?.last = (values, entity)
    }

    func finishFilling(_ end: FillingEnd) throws {
        if let last = filling?.last, fault == .fillingRepeatsRow {
            for _ in 1...2 { try StoredRow(last.values).withRow { try base.append($0, to: last.entity) } }
        }
        filling = nil
        var end = end
        switch fault {
        case .fillingForgetsKeys: end.lastAssignedKeys = end.lastAssignedKeys.map { _ in 0 }
        case .fillingForgetsNumber: end.transactionNumber = 1
        case .resetNumbersAgain where store.kept != nil: end.transactionNumber = 1
        case .fillingSkipsReferences: end.checksReferences = false
        default: break
        }
        try base.finishFilling(end)
    }

    /// Commits what was appended before the filling failed.
    func commitHalfFilled() {
        guard fault == .fillingCommitsWhenItFails, filling != nil else { return }
        let end = FillingEnd(
            transactionNumber: base.transactionNumber + 1, lastAssignedKeys: schema.entities.map { _ in 0 },
            checksReferences: false)
        try? base.finishFilling(end)
        _ = try? base.commit()
    }
}
