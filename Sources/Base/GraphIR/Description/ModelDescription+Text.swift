extension ModelDescription {
  /// The description as text, one entry per line.
  package var text: String { lines.joined(separator: "\n") }

  /// One line for each known entry.
  package var lines: [String] {
    var lines: [String] = []
    func add(_ key: String, _ value: String?) {
      guard let value else { return }
      lines.append(key + ":" + String(repeating: " ", count: max(1, 13 - key.count)) + value)
    }
    add("name", name)
    add("author", author)
    add("license", license.map { $0.text + ($0.note.map { " (\($0))" } ?? "") })
    add("version", version)
    add("description", summary)
    for feature in inputs { add("input", feature.line) }
    for feature in outputs { add("output", feature.line) }
    if !labels.isEmpty {
      let shown = labels.prefix(8).joined(separator: ", ")
      add("labels", "\(labels.count): \(shown)\(labels.count > 8 ? ", ..." : "")")
    }
    add("detector", detector?.line)
    for key in userDefined.keys.sorted() { add(key, userDefined[key]) }
    return lines
  }
}

extension ModelDescription.Feature {
  /// The feature on one line.
  package var line: String {
    var line = name
    if let summary { line += ": \(summary)" }
    if let defaultValue { line += "  [\(defaultValue) where it is not given]" }
    if let image { line += "  [image: \(image.line)]" }
    return line
  }
}

extension ImageInput {
  /// The conversion of an image to the input, on one line.
  package var line: String {
    let biases = bias.map { "\($0)" }.joined(separator: ", ")
    let resizing = resize.map { ", \($0.rawValue)" } ?? ""
    return "\(colorOrder.rawValue), x * \(scale) + [\(biases)]\(resizing)"
  }
}

extension DetectorDescription {
  /// The detector on one line.
  package var line: String {
    var parts = ["\(kind.rawValue), \(classCount) classes"]
    switch family {
    case .region(let grid): grid.describe(in: &parts, anchorUnit: "grid cells")
    case .yolo(let grid), .gaussianYOLO(let grid): grid.describe(in: &parts, anchorUnit: "pixels")
    case .detection(let row):
      parts.append("\(row.side)x\(row.side) cells of \(row.boxesPerCell) boxes")
      parts.append("\(row.squaresSizes ? "square-root" : "fraction") sizes")
    case .boxes: parts.append("fraction sizes")
    }
    if let suppression { parts.append("\(suppression.rawValue) suppression") }
    return parts.joined(separator: ", ")
  }
}

extension DetectorDescription.Grid {
  fileprivate func describe(in parts: inout [String], anchorUnit: String) {
    if classTree != nil { parts[0] += " in a tree" }
    if !anchors.isEmpty {
      let boxes = anchors.map { "\($0.width)x\($0.height)" }.joined(separator: ", ")
      parts.append("anchors \(boxes) (\(anchorUnit))")
    }
    if heads.contains(where: { $0.scaleXY != 1 }) {
      parts.append("scale_x_y \(heads.map { "\($0.scaleXY)" }.joined(separator: ", "))")
    }
    if squaresSizes { parts.append("squared sizes") }
  }
}
