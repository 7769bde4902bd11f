import ConformanceKit
import GranaryCore

var openingDamageCases: [ConformanceCase] {
    [
        damage("garbage-current", "CURRENT of another program is not a store", [.notAStore]) { store in
            try writeFile(Array("something else\n".utf8), to: store + "/CURRENT")
        },
        damage("empty-current", "an empty CURRENT is corrupt", [.corrupt]) { store in
            try writeFile([], to: store + "/CURRENT")
        },
        damage("zeroed-current", "a CURRENT of zeros is corrupt", [.corrupt]) { store in
            let current = bytes(store + "/CURRENT")
            try writeFile(current.map { _ in 0 }, to: store + "/CURRENT")
        },
        damage("truncated-current", "a CURRENT cut off anywhere is corrupt", [.corrupt], rounds: 12) { store, round in
            let current = bytes(store + "/CURRENT")
            try writeFile(Array(current.prefix(current.count * round / 12)), to: store + "/CURRENT")
        },
        damage(
            "changed-current", "a CURRENT with a bit changed is corrupt or not a store", [.corrupt, .notAStore],
            rounds: 24
        ) {
            store, round in
            var current = bytes(store + "/CURRENT")
            current[current.count * round / 24] ^= UInt8(1 << (round % 7))
            try writeFile(current, to: store + "/CURRENT")
        },
        damage("newer-format", "a CURRENT of a later format is newerFormat", [.newerFormat]) { store in
            let text = "granary\nformat=2\nanything=else\n"
            try writeFile(Array("\(text)checksum=\(checksumOfCurrent(text))\n".utf8), to: store + "/CURRENT")
        },
        damage("last-generation", "a CURRENT with the greatest number of a generation is corrupt", [.corrupt]) {
            store in
            let kind = String(decoding: bytes(store + "/CURRENT"), as: UTF8.self).split(separator: "\n")[2]
            let text = "granary\nformat=1\n\(kind)\ngeneration=\(Int.max)\n"
            try writeFile(Array("\(text)checksum=\(checksumOfCurrent(text))\n".utf8), to: store + "/CURRENT")
            try makeFolder(store + "/gen-\(Int.max)")
        },
        damage("missing-current", "data without CURRENT is corrupt, and is not overwritten", [.corrupt]) { store in
            try removeFile(store + "/CURRENT")
        },
        damage("missing-generation", "a CURRENT that names a missing generation is corrupt", [.corrupt]) { store in
            try removeFile(try generationFolder(store))
        },
        damage("empty-generation", "a generation without files is corrupt", [.corrupt]) { store in
            let folder = try generationFolder(store)
            try removeFile(folder)
            try makeFolder(folder)
        },
        damage(
            "truncated-engine-file", "an engine's file cut to nothing is corrupt or not a store, never a new store",
            [.corrupt, .notAStore]
        ) { store in
            try writeFile([], to: try engineFile(store))
        },
        damage(
            "garbage-engine-file", "an engine's file of garbage is corrupt or not a store", [.corrupt, .notAStore]
        ) { store in
            let file = try engineFile(store)
            var random = SeededGenerator(seed: 7)
            let count = bytes(file).count
            try writeFile((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, to: file)
        },
        damage("zeroed-engine-file", "an engine's file of zeros is corrupt or not a store", [.corrupt, .notAStore]) {
            store in
            let file = try engineFile(store)
            try writeFile(bytes(file).map { _ in 0 }, to: file)
        },
        damage(
            "folder-as-engine-file", "a folder in place of an engine's file is corrupt, not a store or an I/O error",
            [.corrupt, .notAStore, .io]
        ) { store in
            let file = try engineFile(store)
            try removeFile(file)
            try makeFolder(file)
        },
        damage(
            "fifo-as-engine-file",
            "a FIFO in place of an engine's file is corrupt or not a store, and is not waited for",
            [.corrupt, .notAStore]
        ) { store in
            let file = try engineFile(store)
            try removeFile(file)
            try makeFIFO(file)
        },
        ConformanceCase(
            "opening.removed-folder", in: .opening,
            "a commit is refused if the store's folder was removed, renamed or replaced while the store was open",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            if trial.subject.isParted {
                throw NotTested(reason: "a part that is removed alone is refused: parts.first-missing")
            }
            let places: [(String, (_ store: String) throws -> Void)] = [
                ("Removed", { try removeFile($0) }),
                (
                    "Emptied",
                    {
                        for name in files($0).keys where !name.contains("/") && !name.isEmpty {
                            try removeFile("\($0)/\(name)")
                        }
                    }
                ),
                ("Renamed", { try renameFile($0, to: $0 + ".elsewhere") }),
                (
                    "Replaced",
                    {
                        try renameFile($0, to: $0 + ".elsewhere")
                        try trial.another(at: $0).blocking.close()
                    }
                ),
            ]
            for (name, change) in places {
                let path = "\(trial.folder)/\(name).granary"
                let stack = try trial.another(at: path)
                try stack.blocking.write { try $0.insert(Shelf(id: 1, name: "kept")) }
                try change(path)
                try expectError(.invalidPath) { try stack.blocking.write { try $0.insert(Shelf(id: 2, name: "lost")) } }
                try expectEqual(
                    try stack.blocking.read { try $0.count(Shelf.all) }, 1, "what is read of the files that are open")
                let elsewhere = path + ".elsewhere"
                if kindOfFile(elsewhere) != nil {
                    try stack.blocking.close()
                    let moved = try trial.another(at: elsewhere)
                    try expectEqual(try moved.blocking.read { try $0.count(Shelf.all) }, 1)
                    try moved.blocking.write { try $0.insert(Shelf(id: 2, name: "kept")) }
                }
            }
        },
        ConformanceCase(
            "opening.half-engine-file", in: .opening,
            "a store whose engine's file is cut in half is refused, or its loss is a typed error where it is read: no record is wrong",
            requires: [.persistence], modes: [.fresh]
        ) { trial in
            try trial.insert((1...2000).map { Shelf(id: $0, name: String(repeating: "n\($0) ", count: 20)) })
            try trial.close()
            let file = try engineFile(trial.storePath)
            let whole = bytes(file)
            try writeFile(Array(whole.prefix(whole.count / 2)), to: file)
            do {
                let stack = try trial.another()
                try stack.blocking.read { snapshot in
                    try Shelf.all.forEach(in: snapshot) { shelf in
                        try expectEqual(shelf.name, String(repeating: "n\(shelf.id) ", count: 20), "a record")
                    }
                    try expectEqual(try snapshot.count(Shelf.all), 2000, "records, without an error")
                }
            } catch let error as GranaryError {
                try expect([.corrupt, .notAStore, .io].contains(error.code), "got the error \(error)")
            }
        },
        ConformanceCase(
            "opening.honest-row-checksums", in: .opening,
            "a store that says it checks rows finds one byte changed in a text, and verify names it",
            requires: [.persistence, .rowChecksums], modes: [.fresh]
        ) { trial in
            let needle = "a needle that stands here once"
            try trial.insert((1...100).map { Shelf(id: $0, name: $0 == 50 ? needle : "hay") })
            try trial.close()
            let file = try engineFile(trial.storePath)
            var content = bytes(file)
            var found = 0
            let wanted = Array(needle.utf8)
            // Older copies of the page may hold it too.
            for start in content.indices.dropLast(wanted.count) where content[start] == wanted[0] {
                if content[start..<start + wanted.count].elementsEqual(wanted) {
                    content[start] = UInt8(ascii: "A")
                    found += 1
                }
            }
            try expect(found > 0, "the text is not in \(file)")
            try writeFile(content, to: file)
            do {
                let stack = try trial.another()
                try expectError(.corrupt) { try stack.blocking.read { try $0.find(Shelf.self, 50) } }
                try expectError(.corrupt) { try stack.blocking.read { try $0.fetch(Shelf.all) } }
                try expectEqual(try stack.blocking.read { try $0.find(Shelf.self, 49)?.name }, "hay")
                try expect(try !stack.blocking.verify().isEmpty, "verify found no fault")
            } catch let error as GranaryError {
                try expectEqual(error.code, .corrupt)
            }
        },
    ]
}

private func damage(
    _ name: String, _ summary: String, _ codes: Set<GranaryError.Code>,
    _ harm: @escaping @Sendable (String) throws -> Void
) -> ConformanceCase {
    damage(name, summary, codes, rounds: 1) { store, _ in try harm(store) }
}

/// Harms a store that is closed; each way to open it must then throw one of the codes and change nothing.
private func damage(
    _ name: String, _ summary: String, _ codes: Set<GranaryError.Code>, rounds: Int,
    _ harm: @escaping @Sendable (String, Int) throws -> Void
) -> ConformanceCase {
    ConformanceCase(
        "opening.\(name)", in: .opening, summary, requires: [.persistence], modes: [.fresh]
    ) { trial in
        for round in 0..<rounds {
            let path = trial.folder + "/Harmed-\(round).granary"
            let stack = try trial.another(at: path)
            try stack.blocking.write { tx in _ = try tx.insert((1...50).map { Shelf(id: $0, name: "name \($0)") }) }
            try stack.blocking.close()
            try harm(path, round)
            let before = files(path)
            for access in [StoreAccess.readWrite, .readOnly] {
                try expectOneOf(codes, "round \(round), \(access):") { try trial.another(at: path, access: access) }
            }
            try expectOneOf(codes, "round \(round), moving aside:") {
                try trial.another(at: path, migration: .moveAside)
            }
            // LOCK and an engine's own files beside the data may be made; what was there is as it was.
            let after = files(path)
            for (file, content) in before {
                try expect(after[file] == content, "\(file) was changed by opening (round \(round))")
            }
        }
    }
}

/// FNV-1a, 64 bits, as the last line of CURRENT has it in every format.
func checksumOfCurrent(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
