/// Marks the property that identifies a record, in a struct marked ``Record(_:renamedFrom:indexes:unique:words:)``.
///
/// ```swift
/// @Key var id: Int64                          // given by you
/// @Key(.assigned) var id: Int64 = 0           // 0 until the store gives it the next number
/// @Key var id = UUID.timeOrdered()            // grows with time, made without asking a store
/// @Key var code: String                       // `id` is then another name for it
/// ```
///
/// A record has exactly one key, which is not optional and is an `Int64`, `Int`, `UUID`, `String` or a ``RecordKey`` of
/// your own. The key is always unique and indexed. Only an `Int64` or `Int` can be assigned.
@attached(peer)
public macro Key(_ generation: KeyGeneration = .explicit) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Gives a property an index: conditions and orders on it need not look at every record.
///
/// ```swift
/// @Index var name: String
/// ```
///
/// An index over several properties is given to the record: `@Record(indexes: [["name", "born"]])`. A `Ref` always has
/// an index.
///
/// For conditions and orders that ignore case or diacritics, the index must ignore them too. Such an index does not
/// serve other conditions and orders, so a text that is queried in both ways has two:
///
/// ```swift
/// @Index(.caseInsensitive) var name: String
/// @Index @Index(.caseInsensitive, .diacriticInsensitive) var title: String
/// ```
///
/// - Parameter folding: what the index ignores in texts; nothing if left out.
@attached(peer)
public macro Index(_ folding: TextFolding...) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Requires that no two records have the same value of the property; also an index.
///
/// ```swift
/// @Unique var isrc: String?
/// ```
///
/// Any number of records may have nil. Writing a second record with the same value throws `uniqueness`. For a
/// combination of properties: `@Record(unique: [["name", "born"]])`. Uniqueness holds at the end of a call: records
/// that are updated together may exchange values, and `updateAll` may shift them.
///
/// With a folding, values that differ only in what the folding ignores count as equal: only one of `ABBA` and `Abba` is
/// stored with
///
/// ```swift
/// @Unique(.caseInsensitive) var name: String
/// ```
///
/// - Parameter folding: what is ignored in texts; nothing if left out.
@attached(peer)
public macro Unique(_ folding: TextFolding...) = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Says how a property is stored, under which name, and how contexts merge it.
///
/// ```swift
/// @Attribute(.json) var settings: Settings              // any Codable & Sendable type
/// @Attribute(.scaled(2)) var price: Decimal             // an integer of hundredths in the store
/// @Attribute(name: "first_name") var firstName: String
/// @Attribute(.agreeing) var title: String               // changed alike on both sides is no conflict
/// @Attribute(.external) var photo: Data?                // large values in files of their own
/// @Attribute(renamedFrom: "name") var heading: String   // a store that has a `name` keeps its values
/// ```
///
/// In queries the field of a JSON attribute is a `Field<Artist, JSON<Settings>>`, that of a scaled one a
/// `Field<Artist, ScaledDecimal<2>>`.
///
/// - Parameters:
///   - kinds: how the value is stored; by default the type decides. `.agreeing` and `.external` may stand alone or
///     beside another kind.
///   - name: a letter or `_`, then letters, digits and `_`, at most 63 bytes. The property's name if nil.
///   - renamedFrom: earlier names of the attribute, the newest first. They may stay in the code for good.
@attached(peer)
public macro Attribute(_ kinds: AttributeKind..., name: String? = nil, renamedFrom: String...) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Keeps a property out of the store.
///
/// ```swift
/// @Transient var isSelected = false
/// ```
///
/// It needs a default value. A record that is read from the store has that value.
@attached(peer)
public macro Transient() = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Counts the changes of a record: optimistic locking.
///
/// ```swift
/// @Version var version = 0
/// ```
///
/// Granary raises the version by one at each change of the record in the store. If a change is based on another version
/// than the stored one, it is a conflict, even if different attributes were changed: `update(_:)` and `upsert(_:)`
/// throw `mergeConflict`; the save of a context and `update(_:from:)` apply the merge policy. An update to equal values
/// does not raise the version. The version of a given record is compared, never stored; a new record keeps its own.
/// `updateAll` raises the version of every matching record. Delete rules that set references to nil do not raise it.
///
/// A record has at most one version. It is an integer, is not optional, and is not the key.
@attached(peer)
public macro Version() = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Keeps the time at which a record was inserted.
///
/// ```swift
/// @CreatedAt var created: Date?
/// @UpdatedAt var changed: Date?
/// ```
///
/// It is set at the end of the write that inserts the record, however it is written, and is the same for all records of
/// a write. A time that the new record has is kept, such as that of an import. If a record is replaced by one without a
/// time, the time stays; an `updateAll` that sets it to nil gives it the time of that write. The inserted value itself
/// has none until it is read again.
///
/// The time is that of the stack's clock: see ``Stack``. A process that opens the store without the record types, such
/// as the `granary` tool, sets none; nor do seeds, copies and migrations. Needs a store with
/// ``Capability/changeRecording``.
@attached(peer)
public macro CreatedAt() = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Keeps the time at which a record was inserted or last changed.
///
/// ```swift
/// @UpdatedAt var changed: Date?
/// ```
///
/// It is set at the end of each write that changes the record, before the hooks of ``RecordHooks`` are called: also by
/// `updateAll`, imports, SQL, and delete rules that set references to nil. A write cannot set another time. The rest is
/// as with ``CreatedAt()``.
@attached(peer)
public macro UpdatedAt() = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Decides what happens to a record when the record that it refers to is deleted.
///
/// ```swift
/// @Reference(onDelete: .cascade) var artist: Ref<Artist>
/// ```
///
/// Without it a required relationship has the rule ``DeleteRule/deny`` and an optional one ``DeleteRule/nullify``.
@attached(peer)
public macro Reference(onDelete: DeleteRule) = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Makes the words of a text searchable: ``SearchText`` says which records a search finds.
///
/// ```swift
/// @Searchable(weight: 3) var title: String
/// @Searchable var lyrics: String?
/// @Searchable @Attribute(.json) var tags: [String]
///
/// Song.where { $0.search("purple haze") }.sorted(by: .rank)
/// ```
///
/// Of JSON the strings are searched, and not the names of members. A word belongs to one attribute: a phrase never goes
/// on in the next one, nor in the next string of JSON.
///
/// How words are found, with a tokenizer of the app or without the stop words of a language, is said for the whole
/// record: `@Record(words:)`.
///
/// - Parameters:
///   - group: The name of a group of attributes that are searched together: `@Searchable("people") var composer: String`
///     and `$0.search(.all("hendrix").in("people"))`. No property may have the name.
///   - weight: How much a word in it counts for the rank, beside 1 for other attributes: more than 0, and at most
///     1 000 000.
@attached(peer)
public macro Searchable(_ group: String? = nil, weight: Double = 1) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")
