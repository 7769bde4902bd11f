/// The first `limit` of all added elements, in an order that the caller passes, the same each time.
///
/// When it is full it is a max-heap: the root is evicted next.
///
/// `@inlinable`: its order is called for each added row.
@frozen @usableFromInline package struct FirstElements<Element> {
    @usableFromInline package typealias Order = (Element, Element) -> Bool

    @usableFromInline var elements: ContiguousArray<Element> = []
    @usableFromInline let limit: Int

    @inlinable package init(limit: Int) { self.limit = limit }

    /// The element that a further element must come before; nil while there is room.
    @inlinable package var last: Element? { elements.count < limit ? nil : elements.first }

    @inlinable package mutating func add(_ element: Element, _ isBefore: Order) {
        if elements.count < limit {
            elements.append(element)
            guard elements.count == limit else { return }
            for place in (0..<limit / 2).reversed() { sink(place, isBefore) }
        } else if let last = elements.first, isBefore(element, last) {
            elements[0] = element
            sink(0, isBefore)
        }
    }

    /// Moves an element down until no element below it comes after it.
    @inlinable mutating func sink(_ start: Int, _ isBefore: Order) {
        var place = start
        while true {
            var next = place * 2 + 1
            guard next < elements.count else { return }
            if next + 1 < elements.count, isBefore(elements[next], elements[next + 1]) { next += 1 }
            guard isBefore(elements[place], elements[next]) else { return }
            elements.swapAt(place, next)
            place = next
        }
    }

    @inlinable package func sorted(_ isBefore: Order) -> ContiguousArray<Element> {
        var sorted = elements
        sorted.sort(by: isBefore)
        return sorted
    }
}
