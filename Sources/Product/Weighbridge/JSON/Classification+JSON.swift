package import JSON

extension Classification {
  /// `{"label", "class", "probability"}`; a class without a name has an empty label.
  package var json: JSONValue {
    .object([
      "label": .string(label ?? ""), "class": .integer(classIndex),
      "probability": .real(probability),
    ])
  }
}
