package import JSON
package import Vision

extension Detection {
  /// The documented form: boxes in the unit square with the origin in the upper left corner.
  package var json: JSONValue {
    .object([
      "label": .string(label ?? ""), "class": .integer(classIndex), "confidence": .real(confidence),
      "box": .object([
        "x": .real(box.x), "y": .real(box.y), "width": .real(box.width),
        "height": .real(box.height),
      ]),
    ])
  }
}
