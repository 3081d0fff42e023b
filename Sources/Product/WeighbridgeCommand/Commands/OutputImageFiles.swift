import Bytes
import ConversionCore
import GraphIR
import Vision

/// The files for images that are computed from other images.
struct OutputImageFiles {
  /// The file for each image.
  private let files: [String]

  /// Determines a file for each image: the path itself for a single one, otherwise files in a
  /// folder of that name, which is created. In the folder an image keeps its name, with the
  /// extension `.png`, and with a number when it is not the first of that name.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the folder cannot be created,
  ///   ``WeighbridgeError/Code/mismatch`` when the name of a file ends in neither `.png` nor
  ///   `.jpg`.
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
    var names = UniqueNames(separator: "-")
    files = images.map { folder + names.unused(FilePath($0).stem) + ".png" }
  }

  /// Writes an image with its detections.
  ///
  /// - Parameter position: The index of the image.
  func write(
    _ image: Image, _ detections: [Detection], position: Int
  ) throws(WeighbridgeError) {
    try write(
      image.annotated(with: detections.map { ImageAnnotation($0) }), position: position)
  }

  /// Writes an image that was computed from another one.
  ///
  /// - Parameter position: The index of the image.
  func write(_ image: Image, position: Int) throws(WeighbridgeError) {
    try image.write(to: files[position])
  }

  /// Returns the file for an image.
  func file(_ position: Int) -> String { files[position] }
}
