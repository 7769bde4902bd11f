public import GranaryCore

/// Why a case failed: what was seen and where in the suite it was asked.
public struct ConformanceFailure: Error, CustomStringConvertible {
    public let message: String
    public let file: String
    public let line: Int
    public var description: String { "\(message) (\(file):\(line))" }

    package init(message: String, file: String, line: Int) {
        self.message = message
        self.file = file
        self.line = line
    }
}

/// Fails the case unless a condition holds.
public func expect(
    _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String, file: String = #fileID,
    line: Int = #line
) throws {
    if try !condition() { throw ConformanceFailure(message: message(), file: file, line: line) }
}

/// Fails the case unless two values are equal. Strings are equal when their bytes are.
public func expectEqual<T: Equatable>(
    _ actual: @autoclosure () throws -> T, _ expected: T, _ what: @autoclosure () -> String = "",
    file: String = #fileID,
    line: Int = #line
) throws {
    let actual = try actual()
    let isSame =
        if let actual = actual as? String, let expected = expected as? String {
            actual.utf8.elementsEqual(expected.utf8)
        } else {
            actual == expected
        }
    if !isSame {
        let name = what().isEmpty ? "" : "\(what()): "
        throw ConformanceFailure(
            message: "\(name)got \(shortened(actual)), expected \(shortened(expected))", file: file, line: line)
    }
}

/// The value; fails the case if it is nil.
package func present<T>(_ value: T?, file: String = #fileID, line: Int = #line) throws -> T {
    guard let value else { throw ConformanceFailure(message: "got nil", file: file, line: line) }
    return value
}

/// Fails the case unless the body throws a ``/Granary/GranaryError`` with this code, about this entity and these attributes where
/// they are given. Returns the error.
///
/// Stores that have one ``ErrorLedger`` must throw the same error here.
///
/// - Parameters:
///   - code: The code that the error must have.
///   - entity: The entity that the error must name. Nil if any will do.
///   - attributes: The attributes that the error must name. Nil if any will do.
///   - message: The error's text. Without it an error about a broken rule between records must have the one text that it
///     has in every store, and any other error must have a text.
///   - isOwnText: Whether kinds of stores may have texts of their own, as what they advise depends on where they keep their
///     contents, or the text on when it happened. Also for an error that only stores with, or without, a capability have: the case
///     says which. Then the error is not compared.
///   - file: The file of the call, for the failure.
///   - line: The line of the call, for the failure.
///   - body: What must throw.
@discardableResult public func expectError<T>(
    _ code: GranaryError.Code, entity: String? = nil, attributes: [String]? = nil, message: String? = nil,
    isOwnText: Bool = false, file: String = #fileID, line: Int = #line, _ body: () throws -> T
) throws -> GranaryError {
    do {
        let value = try body()
        throw ConformanceFailure(
            message: "got \(shortened(value)), expected the error \(code)", file: file, line: line)
    } catch let failure as ConformanceFailure {
        throw failure
    } catch let error as GranaryError {
        func check(_ holds: Bool, _ wanted: String) throws {
            if !holds {
                throw ConformanceFailure(
                    message: "got the error \"\(error)\", expected \(wanted)", file: file, line: line)
            }
        }
        try check(error.code == code, "the code \(code)")
        if let entity { try check(error.entity == entity, "one about \(entity)") }
        if let attributes { try check(error.attributes == attributes, "one about \(attributes)") }
        try check(!error.message.isEmpty, "a message")
        if let link = RuleTexts.link(in: error) { try check(false, "one that does not name \(link)") }
        let isRule = RuleTexts.codes.contains(code)
        if isRule { try check(error.entity != nil, "one that names its entity") }
        if let texts = message.map({ [$0] }) ?? RuleTexts.texts(of: error) {
            try check(texts.contains(error.message), "the text \"\(texts.joined(separator: "\" or \""))\"")
        }
        if !isOwnText { ExpectedErrors.current?.note(error, at: "\(file):\(line)") }
        return error
    } catch {
        throw ConformanceFailure(
            message: "got the foreign error \(type(of: error)): \(error), expected \(code)", file: file, line: line)
    }
}

/// ``expectError(_:entity:attributes:message:isOwnText:file:line:_:)`` of a body that is asynchronous.
@discardableResult package func expectAsyncError<T>(
    _ code: GranaryError.Code, isOwnText: Bool = false, file: String = #fileID, line: Int = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> T
) async throws -> GranaryError {
    let result: Result<T, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    return try expectError(code, isOwnText: isOwnText, file: file, line: line) { try result.get() }
}

private func shortened<T>(_ value: T) -> String {
    let text = String(describing: value)
    return text.utf8.count <= 400 ? text : String(text.prefix(200)) + "... (\(text.utf8.count) bytes)"
}

// MARK: - Plans

/// Fails the case unless a store answers a request without reading every record of an entity to find some. Also for the tests
/// of a program: what it must be fast at can be made sure of.
public func expectNoFullScan<Root, Output>(
    _ request: Request<Root, Output>, in context: ReadContext, file: String = #fileID, line: Int = #line
) throws {
    try expectNoFullScan(try request.explain(in: context), request.untyped.condition, file, line)
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// Groups that are made at run time.
    package func grouped(as grouping: AnyGrouping) -> Request<DynamicRecord, [StoredValue]> {
        var untyped = untyped
        untyped.output = .groups(grouping)
        return Request<DynamicRecord, [StoredValue]>(untyped)
    }
}

/// The same for the page after a place.
public func expectNoFullScan<R: Record>(
    _ query: Query<R>, after position: PagePosition, size: Int, in context: ReadContext, file: String = #fileID,
    line: Int = #line
) throws {
    try expectNoFullScan(
        try query.explain(in: context, after: position, size: size), query.untyped.condition, file, line)
}

/// The same for the page before a place.
public func expectNoFullScan<R: Record>(
    _ query: Query<R>, before position: PagePosition, size: Int, in context: ReadContext, file: String = #fileID,
    line: Int = #line
) throws {
    try expectNoFullScan(
        try query.explain(in: context, before: position, size: size), query.untyped.condition, file, line)
}

private func expectNoFullScan(_ plan: QueryPlan, _ condition: AnyCondition?, _ file: String, _ line: Int) throws {
    guard !plan.fullScans.isEmpty else { return }
    throw ConformanceFailure(
        message: "\(condition?.description ?? "all") reads every \(plan.fullScans.joined(separator: ", ")):\n\(plan)",
        file: file, line: line)
}
