import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport
import Synchronization

// Which records are exported, and in which form.

extension ReadContext {
    /// The text of an export.
    func exported<R: Record>(
        _ query: Query<R>, _ output: ExportOutput = .json(.bytes), _ exporter: Exporter = Exporter()
    ) throws -> String {
        String(decoding: try export(query, to: output, with: exporter).bytes, as: UTF8.self)
    }
}

var exportCases: [ConformanceCase] {
    [
        ConformanceCase("export.json", in: .exporting, "records become an array of objects, in the order of the query")
        {
            trial in
            try Shop(trial).read { snapshot in
                let text = #"[{"id":1,"label":"Rock"},{"id":2,"label":"Jazz"},{"id":3,"label":"Folk"}]"#
                try expectEqual(try snapshot.exported(Genre.all), text + "\n")
            }
        },
        ConformanceCase("export.lines", in: .exporting, "each record is a line of JSON lines") { trial in
            try Shop(trial).read { snapshot in
                try expectEqual(
                    try snapshot.exported(Genre.all, .lines),
                    """
                    {"id":1,"label":"Rock"}
                    {"id":2,"label":"Jazz"}
                    {"id":3,"label":"Folk"}

                    """)
            }
        },
        ConformanceCase("export.csv", in: .exporting, "each record is a row of CSV, after a row of names") { trial in
            try Shop(trial).read { snapshot in
                try expectEqual(
                    try snapshot.exported(Genre.all, .table), "id,label\r\n1,Rock\r\n2,Jazz\r\n3,Folk\r\n")
                let options = CSVOptions(hasHeader: false, delimiter: UInt8(ascii: ";"))
                try expectEqual(
                    try snapshot.exported(Genre.all.limit(1), .csv(.bytes, options)), "1;Rock\r\n")
            }
        },
        ConformanceCase("export.pretty", in: .exporting, "JSON is indented where that is asked for") { trial in
            try Shop(trial).read { snapshot in
                try expectEqual(
                    try snapshot.exported(Genre.all.limit(1), .json(.bytes, isPretty: true)),
                    """
                    [
                      {
                        "id": 1,
                        "label": "Rock"
                      }
                    ]

                    """)
            }
        },
        ConformanceCase("export.empty", in: .exporting, "an export of no records is a document of its format") {
            trial in
            try Shop(trial, filled: false).read { snapshot in
                try expectEqual(try snapshot.exported(Genre.all), "[]\n")
                try expectEqual(try snapshot.exported(Genre.all, .lines), "")
                try expectEqual(try snapshot.exported(Genre.all, .table), "id,label\r\n")
                try expectEqual(try snapshot.export(Genre.all, to: .json(.bytes)).exported, 0)
            }
        },
        ConformanceCase("export.query", in: .exporting, "the condition, the order and the limit of the query hold") {
            trial in
            try Shop(trial).read { snapshot in
                let query = Genre.where { $0.id > 1 }.sorted(by: \.label)
                try expectEqual(
                    try snapshot.exported(query, .lines),
                    "{\"id\":3,\"label\":\"Folk\"}\n{\"id\":2,\"label\":\"Jazz\"}\n")
                try expectEqual(
                    try snapshot.exported(query.offset(1).limit(1), .lines), "{\"id\":2,\"label\":\"Jazz\"}\n")
            }
        },
        ConformanceCase("export.by-name", in: .exporting, "records are exported by an entity's name") { trial in
            try Shop(trial).read { snapshot in
                let query = try Request("Genre").where("label BEGINSWITH 'J'")
                let report = try snapshot.export(query, to: .lines)
                try expectEqual(String(decoding: report.bytes, as: UTF8.self), "{\"id\":2,\"label\":\"Jazz\"}\n")
                try expectEqual(report.exported, 1)
                try expectError(.unknownEntity, entity: "Nothing") {
                    try snapshot.export(Request("Nothing"), to: .lines).exported
                }
            }
        },
        ConformanceCase("export.nil", in: .exporting, "nil is null, and in CSV a field without quotes") { trial in
            try Shop(trial).read { snapshot in
                let query = Employee.where { $0.id == 3 }
                try expectEqual(
                    try snapshot.exported(query), #"[{"id":3,"label":"Cat","manager":1,"salary":null}]"# + "\n")
                try expectEqual(
                    try snapshot.exported(query, .table), "id,label,manager,salary\r\n3,Cat,1,\r\n")
            }
        },
        ConformanceCase(
            "export.report", in: .exporting, "the report counts, and progress is told after each 500 records"
        ) {
            trial in
            try Shop(trial, filled: false).write { tx in
                try tx.insert((1...1_200).map { Employee(id: $0, label: "\($0)") })
            }
            try trial.read { snapshot in
                let told = Told()
                var exporter = Exporter()
                exporter.progress = { told.add($0.exported) }
                try expectEqual(try snapshot.export(Employee.all, to: .lines, with: exporter).exported, 1_200)
                try expectEqual(told.numbers, [500, 1_000, 1_200])
            }
        },
        ConformanceCase("export.contexts", in: .exporting, "a context exports what it holds and has not saved") {
            trial in
            try Shop(trial).write { _ in }
            let context = try trial.stack.makeContext()
            try context.insert(Genre(id: 9, label: "Soul"))
            try context.delete(Genre.self, 3)
            try context.update(Genre(id: 1, label: "Roll"))
            let text = "{\"id\":1,\"label\":\"Roll\"}\n{\"id\":2,\"label\":\"Jazz\"}\n{\"id\":9,\"label\":\"Soul\"}\n"
            try expectEqual(try context.exported(Genre.all, .lines), text)
            let child = try context.makeChild()
            try child.delete(Genre.self, 2)
            try expectEqual(
                try child.exported(Genre.all, .lines), "{\"id\":1,\"label\":\"Roll\"}\n{\"id\":9,\"label\":\"Soul\"}\n")
            try expectEqual(try trial.read { try $0.export(Genre.all, to: .lines).exported }, 3)
        },
        ConformanceCase("export.transaction", in: .exporting, "a transaction exports what it has written") { trial in
            try Shop(trial).write { tx in
                try tx.insert(Genre(id: 4, label: "Soul"))
                try expectEqual(try tx.exported(Genre.where { $0.id == 4 }, .lines), "{\"id\":4,\"label\":\"Soul\"}\n")
            }
        },
        ConformanceCase("export.stack", in: .exporting, "a stack exports one consistent state") { trial in
            try Shop(trial).write { _ in }
            let stack = try trial.stack
            let report = try await stack.export(Genre.all, to: .lines)
            try expectEqual(report.bytes.count { $0 == UInt8(ascii: "\n") }, 3)
            let named = try await stack.export(Request("Genre"), to: .lines)
            try expectEqual(named.bytes, report.bytes)
        },
        ConformanceCase("export.cancelled", in: .exporting, "cancelling the task ends the export") { trial in
            try Shop(trial, filled: false).write { tx in
                try tx.insert((1...1_200).map { Employee(id: $0, label: "\($0)") })
            }
            let stack = try trial.stack
            try await expectAsyncError(.cancelled) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    var exporter = Exporter()
                    // The task is cancelled by itself, in the middle.
                    exporter.progress = { _ in withUnsafeCurrentTask { $0?.cancel() } }
                    let output = ExportOutput.lines
                    group.addTask { [exporter] in
                        let context = try stack.makeContext()
                        return try context.export(Employee.all, to: output, with: exporter).exported
                    }
                    return try await group.next() ?? 0
                }
            }
            try await expectAsyncError(.cancelled) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    group.cancelAll()
                    group.addTask { try await stack.export(Employee.all, to: .lines).exported }
                    return try await group.next() ?? 0
                }
            }
        },
        ConformanceCase("export.closed", in: .exporting, "a state that has ended is not exported") { trial in
            try Shop(trial).write { _ in }
            let snapshot = try trial.stack.blocking.read { $0 }
            try expectError(.closed) { try snapshot.export(Genre.all, to: .lines).exported }
        },
        ConformanceCase("export.version", in: .exporting, "an attribute that counts changes is not exported") { trial in
            try trial.open(Schema(Draft.self))
            try trial.write { tx in
                let draft = try tx.insert(Draft(id: 1, title: "a"))
                try tx.update(draft)
            }
            try trial.read { snapshot in
                try expectEqual(
                    try snapshot.exported(Draft.all), #"[{"id":1,"title":"a","reads":0,"parent":null}]"# + "\n")
            }
        },
    ]
}

/// What a callback was told.
private final class Told: Sendable {
    private let values = Mutex<[Int]>([])

    var numbers: [Int] { values.withLock { $0 } }
    func add(_ number: Int) { values.withLock { $0.append(number) } }
}
