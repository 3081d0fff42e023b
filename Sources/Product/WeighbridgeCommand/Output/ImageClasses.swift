import JSON
import Vision
import Weighbridge

/// The classes of an image.
struct ImageClasses {
  let path: String
  let image: Image
  let classes: [Classification]

  /// The documented JSON form.
  var json: JSONValue {
    .object([
      "image": .string(path),
      "classes": .array(classes.map(\.json)),
    ])
  }

  /// A line for the image and a table of the classes.
  var text: String {
    let line = "\(path): \(image.width) x \(image.height)"
    guard !classes.isEmpty else { return "\(line), no class above the threshold" }
    var table = Table(["class", "probability"], rightAligned: [1])
    for found in classes { table.append([found.name, found.probability.percentage]) }
    return line + "\n" + table.text
  }
}
