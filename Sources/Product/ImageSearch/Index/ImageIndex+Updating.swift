public import Bytes

extension ImageIndex {
  /// Updates the index from a folder and its subfolders.
  ///
  /// New and changed images are analyzed, unless their bytes are already stored. Files that no
  /// longer exist are removed. An image that cannot be read is stored as such, and the update goes
  /// on.
  ///
  /// - Parameters:
  ///   - folder: The folder; entries for other folders are kept.
  ///   - analyzer: The analyzer that the index was opened for.
  ///   - options: Threads, limits, cancellation, progress.
  /// - Returns: A summary of the update.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing`` when it is not a folder;
  ///   ``/Weighbridge/WeighbridgeError/Code/mismatch`` when another process rebuilt the index for
  ///   another model; ``/Weighbridge/WeighbridgeError/Code/cancelled`` (results stored so far are
  ///   kept); ``/Weighbridge/WeighbridgeError/Code/outputFailed``; and the errors of the analyzer.
  @discardableResult
  public func update(
    folder: String, with analyzer: ImageAnalyzer, options: UpdateOptions = UpdateOptions()
  ) throws(WeighbridgeError) -> ImageIndexUpdate {
    let listing = try ImageFolder(folder)
    let known = try knownFiles(in: listing.path)
    let ownPaths = databaseFiles
    let files = listing.files.filter { !ownPaths.contains($0.path) }
    let pending = files.filter { known[$0.path]?.status != $0.status }
    let updater = IndexUpdater(self, analyzer, options, files: pending)
    var update = try updater.run()
    let problems = storedProblems(of: files, known)
    update.problems += problems
    update.unchangedCount = files.count - pending.count - problems.count
    update.imageCount = update.analyzedCount + update.knownCount + update.unchangedCount
    let present = Set(files.map(\.path)).subtracting(update.otherFiles)
    let removed = known.keys.filter { path in
      !present.contains(path) && !listing.unreadable.contains { path.hasPrefix($0) }
    }
    try remove(removed)
    update.removedCount = removed.count
    update.problems += listing.unreadable.map {
      .init(path: $0, reason: "is a folder that cannot be listed")
    }
    update.problems.sort { $0.path < $1.path }
    return update
  }

  /// The database's own files, which may be in the folder.
  private var databaseFiles: Set<String> {
    guard path != Self.inMemory else { return [] }
    let resolved = canonicalPath(path)
    return Set(["", "-wal", "-shm", "-journal"].map { resolved + $0 })
  }

  /// Returns the stored problems of files that were not analyzed again.
  private func storedProblems(
    of files: [ImageFolder.File], _ known: [String: KnownFile]
  ) -> [ImageIndexUpdate.Problem] {
    files.compactMap { file in
      guard let entry = known[file.path], entry.status == file.status else { return nil }
      return entry.problem.map { .init(path: file.path, reason: $0) }
    }
  }
}
