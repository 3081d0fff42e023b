package import GraphIR

/// Compares the metadata of two models.
package enum DescriptionComparison {
  /// Returns the differences, field by field.
  ///
  /// - Parameters:
  ///   - usesNames: Whether the models' own names are compared too.
  ///   - counts: Whether these differences make the models different.
  package static func differences(
    _ first: ModelDescription, _ second: ModelDescription, usesNames: Bool, counts: Bool
  ) -> [ModelDifferences.Item] {
    var lines: [String] = []
    func compare(_ field: String, _ one: String?, _ other: String?) {
      guard one != other else { return }
      lines.append("\(field): \(quoted(one)), and in the second \(quoted(other))")
    }
    if usesNames { compare("name", first.name, second.name) }
    compare("author", first.author, second.author)
    compare("license", first.license?.text, second.license?.text)
    compare("version", first.version, second.version)
    compare("description", first.summary, second.summary)
    for (kind, features, others) in [
      ("input", first.inputs, second.inputs), ("output", first.outputs, second.outputs),
    ] {
      for (feature, other) in zip(features, others) {
        compare("\(kind) \(feature.name)", feature.summary, other.summary)
        compare(
          "\(kind) \(feature.name) as an image", feature.image?.preprocessingSummary,
          other.image?.preprocessingSummary)
        compare(
          "\(kind) \(feature.name) where it is not given",
          feature.defaultValue.map { "\($0)" }, other.defaultValue.map { "\($0)" })
      }
    }
    compare("labels", labels(first), labels(second))
    if first.detector != second.detector {
      compare("detector", detector(first), detector(second))
      if detector(first) == detector(second) { lines.append("detector: other settings") }
    }
    for key in Set(first.userDefined.keys).union(second.userDefined.keys).sorted() {
      compare(key, first.userDefined[key], second.userDefined[key])
    }
    return lines.map { ModelDifferences.Item(.metadata, $0, counts: counts) }
  }

  private static func quoted(_ text: String?) -> String {
    guard let text else { return "nothing" }
    return text.count <= 60 ? "\"\(text)\"" : "\"\(text.prefix(60))...\""
  }

  private static func labels(_ description: ModelDescription) -> String? {
    description.labels.isEmpty
      ? nil : "\(description.labels.count): \(description.labels.joined(separator: ", "))"
  }

  private static func detector(_ description: ModelDescription) -> String? {
    description.detector.map { detector in
      let anchors = (detector.grid?.anchors ?? []).map { "\($0.width)x\($0.height)" }
      return "\(detector.kind.rawValue), \(detector.classCount) classes"
        + (anchors.isEmpty ? "" : ", anchors \(anchors.joined(separator: " "))")
    }
  }
}

extension ImageInput {
  /// The preprocessing in one line.
  fileprivate var preprocessingSummary: String {
    "\(colorOrder.rawValue), scale \(scale), bias \(bias), \(resize?.rawValue ?? "any size policy")"
  }
}
