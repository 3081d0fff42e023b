public import Bytes

extension ImageIndex {
  /// Brings the index up to date with a folder and the folders inside it.
  ///
  /// New and changed images are analyzed; those whose bytes are known are not. Files that are gone are
  /// taken out. An image that cannot be read is stored as such, and the rest goes on.
  ///
  /// - Parameters:
  ///   - folder: The folder; what the index knows of other folders stays.
  ///   - analyzer: The analyzer that the index was opened for.
  ///   - options: Threads, limits, cancellation, progress.
  /// - Returns: What was done.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing`` when it is no folder;
  ///   ``/Weighbridge/WeighbridgeError/Code/mismatch`` when another process rebuilt the index for another model;
  ///   ``/Weighbridge/WeighbridgeError/Code/cancelled`` (what was stored stays);
  ///   ``/Weighbridge/WeighbridgeError/Code/outputFailed``; and what the analyzer throws.
  @discardableResult
  public func update(
    folder: String, with analyzer: ImageAnalyzer, options: UpdateOptions = UpdateOptions()
  ) throws(WeighbridgeError) -> ImageIndexUpdate {
    let listing = try ImageFolder(folder)
    let known = try knownFiles(in: listing.path)
    let own = ownFiles
    let files = listing.files.filter { !own.contains($0.path) }
    let waiting = files.filter { known[$0.path]?.status != $0.status }
    let work = UpdateWork(self, analyzer, options, files: waiting)
    var update = try work.run()
    let problems = storedProblems(of: files, known)
    update.problems += problems
    update.unchangedCount = files.count - waiting.count - problems.count
    update.imageCount = update.analyzedCount + update.knownCount + update.unchangedCount
    let present = Set(files.map(\.path)).subtracting(update.otherFiles)
    let gone = known.keys.filter { path in
      !present.contains(path) && !listing.unreadable.contains { path.hasPrefix($0) }
    }
    try remove(gone)
    update.removedCount = gone.count
    update.problems += listing.unreadable.map {
      .init(path: $0, reason: "is a folder that cannot be listed")
    }
    update.problems.sort { $0.path < $1.path }
    return update
  }

  /// The database's own files, which may lie in the folder.
  private var ownFiles: Set<String> {
    guard path != Self.inMemory else { return [] }
    let resolved = canonicalPath(path)
    return Set(["", "-wal", "-shm", "-journal"].map { resolved + $0 })
  }

  /// The stored problems of files that were left alone.
  private func storedProblems(
    of files: [ImageFolder.File], _ known: [String: KnownFile]
  ) -> [ImageIndexUpdate.Problem] {
    files.compactMap { file in
      guard let entry = known[file.path], entry.status == file.status else { return nil }
      return entry.problem.map { .init(path: file.path, reason: $0) }
    }
  }
}
