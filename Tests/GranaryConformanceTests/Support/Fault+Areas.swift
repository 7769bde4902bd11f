import ConformanceKit

extension Fault {
    /// The areas of the suite with a case that catches the fault. Only these are run, in this order.
    var areas: [ConformanceCase.Area] {
        switch self {
        case .dropsLastWrite, .ignoresRollback, .ignoresSavepointRollback, .failedStatementLeavesParts,
            .cursorsOutliveWrites, .numbersEmptyCommits, .numberNeverGrows:
            [.transactions]
        case .readersSeeLaterCommits, .readersLagBehind, .readersSeeUncommitted: [.isolation]
        case .ignoresCancellation: [.concurrency]
        case .stacksShareNothing, .claimsPersistence, .claimsRowChecksums: [.opening]
        case .ordersNilLast, .breaksTiesAscending, .ordersTextByCharacter, .limitIsOneMore, .ignoresOffset,
            .countIgnoresLimit, .ignoresNilPosition:
            [.order]
        case .notEqualLosesNil, .amongLosesNil: [.nulls]
        case .lessOrEqualIsLess, .unionLosesSecondHalf: [.predicates]
        case .uniquenessIsNotChecked, .nilIsUnique: [.uniqueness]
        case .updateInserts, .insertReplaces, .losesDeletes: [.records]
        case .referencesAreNotChecked, .cascadesNothing: [.references]
        case .assignsKeysAgain, .cutsTextAtNUL: [.keys]
        case .noneNeedsSome, .pathLosesNil, .relatedIgnoresCondition: [.relationships]
        case .textLosesNil, .foldsCaseAlone: [.text]
        case .subqueryIgnoresLimit: [.subqueries]
        case .distinctLosesNil, .limitsBeforeDistinct: [.projections]
        case .sumsDuplicatesOnce, .sumsAsTheyCome, .countsNil, .averageIsWhole: [.aggregates]
        case .groupsLoseNil: [.groups]
        case .fillingRepeatsRow, .fillingDropsLastRow, .fillingForgetsNumber, .fillingForgetsHistory,
            .copyReplacesStore, .copyForgetsSteps:
            [.copy]
        case .fillingForgetsKeys, .fillingSkipsReferences, .fillingIgnoresUniqueness, .fillingForgetsIndexes,
            .failedFillingStays, .ignoresContents, .fillsExistingStores:
            [.seed]
        case .fillingCommitsWhenItFails, .seedIsForgotten, .resetDoesNothing, .resetKeepsRecords, .resetKeepsHistory,
            .resetAssignsKeysAgain, .resetNumbersAgain, .failedResetLosesRecord, .resetDoesNotGoLive, .resetMovesReads,
            .destroyDoesNothing, .closingKeepsOpen:
            [.reset]
        case .migrationLosesValue, .migrationIgnoresRename, .migrationIgnoresDefault, .migrationSkipsUniqueness,
            .failedMigrationLosesRecord, .migrationOnlyClaims, .migrationIgnoresPolicy, .migrationForgetsHistory,
            .migrationForgetsKeys:
            [.migration]
        case .compactingLosesRecord, .compactingNumbersCommit, .compactingForgetsHistory, .compactingForgetsKeys:
            [.compacting]
        case .rebuildingLosesRecord, .verifyInventsFault: [.verify]
        case .notesNothing, .notesAllButLast, .notesAgain, .notesOtherKeys, .notesInsertsAsUpdates,
            .notesDeletesAsUpdates, .notesNoAttributes, .notesRolledBack, .notesNoDeleteRules, .historyRepeats,
            .historyIsReversed, .historyIgnoresLimit, .historyForgetsAuthors, .historyKeepsAll, .stacksShareNoObservers:
            [.history]
        }
    }

    /// The area of random cases that catches the fault without any other case, or nil: a schema, a capability, a second stack
    /// or a rounded value that no random case has is needed.
    var randomArea: ConformanceCase.Area? {
        switch self {
        case .dropsLastWrite, .ignoresRollback, .ignoresSavepointRollback, .failedStatementLeavesParts,
            .numberNeverGrows, .readersSeeLaterCommits, .readersLagBehind, .ordersNilLast, .breaksTiesAscending,
            .ordersTextByCharacter, .limitIsOneMore, .ignoresOffset, .countIgnoresLimit, .notEqualLosesNil,
            .amongLosesNil, .lessOrEqualIsLess, .unionLosesSecondHalf, .uniquenessIsNotChecked, .nilIsUnique,
            .updateInserts, .insertReplaces, .losesDeletes, .referencesAreNotChecked, .cascadesNothing, .cutsTextAtNUL:
            .programs
        case .noneNeedsSome, .pathLosesNil, .textLosesNil, .foldsCaseAlone, .subqueryIgnoresLimit,
            .relatedIgnoresCondition, .ignoresNilPosition, .distinctLosesNil, .limitsBeforeDistinct,
            .sumsDuplicatesOnce, .countsNil, .groupsLoseNil:
            .differential
        case .claimsPersistence, .claimsRowChecksums, .stacksShareNothing, .ignoresCancellation, .cursorsOutliveWrites,
            .assignsKeysAgain, .readersSeeUncommitted, .numbersEmptyCommits, .notesNothing, .averageIsWhole,
            .sumsAsTheyCome,
            .fillingRepeatsRow, .fillingDropsLastRow, .fillingForgetsKeys, .fillingForgetsNumber,
            .fillingForgetsHistory, .fillingSkipsReferences, .fillingIgnoresUniqueness, .fillingForgetsIndexes,
            .fillingCommitsWhenItFails, .failedFillingStays, .ignoresContents, .fillsExistingStores,
            .copyReplacesStore, .copyForgetsSteps, .seedIsForgotten, .resetDoesNothing, .resetKeepsRecords,
            .resetKeepsHistory, .resetAssignsKeysAgain, .resetNumbersAgain, .failedResetLosesRecord,
            .resetDoesNotGoLive, .resetMovesReads, .destroyDoesNothing, .closingKeepsOpen, .migrationLosesValue,
            .migrationIgnoresRename, .migrationIgnoresDefault, .migrationSkipsUniqueness,
            .failedMigrationLosesRecord, .migrationOnlyClaims, .migrationIgnoresPolicy, .migrationForgetsHistory,
            .migrationForgetsKeys, .compactingLosesRecord, .compactingNumbersCommit, .compactingForgetsHistory,
            .compactingForgetsKeys, .rebuildingLosesRecord, .verifyInventsFault, .notesAllButLast, .notesAgain,
            .notesOtherKeys, .notesInsertsAsUpdates, .notesDeletesAsUpdates, .notesNoAttributes, .notesRolledBack,
            .notesNoDeleteRules, .stacksShareNoObservers, .historyRepeats, .historyIsReversed, .historyIgnoresLimit,
            .historyForgetsAuthors, .historyKeepsAll:
            nil
        }
    }
}
