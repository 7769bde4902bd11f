/// Marks the property that tells records apart, in a struct marked ``Record(_:renamedFrom:indexes:unique:)``.
///
/// ```swift
/// @Key var id: Int64                          // given by you
/// @Key(.assigned) var id: Int64 = 0           // 0 until the store gives it the next number
/// @Key var id = UUID.timeOrdered()            // grows with time, made without asking a store
/// @Key var code: String                       // `id` is then another name for it
/// ```
///
/// A record has exactly one key, which is not optional and is an `Int64`, `Int`, `UUID`, `String` or a ``RecordKey`` of
/// your own. It is unique and indexed without saying so. Only an `Int64` or `Int` can be assigned.
@attached(peer)
public macro Key(_ generation: KeyGeneration = .explicit) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Gives a property an index: conditions and orders on it need not look at every record.
///
/// ```swift
/// @Index var name: String
/// ```
///
/// An index over several properties is given to the record: `@Record(indexes: [["name", "born"]])`. A `Ref` has one as
/// it is.
///
/// For conditions and orders that overlook case or diacritics the index does so too; it is of no use to others, so that
/// a text that is asked for both ways has two:
///
/// ```swift
/// @Index(.caseInsensitive) var name: String
/// @Index @Index(.caseInsensitive, .diacriticInsensitive) var title: String
/// ```
///
/// - Parameter folding: what the index overlooks in texts; nothing if left out.
@attached(peer)
public macro Index(_ folding: TextFolding...) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Makes a property's values differ from record to record; also an index.
///
/// ```swift
/// @Unique var isrc: String?
/// ```
///
/// Any number of records may have nil. A second record with the same value is a `uniqueness` error when it is written.
/// For a combination of properties: `@Record(unique: [["name", "born"]])`. Uniqueness holds at the end of a call: records
/// that are updated together may exchange values, and `updateAll` may shift them.
///
/// With a folding the values differ in more than what that overlooks: of `ABBA` and `Abba` only one is stored with
///
/// ```swift
/// @Unique(.caseInsensitive) var name: String
/// ```
///
/// - Parameter folding: what is overlooked in texts; nothing if left out.
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
///   - kinds: how the value is stored, as its type says if left out; `.agreeing` and `.external` as well or alone.
///   - name: a letter or `_`, then letters, digits and `_`, at most 63 bytes. The property's name if nil.
///   - renamedFrom: the names that the attribute had before, the newest first. They may stay in the code for good.
@attached(peer)
public macro Attribute(_ kinds: AttributeKind..., name: String? = nil, renamedFrom: String...) =
    #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Keeps a property out of the store.
///
/// ```swift
/// @Transient var isSelected = false
/// ```
///
/// It needs a default, which a record that is read from the store has.
@attached(peer)
public macro Transient() = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Counts the changes of a record: optimistic locking.
///
/// ```swift
/// @Version var version = 0
/// ```
///
/// Granary raises it by one at each change of the record in the store. What was changed from a record of another version
/// than the store has is a conflict, also where different attributes were changed: `update(_:)` and `upsert(_:)` of such a
/// record throw `mergeConflict`; the save of a context and `update(_:from:)` leave it to the merge policy. An update to equal
/// values raises nothing. A value that is given to the version is compared, never stored; a new record keeps its own.
/// `updateAll` raises the version of every record it names. What delete rules set to nil raises nothing.
///
/// A record has at most one version, an integer that is not optional and not the key.
@attached(peer)
public macro Version() = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")

/// Says what becomes of a record when the one it refers to is deleted.
///
/// ```swift
/// @Reference(onDelete: .cascade) var artist: Ref<Artist>
/// ```
///
/// Without it a required relationship is ``DeleteRule/deny`` and an optional one ``DeleteRule/nullify``.
@attached(peer)
public macro Reference(onDelete: DeleteRule) = #externalMacro(module: "GranaryMacros", type: "MarkerMacro")
