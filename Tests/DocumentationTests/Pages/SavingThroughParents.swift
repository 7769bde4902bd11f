import Granary

@MainActor func saveThroughParents(_ stack: Stack) throws -> [SaveResult] {
    let main = try stack.mainContext
    let page = try main.makeChild(named: "page")
    let field = try page.makeChild(named: "field")

    let artist = try field.insert(Artist(name: "Nina Simone"))
    // One level up: pending in `page`, unknown to `main` and to the store.
    let handed = try field.saveToParent()
    try page.insert(Song(title: "Feeling Good", artist: Ref(artist)))
    try main.insert(Artist(name: "Prince"))

    // To the store: `field` is clean, and what `page` and `main` hold is saved, in one transaction.
    let saved = try field.blocking.save()
    // Nothing is left.
    return [handed, saved, try main.blocking.save()]
}
