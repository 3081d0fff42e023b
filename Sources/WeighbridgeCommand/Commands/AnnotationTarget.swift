import Bytes
import Vision

/// Where pictures with boxes on them go.
struct AnnotationTarget {
  /// The file for each picture.
  private let files: [String]

  /// Decides on a file for each picture: the path itself for a single one, else files in a folder of
  /// that name, which is made. There a picture keeps its name, with the extension `.png` and a number
  /// when it is not the first of that name.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the folder cannot be made, or the name of
  ///   a file ends in neither `.png` nor `.jpg`.
  init(_ path: String, for pictures: [String]) throws(WeighbridgeError) {
    let isFolder = isFolder(path)
    guard isFolder || pictures.count > 1 || path.hasSuffix("/") else {
      guard PictureFormat(fileName: path) != nil else {
        throw WeighbridgeError(.mismatch, "the picture's name ends in neither .png nor .jpg")
          .at(file: path)
      }
      files = [path]
      return
    }
    if !isFolder { try makeFolder(path) }
    let folder = path.hasSuffix("/") ? path : path + "/"
    var taken: Set<String> = []
    files = pictures.map { picture in
      let base = Self.base(picture)
      var name = base + ".png"
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(base)-\(number).png"
        number += 1
      }
      return folder + name
    }
  }

  /// Writes a picture with its detections.
  ///
  /// - Parameter position: The picture's position among all.
  func write(
    _ picture: Picture, _ detections: [Detection], position: Int
  ) throws(WeighbridgeError) {
    let annotations = detections.map { detection in
      PictureAnnotation(
        label: "\(detection.label ?? "") \(detection.confidence.percentage)",
        colorIndex: detection.classIndex, x: detection.box.x, y: detection.box.y,
        width: detection.box.width, height: detection.box.height)
    }
    try picture.annotated(with: annotations).write(to: files[position])
  }

  /// The name without folders and extension.
  private static func base(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
