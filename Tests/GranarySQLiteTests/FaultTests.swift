#if os(Linux)
    import TestSupport
    import CSQLite
    import Foundation
    import Testing

    import GranaryCore
    import GranaryPlatform
    @testable import GranarySQLite

    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    @Suite(.serialized) struct FaultTests {
        enum Others: CaseIterable { case nobody, idleReader, reader }

        /// The writes to the log are made, and said to have failed: as where syncing fails, and the system keeps what was
        /// written. What is there after the process has ended is what is in the database and its log.
        @Test(arguments: Others.allCases)
        func `what a failed commit was said to be is what recovery finds`(_ others: Others) throws {
            let folder = try TemporaryFolder()
            let store = try folder.open()
            defer { try? store.close() }
            for key in 1...3 { try store.write { _ = try $0.insert(.genre, .integer(Int64(key)), .string("\(key)")) } }
            if others != .nobody { _ = try store.read { try $0.count(FetchRequest(entity: 0)) } }
            let reader = others == .reader ? try store.beginRead(CancellationFlag()) : nil
            defer { reader?.end() }
            var expected = 3
            // With each round another write to the log fails, until none does.
            for number in 1... {
                let writer = try store.beginWrite()
                try writer.insert(.genre, .integer(Int64(number + 3)), .string("\(number + 3)"))
                var error: GranaryError?
                let wasHit = SystemFault(
                    isMade: true, call: .pwrite64, path: folder.database + "-wal", number: number
                ).during { error = failure { try writer.commit() } }
                if error == nil { expected += 1 } else { #expect(error?.code == .io) }
                #expect(try afterTheProcess(folder) == expected)
                #expect(try store.read { try $0.count(FetchRequest(entity: 0)) } == expected)
                if !wasHit {
                    #expect(number > 4)
                    #expect(error == nil)
                    break
                }
            }
            // And it goes on.
            try store.write { _ = try $0.insert(.genre, .integer(100), "100") }
            #expect(try afterTheProcess(folder) == expected + 1)
            #expect(try store.verify() == [])
        }

        @Test func `an opening that fails says whether it has changed the schema`() throws {
            func words(_ more: Attribute...) -> Schema {
                Schema(entities: [
                    Entity("Word", key: "text", attributes: [Attribute("text", String.self)] + more)
                ])
            }
            var codes: Set<GranaryError.Code?> = []
            // With each round an opening of the database fails earlier or later, until none does.
            for number in 1... {
                let folder = try TemporaryFolder()
                try folder.open(words()).close()
                var error: GranaryError?
                let wasHit = SystemFault(call: .open, path: folder.database, number: number, isLasting: true).during {
                    error = failure { try folder.open(words(Attribute("note", String?.self))).close() }
                }
                let store = try SQLiteStoreProvider.sqlite(atPath: folder.store).openStored()
                let isChanged = store.schema.entities[0].attributes.count == 2
                try store.close()
                #expect(
                    (error == nil || error?.code == .commitOutcomeUnknown) == isChanged, "\(number): \(error as Any)")
                codes.insert(error?.code)
                if !wasHit { break }
            }
            #expect(codes.count >= 3 && codes.contains(.commitOutcomeUnknown), "\(codes)")
        }

        /// How many genres another process finds when this one is gone: in copies of the database and its log.
        private func afterTheProcess(_ folder: TemporaryFolder) throws -> Int {
            let copy = folder.path + "/copy.sqlite"
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.database + suffix) {
                try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy + suffix)
            }
            return Int(try shell(copy, "SELECT count(*) FROM Genre")[0][0]) ?? -1
        }

        @Test func `a disk that fails for good while a commit is asked after leaves its outcome unknown`() throws {
            let folder = try TemporaryFolder()
            let store = try folder.open()
            try store.write { _ = try $0.insert(.genre, 1, "1") }
            _ = try store.read { try $0.count(FetchRequest(entity: 0)) }
            let writer = try store.beginWrite()
            try writer.insert(.genre, 2, "2")
            SystemFault(isMade: true, call: .pwrite64, path: folder.database + "-wal", number: 2, isLasting: true)
                .during {
                    #expect(failure { try writer.commit() }?.code == .commitOutcomeUnknown)
                }
            try store.write { _ = try $0.insert(.genre, 3, "3") }
            #expect(try store.verify() == [])
            try store.close()
        }

        /// Without the connection that opened the store, which the first read would take.
        private func openWithoutConnections(_ folder: TemporaryFolder) throws -> SQLiteStore {
            let store = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
            store.sessions.dropIdle()
            return store
        }

        // The log and the shared memory on a full disk are tried by Conformance/Faults: the fault here comes before the
        // function that notes the cause.
        @Test(arguments: [("", EACCES), ("-wal", EACCES), ("-shm", EACCES), ("", ENOSPC)])
        func `one failed open for writing fails one write`(_ suffix: String, _ number: Int32) throws {
            let folder = try TemporaryFolder()
            let store = try folder.open()
            defer { try? store.close() }
            // The log and the shared memory exist, so that they can be opened for reading; and no connection has them open.
            try store.write { _ = try $0.insert(.genre, 1, "1") }
            try keepingLog(of: folder) { try store.close() }
            let again = try openWithoutConnections(folder)
            let wasHit = SystemFault(call: .open, path: folder.database + suffix, error: number, writesOnly: true)
                .during {
                    let error = failure { try again.write { _ = try $0.insert(.genre, 2, "2") } }
                    #expect(error?.code == (number == ENOSPC ? .full : .io), "\(String(describing: error))")
                    #expect(error?.message.contains("ry again") == true)
                }
            #expect(wasHit)
            try again.write { _ = try $0.insert(.genre, 2, "2") }
            #expect(try again.read { try $0.count(FetchRequest(entity: 0)) } == 2)
            try again.close()
        }

        /// Puts log and shared memory back which the last connection takes away.
        private func keepingLog(of folder: TemporaryFolder, _ body: () throws -> Void) throws {
            let names = ["", "-wal", "-shm"]
            for name in names {
                try FileManager.default.copyItem(atPath: folder.database + name, toPath: folder.path + "/kept" + name)
            }
            try body()
            for name in names {
                try? FileManager.default.removeItem(atPath: folder.database + name)
                try FileManager.default.moveItem(atPath: folder.path + "/kept" + name, toPath: folder.database + name)
            }
        }

        @Test func `too many open files are named, and a full disk wherever it shows`() throws {
            let folder = try TemporaryFolder()
            try folder.open().close()
            let store = try openWithoutConnections(folder)
            SystemFault(call: .open, path: folder.database, isLasting: true, error: EMFILE).during {
                for error in [
                    failure { try store.write { _ = $0 } }, failure { _ = try store.read { $0.transactionNumber } },
                ] { #expect(error?.code == .io && error?.message.contains("Too many files are open") == true) }
            }
            SystemFault(call: .ftruncate, path: folder.database + "-shm", isLasting: true, error: ENOSPC).during {
                #expect(failure { _ = try store.read { $0.transactionNumber } }?.code == .full)
                #expect(failure { try store.write { _ = $0 } }?.code == .full)
            }
            try store.write { _ = try $0.insert(.genre, 1, "Rock") }
            try store.close()
        }

        @Test func `locks that fail for ever cost the busy time-out and no more`() throws {
            let folder = try TemporaryFolder()
            let store = try folder.open(busyTimeout: 0.2)
            try store.write { _ = try $0.insert(.genre, 1, "Rock") }
            SystemFault(call: .fcntl, path: folder.database + "-shm", isLasting: true, error: ENOLCK).during {
                let start = Deadline(seconds: 0)
                #expect(failure { _ = try store.read { $0.transactionNumber } }?.code == .busy)
                #expect(failure { try store.write { _ = $0 } }?.code == .busy)
                // SQLite alone takes ten seconds for each.
                #expect(start.elapsed < 5)
            }
            #expect(try store.read { try $0.count(FetchRequest(entity: 0)) } == 1)
            try store.close()
        }

        @Test func `locks that fail for ever while a store is created cost the busy time-out and no more`() throws {
            let folder = try TemporaryFolder()
            SystemFault(call: .fcntl, path: folder.database + "-shm", isLasting: true, error: ENOLCK).during {
                let start = Deadline(seconds: 0)
                #expect(failure { try folder.open(busyTimeout: 0.2).close() }?.code == .busy)
                #expect(start.elapsed < 5)
            }
            try folder.open().close()
        }

        @Test func `memory is counted only where another had the library first`() throws {
            let folder = try TemporaryFolder()
            let store = try folder.open()
            try store.write { _ = try $0.insert(.genre, 1, "Rock") }
            #expect((sqlite3_memory_used() > 0) == Library.countsMemory)
            try store.close()
        }
    }
#endif
