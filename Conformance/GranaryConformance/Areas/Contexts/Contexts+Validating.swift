import ConformanceKit
import GranaryCore

var validatingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.validation", in: .contexts,
            "a record's own rules are asked when it is written, in a context when it is saved"
        ) { trial in
            try trial.open(Schema(Mark.self))
            try trial.insert([Mark(id: 1, value: 1)])
            func refuse<T>(_ body: (Transaction) throws -> T) throws {
                try expectError(.invalidRecord, entity: "Mark", attributes: ["value"]) { try trial.write(body) }
            }
            try refuse { try $0.insert(Mark(id: 2, value: 6)) }
            try refuse { try $0.insert([Mark(id: 2, value: 2), Mark(id: 3, value: 0)]) }
            try refuse { try $0.update(Mark(id: 1, value: 0)) }
            try refuse { try $0.upsert(Mark(id: 1, value: 0)) }
            let edit = try trial.stack.makeContext()
            try edit.insert(Mark(id: 4, value: 99))
            try edit.update(Mark(id: 1, value: 2))
            try expectError(.invalidRecord, entity: "Mark") { try edit.validate() }
            try expectError(.invalidRecord, entity: "Mark") { try edit.blocking.save() }
            let child = try edit.makeChild()
            try child.insert(Mark(id: 5, value: 77))
            try expectError(.invalidRecord, entity: "Mark") { try child.saveToParent() }
            child.rollback()
            try expectEqual(try trial.stack.blocking.read { try $0.fetch(Mark.all) }, [Mark(id: 1, value: 1)])
            try edit.update(Mark(id: 4, value: 5))
            try edit.blocking.save()
            try expectEqual(try trial.fetch(Mark.all), [Mark(id: 1, value: 2), Mark(id: 4, value: 5)])
        },
        ConformanceCase(
            "contexts.validating-by-name", in: .contexts,
            "what was written by name is saved with a value that its type cannot read, whatever was saved before",
            modes: [.fresh]
        ) { trial in
            try trial.open(Schema(Sample.self))
            try trial.insert([Sample(id: 1, mood: .calm), Sample(id: 2, mood: .calm), Sample(id: 3, mood: .calm)])
            func save(_ mood: String, of key: Int64) throws {
                let edit = try trial.stack.makeContext()
                var record = try present(try edit.find("Sample", key))
                try record.set("mood", toStored: .string(mood))
                try edit.update(record)
                try edit.blocking.save()
            }
            // The type has no rules, which the first record that it can read shows.
            try save("furious", of: 1)
            try save("wild", of: 2)
            try save("furious", of: 3)
            let moods = try trial.stack.blocking.read { try $0.fetch(Request("Sample")).map { $0["mood"] } }
            try expectEqual(moods, ["furious", "wild", "furious"].map(StoredValue.string))
            try expectError(.typeMismatch, entity: "Sample") {
                try trial.stack.blocking.read { try $0.find(Sample.self, 1) }
            }
        },
        ConformanceCase(
            "contexts.validating-nullified", in: .contexts,
            "a record may refuse that its reference becomes nil because another record is deleted"
        ) { trial in
            try trial.open(Schema(Seat.self, Guest.self))
            try trial.write { tx in
                try tx.insert([Guest(id: 8), Guest(id: 9), Guest(id: 1, host: 8), Guest(id: 2, host: 9), Guest(id: 3)])
                try tx.insert([
                    Seat(id: 1, isBooked: true, guest: 1), Seat(id: 2, isBooked: false, guest: 2),
                    Seat(id: 3, isBooked: true, guest: 3),
                ])
            }
            func refuse(_ body: (Transaction) throws -> Void) throws {
                try expectError(.invalidRecord, entity: "Seat", attributes: ["guest"]) { try trial.write(body) }
            }
            try refuse { _ = try $0.delete(Guest.self, 1) }
            try refuse { _ = try $0.delete("Guest", 3) }
            try refuse { _ = try Guest.all.deleteAll(in: $0) }
            try refuse { _ = try $0.delete(Guest.self, 8) }
            try refuse { _ = try Request("Guest").where("id == 8").deleteAll(in: $0) }
            try expectEqual(try trial.stack.blocking.read { try $0.count(Guest.all) }, 5)
            try trial.write { tx in
                try tx.update(Seat(id: 3, isBooked: false, guest: 3))
                _ = try tx.delete(Guest.self, 3)
                _ = try tx.delete(Guest.self, 9)
            }
            try expectEqual(
                try trial.fetch(Seat.all),
                [
                    Seat(id: 1, isBooked: true, guest: 1), Seat(id: 2, isBooked: false, guest: nil),
                    Seat(id: 3, isBooked: false, guest: nil),
                ])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "contexts.validating-order", in: .contexts, "of several records that are refused the first by key is named"
        ) { trial in
            try trial.open(Schema(Mark.self))
            let edit = try trial.stack.makeContext()
            // With a single refused value an order by chance would pass now and then.
            for id in (1...40).reversed() { try edit.insert(Mark(id: Int64(id), value: id < 20 ? 1 : 100 + id)) }
            let error = try expectError(.invalidRecord, entity: "Mark") { try edit.validate() }
            try expect(error.message.contains("120"), "another one is named: \(error.message)")
        },
    ]
}
