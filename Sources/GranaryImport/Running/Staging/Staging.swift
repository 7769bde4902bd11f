import GranaryCore
import GranaryPlatform

/// Makes rows of the objects of a batch, and notes which record refers to which.
///
/// The rows are in the plans of their entities; the rest is returned as a ``Batch``. Whether the records of the rows are in the
/// store is looked up later, by one request for each entity. Only records that tell, among others, which record an object is
/// must be known before: those in `known`. Other ones are asked for by the batch.
struct Staging {
    let plans: EntityPlans
    let account: Account
    let known: Known
    /// Values that the reading thread has already decoded, or nil.
    let decoded: DecodedBatch?
    /// Whether nothing comes any more that could be waited for.
    let isLast: Bool
    /// Finds the records that only the store can tell; nil without a store.
    let lookUp: LookUp?
    var batch = Batch()
    /// What an object that is being decoded has said of attributes and relationships, taken or not.
    var mentioned: Set<String> = []
    /// Whether several keys of an object that is being decoded mean one attribute or relationship.
    var overlooksKeys = false
    /// What keys of the object that is being decoded leave as it was: attributes by their positions, and relationships after them.
    var leftAlone: [Int] = []
    /// Tells how deep nested objects can be staged on the thread.
    private var stack = ThreadStack()

    init(
        _ plans: EntityPlans, _ account: Account, _ known: Known, _ decoded: DecodedBatch?, isLast: Bool,
        _ lookUp: LookUp?
    ) {
        (self.plans, self.account, self.known, self.decoded, self.isLast) = (plans, account, known, decoded, isLast)
        self.lookUp = lookUp
    }

    var importer: Importer { plans.importer }
    var schema: Schema { plans.schema }

    /// Stages objects, up to one that must be written apart from those before it.
    mutating func stage(_ objects: [NumberedItem]) throws -> Batch {
        batch.items = objects
        batch.itemRows.reserveCapacity(objects.count)
        for index in objects.indices where batch.cut == nil {
            let row = try stageItem(objects[index], index)
            batch.itemRows.append(row)
        }
        return batch
    }

    /// Stages an object of the source. Returns its row; nil if it is skipped or fails.
    private mutating func stageItem(_ numbered: NumberedItem, _ index: Int) throws -> (entity: Int, row: Int)? {
        let (item, top) = (numbered.item, plans.top)
        if let read = decoded, let (row, left) = read.decoded(numbered.number), let plan = plans[top] {
            return try stageDecoded(read.stage, row, left, Origin(place: item.place, item: index), item.content, plan)
                .map { (top, $0) }
        }
        if plans.target != nil, numbered.number > max(0, importer.start) {
            try account.failObject(severalObjects(), at: item.place)
            return nil
        }
        var entity = item.place.entity ?? top
        if let choose = importer.choose {
            do {
                guard let name = try choose(item.value, item.place) else {
                    account.report.skip(item.place, .notChosen)
                    return nil
                }
                entity = try schema.position(ofEntity: name)
                if plans.target != nil, entity != top { throw otherThanTarget(entity) }
            } catch {
                try account.failObject(GranaryError.wrapping(error, schema.entities[top]), at: item.place)
                return nil
            }
        }
        return try stage(item.content, try plans.plan(entity), Origin(place: item.place, item: index))
            .map { (entity, $0) }
    }

    /// Stages an object and what is nested in it. Returns the row of its record; nil if it is skipped or fails.
    mutating func stage(_ given: ImportContent, _ plan: EntityPlan, _ origin: Origin) throws -> Int? {
        guard var object = try decoded(given, plan, origin) else { return nil }
        return try stage(&object)
    }

    /// Takes from an object what it has for its record; nil if it is skipped or fails.
    // Objects are nested deep, and this is not part of what they take on the thread's stack.
    @inline(never)
    mutating func decoded(_ given: ImportContent, _ plan: EntityPlan, _ origin: Origin) throws -> SourceObject? {
        let (place, depth) = (origin.place, origin.depth)
        try checkDepth(depth, place)
        var content = given
        if !origin.isNamedOnly, plan.hasHooks, let handler = plan.handler {
            let value = given.value
            do {
                guard let changed = try handler.willImport(value, place) else {
                    account.report.skip(place, .hook)
                    if plans.mirrors, plan.position == plans.top { keep(value, plan, origin) }
                    return nil
                }
                content = .value(changed)
            } catch {
                try account.failObject(GranaryError.wrapping(error, plan.entity), at: place)
                return nil
            }
        }
        if plan.needsTree {
            content = .value(plan.pruned.reduce(content.value) { value, path in path.removed(from: value) })
        }
        if depth == 0, content.isNull, !plan.takesWhole {
            account.report.skip(place, .isNull)
            return nil
        }
        guard content.isObject || plan.takesWhole else {
            let error = GranaryError(
                .typeMismatch, "The source has \(content.value.kindName) where an object is expected.",
                entity: plan.entity.name
            ).with(value: content.value.textOfError)
            try account.failObject(error, at: place)
            return nil
        }
        var object = SourceObject(plan, plan.stage.addRow(), content, origin)
        return try decode(&object) ? object : nil
    }

    /// Throws where objects are nested deeper than an import allows, or than the stack of the thread holds.
    private mutating func checkDepth(_ depth: Int, _ place: ImportPlace) throws {
        guard depth < ImportRun.maximumDepth else { throw ImportRun.tooDeep().at(place) }
        if depth > 0, stack.isNearlyFull() { throw ImportRun.tooDeepForThread().at(place) }
    }

    /// Stages an object of which the thread that reads has decoded the plain values.
    ///
    /// - Parameters:
    ///   - decoded: The row that has these.
    ///   - left: The members that the thread has left.
    private mutating func stageDecoded(
        _ rows: RowStage, _ decoded: Int, _ left: Range<Int>, _ origin: Origin, _ content: ImportContent,
        _ plan: EntityPlan
    ) throws -> Int? {
        let row = plan.stage.addRow(of: rows, decoded)
        if left.isEmpty, addNew(row, plan, origin) { return row }
        var object = SourceObject(plan, row, content, origin)
        guard !left.isEmpty else { return try identify(object)?.row }
        return try decode(&object, left) ? stage(&object) : nil
    }

    /// Takes from an object what it has. Returns false if it is refused, as in a strict import.
    ///
    /// - Parameter left: The members that the thread that reads has left; nil for all.
    private mutating func decode(_ object: inout SourceObject, _ left: Range<Int>? = nil) throws -> Bool {
        do {
            try takeMembers(&object, left)
            if object.origin.depth == 0, object.plan.position == plans.top { try giveTarget(object) }
            return true
        } catch let error as GranaryError {
            object.plan.stage.removeLast()
            try account.failObject(error, at: object.place)
            return false
        }
    }

    /// Finds out which record the row of an object is, and stages what is nested in it.
    private mutating func stage(_ object: inout SourceObject) throws -> Int? {
        if object.plan.mapping.finder != nil, try !identifyByQuery(&object) { return nil }
        let row = try stageRecord(&object)
        if let row, !object.searches.isEmpty { noteSearches(of: object, row) }
        return row
    }

    private mutating func stageRecord(_ object: inout SourceObject) throws -> Int? {
        guard !object.related.isEmpty || object.origin.owner != nil else {
            guard let (row, isSkipped) = try identify(object) else { return nil }
            if !isSkipped { keepValue(of: object, row) }
            return row
        }
        let hooked = object.plan.mapping.relationshipHooks.isEmpty ? [] : object.related
        guard let isSkipped = try identifyByRelated(&object) else { return nil }
        guard !isSkipped, let parent = object.parent else { return object.row }
        if !hooked.isEmpty, !object.origin.isNamedOnly { noteHooks(of: hooked, object, parent) }
        for member in object.related where !object.plan.isTakenOver(member.name) {
            try stageMember(member, of: object, parent)
        }
        return object.row
    }

    /// Keeps an object for the hooks of its type.
    private mutating func keepValue(of object: SourceObject, _ row: Int) {
        if object.plan.hasHooks, !object.origin.isNamedOnly { object.plan.rows[row].value = object.content.value }
    }

    /// Finds out which record an object is that has something nested, or is nested in a list: its references, or the owner of the
    /// list, may tell. The object gets the row of the record. Returns whether the object is skipped; nil if it is left out.
    @inline(never)
    private mutating func identifyByRelated(_ object: inout SourceObject) throws -> Bool? {
        let plan = object.plan
        if !object.related.isEmpty { object.parent = ParentObject(object.content, object.place) }
        var targets: [(position: Int, target: StagedTarget)] = []
        var open: [OpenReference] = []
        if let parent = object.parent, !plan.identifying.isEmpty {
            // What is staged for it may be of the same entity, and comes after it.
            plan.rows.append(StagedRow(place: object.place, item: object.item, isNamedOnly: true))
            targets = try stageIdentifying(&object, parent, &open)
        }
        if let owner = object.origin.owner, plan.identifying.contains(owner.position), !object.isGiven(owner.position),
            !targets.contains(where: { $0.position == owner.position }),
            let reference = identify(object, by: owner)
        {
            open.append(reference)
        }
        guard let (row, isSkipped) = try identify(object, open) else { return nil }
        object.row = row
        if isSkipped { return true }
        keepValue(of: object, row)
        for (position, target) in targets { try refer(position, of: object, to: target) }
        return false
    }

    /// Stages the records by which, among others, it is told which record an object is: their keys must be known first.
    private mutating func stageIdentifying(
        _ object: inout SourceObject, _ parent: ParentObject, _ open: inout [OpenReference]
    ) throws -> [(position: Int, target: StagedTarget)] {
        let plan = object.plan
        var targets: [(position: Int, target: StagedTarget)] = []
        for member in object.related {
            guard case .attribute(let position) = member.slot, plan.identifying.contains(position),
                !plan.isTakenOver(member.name),
                let target = try stageTarget(at: position, member, of: object, parent)
            else { continue }
            targets.append((position, target))
            guard case .row(let targetRow, _) = target, let entity = plan.entity.attributes[position].reference?.entity
            else { continue }
            let reference = OpenReference(
                position: position, entity: try schema.position(ofEntity: entity), row: targetRow)
            if let reference = identify(object, by: reference) { open.append(reference) }
        }
        object.related.removeAll { member in
            guard case .attribute(let position) = member.slot else { return false }
            return plan.identifying.contains(position) && !plan.isTakenOver(member.name)
        }
        return targets
    }
}
