import Foundation
import Hummingbird

/// What belongs to one request. Hummingbird gives each request a number, and binds a logger with this number to the task:
/// so the lines that Granary logs for the request have it, too.
struct PlacesContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }

    /// A place is small. Imports have a limit of their own.
    var maxUploadSize: Int { 64 << 10 }

    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
