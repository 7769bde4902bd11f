import ConformanceKit
import GranaryCore

var mergingValidatedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.validated", in: .merging, "what a merge makes of a record is asked whether it is valid"
        ) { trial in
            try trial.open(Schema(Span.self))
            try trial.insert([Span(id: 1, low: 2, high: 9)])
            let context = try trial.stack.makeContext()
            try context.update(Span(id: 1, low: 2, high: 5))
            try trial.write { try $0.update(Span(id: 1, low: 8, high: 9)) }
            try expectError(.invalidRecord, entity: "Span", attributes: ["low", "high"]) { try context.blocking.save() }
            try expectError(.invalidRecord) {
                try trial.write { try $0.update(Span(id: 1, low: 2, high: 5), from: Span(id: 1, low: 2, high: 9)) }
            }
            try expectEqual(
                try trial.stack.blocking.read { try $0.fetch(Span.all) }, [Span(id: 1, low: 8, high: 9)])
            try expect(context.hasChanges, "a failed save has dropped the changes")
            try context.refresh()
            try context.update(Span.self, 1) { $0.low = 4 }
            try context.blocking.save()
            try expectEqual(try trial.fetch(Span.all), [Span(id: 1, low: 4, high: 5)])
        },
        ConformanceCase(
            "merging.validated-written", in: .merging, "what is not written is not asked whether it is valid"
        ) { trial in
            try trial.open(Schema(Mark.self))
            try trial.insert([Mark(id: 1, value: 1), Mark(id: 2, value: 1)])
            let context = try trial.stack.makeContext()
            context.mergePolicy = .storeWins
            try context.update(Mark(id: 1, value: 99))
            try context.update(Mark(id: 2, value: 2))
            try trial.write { try $0.update(Mark(id: 1, value: 3)) }
            try context.blocking.save()
            // What a policy makes of a conflict is written, and asked.
            context.mergePolicy = .resolving { conflict in
                guard var record = conflict.merged else { return .fail }
                try record.set("value", to: 77)
                return .replace(record)
            }
            try context.update(Mark(id: 1, value: 4))
            try trial.write { try $0.update(Mark(id: 1, value: 5)) }
            try expectError(.invalidRecord, entity: "Mark") { try context.blocking.save() }
            try expectEqual(try trial.fetch(Mark.all), [Mark(id: 1, value: 5), Mark(id: 2, value: 2)])
        },
        ConformanceCase(
            "merging.validated-child", in: .merging, "a child saves the repair of its parent's draft"
        ) { trial in
            try trial.open(Schema(Mark.self))
            let parent = try trial.stack.makeContext()
            let child = try parent.makeChild()
            try parent.insert(Mark(id: 1, value: 99))
            try expectError(.invalidRecord) { try child.blocking.save() }
            try child.update(Mark(id: 1, value: 5))
            try child.blocking.save()
            // What the parent holds besides is not what the child hands over.
            try parent.insert(Mark(id: 2, value: 99))
            try child.insert(Mark(id: 3, value: 3))
            try child.saveToParent()
            try expectError(.invalidRecord) { try parent.blocking.save() }
            try child.delete(Mark.self, 2)
            try child.blocking.save()
            try expectEqual(try trial.fetch(Mark.all), [Mark(id: 1, value: 5), Mark(id: 3, value: 3)])
        },
    ]
}
