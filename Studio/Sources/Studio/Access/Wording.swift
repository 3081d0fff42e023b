/// Puts the program's options in the place of the names that messages of the library have from its API.
enum Wording {
  private static let options = [
    "ReadOptions.architecture": "convert --architecture",
    "ReadOptions.customLayers": "convert --custom-layers",
    "ReadOptions.keepUnknown": "convert --keep-unknown",
    "ReadOptions.weights": "convert --weights",
    "ReadOptions.inputShapes": "convert --input-shape",
    "ReadOptions.randomWeights": "convert --random-weights",
    "DescriptionEdit.labels": "convert --labels",
    "DescriptionEdit.images": "convert --image-input",
    "DescriptionEdit.Image.scale": "convert --image-scale",
    "DescriptionEdit.Image.colorOrder": "convert --color",
    "DescriptionEdit.detector": "convert --detector",
    "DescriptionEdit.DetectorEdit.anchors": "convert --anchors",
    "DescriptionEdit(metadataFile:)": "convert --metadata",
    "VerifyOptions.against": "report --against",
    "VerifyOptions.references": "convert --reference-inputs",
    "Model(contentsOf:)": "convert",
    "Metadata.edit(_:writingTo:replacing:tolerance:_:)": "metadata --set",
  ]

  /// What the page offers itself.
  private static let controls = [
    "ReportOptions.image": "A picture that is dropped together with the model",
    "ReportOptions.noVerify = true": "the \u{201C}Verify\u{201D} box is unchecked",
  ]

  /// A message with what the reader can use.
  static func namingOptions(_ message: String) -> String {
    guard message.contains("`") else { return message }
    var parts = message.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    for index in stride(from: 1, to: parts.count, by: 2) {
      if let option = options[parts[index]] {
        parts[index] = "`weighbridge \(option)`"
      } else {
        parts[index] = controls[parts[index]] ?? "`\(parts[index])`"
      }
    }
    return parts.joined()
  }
}
