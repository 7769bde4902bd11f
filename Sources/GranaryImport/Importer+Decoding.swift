public import GranaryCore
import GranaryPlatform

extension Importer {
    /// Decodes the objects of a source as values of a record type, without a store. Keys are inferred, and mappings,
    /// transformers, conversions, hooks and the type's rules apply as in an import.
    ///
    /// ```swift
    /// let drafts = try Importer().decode(.json(.file("drafts.json")), as: Draft.self, in: Schema(Draft.self)).records
    ///
    /// // The attributes that the source has replace those of the value; the others stay.
    /// let changed = try Importer().decode(form, as: Draft.self, over: draft, in: schema).records.first
    /// ```
    ///
    /// Each object becomes a value of its own, also if two have the same key. Nothing is looked up:
    ///
    /// - An attribute that the object does not have gets its default. A required one without a default fails the
    ///   object. A missing key becomes 0 if a store assigns keys, and a new UUID if it is one; other keys are required.
    /// - A reference gets the key that the source has for it, by itself or in a nested object. A value that names the
    ///   record in another way is reported, and the reference stays as it was.
    /// - To-many relationships are no part of a value. Code of a mapping that needs a context is not called:
    ///   ``ImportMapping/takeOver(_:_:)`` and ``ImportMapping/didRelate(_:_:)``.
    ///
    /// The report counts skipped and failed objects, and lists issues and unknown keys. Nothing is inserted, so the
    /// other counts are 0. An object that is not newer than `value`, by ``ImportMapping/skipUnless(newer:)``, is
    /// skipped.
    ///
    /// - Parameters:
    ///   - source: Any source of an import. With `value`, it has one object; a second one fails.
    ///   - type: The type of the values.
    ///   - value: The value that the object changes, its key included; nil for new values.
    ///   - schema: The schema with the type and with the types that it has relationships with.
    /// - Throws: The error of the first object that cannot be decoded, unless failures are reported; `unknownEntity` if
    ///   the schema lacks a type; `invalidQuery` for options that need a store: a policy other than `upsert`,
    ///   `target`, `tombstones`, `commits`; the errors of the source; `cancelled`.
    public func decode<R: Record>(
        _ source: some ImportSource, as type: R.Type, over value: R? = nil, in schema: Schema
    ) throws -> ImportResult<R> {
        if let option = optionForStores {
            throw GranaryError(
                .invalidQuery,
                "The importer's \(option) is about records in a store, and values are decoded without one. Leave it out, or import into a context.",
                entity: R.entityName)
        }
        guard schema.recordTypes.contains(where: { $0 == type }) else {
            throw GranaryError(
                .unknownEntity, "The schema does not have the type \(R.entityName). Add it to Schema(...).",
                entity: R.entityName)
        }
        let decoding = try ValueDecoding<R>(self, value, schema)
        let run = try ImportRun(self, R.entityName, in: schema, keepsKeys: false)
        let batches = try run.batches(of: source, decodesAhead: false)
        defer { batches.end() }
        while let batch = try batches.next() {
            guard !Task.isCancelled else { throw ImportRun.cancelled() }
            try decoding.add(batch)
            progress?(decoding.account.report)
        }
        return decoding.result()
    }

    /// The first option that needs a store; nil if there is none.
    private var optionForStores: String? {
        if target != nil { return "target" }
        if tombstones != nil { return "tombstones" }
        if commits != .once { return "commits" }
        return if case .upsert = policy { nil } else { "policy" }
    }
}

/// Makes values of the objects of a source, without a store.
private final class ValueDecoding<R: Record> {
    let account: Account
    private let plans: EntityPlans
    private let plan: EntityPlan
    private let handler = TypedHandler(R.self)
    /// The row of the value that the object changes.
    private let base: StoredRow?
    private var writer: RowWriter
    private var records: [R] = []
    private var origins: [ImportOrigin] = []

    init(_ importer: Importer, _ value: R?, _ schema: Schema) throws {
        account = Account(importer)
        plans = try EntityPlans(importer, R.entityName, in: schema)
        plan = try plans.plan(plans.top)
        var writer = RowWriter(count: plan.stage.width)
        do {
            base = try value.map { value in
                try value.encode(into: &writer)
                return writer.withRow { StoredRow($0) }
            }
        } catch {
            throw GranaryError.wrapping(error, plan.entity)
        }
        self.writer = writer
    }

    func add(_ batch: ImportBatch) throws {
        account.report.bytesRead = batch.bytesRead
        account.report.failed += batch.issues.count
        for issue in batch.issues { account.report.add(issue) }
        for item in batch.items { try add(item) }
    }

    func result() -> ImportResult<R> {
        account.report.unusedPaths = plans.unusedPaths
        account.report.sortIssues()
        return ImportResult(records: records, origins: origins, report: account.report)
    }

    private func add(_ item: NumberedItem) throws {
        defer {
            plans.clear()
            account.endBatch()
        }
        let place = item.item.place
        if base != nil, item.number > max(0, plans.importer.start) {
            return try account.failObject(severalObjects(), at: place)
        }
        var staging = Staging(plans, account, Known(), nil, isLast: true, nil)
        staging.batch.items = [item]
        guard let row = try staging.stageValue(item, over: base) else { return }
        plans.noteFoundPaths(of: staging.batch)
        do {
            try plan.complete(row, account, keepsKey: false)
            try plan.makeRecord(of: row, by: handler, account, into: &writer)
            records.append(try writer.withRow { try R(row: $0) })
            origins.append(ImportOrigin(place, R.entityName))
        } catch {
            try account.failObject(GranaryError.wrapping(error, plan.entity), at: place)
        }
    }

    private func severalObjects() -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The source has several objects, and changes one value of \(R.entityName). Give it one object, or decode new values.",
            entity: R.entityName)
    }
}
