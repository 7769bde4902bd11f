import Granary

@Record struct Member {
    @Key var name: String
    var band: Ref<Band>
    var friend: Ref<Member>?
    static let pupils = Band.fields.leader
    static let bands = ManyToMany(\Band.Fields.guests)
    static let led = ToMany(\Band.Fields.leader)
    static let namesake = Inverse(\Fame.Fields.member)
}

/// Modules and programs have such types too.
enum Clash {
    struct Entity {}
    struct Attribute {}
    struct Field {}
    struct Index {}
    struct JSON {}
    struct Row {}
    struct RowWriter {}
    struct ScaledDecimal {}
    enum Record {}

    @Record struct Inner {
        @Key var id: Int
        @Attribute(.json) var a: [Int]
        @Index var b: Int
    }
}

@Record struct Fame {
    @Key var id: Int64
    var member: Ref<Member>
    @Reference(onDelete: .noAction) var seen: Ref<Member>?
}

extension Band {
    /// Needs the members that the macro writes for a record of another file.
    static var joined: [String] { [Band.fields.everybody.path, Member.fields.bands.path] }
}
