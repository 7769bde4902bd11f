extension Record {
    /// The query for the records of which a condition holds that was made before.
    ///
    /// ```swift
    /// let isKnown: Condition<Artist> = Artist.fields.rating >= 4.5
    /// let known = try snapshot.fetch(Artist.where(isKnown))
    /// ```
    public static func `where`(_ condition: Condition<Self>) -> Query<Self> { Query().where(condition) }
}
