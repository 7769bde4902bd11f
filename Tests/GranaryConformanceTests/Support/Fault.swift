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
}
