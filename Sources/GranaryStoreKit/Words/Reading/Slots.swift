/// How much a place in a slot counts.
struct SlotWeights {
    /// By slot; 1 for the others. Nil: 1 for all.
    let weights: [Double]?

    @inline(__always) subscript(place: UInt64) -> Double {
        guard let weights else { return 1 }
        let slot = Int(place >> 32)
        return slot < weights.count ? weights[slot] : 1
    }
}

/// The slots that a term is looked for in.
struct SlotChoice {
    private let isChosen: [Bool]

    init(_ slots: [Int]) {
        var isChosen: [Bool] = []
        for slot in slots where 0...PostingBody.greatestSlot ~= slot {
            if isChosen.count <= slot { isChosen += [Bool](repeating: false, count: slot + 1 - isChosen.count) }
            isChosen[slot] = true
        }
        self.isChosen = isChosen
    }

    func contains(_ place: UInt64) -> Bool {
        let slot = Int(place >> 32)
        return slot < isChosen.count && isChosen[slot]
    }
}
