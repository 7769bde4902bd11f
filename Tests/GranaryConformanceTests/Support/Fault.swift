/// A way in which a store can be wrong. Each must be caught by the suite.
enum Fault: String, CaseIterable, Sendable {
    /// The last statement of a commit is not in it.
    case dropsLastWrite
    /// A transaction that is rolled back is committed.
    case ignoresRollback
    /// A savepoint that is rolled back is kept.
    case ignoresSavepointRollback
    /// Nil comes last ascending.
    case ordersNilLast
    /// Ties are broken by ascending key whatever the order's direction.
    case breaksTiesAscending
    /// Text is ordered as Swift's strings are.
    case ordersTextByCharacter
    /// One record more than the limit.
    case limitIsOneMore
    case ignoresOffset
    case countIgnoresLimit
    /// `!=` is false of nil, as in SQL.
    case notEqualLosesNil
    /// `<=` is `<`.
    case lessOrEqualIsLess
    /// `in` with nil in its list does not match nil.
    case amongLosesNil
    case uniquenessIsNotChecked
    /// Two records with nil in a unique attribute clash.
    case nilIsUnique
    /// An update of a record that is not there inserts it.
    case updateInserts
    /// An insert over a record that is there replaces it.
    case insertReplaces
    /// A deletion says that it deleted and does not.
    case losesDeletes
    /// A bulk update that fails has changed the first of its records.
    case failedStatementLeavesParts
    case referencesAreNotChecked
    /// Records that refer to a deleted one by a cascading reference stay, their reference nil.
    case cascadesNothing
    /// A key of a deleted record is assigned again.
    case assignsKeysAgain
    /// Text ends at its first NUL.
    case cutsTextAtNUL
    /// A snapshot sees what is committed after it was begun.
    case readersSeeLaterCommits
    /// A snapshot begun after a commit does not see it.
    case readersLagBehind
    /// A snapshot sees what the open transaction has written.
    case readersSeeUncommitted
    case cursorsOutliveWrites
    /// A write that changed nothing is numbered.
    case numbersEmptyCommits
    case numberNeverGrows
    /// A read goes on after its task was cancelled.
    case ignoresCancellation
    /// Two stacks on one path have a store each.
    case stacksShareNothing
    /// It says that it persists.
    case claimsPersistence
    /// It says that it checks rows, against its author's word.
    case claimsRowChecksums
    /// Of an `or` the second half is not looked at.
    case unionLosesSecondHalf
    /// No related record of which something holds: false where there are none at all.
    case noneNeedsSome
    /// What is not so of a path is false where the path is nil.
    case pathLosesNil
    /// A text that does not match: false of nil.
    case textLosesNil
    /// Diacritics are never overlooked.
    case foldsCaseAlone
    /// A subquery gives all its values, whatever its limit.
    case subqueryIgnoresLimit
    /// Related records are counted and summed whatever the condition on them.
    case relatedIgnoresCondition
    /// Nils come where they do by default.
    case ignoresNilPosition
    /// A row of nils is not among different rows.
    case distinctLosesNil
    /// A limit counts rows before equal ones are left out.
    case limitsBeforeDistinct
    /// Equal values are summed once.
    case sumsDuplicatesOnce
    /// Doubles are added one after the other.
    case sumsAsTheyCome
    /// Values are counted, nil too.
    case countsNil
    /// Averages of integers are integers.
    case averageIsWhole
    /// There is no group of nil.
    case groupsLoseNil
    /// What a commit changes is never noted.
    case notesNothing

    // Filling: a copy, a seed, a reset or a migration writes the contents of a store.

    /// A row is appended twice.
    case fillingRepeatsRow
    /// The last row is not appended.
    case fillingDropsLastRow
    /// The next assigned key is one more than the greatest key, not than the greatest that was ever assigned.
    case fillingForgetsKeys
    /// The commit has the number 1.
    case fillingForgetsNumber
    case fillingForgetsHistory
    /// References are not checked, although the caller asks for it.
    case fillingSkipsReferences
    /// A new store that is filled does not check its unique indexes.
    case fillingIgnoresUniqueness
    /// After filling, a query that an index answers finds no record.
    case fillingForgetsIndexes
    /// Records are committed although the filling failed.
    case fillingCommitsWhenItFails
    /// A new store whose filling fails stays, empty.
    case failedFillingStays
    /// A new store is empty, whatever contents it is opened with.
    case ignoresContents
    /// A store that exists is filled again.
    case fillsExistingStores
    /// A copy replaces the store at its place.
    case copyReplacesStore
    /// A copy does not know the migration steps that the store has taken.
    case copyForgetsSteps
    /// The store does not know from which seed it was made.
    case seedIsForgotten

    // Resets.

    case resetDoesNothing
    case resetKeepsRecords
    case resetKeepsHistory
    case resetAssignsKeysAgain
    /// The commit of a reset has the number 1.
    case resetNumbersAgain
    /// A reset that fails has deleted a record.
    case failedResetLosesRecord
    /// Contexts and observers are not told that the new contents are live.
    case resetDoesNotGoLive
    /// A read that began before a reset goes on with the new contents.
    case resetMovesReads
    case destroyDoesNothing
    /// A store that was closed counts as open.
    case closingKeepsOpen

    // Migrations.

    /// Of migrated records, the last optional attribute is nil.
    case migrationLosesValue
    /// Earlier names of attributes and entities are ignored.
    case migrationIgnoresRename
    /// Migrated records have zero or an empty text instead of an attribute's default.
    case migrationIgnoresDefault
    /// An index that becomes unique is not checked.
    case migrationSkipsUniqueness
    /// A migration that fails has deleted a record.
    case failedMigrationLosesRecord
    /// The store says that it has the new schema and keeps the old one.
    case migrationOnlyClaims
    /// The store is migrated although the policy refuses it.
    case migrationIgnoresPolicy
    case migrationForgetsHistory
    /// Keys of records that were deleted before a migration are assigned again.
    case migrationForgetsKeys

    // Compacting, verifying, making indexes anew.

    case compactingLosesRecord
    /// Compacting is a commit with a number of its own.
    case compactingNumbersCommit
    case compactingForgetsHistory
    case compactingForgetsKeys
    case rebuildingLosesRecord
    /// `verify` returns a fault of a whole store.
    case verifyInventsFault

    // What is noted of a commit, and the history.

    /// The last change of a commit is not noted.
    case notesAllButLast
    /// The changes of the commit before are noted again.
    case notesAgain
    /// The key after the changed record's is noted.
    case notesOtherKeys
    /// Insertions are noted as updates.
    case notesInsertsAsUpdates
    /// Deletions are noted as updates.
    case notesDeletesAsUpdates
    /// Of an update, no attribute is noted.
    case notesNoAttributes
    /// Changes of a savepoint that is rolled back are noted.
    case notesRolledBack
    /// Records that a delete rule deletes are not noted.
    case notesNoDeleteRules
    /// Each stack is told of its own commits only.
    case stacksShareNoObservers
    /// The history after a commit begins with that commit.
    case historyRepeats
    /// The newest entry of the history comes first.
    case historyIsReversed
    case historyIgnoresLimit
    case historyForgetsAuthors
    /// Entries of the history are never deleted.
    case historyKeepsAll
}
