// What narrows, sorts and cuts a request, whatever it gives.
extension Request {
    func with(_ change: (inout AnyRequest) -> Void) -> Request {
        var request = self
        change(&request.untyped)
        return request
    }

    /// Records of which this holds, in addition to what held before. Of groups it chooses the records that are grouped.
    public func `where`(_ condition: AnyCondition) -> Request { with { $0.narrow(condition) } }

    /// Records of which a condition in text form holds, in addition to what held before.
    ///
    /// ```swift
    /// try Artist.where(#"rating >= %@ AND genre.name CONTAINS[cd] "rock""#, 4.5)
    /// try Request("Artist").where("id IN %@", ids)
    /// ```
    ///
    /// The arguments are values, arrays and sets of them, see ``QueryArgumentConvertible``. `[UInt8]` is data.
    ///
    /// - Throws: `invalidQuery`, see ``AnyCondition/init(parsing:arguments:named:)``. Names are looked up when the request
    ///   is run.
    public func `where`(_ text: String, _ arguments: any QueryArgumentConvertible...) throws -> Request {
        try self.where(text, arguments: arguments.map(\._queryArgument))
    }

    /// The same with arguments by name: `$least` in the text.
    public func `where`(_ text: String, named: [String: any QueryArgumentConvertible]) throws -> Request {
        try self.where(text, arguments: [], named: named.mapValues(\._queryArgument))
    }

    /// The same with lists and names of attributes among the arguments.
    public func `where`(
        _ text: String, arguments: [QueryArgument], named: [String: QueryArgument] = [:]
    ) throws -> Request {
        self.where(try AnyCondition(parsing: text, arguments: arguments, named: named))
    }

    /// Orders by attribute names separated by commas, descending with `-` in front: `"name,-rating"`. A path leads through
    /// to-one relationships: `"album.title"`. What the names leave equal comes by key, in the direction of the last one.
    ///
    /// A name that does not exist throws `unknownAttribute` when the request is run.
    public func sorted(by text: String) -> Request { sorted(by: Ordering.list(text)) }

    /// Orders by terms that are made at run time.
    public func sorted(by terms: [Ordering]) -> Request { with { $0.givenOrder += terms } }

    /// The order turned round: what came last comes first. Limit and offset stay as they are.
    public func reversed() -> Request { with { $0.reverse(key: (Root._recordType)?.entity.key) } }

    /// At most this many. Negative throws `invalidQuery` when the request is run.
    public func limit(_ count: Int) -> Request { with { $0.givenLimit = count } }

    /// Leaves out this many from the front. Negative throws `invalidQuery` when the request is run.
    public func offset(_ count: Int) -> Request { with { $0.givenOffset = count } }

    /// Gives equal values once: `Artist.all.select(\.name).distinct()`. Limit and offset then count different ones, and the
    /// order is by chosen values. Nil equals nil.
    ///
    /// Records and groups differ from each other: of them it changes nothing. Running it throws `invalidQuery` if it is
    /// ordered by something that is not chosen.
    public func distinct() -> Request {
        with { request in
            if case .columns(let columns, _) = request.output {
                request.output = .columns(columns, isDistinct: true)
            }
        }
    }
}

extension Request where Root: Record {
    /// Records of which this holds, in addition to what held before.
    ///
    /// A Bool is a condition: `Song.all.where { $0.isLive && $0.plays > 3 }`. Nil is not true, and `!` of it is.
    public func `where`(@ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>) -> Request {
        self.where(condition(Root.fields).untyped)
    }

    /// Records of which this holds, in addition to what held before.
    public func `where`(_ condition: Condition<Root>) -> Request { self.where(condition.untyped) }

    /// Orders by a field or an expression; a further call orders what the earlier ones leave equal. What all of them leave
    /// equal comes by key, in the direction of the last one: after `.descending` the greatest key is first.
    ///
    /// ```swift
    /// Song.sorted(by: \.album.title).sorted(by: \.track)
    /// Song.sorted(by: { $0.title.folded(.caseInsensitive) }, .descending, nils: .last)
    /// ```
    public func sorted<Value: QueryExpression>(
        by value: (Root.Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> Request where Value.Root == Root {
        with { $0.givenOrder.append(Ordering(value(Root.fields).untyped, direction, nils: nils)) }
    }
}

extension Request: Equatable where Output == Root {
    public static func == (left: Request, right: Request) -> Bool { left.untyped == right.untyped }
}

extension Request: Hashable where Output == Root {
    public func hash(into hasher: inout Hasher) { hasher.combine(untyped) }
}

extension Request: Codable where Output == Root {
    /// - Throws: `DecodingError.typeMismatch` if it is a request of another entity, which is named; `DecodingError`
    ///   `.dataCorrupted` if it gives something else than records; else what decoding an ``AnyRequest`` throws.
    public init(from decoder: any Decoder) throws {
        let request = try AnyRequest(from: decoder)
        try Root._recordType?.expect(request.entity, Request.self, decoder)
        guard case .records(with: []) = request.output else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "The request gives chosen values. Decode an AnyRequest, and ask Request(it)."))
        }
        self.init(records: request)
    }

    /// As an ``AnyRequest``, with the entity's name.
    public func encode(to encoder: any Encoder) throws { try untyped.encode(to: encoder) }
}

extension QueryExpression {
    /// True of records whose value is among those another request gives; nil matches nil.
    ///
    /// ```swift
    /// Song.where { $0.artistName.in(Artist.where { $0.rating > 4 }.select(\.name)) }
    /// ```
    ///
    /// Running it throws `invalidQuery` if the request gives records, groups or more than one value, `typeMismatch` if it is
    /// one of another type.
    public func `in`<Other: Fetchable, Listed>(_ request: Request<Other, Listed>) -> Condition<Root> {
        guard case .columns(let columns, _) = request.untyped.output, let column = columns.first, columns.count == 1
        else {
            return Condition(
                .invalid(
                    .invalidQuery,
                    "A request to look among gives one value a record: choose it with `select`. Groups cannot be looked among."
                ))
        }
        return Condition(.amongRows(untyped, request.untyped.subquery(column: column)))
    }
}

extension QueryExpression where Value: ReferenceValue {
    /// True of records that refer to one of those another request gives.
    ///
    /// ```swift
    /// Song.where { $0.artist.in(Artist.sorted(by: \.rating, .descending).limit(10)) }
    /// ```
    public func `in`(_ request: Query<Value.Target>) -> Condition<Root> {
        Condition(.amongRows(untyped, request.untyped.subquery(column: .attribute(Value.Target.entity.key))))
    }
}
