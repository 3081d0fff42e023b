package import JSON

extension ImageIndexUpdate {
  /// The documented JSON form.
  ///
  /// - Parameter path: The path of the index.
  package func json(_ path: String) -> JSONValue {
    .object([
      "index": .string(path), "images": .integer(imageCount), "analyzed": .integer(analyzedCount),
      "known": .integer(knownCount), "unchanged": .integer(unchangedCount),
      "removed": .integer(removedCount),
      "unreadable": .array(
        problems.map { .object(["image": .string($0.path), "reason": .string($0.reason)]) }),
      "other_files": .array(otherFiles.map(JSONValue.string)),
    ])
  }
}
