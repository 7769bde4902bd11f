import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport

var importTimesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.times", in: .importing, "an import sets the times of the records that it inserts or changes",
            requires: [.changeRecording]
        ) { trial in
            let now = Date(timeIntervalSinceReferenceDate: 90)
            let old = Date(timeIntervalSinceReferenceDate: 10)
            try trial.open(Schema(Letter.self), clock: { now })
            let records: [ImportValue] = [
                ["id": 1, "text": "a"], ["id": 2, "text": "b", "created": "2001-01-01T00:00:10Z"],
            ]
            for _ in 0..<2 {
                try trial.stack.blocking.import(records, as: Letter.self, with: Importer())
                try expectEqual(
                    try trial.fetch(Letter.all),
                    [
                        Letter(id: 1, text: "a", created: now, changed: now),
                        Letter(id: 2, text: "b", created: old, changed: now),
                    ])
            }
            try trial.write { _ = try Letter.all.updateAll(in: $0) { $0.set(\.created, to: old) } }
            let change: ImportValue = ["id": 1, "text": "c", "created": nil, "changed": nil]
            try trial.stack.blocking.import([change], as: Letter.self, with: Importer())
            try expectEqual(
                try trial.find(Letter.self, 1), Letter(id: 1, text: "c", created: old, changed: now))
        }
    ]
}
