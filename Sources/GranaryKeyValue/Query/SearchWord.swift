import GranaryStoreKit

/// A part of a plan's search. It becomes text only for display.
enum SearchWord: Hashable {
    case equal(SearchComponent)
    case bound(SearchComponent, Comparison)
    case beginning(SearchComponent)
    case listed(SearchComponent, Int)
    case notNil(SearchComponent)
    case alternatives([[SearchWord]])

    /// The text for display: `name > ?`.
    func text(_ entity: Entity) -> String {
        switch self {
        case .equal(let component): "\(component.name(entity)) = ?"
        case .bound(let component, let comparison): "\(component.name(entity)) \(comparison.rawValue) ?"
        case .beginning(let component): "\(component.name(entity)) begins with ?"
        case .listed(let component, let count): "\(component.name(entity)) in (\(count))"
        case .notNil(let component): "\(component.name(entity)) != nil"
        case .alternatives(let parts): SearchWord.either(parts.map { $0.text(entity).joined(separator: ", ") })
        }
    }

    private static func either(_ texts: [String]) -> String {
        guard texts.count > 4 else { return texts.joined(separator: " or ") }
        return texts.prefix(3).joined(separator: " or ") + " or \(texts.count - 3) more"
    }
}

extension [SearchWord] {
    func text(_ entity: Entity) -> [String] { map { $0.text(entity) } }
}

extension SearchComponent {
    fileprivate func name(_ entity: Entity) -> String { "\(entity.attributes[position].name)\(folding)" }
}
