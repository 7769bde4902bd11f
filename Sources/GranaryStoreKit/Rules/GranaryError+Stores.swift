// A failure to open, read or write a store gives the same error with the same text in every store.

extension GranaryError {
    /// A store, or a file of it, in a format that a later version of Granary has written.
    ///
    /// - Parameters:
    ///   - name: The item with the format: the path of a file, or "The store".
    ///   - format: The format that was found.
    ///   - newest: The newest format that this version reads.
    public static func newerFormat(of name: String, _ format: some BinaryInteger, newest: some BinaryInteger)
        -> GranaryError
    {
        GranaryError(
            .newerFormat,
            "\(name) has format \(format); this version of Granary reads up to \(newest). Update the app that opens the store."
        )
    }

    /// A store is used after it was closed.
    public static var storeClosed: GranaryError {
        GranaryError(.closed, "The store is closed. Open it again.")
    }

    /// A store is open in this process with other options (such as another access) than it is opened with now.
    ///
    /// - Parameter path: The store's folder. For the folder of a generation, the error names the store's.
    public static func openWithOtherOptions(_ path: String) -> GranaryError {
        let store = StoreNames.store(ofGeneration: path)
        return GranaryError(
            .alreadyOpen,
            "\(store) is open in this process with other options. Open it with the same ones, or share the stack.")
    }

    /// A store is open in this process with a schema that differs only in the order of its parts.
    ///
    /// - Parameter path: The store's folder. For the folder of a generation, the error names the store's.
    public static func openInAnotherOrder(_ path: String) -> GranaryError {
        let store = StoreNames.store(ofGeneration: path)
        return GranaryError(
            .alreadyOpen,
            "\(store) is open in this process with its entities or attributes in another order. Use one Schema for both."
        )
    }

    /// Another process uses a store, or a file of it, for longer than the time-out.
    public static func inUse(_ path: String) -> GranaryError {
        GranaryError(
            .busy, "Another process is using \(path). Close it there, try again, or give a longer busy time-out.")
    }

    /// A writer has waited for its turn for the longest allowed time.
    package static func busyWriting(after seconds: Double) -> GranaryError {
        let tenths = (seconds * 10).rounded() / 10
        var error = GranaryError(
            .busy,
            "Another transaction has been writing for \(tenths) seconds. Try again, or give a longer busy time-out.")
        error.waited = .seconds(seconds)
        return error
    }

    /// A read was stopped by its ``CancellationFlag``.
    package static var readCancelled: GranaryError { GranaryError(.cancelled, "The read was cancelled.") }

    /// A file of a store does not exist, or does not contain what the store wrote.
    public static func damagedFile(_ path: String) -> GranaryError {
        GranaryError(.corrupt, "The file \(path) is missing or damaged. Restore the store from a backup.")
    }

    /// A part of a store differs from what the store wrote.
    ///
    /// - Parameter part: The part's name, at the beginning of a sentence: "The catalog".
    public static func damaged(_ part: String) -> GranaryError {
        GranaryError(.corrupt, "\(part) is damaged. Restore the store from a backup.")
    }

    /// An entry of the history differs from what was written.
    package static var damagedHistory: GranaryError {
        GranaryError(.corrupt, "The history is damaged. Delete it, or restore the store from a backup.")
    }
}

// MARK: Folders that are not stores

extension GranaryError {
    package static func noStore(at path: String) -> GranaryError {
        GranaryError(
            .notAStore,
            "There is no store at \(path). Check the path, or make a store there first.")
    }

    /// A folder that is empty, or has left-overs of a store whose making was interrupted.
    package static func unfinishedStore(at path: String) -> GranaryError {
        GranaryError(
            .notAStore,
            "\(path) has no store, or one that was never finished. Open it for writing to create one, or destroy what is left."
        )
    }

    /// A foreign file in the place of one of Granary's.
    package static func notGranarys(_ path: String) -> GranaryError {
        GranaryError(
            .notAStore, "\(path) was not written by Granary. Choose another path; nothing there was changed.")
    }

    /// A folder with files that are not a store's.
    ///
    /// - Parameter foreign: The name of one of them.
    package static func foreignFiles(in path: String, _ foreign: String) -> GranaryError {
        GranaryError(
            .notAStore,
            "\(path) is not a store: it has other files, \(foreign) among them. Choose another path or an empty folder."
        )
    }

    /// A store of one kind is opened as another kind.
    package static func storeOfOtherKind(at path: String, _ found: String, wanted: String) -> GranaryError {
        GranaryError(
            .notAStore,
            "\(path) is a store for \(found), not for \(wanted). Use the \(found) store, or choose another path.")
    }
}

// MARK: Failures after a change that can no longer be undone

extension GranaryError {
    /// This error for a call that has already had its effect: as `commitOutcomeUnknown`, so that the caller does not
    /// assume that the effect was undone.
    ///
    /// - Parameter done: The effect: a sentence, or several.
    package func afterDone(_ done: String) -> GranaryError {
        var error = self
        error.code = .commitOutcomeUnknown
        error.message = "\(done) \(message)"
        return error
    }

    /// The error of an opening that has made a store with contents before it failed.
    static func made(at path: String, butNotOpened cause: any Error) -> any Error {
        done("The store at \(path) is made, with all its contents, but could not be opened. Open it again.", cause)
    }

    /// The error of an opening that has migrated the store before it failed.
    package static func migrated(at path: String, butNotOpened cause: any Error) -> any Error {
        done("The store at \(path) is migrated, but could not be opened. Open it again.", cause)
    }

    /// The error of an opening that has moved the old store aside and then could not make a new one.
    static func moved(to path: String, butNotMade cause: any Error) -> any Error {
        done("The old store is moved to \(path), but the new one could not be opened. Open it again.", cause)
    }

    /// The error of a replacement of a store's data after which the new data could not be opened.
    static func replaced(butNotOpened cause: any Error) -> any Error {
        done("The new data of the store is live, but could not be opened. Close the store and open it again.", cause)
    }

    private static func done(_ text: String, _ cause: any Error) -> any Error {
        guard let cause = cause as? GranaryError, cause.code != .commitOutcomeUnknown else { return cause }
        return cause.afterDone(text)
    }
}
