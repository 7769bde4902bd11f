import ConformanceKit
import GranaryCore

var openingPathCases: [ConformanceCase] {
    [
        ConformanceCase(
            "opening.layout", in: .opening, "a store is a folder with CURRENT, LOCK and one generation",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            try trial.close()
            let top = Set(files(trial.storePath).keys.filter { !$0.isEmpty && !$0.contains("/") })
            try expectEqual(top, ["CURRENT", "LOCK", "gen-0001"])
        },
        ConformanceCase(
            "opening.empty-folder", in: .opening, "an empty folder at the path becomes a store",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            try makeFolder(trial.storePath)
            try seedShelves(trial)
            try trial.reopen()
            try expectUnchanged(trial)
        },
        ConformanceCase(
            "opening.regular-file", in: .opening, "a file at the path is refused and left as it is",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let contents: [[UInt8]] = [[], Array("SQLite format 3\0 and more".utf8), Array("hello".utf8)]
            for content in contents {
                try writeFile(content, to: trial.storePath)
                let before = files(trial.storePath)
                for access in [StoreAccess.readWrite, .readOnly] {
                    try expectOneOf([.invalidPath, .notAStore]) { try trial.another(access: access) }
                    try expectEqual(files(trial.storePath), before, "the file")
                }
            }
        },
        ConformanceCase(
            "opening.foreign-folder", in: .opening, "a folder with other files is not a store and is left as it is",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            try makeFolder(trial.storePath)
            try writeFile(Array("dear diary".utf8), to: trial.storePath + "/diary.txt")
            try makeFolder(trial.storePath + "/photos")
            try writeFile([1, 2, 3], to: trial.storePath + "/photos/a.jpg")
            let before = files(trial.storePath)
            for access in [StoreAccess.readWrite, .readOnly] {
                try expectError(.notAStore) { try trial.another(access: access) }
                try expectEqual(files(trial.storePath), before, "the files")
            }
        },
        ConformanceCase(
            "opening.missing-parent", in: .opening,
            "a path in a folder that does not exist is refused, nothing is made",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            try expectError(.invalidPath) { try trial.another(at: trial.folder + "/missing/Store.granary") }
            try expect(kindOfFile(trial.folder + "/missing") == nil, "the folder was made")
        },
        ConformanceCase(
            "opening.file-as-parent", in: .opening, "a path below a file is refused", requires: [.persistence],
            modes: [.fresh]
        ) { trial in
            try writeFile([1], to: trial.folder + "/file")
            try expectError(.invalidPath) { try trial.another(at: trial.folder + "/file/Store.granary") }
            try expectEqual(bytes(trial.folder + "/file"), [1])
        },
        ConformanceCase(
            "opening.invalid-paths", in: .opening, "paths that no store can have are refused", requires: [.persistence],
            modes: [.fresh]
        ) { trial in
            let paths = ["", ":memory:", "file:x", "file:///tmp/x", trial.folder + "/a\0b", "/", "\0"]
            for path in paths {
                do {
                    _ = try trial.another(at: path)
                    throw ConformanceFailure(
                        message: "opened \(path.debugDescription)", file: #fileID, line: #line)
                } catch let error as GranaryError {
                    try expectEqual(error.code, .invalidPath, path.debugDescription)
                }
            }
        },
        ConformanceCase(
            "opening.odd-names", in: .opening, "a store may have any name that the file system takes",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let names = [
                "with space", "question?mark=1&x#y", "per%20cent", "quote'\"", "Schlüssel-日本-🎸", "no-suffix", "-dash",
            ]
            for name in names {
                let path = trial.folder + "/" + name
                for count in 1...2 {
                    let stack = try trial.another(at: path)
                    try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: Int64(count))) }
                    try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, count, name)
                    try stack.blocking.close()
                }
                try expect(kindOfFile(path) == .folder, "no folder \(name)")
            }
        },
        ConformanceCase(
            "opening.same-store-other-spelling", in: .opening, "two spellings of one path are one store",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            let first = try trial.stack
            let second = try trial.another(at: trial.folder + "/./Store.granary/")
            let third = try trial.another(
                at: trial.folder + "/../" + (trial.folder.split(separator: "/").last ?? "") + "/Store.granary")
            try first.blocking.write { tx in _ = try tx.insert(Shelf(id: 1)) }
            try second.blocking.write { tx in _ = try tx.insert(Shelf(id: 2)) }
            try third.blocking.write { tx in _ = try tx.insert(Shelf(id: 3)) }
            for stack in [first, second, third] {
                try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 3)
            }
        },
    ]
}

/// Fails unless the body throws a `GranaryError` of one of these codes.
@discardableResult func expectOneOf<T>(
    _ codes: Set<GranaryError.Code>, _ what: String = "", file: String = #fileID, line: Int = #line,
    _ body: () throws -> T
) throws -> GranaryError {
    let wanted = codes.map(\.rawValue).sorted().joined(separator: " or ")
    do {
        let value = try body()
        throw ConformanceFailure(
            message: "\(what) got \(type(of: value)), expected the error \(wanted)", file: file, line: line)
    } catch let error as GranaryError {
        if !codes.contains(error.code) {
            throw ConformanceFailure(
                message: "\(what) got the error \"\(error)\", expected \(wanted)", file: file, line: line)
        }
        return error
    }
}
