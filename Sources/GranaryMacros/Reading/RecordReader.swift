import SwiftDiagnostics
import SwiftSyntax

/// Reads a struct marked `@Record` and reports each mistake at its place.
///
/// It checks only the spelling. The compiler checks in the generated code that a type of the user can be an attribute,
/// and that the target of a `Ref` is a record.
struct RecordReader {
    let attribute: AttributeSyntax
    let declaration: any DeclGroupSyntax
    let lexicalContext: [Syntax]

    var diagnostics: [Diagnostic] = []
    var properties: [RecordDescription.Property] = []
    /// The place of each of ``properties`` in the source.
    var origins: [Origin] = []
    var keys: [(index: Int, marker: AttributeSyntax, isAssigned: Bool)] = []
    /// The stored name of the property marked `@Version`.
    var versionName: String?
    var markedIndexes: [RecordDescription.Index] = []
    var relationships: [RecordDescription.Relationship] = []
    /// The place of each of ``relationships`` in the source.
    var relationshipNames: [TokenSyntax] = []
    /// The names of instance properties that are not attributes.
    var otherNames: Set<String> = []
    var declaresID = false
    /// A stored `id` that is not the key.
    var storedID: Syntax?
    var typeName = ""
    var access = Access.internal

    struct Origin {
        var variable: VariableDeclSyntax
        var name: TokenSyntax
        var type: TypeSyntax
        var storedName: ExprSyntax?
    }

    init(_ attribute: AttributeSyntax, _ declaration: any DeclGroupSyntax, lexicalContext: [Syntax]) {
        self.attribute = attribute
        self.declaration = declaration
        self.lexicalContext = lexicalContext
    }

    /// The record; nil if nothing can be said about it. If single properties have mistakes it is the rest, so that code
    /// about the others gets no errors of its own.
    mutating func read() -> RecordDescription? {
        guard let structure = checkedStruct() else { return nil }
        typeName = structure.name.text
        access = Access(structure.modifiers)
        let entityName = readEntityName(structure)
        let earlierNames = readEarlierNames(attribute.earlierNames)
        for member in structure.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                readVariable(variable)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                checkConditional(condition)
            }
        }
        let mistakes = errorCount
        checkNames()
        checkRelationshipNames()
        let keyIndex = checkKeys(structure, unfinished: mistakes > 0)
        let indexes = markedIndexes + readIndexLists()
        guard let keyIndex, errorCount == mistakes else { return nil }
        return RecordDescription(
            typeName: typeName, entityName: entityName, earlierNames: earlierNames, access: access,
            properties: properties, keyIndex: keyIndex,
            isKeyAssigned: keys.first?.isAssigned ?? false, versionName: versionName,
            indexes: RecordReader.withoutDoubles(indexes),
            wordRules: attribute.labeledArguments?.first { $0.label?.text == "words" }?.expression.trimmedDescription,
            relationships: relationships, declaresID: declaresID, isMemberwise: structure.isMemberwise,
            isComplete: mistakes == 0)
    }

    var errorCount: Int { diagnostics.count { $0.diagMessage.severity == .error } }

    mutating func report(
        _ message: String, id: String, at node: some SyntaxProtocol, severity: DiagnosticSeverity = .error,
        fixIts: [FixIt] = []
    ) {
        diagnostics.append(.record(message, id: id, at: node, severity: severity, fixIts: fixIts))
    }

    // MARK: The type

    private mutating func checkedStruct() -> StructDeclSyntax? {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            reportNotAStruct()
            return nil
        }
        if lexicalContext.contains(where: { !$0.isProtocol((any DeclGroupSyntax).self) }) {
            report(
                "a record inside a function cannot get a conformance; move \(structure.name.text) out of it",
                id: "localRecord", at: structure.name)
            return nil
        }
        if let parameters = structure.genericParameterClause {
            report(
                "a generic struct cannot be a record: an entity has one set of attributes; write a struct for"
                    + " each type",
                id: "genericRecord", at: parameters)
            return nil
        }
        if lexicalContext.contains(where: \.isGenericType) {
            report(
                "\(structure.name.text) is nested in a generic type and so generic itself; move it out",
                id: "genericRecord", at: structure.name)
            return nil
        }
        if let modifier = structure.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
            !lexicalContext.isEmpty
        {
            report(
                "a private struct inside another type cannot get a conformance; make \(structure.name.text)"
                    + " fileprivate",
                id: "privateNestedRecord", at: modifier,
                fixIts: [.replace(modifier, with: "fileprivate", "make it fileprivate")])
            return nil
        }
        return structure
    }

    private mutating func reportNotAStruct() {
        let why = "records are values, which cross threads freely"
        if let type = declaration.as(ClassDeclSyntax.self) {
            var changes = [FixIt.Change.text("struct", for: type.classKeyword)]
            for modifier in type.modifiers where [.keyword(.final), .keyword(.open)].contains(modifier.name.tokenKind) {
                let isOpen = modifier.name.tokenKind == .keyword(.open)
                changes.insert(isOpen ? .text("public", for: modifier) : .removal(of: modifier), at: 0)
            }
            report(
                "a class cannot be a record: \(why); make \(type.name.text) a struct", id: "notAStruct",
                at: type.classKeyword, fixIts: [.change(changes, "make \(type.name.text) a struct")])
        } else if let type = declaration.as(ActorDeclSyntax.self) {
            report(
                "an actor cannot be a record: \(why); make \(type.name.text) a struct", id: "notAStruct",
                at: type.actorKeyword)
        } else if let type = declaration.as(EnumDeclSyntax.self) {
            report(
                "an enum cannot be a record; to use \(type.name.text) in one, give it raw values and conform it to"
                    + " AttributeValue", id: "notAStruct", at: type.enumKeyword)
        } else {
            report("@Record marks a struct", id: "notAStruct", at: attribute)
        }
    }

    /// A stored property or a relationship that exists only in some builds would give one record two schemas.
    private mutating func checkConditional(_ condition: IfConfigDeclSyntax) {
        for clause in condition.clauses {
            guard case .decls(let members)? = clause.elements else { continue }
            for member in members {
                if let nested = member.decl.as(IfConfigDeclSyntax.self) {
                    checkConditional(nested)
                } else if let variable = member.decl.as(VariableDeclSyntax.self), variable.isTypeMember {
                    if variable.bindings.contains(where: { RelationshipShape($0) != nil }) {
                        report(
                            "a relationship cannot stand inside #if: the schema would depend on the build; move it out",
                            id: "conditionalProperty", at: variable)
                    }
                } else if let variable = member.decl.as(VariableDeclSyntax.self) {
                    for binding in variable.bindings {
                        if binding.isComputed {
                            if binding.pattern.trimmedDescription == "id" { declaresID = true }
                        } else {
                            report(
                                "a stored property of a record cannot stand inside #if: the schema would depend on the"
                                    + " build; move it out", id: "conditionalProperty", at: variable)
                        }
                    }
                }
            }
        }
    }
}

extension StructDeclSyntax {
    /// Whether the compiler writes the memberwise initializer. It does not if the body has another initializer, and a
    /// foreign macro may write one there. The names of such macros begin with a capital letter, those of the compiler's
    /// attributes do not.
    fileprivate var isMemberwise: Bool {
        let hasOtherMacro = attributes.contains { element in
            guard let attribute = element.as(AttributeSyntax.self) else { return true }
            guard attribute.attributeName.trimmedDescription.first?.isUppercase == true else { return false }
            return !["Record", "Index", "Unique"].contains(where: attribute.isNamed)
        }
        return !hasOtherMacro && !memberBlock.members.hasInitializer
    }
}

extension MemberBlockItemListSyntax {
    fileprivate var hasInitializer: Bool {
        contains { member in
            if member.decl.is(InitializerDeclSyntax.self) || member.decl.is(MacroExpansionDeclSyntax.self) {
                return true
            }
            guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return false }
            return condition.clauses.contains { clause in
                guard case .decls(let members)? = clause.elements else { return false }
                return members.hasInitializer
            }
        }
    }
}

extension Syntax {
    fileprivate var isGenericType: Bool {
        if let type = `as`(StructDeclSyntax.self) { return type.genericParameterClause != nil }
        if let type = `as`(ClassDeclSyntax.self) { return type.genericParameterClause != nil }
        if let type = `as`(ActorDeclSyntax.self) { return type.genericParameterClause != nil }
        if let type = `as`(EnumDeclSyntax.self) { return type.genericParameterClause != nil }
        return false
    }
}
