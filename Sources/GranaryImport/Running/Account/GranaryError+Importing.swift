public import GranaryCore
import GranaryPlatform
import GranaryFormats

extension ImportRun {
    static func cancelled() -> GranaryError { GranaryError(.cancelled, "The import was cancelled.") }

    static func commitsElsewhere() -> GranaryError {
        GranaryError(
            .invalidQuery,
            "An import into a transaction or a context is committed with it. Leave the importer's commits out, or import into the stack."
        )
    }

    static func tooDeep() -> GranaryError {
        GranaryError(.limit, "The source nests objects deeper than \(maximumDepth) levels. Make it flatter.")
    }

    static func tooDeepForThread() -> GranaryError {
        GranaryError(
            .limit,
            "The source nests objects deeper than the stack of this thread holds. Import it into the stack with await, or on a thread with a stack of 8 MB."
        )
    }
}

extension GranaryError {
    /// Where in the source of an import the record or value is that the error is about, or where the source cannot be read:
    /// `$[3].songs[0].title`; nil where the source has no paths, and of an error that no import has thrown.
    public var importPath: String? {
        if let sourcePath { return sourcePath }
        guard let path = position?.path, !path.isEmpty else { return nil }
        return path
    }

    /// The line of the source, from 1, where the object begins that the error is about, or where the source cannot be read; nil
    /// where the source has no lines, and of an error that no import has thrown.
    public var importLine: Int? {
        switch details {
        case let object as ObjectLine: object.line
        case let interrupted as InterruptedImport: interrupted.line
        default: position?.line
        }
    }

    /// The same error with the place in the source.
    package func at(_ path: String) -> GranaryError {
        var error = self
        // The innermost is the most exact.
        error.sourcePath = sourcePath ?? path
        return error
    }

    /// The same error with the place of an object in the source, or of one of its members, and the line.
    func at(_ place: ImportPlace, _ name: String = "") -> GranaryError {
        var error = at(place.path(name))
        if error.details == nil, let line = place.line { error.details = ObjectLine(line: line) }
        return error
    }

    /// An error of any kind, about an entity.
    static func wrapping(_ error: any Error, _ entity: Entity) -> GranaryError {
        switch error {
        case let error as GranaryError: return error
        case let failure as DecodingFailure: return wrapping(failure.cause, entity, failure.position)
        case let failure as EncodingFailure: return wrapping(failure.cause, entity, failure.position)
        default: return GranaryError(.invalidRecord, "\(error)", entity: entity.name)
        }
    }

    private static func wrapping(_ cause: any Error, _ entity: Entity, _ position: Int) -> GranaryError {
        let name = entity.attributes.indices.contains(position) ? entity.attributes[position].name : ""
        return wrapping(cause, entity).about(entity.name, name)
    }

    /// Whether it is about more than one record: the import cannot go on.
    var endsImport: Bool {
        switch code {
        case .closed, .cancelled, .io, .full, .busy, .corrupt, .generationGone, .readOnly, .permissionDenied,
            .unsupported, .commitOutcomeUnknown, .unknownEntity, .unknownAttribute:
            true
        default: false
        }
    }
}

/// Where the object begins that an error is about, as the error carries it.
private struct ObjectLine: Sendable {
    let line: Int
}
