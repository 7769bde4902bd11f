import Granary

@Record struct Label {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
}

@Record struct Album {
    @Key(.assigned) var id: Int64 = 0
    @Index var title: String
    var rating: Double?
    var label: Ref<Label>?
}

let liked = Album.where { $0.rating >= 4.5 && $0.label.name == "Blue Note" }.sorted(by: \.title)
