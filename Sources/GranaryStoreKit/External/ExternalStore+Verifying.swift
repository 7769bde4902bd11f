import GranaryPlatform

// A file that no row names may belong to a running transaction, so the files are listed while this thread has the turn
// to write. The rows of that moment are read afterwards, without the turn, so that other reads and writes need not wait
// for them.

/// A store whose rows must not be read if the structure of its files is damaged.
package protocol StructureVerifying: Store {
    /// The faults of the structure only.
    func verifyStructure() throws -> [String]
}

extension ExternalStore {
    func verify() throws -> [String] {
        let work = LongWork.current
        let cancellation = work?.cancellation ?? CancellationFlag()
        // Progress counts each record with external attributes twice: when the record is checked, and when its files
        // are.
        let again = work?.onProgress == nil ? 0 : try externalRecordCount(cancellation)
        let first = work?.part(after: 0, before: again) ?? LongWork(cancellation: cancellation)
        let faults = try first.run { try inner.verify() }
        if !faults.isEmpty, let inner = inner as? any StructureVerifying, try !inner.verifyStructure().isEmpty {
            return faults
        }
        try files.beginReading()
        defer { files.endReading() }
        let reader: any StoreReader
        var listed: [String: Int] = [:]
        do {
            (reader, listed) = try listing(cancellation)
        } catch let error as GranaryError where error.code == .corrupt {
            return faults.isEmpty ? [error.message] : faults
        }
        defer { reader.end() }
        let total = again == 0 ? 0 : try reader.recordCount()
        let counter = RecordCounter(work, after: total) { total + again }
        var check = FileCheck(self, reader, counter, cancellation)
        return try faults + check.run(listed)
    }

    /// Throws if a record names a file that is missing or cut off: a backup would lack it, too.
    ///
    /// - Returns: The files that the records name.
    /// - Throws: `corrupt` with the first such record.
    func requireFiles() throws -> ExternalUses {
        let cancellation = LongWork.current?.cancellation ?? CancellationFlag()
        try files.beginReading()
        defer { files.endReading() }
        let reader = try inner.beginRead(cancellation)
        defer { reader.end() }
        var check = FileCheck(self, reader, RecordCounter(nil) { 0 }, cancellation, readsContents: false)
        guard let fault = try check.run([:]).first else { return try ExternalUses(reader) }
        throw GranaryError(.corrupt, "\(fault) Write the value again or delete the record, and then try once more.")
    }

    private func externalRecordCount(_ cancellation: CancellationFlag) throws -> Int {
        let reader = try inner.beginRead(cancellation)
        defer { reader.end() }
        return try positions.indices.reduce(0) {
            try positions[$1].isEmpty ? $0 : $0 + reader.count(FetchRequest(entity: $1))
        }
    }

    /// The newest state, and all files of that moment, named or not. No files are listed if the turn to write is not
    /// available.
    private func listing(_ cancellation: CancellationFlag) throws -> (any StoreReader, [String: Int]) {
        let writer: any StoreWriter
        do {
            writer = try inner.beginWrite()
        } catch let error as GranaryError where [.readOnly, .busy, .reentrantWrite].contains(error.code) {
            return (try inner.beginRead(cancellation), [:])
        }
        defer { writer.end() }
        let waiting = Set(files.unused.map(\.hexadecimal))
        return (try inner.beginRead(cancellation), try files.contents().filter { !waiting.contains($0.key) })
    }
}

/// The check of the files of one state.
private struct FileCheck {
    private let store: ExternalStore
    private let reader: any StoreReader
    private var counter: RecordCounter
    private let cancellation: CancellationFlag
    /// Whether file contents are read. Otherwise only the sizes of files are checked.
    private let readsContents: Bool
    private var faults = FaultList()
    /// The result for each reference, by the whole reference: a damaged row may differ from others about the same file.
    private var known: [ExternalReference: String?] = [:]

    init(
        _ store: ExternalStore, _ reader: any StoreReader, _ counter: RecordCounter, _ cancellation: CancellationFlag,
        readsContents: Bool = true
    ) {
        self.readsContents = readsContents
        (self.store, self.reader, self.counter, self.cancellation) = (store, reader, counter, cancellation)
    }

    mutating func run(_ listed: [String: Int]) throws -> [String] {
        var isWhole = true
        for (number, entity) in store.schema.entities.enumerated() where !store.positions[number].isEmpty {
            try counter.tell(entity)
            do {
                try check(number, entity)
            } catch let error as GranaryError where error.code != .cancelled && readsContents {
                isWhole = false
                faults.append(
                    "The files of the records of \(entity.path) could not all be checked. \(error.message)")
            }
            try counter.tell(entity)
        }
        // Records that cannot be read may name any file.
        if isWhole { checkUnused(listed) }
        return faults.lines
    }

    private mutating func check(_ number: Int, _ entity: Entity) throws {
        try reader.forEachExternalRow(of: number) { key, references in
            try counter.count(entity)
            for (position, reference) in references {
                try cancellation.check()
                let fault = try known[reference] ?? fault(reference)
                known[reference] = fault
                guard let fault else { continue }
                let place = StoredValue(key).textOfError.map { " of the record with key \($0)" } ?? ""
                faults.append("The file of \(entity.path(of: entity.attributes[position].name))\(place) \(fault)")
            }
        }
    }

    /// The fault of a file, or nil: the file is read, and its digest compared with its name.
    private func fault(_ reference: ExternalReference) throws -> String? {
        do {
            guard let size = try store.files.size(of: reference.name) else { return "is missing: \(reference.name)." }
            guard size == reference.size else { return "is damaged: \(reference.name)." }
            guard size <= store.capabilities.limits.valueSize else {
                return "has \(size) bytes, more than a value may have: \(reference.name)."
            }
            guard try !readsContents || store.files.isWhole(reference, cancellation.check) else {
                return "is damaged: \(reference.name)."
            }
            return nil
        } catch {
            if !readsContents || (error as? GranaryError)?.code == .cancelled { throw error }
            return "cannot be read: \(reference.name). \((error as? GranaryError)?.message ?? "\(error)")"
        }
    }

    private mutating func checkUnused(_ listed: [String: Int]) {
        let named = Set(known.keys.map(\.name))
        let unused = listed.filter { !named.contains($0.key) }
        guard !unused.isEmpty else { return }
        let size = unused.values.reduce(0, +)
        faults.append(
            "No record names \(unused.count) of the files in \(store.files.path), which have \(size) bytes. The next opening after the end of a process removes such files."
        )
    }
}
