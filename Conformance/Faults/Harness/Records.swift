import Granary

/// An account: a unique name, and a text that is long now and then.
@Record struct Account: Equatable {
    @Key var id: Int64
    @Unique var name: String
    var note: String
    @Index var total: Int64
}

/// An entry of an account, deleted with it; a second account may be named, and is forgotten when that is deleted.
@Record struct Entry: Equatable {
    @Key var id: Int64
    @Reference(onDelete: .cascade) var account: Ref<Account>
    @Reference(onDelete: .nullify) var other: Ref<Account>?
    var amount: Int64
}

/// The last step that a writer has committed.
@Record struct Progress: Equatable {
    @Key var id: Int64
    var step: Int64
}
