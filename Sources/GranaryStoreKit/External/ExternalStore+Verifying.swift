import GranaryPlatform

extension ExternalStore {
    func verify() throws -> [String] { try inner.verify() + faultsOfFiles() + unusedFiles() }

    /// Files that rows name and that are not what they should be: each is read, and its digest compared with its name.
    private func faultsOfFiles() throws -> [String] {
        try files.beginReading()
        defer { files.endReading() }
        let reader = try inner.beginRead(CancellationFlag())
        defer { reader.end() }
        var faults: [String] = []
        var known: [SHA256: String?] = [:]
        try reader.forEachExternalReference { number, position, key, reference in
            let entity = schema.entities[number]
            let fault: String?
            if let found = known[reference.digest] {
                fault = found
            } else {
                fault = try self.fault(reference)
                known[reference.digest] = fault
            }
            guard let fault else { return }
            let place = StoredValue(key).textOfError.map { " of the record with key \($0)" } ?? ""
            faults.append("The file of \(entity.path(of: entity.attributes[position].name))\(place) \(fault)")
        }
        return faults
    }

    private func fault(_ reference: ExternalReference) throws -> String? {
        guard let size = try files.size(of: reference.name) else { return "is missing: \(reference.name)." }
        let isWhole = try size == reference.size && withContent(reference) { SHA256(of: $0) == reference.digest }
        return isWhole ? nil : "is damaged: \(reference.name)."
    }

    private func withContent(
        _ reference: ExternalReference, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: reference.size, alignment: 16)
        defer { room.deallocate() }
        return try files.read(reference, into: room) && body(UnsafeRawBufferPointer(room))
    }

    /// Files that no row names. Without the turn to write one could be that of a transaction that is under way.
    private func unusedFiles() throws -> [String] {
        let writer: any StoreWriter
        do {
            writer = try inner.beginWrite()
        } catch let error as GranaryError where [.readOnly, .busy, .reentrantWrite].contains(error.code) {
            return []
        }
        defer { writer.end() }
        let used = Set(try ExternalUses(writer).files.union(files.unused).map(\.hexadecimal))
        let unused = try files.contents().filter { !used.contains($0.key) }
        guard !unused.isEmpty else { return [] }
        let size = unused.values.reduce(0, +)
        return [
            "No record names \(unused.count) of the files in \(files.path), which have \(size) bytes. The next opening after the end of a process removes such files."
        ]
    }
}
