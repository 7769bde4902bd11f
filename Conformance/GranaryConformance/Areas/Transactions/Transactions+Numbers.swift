import ConformanceKit
import Foundation
import GranaryCore

var transactionsNumberCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.number-grows", in: .transactions, "each commit that changes something is numbered one higher"
        ) { trial in
            let start = try trial.read { $0.transactionNumber }
            let steps: [(Transaction) throws -> Void] = [
                { try $0.insert(Shelf(id: 1)) },
                { try $0.insert([Shelf(id: 2), Shelf(id: 3), Shelf(id: 4)]) },
                { try $0.update(Shelf(id: 1, name: "x")) },
                { try $0.upsert(Shelf(id: 5)) },
                { _ = try Shelf.all.updateAll(in: $0) { $0.set(\.name, to: "y") } },
                { _ = try $0.delete(Shelf.self, 1) },
                { tx in try tx.savepoint { _ = try tx.insert(Person(id: 1)) } },
                { _ = try Shelf.deleteAll(in: $0) },
            ]
            for (number, step) in steps.enumerated() {
                try trial.write(step)
                try expectEqual(try trial.read { $0.transactionNumber }, start + UInt64(number) + 1, "step \(number)")
            }
        },
        ConformanceCase(
            "transactions.number-stays", in: .transactions, "what changes nothing is not numbered"
        ) { trial in
            try seedShelves(trial)
            let before = try trial.read { $0.transactionNumber }
            let steps: [(Transaction) throws -> Void] = [
                { _ in },
                { _ = try $0.fetch(Shelf.all) },
                { _ = try $0.delete(Shelf.self, 99) },
                { _ = try Shelf.where { $0.id > 99 }.deleteAll(in: $0) },
                { _ = try Shelf.where { $0.id > 99 }.updateAll(in: $0) { $0.set(\.name, to: "x") } },
                { tx in _ = try? tx.insert(Shelf(id: 1)) },
                { tx in _ = try? tx.update(Shelf(id: 99)) },
                { tx in try tx.savepoint {} },
                { _ in throw Abandon() },
                { tx in
                    try tx.insert(Shelf(id: 50))
                    throw Abandon()
                },
            ]
            for (number, step) in steps.enumerated() {
                do { try trial.write(step) } catch is Abandon {}
                try expectEqual(try trial.read { $0.transactionNumber }, before, "step \(number)")
            }
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.number-equal", in: .transactions, "rows set to what they are already are not numbered"
        ) { trial in
            try trial.open(Schema(Coupon.self, Shelf.self, Box.self, Person.self))
            let coupons = [
                Coupon(id: 1, text: "é", decimal: 12.50, double: 2, data: Data([0, 1]), uuid: UUID(), number: 0),
                Coupon(id: 2, text: "", double: -0.0, series: "a", number: .min),
                Coupon(id: 3),
            ]
            try trial.write { try $0.insert(coupons) }
            try seedShelves(trial)
            let before = try trial.read { $0.transactionNumber }
            let steps: [(Transaction) throws -> Void] = [
                { tx in for coupon in coupons { try tx.update(coupon) } },
                { tx in for coupon in coupons { try tx.upsert(coupon) } },
                { try $0.upsert(coupons) },
                { tx in
                    let count = try Coupon.where { $0.id == 1 }.updateAll(in: tx) { $0.set(\.double, to: 2) }
                    try expectEqual(count, 1)
                },
                { tx in
                    let count = try Coupon.where { $0.id >= 2 }.updateAll(in: tx) { $0.set(\.text, to: nil) }
                    try expectEqual(count, 2)
                    throw Abandon()
                },
                { tx in
                    let request = Coupon.where { $0.id >= 1 || $0.text == "x" }.sorted(by: \.id, .descending).limit(2)
                    let count = try request.updateAll(in: tx) {
                        $0.set(\.decimal, to: nil); $0.set(\.uuid, to: nil)
                    }
                    try expectEqual(count, 2)
                },
                { tx in
                    try tx.savepoint { try tx.update(coupons[0]) }
                    try tx.upsert(coupons[1])
                },
                { tx in
                    _ = try? tx.savepoint {
                        try tx.update(Coupon(id: 1))
                        throw Abandon()
                    }
                    try tx.update(coupons[0])
                },
            ]
            for (number, step) in steps.enumerated() {
                do { try trial.write(step) } catch is Abandon {}
                try expectEqual(try trial.read { $0.transactionNumber }, before, "step \(number)")
            }
            // The one that differs counts, wherever it stands.
            try trial.write { tx in
                try tx.update(coupons[0])
                try tx.upsert(Coupon(id: 3, number: 7))
                try tx.update(coupons[1])
            }
            try expectEqual(try trial.read { $0.transactionNumber }, before + 1)
            try trial.write { _ = try Coupon.all.updateAll(in: $0) { $0.set(\.number, to: 7) } }
            try expectEqual(try trial.read { $0.transactionNumber }, before + 2)
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "transactions.number-denied", in: .transactions, "a call that was denied is not numbered"
        ) { trial in
            try trial.open(Schema(Link.self, Note.self, Ticket.self, Coupon.self))
            try trial.insert([Note(slug: "a"), Note(slug: "b")])
            try trial.insert([Link(id: 1, note: Ref("a")), Link(id: 2, note: Ref("a")), Link(id: 3, next: Ref(2))])
            try trial.insert([Coupon(id: 1, text: "x"), Coupon(id: 2), Coupon(id: 3)])
            let before = try trial.read { $0.transactionNumber }
            let steps: [(GranaryError.Code, (Transaction) throws -> Void)] = [
                (.deniedDeletion, { _ = try $0.delete(Note.self, "a") }),
                (.deniedDeletion, { _ = try Note.deleteAll(in: $0) }),
                (.deniedDeletion, { _ = try $0.delete(Note.self, ["b", "a"]) }),
                (.uniqueness, { try $0.insert([Coupon(id: 4), Coupon(id: 5, text: "x")]) }),
                (.uniqueness, { try $0.upsert([Coupon(id: 2, number: 1), Coupon(id: 3, text: "x")]) }),
                (.uniqueness, { _ = try Coupon.all.updateAll(in: $0) { $0.set(\.text, to: "y") } }),
                (.danglingReference, { _ = try Link.all.updateAll(in: $0) { $0.set(\.next, to: Ref(99)) } }),
                (
                    .danglingReference,
                    { tx in try tx.deferringReferences { _ = try tx.insert(Link(id: 9, next: Ref(10))) } }
                ),
            ]
            for (number, (code, step)) in steps.enumerated() {
                try trial.write { tx in try expectError(code) { try step(tx) } }
                try expectEqual(try trial.read { $0.transactionNumber }, before, "step \(number)")
            }
        },
        ConformanceCase(
            "transactions.number-inside", in: .transactions, "a transaction bears the number of the commit before it"
        ) { trial in
            try seedShelves(trial)
            let before = try trial.read { $0.transactionNumber }
            try trial.write { tx in
                try expectEqual(tx.transactionNumber, before)
                try tx.insert(Shelf(id: 4))
                try expectEqual(tx.transactionNumber, before)
            }
            try expectEqual(try trial.write { $0.transactionNumber }, before + 1)
        },
    ]
}
