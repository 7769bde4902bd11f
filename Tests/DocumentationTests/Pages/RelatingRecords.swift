import Granary

@Record struct Playlist {
    @Key(.assigned) var id: Int64 = 0
    var name: String
    static let tracks = ManyToMany(Track.self, ordered: true)
}

@Record struct Track {
    @Key(.assigned) var id: Int64 = 0
    var title: String
}

func arrange(_ playlist: Playlist, _ tracks: [Track], in tx: Transaction) throws -> [String] {
    try playlist.tracks.replace(with: tracks, in: tx)
    try playlist.tracks.move(from: 0, to: tracks.count - 1, in: tx)
    if let first = tracks.first { try playlist.tracks.remove(first, in: tx) }
    return try playlist.tracks.all.fetch(in: tx).map(\.title)
}

@Record struct Student {
    @Key(.assigned) var id: Int64 = 0
    var name: String
    static let courses = ManyToMany(Course.self)
}

@Record struct Course {
    @Key(.assigned) var id: Int64 = 0
    var title: String
    static let students = ManyToMany(\Student.Fields.courses)
}

func enrol(_ student: Student, in course: Course, _ tx: Transaction) throws -> [String] {
    try course.students.add(student, in: tx)
    return try student.courses.all.fetch(in: tx).map(\.title)
}

@Record struct Tape {
    @Key(.assigned) var id: Int64 = 0
    var name: String
    static let cuts = ToMany(\Cut.Fields.tape, onDelete: .cascade, orderedBy: \.place)
}

@Record(indexes: [["tape", "place"]]) struct Cut {
    @Key(.assigned) var id: Int64 = 0
    var title: String
    var place = 0
    var tape: Ref<Tape>
}

func arrange(_ tape: Tape, in tx: Transaction) throws -> [String] {
    let cuts = try tx.insert(["a", "b", "c"].map { Cut(title: $0, tape: Ref(tape)) })
    try tape.cuts.replace(with: cuts.reversed(), in: tx)
    try tape.cuts.insert(cuts[0], at: 1, in: tx)
    return try tape.cuts.all.fetch(in: tx).map { "\($0.title)\($0.place)" }
}
