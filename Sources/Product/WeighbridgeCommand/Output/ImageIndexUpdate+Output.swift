import ImageSearch
import JSON

extension ImageIndexUpdate {
  func json(_ path: String) -> JSONValue {
    .object([
      "index": .string(path), "images": .integer(imageCount), "analyzed": .integer(analyzedCount),
      "known": .integer(knownCount), "unchanged": .integer(unchangedCount),
      "removed": .integer(removedCount),
      "unreadable": .array(
        problems.map { .object(["image": .string($0.path), "reason": .string($0.reason)]) }),
      "other_files": .array(otherFiles.map(JSONValue.string)),
    ])
  }

  var text: String {
    let noun = imageCount == 1 ? "image" : "images"
    return "\(imageCount) \(noun): \(analyzedCount) analyzed, \(knownCount) known by their bytes, "
      + "\(unchangedCount) unchanged; \(removedCount) removed"
  }
}
