import Bytes
import JSON
import Vision
import Weighbridge

/// The detections in an image.
struct ImageDetections {
  let path: String
  let image: Image
  let detections: [Detection]

  /// The documented JSON form: boxes in the unit square with the origin in the upper left corner.
  var json: JSONValue {
    .object([
      "image": .string(path), "width": .integer(image.width), "height": .integer(image.height),
      "detections": .array(detections.map(\.json)),
    ])
  }

  /// A line for the image and a table of the detections, with boxes in whole pixels.
  var text: String {
    let noun = detections.count == 1 ? "detection" : "detections"
    let line = "\(path): \(image.width) x \(image.height), \(detections.count) \(noun)"
    guard !detections.isEmpty else { return line }
    var table = Table(
      ["class", "confidence", "x", "y", "width", "height"], rightAligned: [1, 2, 3, 4, 5])
    for detection in detections {
      let box = detection.box.pixels(width: image.width, height: image.height)
      let numbers = [box.x, box.y, box.width, box.height].map(\.integerText)
      table.append([detection.label ?? "", detection.confidence.percentage] + numbers)
    }
    return line + "\n" + table.text
  }
}

extension Double {
  /// Rounded to an integer; unrounded if it is too large for one.
  fileprivate var integerText: String { Int(exactly: rounded())?.description ?? "\(self)" }
}
