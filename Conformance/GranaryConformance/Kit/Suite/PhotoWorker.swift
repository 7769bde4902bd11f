import GranaryCore

/// What a process does to external values that is killed while it does, and what must hold afterwards.
public enum PhotoWorker {
    /// Writes, replaces and removes photos, a few in each transaction, and reports each commit by its number.
    public static func run(_ subject: ConformanceSubject, at path: String, report: (String) -> Void) throws {
        let stack = try subject.open(Photo.schema, at: path)
        for number in 1...4 {
            try stack.blocking.write { tx in
                try tx.insert(photo(number))
                if number > 1 { _ = try tx.delete(Photo.self, Int64(number - 1)) }
            }
            report("\(number)")
        }
        try stack.blocking.close()
    }

    /// Fails unless the store holds what one of the commits has left, or nothing, and no file is missing or too many.
    public static func check(_ subject: ConformanceSubject, at path: String, atLeast number: Int) throws {
        let stack = try subject.open(Photo.schema, at: path)
        let found = try stack.blocking.read { try $0.fetch(Photo.all) }
        try expect(found.count <= 1, "one photo")
        try expectEqual(found, found.map { photo(Int($0.id)) })
        try expect(found.first.map { Int($0.id) } ?? 0 >= number, "what was committed is there")
        try expectEqual(try stack.blocking.verify(), [])
        try stack.blocking.close()
    }

    /// Its raw data are those of the next one's image.
    private static func photo(_ number: Int) -> Photo {
        Photo(id: Int64(number), image: picture(number), raw: picture(number + 1))
    }
}
