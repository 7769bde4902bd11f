import Granary

/// A relationship named by the other record's field, as a declaration of a to-many is.
struct Inverse<Root: Record, Target: Record>: Sendable {
    let name: String

    init(_ path: KeyPath<Target.Fields, Field<Target, Ref<Root>>>) { name = Target.fields[keyPath: path].attributePath }
}

@Record struct Band {
    @Key var id: Int64
    var parent: Ref<Band>?
    var leader: Ref<Member>?
    static let members = Inverse(\Member.Fields.band)
    static let everybody = ToMany(\Member.Fields.band)
    static let guests = ManyToMany(Member.self)
}

extension Band {
    static let all2 = Band.all.where { $0.leader == nil }
}
