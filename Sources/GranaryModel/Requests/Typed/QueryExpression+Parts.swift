public import GranaryPlatform

extension QueryExpression where Value.Unwrapped == Date {
    /// A part of the date in the Gregorian calendar, in UTC plus a number of seconds.
    public func component(_ component: DateComponent, offset seconds: Int = 0) -> Computed<Root, Int?> {
        Computed(.function(.date(component, offset: seconds), untyped))
    }

    /// In UTC, like all the following.
    public var year: Computed<Root, Int?> { component(.year) }
    public var month: Computed<Root, Int?> { component(.month) }
    public var day: Computed<Root, Int?> { component(.day) }
    public var hour: Computed<Root, Int?> { component(.hour) }
    public var minute: Computed<Root, Int?> { component(.minute) }
    public var second: Computed<Root, Int?> { component(.second) }
    /// 1 is Monday, 7 Sunday.
    public var weekday: Computed<Root, Int?> { component(.weekday) }

    /// The seconds from another date to this one.
    public func seconds<Other: QueryExpression>(since other: Other) -> Computed<Root, Double?>
    where Other.Root == Root, Other.Value.Unwrapped == Date {
        Computed(.arithmetic(untyped, .subtract, other.untyped))
    }
}

extension QueryExpression where Value.Unwrapped: JSONAttributeValue {
    /// A value inside the JSON, at a path like `theme.name` or `tags[0]`; nil if the JSON has no value of that type
    /// there.
    ///
    /// ```swift
    /// User.where { $0.settings.value(at: "theme.name", as: String.self) == "dark" }
    /// ```
    ///
    /// The type is `Bool`, an integer, `Double` or `String`. A path that is not valid throws `invalidQuery` when the
    /// query is run.
    public func value<Part: AttributeValue>(at path: String, as type: Part.Type = Part.self) -> Computed<
        Root, Part.Nilable
    > {
        do {
            return Computed(.function(.json(try JSONPath(path), Part.attributeType), untyped))
        } catch {
            return Computed(.invalid(error as? GranaryError ?? GranaryError(.invalidQuery, "\(path) is not a path.")))
        }
    }
}
