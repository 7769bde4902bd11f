// Conditions, order and limits, for every kind of request.
extension Request {
    func with(_ change: (inout AnyRequest) -> Void) -> Request {
        var request = self
        change(&request.untyped)
        return request
    }

    /// Only records for which the condition holds, in addition to earlier conditions. In a request for groups it
    /// chooses the records that are grouped.
    public func `where`(_ condition: AnyCondition) -> Request { with { $0.narrow(condition) } }

    /// Only records for which a condition in text form holds, in addition to earlier conditions.
    ///
    /// ```swift
    /// try Artist.where(#"rating >= %@ AND genre.name CONTAINS[cd] "rock""#, 4.5)
    /// try Request("Artist").where("id IN %@", ids)
    /// ```
    ///
    /// The arguments are values, arrays and sets of them, see ``QueryArgumentConvertible``. `[UInt8]` is data.
    ///
    /// - Throws: `invalidQuery`, see ``AnyCondition/init(parsing:arguments:named:)``. Names are looked up when the
    ///   request is run.
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

    /// Orders by attribute names separated by commas, descending with `-` in front: `"name,-rating"`. A path leads
    /// through to-one relationships: `"album.title"`. Ties come by key, in the direction of the last name. `"-rank()"`
    /// is ``sorted(by:)-(SearchOrder)``.
    ///
    /// A name that does not exist throws `unknownAttribute` when the request is run.
    public func sorted(by text: String) -> Request { sorted(by: Ordering.list(text)) }

    /// Orders by terms that are made at run time, in addition to earlier ones.
    public func sorted(by terms: [Ordering]) -> Request { with { $0.givenOrder += terms } }

    /// Orders by how well records answer the search of the request, the best first: see ``RecordSearch/rank``. Ties come
    /// by key.
    ///
    /// ```swift
    /// let best = Song.where { $0.search("purple haze") }.sorted(by: .rank).limit(20)
    /// ```
    ///
    /// Running it throws `invalidQuery` if the request's condition has no search of its own records.
    public func sorted(by order: SearchOrder) -> Request {
        with { $0.givenOrder.append(Ordering(.rank(), .descending)) }
    }

    /// Reverses the order: the last record comes first. Limit and offset stay as they are.
    ///
    /// ```swift
    /// let byName = Artist.sorted(by: \.name)
    /// let fromTheEnd = byName.reversed()
    /// ```
    public func reversed() -> Request { with { $0.reverse(key: (Root._recordType)?.entity.key) } }

    /// At most `count` results. A negative count throws `invalidQuery` when the request is run.
    ///
    /// ```swift
    /// let best = Artist.sorted(by: \.rating, .descending).limit(20)
    /// ```
    public func limit(_ count: Int) -> Request { with { $0.givenLimit = count } }

    /// Skips the first `count` results. A negative count throws `invalidQuery` when the request is run.
    ///
    /// ```swift
    /// let thirdPage = Artist.sorted(by: \.name).limit(20).offset(40)
    /// ```
    public func offset(_ count: Int) -> Request { with { $0.givenOffset = count } }

    /// Gives equal values once. Limit and offset then count different values, and the order is by chosen values. Nil
    /// equals nil.
    ///
    /// ```swift
    /// let names = try Artist.all.select(\.name).distinct().fetch(in: snapshot)
    /// ```
    ///
    /// Records differ from each other, and so do groups: for them `distinct` changes nothing. Running the request
    /// throws `invalidQuery` if it is ordered by a value that is not chosen.
    public func distinct() -> Request {
        with { request in
            if case .columns(let columns, _) = request.output {
                request.output = .columns(columns, isDistinct: true)
            }
        }
    }
}

extension Request where Root: Record {
    /// Only records for which the condition holds, in addition to earlier conditions.
    ///
    /// A Bool is a condition: `Song.all.where { $0.isLive && $0.plays > 3 }`. A Bool that is nil is not true, so `!` of
    /// it is true.
    public func `where`(@ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>) -> Request {
        self.where(condition(Root.fields).untyped)
    }

    /// Only records for which the condition holds, in addition to earlier conditions.
    public func `where`(_ condition: Condition<Root>) -> Request { self.where(condition.untyped) }

    /// Orders by a field or an expression. A further call orders records that are equal by the earlier ones. Remaining
    /// ties come by key, in the direction of the last term: after `.descending` the greatest key is first.
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
    /// - Throws: `DecodingError.typeMismatch` if the request is for another entity, which the error names;
    ///   `DecodingError.dataCorrupted` if it gives something other than records; also what decoding an ``AnyRequest``
    ///   throws.
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

    /// Encodes the request as an ``AnyRequest``, with the entity's name.
    public func encode(to encoder: any Encoder) throws { try untyped.encode(to: encoder) }
}

extension QueryExpression {
    /// True for records whose value is among the values that another request gives; nil matches nil.
    ///
    /// ```swift
    /// Song.where { $0.artistName.in(Artist.where { $0.rating > 4 }.select(\.name)) }
    /// ```
    ///
    /// Running it throws `invalidQuery` if the request gives records, groups or more than one value, `typeMismatch` if
    /// its value is of another type.
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
    /// True for records that refer to a record that another request gives.
    ///
    /// ```swift
    /// Song.where { $0.artist.in(Artist.sorted(by: \.rating, .descending).limit(10)) }
    /// ```
    public func `in`(_ request: Query<Value.Target>) -> Condition<Root> {
        Condition(.amongRows(untyped, request.untyped.subquery(column: .attribute(Value.Target.entity.key))))
    }
}
