import GranaryCore

// A batch goes through the stages in one piece, or in parts where objects must be written one after the other.

extension ImportRun {
    /// Imports what has been read of the source.
    func add(_ read: ImportBatch, in context: Context) throws {
        account.report.failed += read.issues.count
        for issue in read.issues { account.report.add(issue) }
        guard !read.items.isEmpty else { return }
        let session = session(context)
        try session.checkCancellation()
        var rest = read.items
        while !rest.isEmpty {
            let before = account.report
            do {
                switch importer.failures {
                case .throw: try importPart(rest, read.decoded, session)
                case .report: try context.savepoint { try importPart(rest, read.decoded, session) }
                }
            } catch let error as GranaryError where !error.endsImport && !holdsTooMuch && isDividable(rest) {
                account.report = before
                let end = restNumber
                // One of them cannot be written with the others: each by itself shows which is the first. The parts of the batch
                // before are written and counted.
                for item in rest where end.map({ item.number < $0 }) ?? true {
                    try addAlone(item, read.decoded, because: error, session)
                }
                restNumber = end
            }
            guard let end = restNumber else { break }
            rest.removeAll { $0.number < end }
        }
        importer.progress?(report)
    }

    /// Whether something is gained by importing the objects of a batch that has failed each by itself. At the end of the import
    /// they may need each other.
    private func isDividable(_ objects: [NumberedItem]) -> Bool {
        importer.failures == .report || objects.count > 1 && !isLast
    }

    /// Imports one object.
    ///
    /// - Parameter cause: Why it was not imported together with others.
    private func addAlone(
        _ item: NumberedItem, _ decoded: DecodedBatch?, because cause: GranaryError, _ session: ImportSession
    ) throws {
        guard importer.failures == .report else {
            do {
                return try importPart([item], decoded, session)
            } catch let error as GranaryError where error.code == .uniqueness && cause.code != .uniqueness {
                // It may be one of those that exchange unique values, which is no failure.
                throw cause
            }
        }
        let before = account.report
        do {
            try session.context.savepoint { try importPart([item], decoded, session) }
        } catch let error as GranaryError where !error.endsImport && !holdsTooMuch {
            account.report = before
            account.report.failed += 1
            let place = item.item.place
            account.report.add(
                ImportIssue(kind: .failed, path: error.importPath ?? place.path, line: place.line, error: error))
        }
    }

    /// Imports the objects of a batch, but those that must be written apart, see `Staging+Repeating`: `restNumber` is the first
    /// of them.
    private func importPart(_ objects: [NumberedItem], _ decoded: DecodedBatch?, _ session: ImportSession) throws {
        defer { clear() }
        restNumber = nil
        let before = account.report
        var (batch, late) = try stage(objects, decoded, session)
        plans.noteFoundPaths(of: batch)
        var outcome: BatchOutcome
        do {
            outcome = try together(batch, session.context) { try write(batch, session) }
        } catch let error as GranaryError where error.code == .uniqueness {
            account.report = before
            let again = try stage(batch.items, decoded, session)
            (batch, late) = (again.batch, late + again.late)
            outcome = try together(batch, session.context) {
                guard try Writing(session, isLast: isLast).putPlaceholders() else { throw error }
                return try write(batch, session)
            }
        }
        session.replaced.note(plans)
        session.connecting.take(batch, plans)
        try hold(late.filter { late in restNumber.map { late.number < $0 } ?? true }, outcome, session)
        account.settle(batch, outcome, plans, keepsKeys: keepsKeys)
        waiting.take(outcome, plans)
        try kept.forget(saidBy: batch, in: session.context)
    }

    /// Stages objects and looks them up. Returns with the batch those that must be held, without which the others are staged.
    private func stage(
        _ all: [NumberedItem], _ decoded: DecodedBatch?, _ session: ImportSession
    ) throws -> (batch: Batch, late: [NumberedItem]) {
        let before = account.report
        var late: [NumberedItem] = []
        var objects = all
        var known = Known()
        while true {
            clear()
            account.report = before
            var staging = Staging(plans, account, known, decoded, isLast: isLast, session.lookUp)
            var batch = try staging.stage(objects)
            if endPart(batch, &objects, &known) { continue }
            if !batch.asked.isEmpty {
                let keys = try session.lookUp.keys(of: batch.asked)
                known.note(keys, of: batch.asked)
                if batch.namesAsked || keys.contains(where: { $0 != nil }) { continue }
            }
            try session.lookUp.find(&batch)
            batch.cutAfterLists(plans)
            batch.cutAfterArrivals(plans, waiting)
            if endPart(batch, &objects, &known) { continue }
            try plans.requireTarget(batch)
            if known.note(broughtBy: plans) { continue }
            try batch.keepPlaces(plans)
            batch.forgetUnwantedStubs(plans)
            let holding = Holding(plans: plans, batch: batch)
            let items = isLast ? [] : try holding.items(after: held)
            guard !items.isEmpty else { return (batch, late.sorted { $0.number < $1.number }) }
            holding.note(items, in: &held)
            late += items.sorted().map { objects[$0] }
            objects = objects.indices.filter { !items.contains($0) }.map { objects[$0] }
            // Keys may be known from objects that are held.
            known = Known()
        }
    }

    /// Leaves objects to the next part of the batch. Returns whether there are any.
    private func endPart(_ batch: Batch, _ objects: inout [NumberedItem], _ known: inout Known) -> Bool {
        guard let cut = batch.cut else { return false }
        restNumber = objects[cut].number
        objects.removeSubrange(cut...)
        known = Known()
        return true
    }

    private func write(_ batch: Batch, _ session: ImportSession) throws -> BatchOutcome {
        var writing = Writing(session, isLast: isLast)
        let outcome = BatchOutcome(waiting: try writing.writeAll())
        var relating = Relating(session: session, isLast: isLast, hasWaiting: !waiting.isEmpty, outcome: outcome)
        try relating.connectArrived(waiting)
        try relating.relate(batch)
        try relating.callHooks(batch)
        return relating.outcome
    }

    /// Writes what belongs together: all of it, or none. References may dangle meanwhile, if the batch has any, or code
    /// that takes over relationships.
    private func together<T>(_ batch: Batch, _ context: Context, _ body: () throws -> T) throws -> T {
        let refers = plans.contains { plan in plan.map { !$0.rows.isEmpty && !$0.referring.isEmpty } ?? false }
        guard refers || !batch.lists.isEmpty || !batch.hooks.isEmpty else { return try context.savepoint(body) }
        return try context.deferringReferences(body)
    }

    /// Keeps objects in memory for the end. Throws if they, and the references, lists and hooks that wait, are too large.
    private func hold(_ late: [NumberedItem], _ outcome: BatchOutcome, _ session: ImportSession) throws {
        let other = session.replaced.size + session.connecting.size
        guard !isLast, !late.isEmpty || !outcome.waiting.isEmpty || other > 0 else { return }
        // A value of their own: what readers have put side by side stays in memory as a whole.
        let late = late.map { NumberedItem(number: $0.number, item: $0.item.detached) }
        // A table that grows is there twice for a moment, which does not count.
        let size = held.bytes(with: late) + waiting.size + outcome.waiting.size + other
        guard size <= importer.maximumHeldBytes else {
            holdsTooMuch = true
            throw GranaryError(
                .limit,
                "More than \(importer.maximumHeldBytes) bytes of objects, references and lists wait for records that come later. Import these first, or raise the importer's maximumHeldBytes.",
                entity: plans.schema.entities[plans.top].name)
        }
        held.add(late)
    }

    private func clear() {
        plans.clear()
        account.endBatch()
    }
}
