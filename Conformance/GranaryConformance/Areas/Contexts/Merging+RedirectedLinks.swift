import ConformanceKit
import GranaryCore

// Find or make a tag, and link it: if the tag's unique name was taken meanwhile, the link leads to the tag that has it.

/// What two sides do to a story with the tags 1 and 2. Tag 9 is made here, and tag 3 with the same name there.
private struct LinkCase: Sendable {
    var name: String
    var here: @Sendable (_ tag: Tag, EditContext) throws -> Void
    var there: @Sendable (_ tag: Tag, Transaction) throws -> Void = { _, _ in }
    /// The tags of the story afterwards, in its order.
    var result: [Int64]
}

private let story = Story(id: 1)

private let linkCases: [LinkCase] = [
    LinkCase(name: "linked last", here: { try $1.link($0) }, result: [1, 2, 3]),
    LinkCase(name: "linked first", here: { try $1.link($0, at: 0) }, result: [3, 1, 2]),
    LinkCase(name: "linked between", here: { try $1.link($0, at: 1) }, result: [1, 3, 2]),
    LinkCase(
        name: "linked last, linked there too", here: { try $1.link($0) }, there: { try $1.link($0) },
        result: [1, 2, 3]),
    LinkCase(
        name: "linked first, linked there too", here: { try $1.link($0, at: 0) }, there: { try $1.link($0) },
        result: [1, 2, 3]),
    LinkCase(
        name: "linked last, another linked there", here: { try $1.link($0) },
        there: { try $1.link(Tag(id: 4)) }, result: [1, 2, 4, 3]),
    LinkCase(
        name: "linked first, moved there", here: { try $1.link($0, at: 0) },
        there: { try story.listed.move(from: 1, to: 0, in: $1) }, result: [3, 2, 1]),
    LinkCase(
        name: "linked after a move, linked first there",
        here: {
            try story.listed.move(from: 1, to: 0, in: $1)
            try $1.link($0)
        }, there: { try $1.link($0, at: 0) }, result: [2, 3, 1]),
]

extension Context {
    fileprivate func link(_ tag: Tag, at place: Int? = nil) throws {
        try story.tags.add(keys: [tag.id], in: self)
        if let place {
            try story.listed.insert(tag, at: place, in: self)
        } else {
            try story.listed.add(keys: [tag.id], in: self)
        }
    }
}

extension ReadContext {
    fileprivate func expectTags(_ keys: [Int64], _ what: String, line: Int = #line) throws {
        try expectEqual(try story.listed.all.fetch(in: self).map(\.id), keys, "in order, \(what)", line: line)
        try expectEqual(try story.tags.all.fetch(in: self).map(\.id), keys.sorted(), what, line: line)
    }
}

var redirectedLinksCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.led-links", in: .merging,
            "a link to a new record that is given up for its unique value leads to the one that has it, in its place"
        ) { trial in
            let stack = try trial.open(Story.schema)
            for (number, linkCase) in linkCases.enumerated() {
                for isChild in [false, true] {
                    let what = "\(linkCase.name)\(isChild ? ", in a child" : "")"
                    try fill(stack)
                    let parent = try stack.makeContext()
                    let context = try isChild ? parent.makeChild() : parent
                    context.mergePolicy = number % 2 == 0 ? .storeWins : .rollBack
                    try linkCase.here(try context.findOrMake(9), context)
                    try stack.blocking.write { try linkCase.there(try $0.findOrMake(3), $0) }
                    let result = try context.blocking.save()
                    try expectEqual(result.conflicts.map(\.kind), [.uniqueness], what)
                    try expectEqual(result.conflicts.map(\.holder?.key), [.integer(3)], what)
                    try expectEqual(result.droppedLinks, [], what)
                    try expect(!context.hasChanges && !parent.hasChanges, "changes are left, \(what)")
                    try context.expectTags(linkCase.result, what)
                    try stack.blocking.read { try $0.expectTags(linkCase.result, what) }
                    try expectEqual(try stack.blocking.read { try $0.count(Tag.all) }, 4, what)
                    try expectEqual(try stack.blocking.verify(), [], what)
                }
            }
        },
        ConformanceCase(
            "merging.led-links-twice", in: .merging,
            "a story that was linked here to both tags with one name is linked once to the one that stays"
        ) { trial in
            let stack = try trial.open(Story.schema)
            try fill(stack)
            let context = try stack.makeContext()
            context.mergePolicy = .storeWins
            try context.link(try context.findOrMake(9))
            try stack.blocking.write { _ = try $0.findOrMake(3) }
            try context.link(Tag(id: 3), at: 0)
            try expectEqual(try context.blocking.save().conflicts.map(\.kind), [.uniqueness])
            try stack.blocking.read { try $0.expectTags([3, 1, 2], "linked to both") }
        },
        ConformanceCase(
            "merging.led-links-parent", in: .merging, "a child's link leads to the tag that its parent has made"
        ) { trial in
            let stack = try trial.open(Story.schema)
            try fill(stack)
            let parent = try stack.makeContext()
            let child = try parent.makeChild()
            child.mergePolicy = .storeWins
            try child.link(try child.findOrMake(9), at: 1)
            try parent.link(try parent.findOrMake(3))
            try expectEqual(try child.saveToParent().conflicts.map(\.kind), [.uniqueness])
            try parent.expectTags([1, 2, 3], "in the parent")
            try parent.blocking.save()
            try stack.blocking.read { try $0.expectTags([1, 2, 3], "in the store") }
        },
        ConformanceCase(
            "merging.led-links-child", in: .merging,
            "a child's link to a tag of its parent leads to the tag that stays, if the parent's save gave the tag up"
        ) { trial in
            let stack = try trial.open(Story.schema)
            for parentLinks in [false, true] {
                try fill(stack)
                let parent = try stack.makeContext()
                parent.mergePolicy = .storeWins
                let child = try parent.makeChild()
                let tag = try parent.findOrMake(9)
                if parentLinks { try parent.link(tag) }
                let other = try parent.makeChild()
                try child.link(tag)
                try other.link(tag)
                try stack.blocking.write { _ = try $0.findOrMake(3) }
                try expectEqual(try parent.blocking.save().conflicts.map(\.holder?.key), [.integer(3)])
                try expectEqual(try child.blocking.save().droppedLinks, [])
                try other.saveToParent()
                try parent.expectTags([1, 2, 3], "in the parent")
                try parent.blocking.save()
                try stack.blocking.read { try $0.expectTags([1, 2, 3], "in the store") }
                try expectEqual(try stack.blocking.verify(), [])
            }
        },
    ]
}

extension Context {
    /// The tag with the new name; if it is not there, it is made with this key.
    fileprivate func findOrMake(_ key: Int64) throws -> Tag {
        try Tag.where { $0.label == "new" }.findOrCreate(in: self) { Tag(id: key, label: "new") }
    }
}

/// A story with two tags, and a third one.
private func fill(_ stack: Stack) throws {
    try stack.blocking.write { tx in
        try Story.deleteAll(in: tx)
        try Tag.deleteAll(in: tx)
        try tx.insert([Tag(id: 1, label: "one"), Tag(id: 2, label: "two"), Tag(id: 4, label: "four")])
        try tx.insert(story)
        try story.tags.add(keys: [1, 2], in: tx)
        try story.listed.add(keys: [1, 2], in: tx)
    }
}
