import ImageSearch

extension ImageIndexUpdate {
  var text: String {
    let noun = imageCount == 1 ? "image" : "images"
    return "\(imageCount) \(noun): \(analyzedCount) analyzed, \(knownCount) known by their bytes, "
      + "\(unchangedCount) unchanged; \(removedCount) removed"
  }
}
