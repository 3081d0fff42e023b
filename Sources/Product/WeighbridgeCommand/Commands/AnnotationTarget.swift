import Bytes
import ConversionCore
import Vision

/// Where images that are made of images go.
struct AnnotationTarget {
  /// The file for each image.
  private let files: [String]

  /// Decides on a file for each image: the path itself for a single one, else files in a folder of
  /// that name, which is made. There an image keeps its name, with the extension `.png` and a number
  /// when it is not the first of that name.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the folder cannot be made, or the name of
  ///   a file ends in neither `.png` nor `.jpg`.
  init(_ path: String, for images: [String]) throws(WeighbridgeError) {
    let isFolder = isFolder(path)
    guard isFolder || images.count > 1 || path.hasSuffix("/") else {
      guard ImageFormat(fileName: path) != nil else {
        throw .mismatch("the picture's name ends in neither .png nor .jpg").at(file: path)
      }
      files = [path]
      return
    }
    if !isFolder { try makeFolder(path) }
    let folder = path.hasSuffix("/") ? path : path + "/"
    var taken: Set<String> = []
    files = images.map { image in
      let base = FilePath(image).base
      var name = base + ".png"
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(base)-\(number).png"
        number += 1
      }
      return folder + name
    }
  }

  /// Writes an image with its detections.
  ///
  /// - Parameter position: The image's position among all.
  func write(
    _ image: Image, _ detections: [Detection], position: Int
  ) throws(WeighbridgeError) {
    try write(
      image.annotated(with: detections.map { ImageAnnotation($0) }), position: position)
  }

  /// Writes what was made of an image.
  ///
  /// - Parameter position: The image's position among all.
  func write(_ image: Image, position: Int) throws(WeighbridgeError) {
    try image.write(to: files[position])
  }

  /// The file for the image at a position.
  func file(_ position: Int) -> String { files[position] }
}
