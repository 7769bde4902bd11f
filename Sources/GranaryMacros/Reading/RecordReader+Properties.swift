import SwiftDiagnostics
import SwiftSyntax

extension RecordReader {
    /// Reads the properties of one declaration: `var a: Int`, `var a, b: Int`.
    mutating func readVariable(_ variable: VariableDeclSyntax) {
        guard !variable.isTypeMember else {
            readRelationships(variable)
            return
        }
        let markers = Markers(variable.attributes)
        for (position, binding) in variable.bindings.enumerated() {
            guard !binding.isComputed else {
                otherNames.insert(binding.pattern.trimmedDescription.withoutBackticks)
                if binding.pattern.trimmedDescription == "id" { declaresID = true }
                continue
            }
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
                report(
                    "a record's property is declared by itself, not in a tuple; write one declaration for each",
                    id: "tuplePattern", at: binding.pattern)
                continue
            }
            guard !reportInstanceRelationship(variable, binding) else { continue }
            // In `var a, b: Int` the type of `a` is written after `b`.
            let annotation =
                binding.typeAnnotation
                ?? (binding.initializer == nil
                    ? variable.bindings.dropFirst(position).first { $0.typeAnnotation != nil }?.typeAnnotation : nil)
            if markers.transient != nil {
                otherNames.insert(name.text.withoutBackticks)
                checkTransient(variable, binding, name, annotation?.type, markers)
            } else {
                readProperty(variable, binding, name, annotation?.type, markers)
            }
        }
    }

    private mutating func checkTransient(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: TokenSyntax, _ type: TypeSyntax?,
        _ markers: Markers
    ) {
        for marker in markers.ofStorage {
            report(
                "\(name.text) is @Transient and so not kept in the store: \(marker.trimmedDescription) means"
                    + " nothing here",
                id: "transientMarker", at: marker, fixIts: [.remove(marker, "remove \(marker.trimmedDescription)")])
        }
        let isImplicitlyNil =
            !variable.isLet
            && (type?.is(OptionalTypeSyntax.self) == true
                || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true)
        if binding.initializer == nil && !isImplicitlyNil {
            report(
                "\(name.text) is @Transient and needs a default: a record that is read from the store has no"
                    + " other value"
                    + " for it", id: "transientWithoutDefault", at: binding,
                fixIts: [.insert(" = <#default#>", after: binding, "add a default")])
        }
        if name.text.withoutBackticks == "id" { storedID = Syntax(name) }
    }

    private mutating func readProperty(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: TokenSyntax, _ annotated: TypeSyntax?,
        _ markers: Markers
    ) {
        if let lazy = variable.lazyModifier {
            report(
                "a lazy property cannot be an attribute: reading would change the record; make \(name.text)"
                    + " @Transient or"
                    + " computed", id: "lazyProperty", at: lazy,
                fixIts: [.insert("@Transient ", before: variable, "make it @Transient")])
            return
        }
        if variable.isLet, binding.initializer != nil {
            report(
                "\(name.text) always has the value written here and cannot be read from the store; make it a var, or"
                    + " @Transient", id: "constantWithDefault", at: variable.bindingSpecifier,
                fixIts: [
                    .replace(variable.bindingSpecifier, with: "var", "make it a var"),
                    .insert("@Transient ", before: variable, "make it @Transient"),
                ])
            return
        }
        if variable.isLet, markers.key == nil {
            report(
                "\(name.text) is a constant without a default: only a key never changes, any other attribute is updated;"
                    + " make it a var", id: "constantAttribute", at: variable.bindingSpecifier,
                fixIts: [.replace(variable.bindingSpecifier, with: "var", "make it a var")])
            return
        }
        guard let type = annotated ?? binding.initializer?.value.inferredType else {
            report(
                "\(name.text) needs a written type: a macro sees the text, not what the compiler infers",
                id: "missingType", at: name, fixIts: [.insert(": <#Type#>", after: name, "add a type")])
            return
        }
        if type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let text = type.trimmedDescription.dropLast() + "?"
            report(
                "an attribute is optional or not; write \(text)", id: "implicitlyUnwrapped", at: type,
                fixIts: [.replace(type, with: String(text), "write \(text)")])
            return
        }
        addProperty(variable, binding, name, type, markers)
    }

    private mutating func addProperty(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: TokenSyntax, _ type: TypeSyntax,
        _ markers: Markers
    ) {
        let (wrapped, isOptional) = type.unwrapped
        guard let coding = readCoding(markers, wrapped, name),
            coding != .plain || checkType(wrapped, of: variable, name)
        else { return }
        checkReference(markers, type, name)
        checkExternal(markers, wrapped, name, coding)

        let isKey = markers.key != nil
        let value = binding.initializer?.value
        // A key has no default: every stored record has a key.
        let defaultValue = isKey ? nil : value?.constant(of: wrapped, spelled: wrapped.spelled(in: typeName))
        let property = RecordDescription.Property(
            name: name.text, attributeName: markers.storedName?.stringValue ?? name.text.withoutBackticks,
            type: wrapped.spelled(in: typeName), isOptional: isOptional, access: Access(variable.modifiers),
            coding: coding, defaultValue: defaultValue,
            onDelete: markers.onDelete?.memberName.map { ".\($0)" }, isAgreeing: markers.isAgreeing,
            stamp: readStamp(markers, type, name, coding),
            searchArguments: readSearch(markers, wrapped, name, coding),
            isExternal: markers.external != nil,
            externalSize: markers.external?.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
                .trimmedDescription,
            earlierNames: readEarlierNames(markers.earlierNames))
        properties.append(property)
        origins.append(Origin(variable: variable, name: name, type: type, storedName: markers.storedName))
        if let marker = markers.version { readVersion(marker, property, type, isKey: isKey) }
        if let marker = markers.key {
            keys.append((properties.count - 1, marker, markers.isKeyAssigned))
            checkKey(marker, variable, name, type, coding, isAssigned: markers.isKeyAssigned)
            for redundant in markers.indexes + markers.uniques {
                let text = redundant.trimmedDescription
                report(
                    "a key is unique and indexed as it is; \(text) adds nothing", id: "redundantIndex", at: redundant,
                    severity: .warning, fixIts: [.remove(redundant, "remove \(text)")])
            }
        } else {
            for marker in markers.indexes + markers.uniques {
                guard let folding = readFolding(marker, of: property) else { continue }
                markedIndexes.append(
                    .init(
                        attributes: [property.attributeName], isUnique: marker.isNamed("Unique"), folding: folding))
            }
        }
    }

    /// Returns the name of the case of `Attribute.Stamp`. Nil if the property has no such marker, or a wrong one.
    private mutating func readStamp(
        _ markers: Markers, _ type: TypeSyntax, _ name: TokenSyntax, _ coding: RecordDescription.Coding
    ) -> String? {
        guard let stamp = markers.stamps.first else { return nil }
        let (wrapped, isOptional) = type.unwrapped
        guard case .named("Date", _) = TypeShape(wrapped), isOptional, coding == .plain, markers.key == nil else {
            report(
                "\(name.text) is nil until the record is stored, so its type must be Date?", id: "stampType", at: type,
                fixIts: [.replace(type, with: "Date?", "write Date?")])
            return nil
        }
        if let second = markers.stamps.dropFirst().first {
            report(
                "a time is either that of the insertion or that of the last change", id: "secondStamp", at: second,
                fixIts: [.remove(second, "remove \(second.trimmedDescription)")])
        }
        return stamp.isNamed("CreatedAt") ? "created" : "updated"
    }

    /// Returns the arguments of `.searchable(_:weight:)`. Nil if the property has no such marker, or a wrong one.
    private mutating func readSearch(
        _ markers: Markers, _ type: TypeSyntax, _ name: TokenSyntax, _ coding: RecordDescription.Coding
    ) -> String? {
        guard let marker = markers.searchable else { return nil }
        let isReference = if case .named("Ref", _) = TypeShape(type) { true } else { false }
        guard !isReference, !TypeShape.wordless.contains(type.trimmedDescription) else {
            report(
                "\(name.text) has no words to search; @Searchable is for texts, and for JSON with texts",
                id: "searchableType", at: marker, fixIts: [.remove(marker, "remove @Searchable")])
            return nil
        }
        return marker.labeledArguments?.trimmedDescription ?? ""
    }

    private mutating func readVersion(
        _ marker: AttributeSyntax, _ property: RecordDescription.Property, _ type: TypeSyntax, isKey: Bool
    ) {
        let remove = FixIt.remove(marker, "remove @Version")
        if isKey {
            report(
                "a key never changes, so it cannot be the version, which counts the changes", id: "keyVersion",
                at: marker, fixIts: [remove])
        } else if let versionName {
            report(
                "\(typeName) has a version already, \(versionName); one counts all changes", id: "secondVersion",
                at: marker, fixIts: [remove])
        } else if property.isOptional || property.coding != .plain || !TypeShape.versions.contains(property.type) {
            report("a version is an integer, and not optional: var version: Int = 0", id: "versionType", at: type)
        } else {
            versionName = property.attributeName
        }
    }

    /// `@Attribute(.external)` is for `Data` without an index of its own.
    private mutating func checkExternal(
        _ markers: Markers, _ type: TypeSyntax, _ name: TokenSyntax, _ coding: RecordDescription.Coding
    ) {
        guard let external = markers.external else { return }
        guard case .named("Data", _) = TypeShape(type), coding == .plain else {
            report("\(name.text) is kept externally, so its type must be Data or Data?", id: "externalType", at: type)
            return
        }
        guard let index = (markers.indexes + markers.uniques).first else { return }
        let text = index.trimmedDescription
        report(
            "\(name.text) is kept externally (\(external.trimmedDescription)), so it cannot be indexed or unique",
            id: "externalIndex", at: index, fixIts: [.remove(index, "remove \(text)")])
    }

    /// The coding of `@Attribute(.json)` or `@Attribute(.scaled(2))`; nil after an error.
    private mutating func readCoding(
        _ markers: Markers, _ type: TypeSyntax, _ name: TokenSyntax
    ) -> RecordDescription.Coding? {
        guard let kind = markers.kind else { return .plain }
        switch kind.memberName {
        case "json": return .json
        case "scaled":
            let places = kind.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
            guard let places, let count = Int(places.trimmedDescription), (0...18).contains(count) else {
                report(
                    "the number of places is written here as a number from 0 to 18", id: "scaledPlaces",
                    at: Syntax(fromProtocol: places ?? kind))
                return nil
            }
            guard case .named("Decimal", _) = TypeShape(type) else {
                report(
                    "\(name.text) is kept as a scaled decimal, so its type must be Decimal or Decimal?",
                    id: "scaledType", at: type)
                return nil
            }
            return .scaled(places: String(count))
        default:
            report(
                "an attribute's kind is written here: .json, .scaled(places), .external or .agreeing",
                id: "attributeKind",
                at: kind)
            return nil
        }
    }
}
