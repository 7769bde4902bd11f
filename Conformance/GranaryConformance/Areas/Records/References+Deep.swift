import ConformanceKit
import Foundation
import GranaryCore

var deepDeletionCases: [ConformanceCase] {
    [
        ConformanceCase(
            "references.deep-chain", in: .references, "a chain of 20 000 is deleted whole by deleting its first"
        ) { trial in
            try trial.open(Schema(Branch.self))
            try trial.insert((1...20_000).map { Branch(id: $0, parent: $0 == 1 ? nil : Ref($0 - 1)) })
            try trial.insert([Branch(id: 30_000)])
            try trial.write { try expectEqual(try $0.delete(Branch.self, 10_001), true) }
            try expectEqual(try trial.read { try $0.count(Branch.all) }, 10_001)
            try trial.write { try expectEqual(try Branch.where { $0.id.in([1, 5_000]) }.deleteAll(in: $0), 2) }
            try expectEqual(try trial.fetch(Branch.all), [Branch(id: 30_000)])
        },
        ConformanceCase("references.deep-circle", in: .references, "a circle of 5 000 goes as one") { trial in
            try trial.open(Schema(Branch.self))
            try trial.insert((1...5_000).map { Branch(id: $0, parent: Ref($0 % 5_000 + 1)) })
            try trial.insert([Branch(id: 6_000, parent: Ref(7)), Branch(id: 7_000, tied: Ref(6_000))])
            try trial.write { try expectEqual(try $0.delete(Branch.self, 2_500), true) }
            try expectEqual(try trial.fetch(Branch.all), [Branch(id: 7_000)])
        },
        ConformanceCase(
            "references.deep-tree", in: .references,
            "a deep tree goes whole or not at all: what stays and is tied becomes nil, what stays and holds denies"
        ) { trial in
            try trial.open(Schema(Branch.self))
            // Two branches from each, and a stem of 3 000 below the last; 9 000 and more are of another tree.
            let tree = (1...127).map { Branch(id: $0, parent: $0 == 1 ? nil : Ref($0 / 2)) }
            let stem = (128...3_127).map { Branch(id: $0, parent: Ref($0 - 1), held: Ref($0 - 1)) }
            let tied = [Branch(id: 9_000, tied: Ref(100)), Branch(id: 9_001, tied: Ref(3_127))]
            let holding = Branch(id: 9_002, held: Ref(3_000))
            try trial.insert(tree + stem + tied + [holding])
            let all = tree + stem + tied + [holding]
            try trial.write { transaction in
                try expectError(.deniedDeletion, entity: "Branch", attributes: ["held"]) {
                    try transaction.delete(Branch.self, 1)
                }
                try expectError(.deniedDeletion, entity: "Branch", attributes: ["held"]) {
                    try Branch.where { $0.id <= 2_000 }.deleteAll(in: transaction)
                }
                try expectEqual(try transaction.fetch(Branch.all), all)
            }
            try trial.write { transaction in
                do {
                    try transaction.savepoint {
                        try transaction.update(Branch(id: 9_002))
                        try expectEqual(try transaction.delete(Branch.self, 1), true)
                        try expectEqual(try transaction.count(Branch.all), 3)
                        throw Abandon()
                    }
                } catch is Abandon {}
                try expectEqual(try transaction.fetch(Branch.all), all)
                // References are still kept after it.
                try expectError(.danglingReference, entity: "Branch", attributes: ["tied"]) {
                    try transaction.insert(Branch(id: 9_003, tied: Ref(9_999)))
                }
                try transaction.update(Branch(id: 9_002, parent: Ref(3_000), held: Ref(3_000)))
                try expectEqual(try transaction.delete(Branch.self, 1), true)
                try expectError(.danglingReference, entity: "Branch", attributes: ["tied"]) {
                    try transaction.insert(Branch(id: 9_003, tied: Ref(1)))
                }
            }
            try expectEqual(try trial.fetch(Branch.all), [Branch(id: 9_000), Branch(id: 9_001)])
            try expectEqual(try trial.keys(Branch.where { $0.tied == nil }), [9_000, 9_001])
        },
        ConformanceCase(
            "references.deny-deferred", in: .references, "a deletion is denied at once where references may dangle, too"
        ) { trial in
            try trial.open(Schema(Branch.self))
            let all = [Branch(id: 1), Branch(id: 2, parent: Ref(1)), Branch(id: 3, held: Ref(2))]
            try trial.insert(all)
            try trial.write { transaction in
                try transaction.deferringReferences {
                    try expectError(.deniedDeletion, entity: "Branch", attributes: ["held"]) {
                        try transaction.delete(Branch.self, 1)
                    }
                    try transaction.insert(Branch(id: 10, parent: Ref(11)))
                    try transaction.delete(Branch.self, 3)
                    try expectEqual(try transaction.delete(Branch.self, 1), true)
                    try transaction.insert(Branch(id: 11, tied: Ref(10)))
                }
            }
            try expectEqual(
                try trial.fetch(Branch.all), [Branch(id: 10, parent: Ref(11)), Branch(id: 11, tied: Ref(10))])
        },
    ]
}
