import ArgumentParser
import Foundation
import GranaryCore

/// A schema on a command line: the schema of a store, or a file with the JSON that `schema --json` prints.
struct SchemaArgument: ExpressibleByArgument, Sendable {
    let store: StoreArgument

    static var defaultCompletionKind: CompletionKind { .file() }

    init?(argument: String) {
        guard let store = StoreArgument(argument: argument) else { return nil }
        self.store = store
    }

    /// Whether the argument is a file, and not a store.
    var isFile: Bool {
        var isFolder: ObjCBool = false
        return !store.namesKind && FileManager.default.fileExists(atPath: store.path, isDirectory: &isFolder)
            && !isFolder.boolValue
    }

    /// - Throws: `invalidSchema` if the file is not a schema or breaks a rule, `newerFormat`, and the errors of opening
    ///   a store.
    func schema() async throws -> Schema {
        if isFile { return try SchemaArgument.read(store.path) }
        if !store.namesKind, !store.path.isEmpty, !FileManager.default.fileExists(atPath: store.path) {
            throw GranaryError(
                .notAStore, "There is no store and no schema's JSON file at \(store.path). Check the path.")
        }
        return try await store.schema()
    }

    /// The given schema, or else the schema of the app that embeds the tool.
    static func schema(_ given: SchemaArgument?, named what: String) async throws -> Schema {
        if let given { return try await given.schema() }
        guard let schema = ToolApplication.current.schema else {
            throw ValidationError("Name \(what): a store, or a file with the JSON of `schema --json`.")
        }
        return schema
    }

    private static func read(_ path: String) throws -> Schema {
        guard let written = try WholeFile.contents(path) else {
            throw GranaryError(.permissionDenied, "The file \(path) cannot be read. Check its permissions.")
        }
        let data = SchemaFileDefaults.filled(written)
        if let fault = SchemaFileCheck.fault(in: written) {
            throw GranaryError(
                .invalidSchema,
                "\(path) is not the JSON of a schema: \(fault). Correct it, or write one with `schema STORE --json`.")
        }
        do {
            let schema = try Schema(json: Array(data))
            try schema.validate()
            return schema
        } catch let error as GranaryError where error.code == .unknownAttribute || error.code == .unknownEntity {
            // The mistake is in the schema, not in the arguments of the verb.
            var fault = error
            fault.code = .invalidSchema
            throw fault
        } catch let error as GranaryError where error.code == .corrupt {
            throw GranaryError(
                .invalidSchema,
                "\(path) is not the JSON of a schema\(fault(in: data)). Write one with `schema STORE --json`.")
        }
    }

    /// The place of the first mistake, for a file that a person has written.
    private static func fault(in data: Data) -> String {
        func place(_ path: [any CodingKey]) -> String {
            String(path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().trimmingPrefix("."))
        }
        do {
            _ = try JSONDecoder().decode(Schema.self, from: data)
            let fault =
                SchemaFileDefaults.faultOfNumbers(data)
                ?? "two of the same kind have the same id, or an id is out of range"
            return ": \(fault). Leave out the numbers id if there is no store"
        } catch DecodingError.keyNotFound(let key, let context) {
            return ": \(place(context.codingPath + [key])) is missing"
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            return ": \(place(context.codingPath)) is of another type"
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            return ": \(place(context.codingPath)) has a value that is not known"
        } catch {
            let isJSON = (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
            return isJSON ? ": a value in it is not of its type" : ": it is not JSON"
        }
    }
}
