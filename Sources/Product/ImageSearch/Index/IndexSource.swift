package import Bytes
import Vision
import Weighbridge

/// The source of a search: an index, or a folder whose images are analyzed first.
package struct IndexSource {
  /// The index; of a folder, in memory.
  package let index: ImageIndex
  /// The model, if given.
  package let analyzer: ImageAnalyzer?
  /// The path of the index or folder.
  package let path: String

  /// - Parameters:
  ///   - path: The index or folder.
  ///   - analyzer: The model; a folder needs one.
  ///   - check: Throws when the index does not contain the data to search.
  ///   - update: Fills the index of a folder.
  package init(
    _ path: String, _ analyzer: ImageAnalyzer?,
    check: (ImageIndex) throws(WeighbridgeError) -> Void,
    update: (ImageIndex, ImageAnalyzer) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    (self.analyzer, self.path) = (analyzer, path)
    guard isFolder(path) else {
      index = try ImageIndex(contentsOf: path)
      try check(index)
      guard analyzer == nil || analyzer?.identity == index.contents.identity else {
        throw .mismatch(
          "is an index of another model or with other options; \(APIName.rebuilding) changes that"
        ).at(file: path)
      }
      return
    }
    guard let analyzer else {
      throw .mismatch("is a folder, so a model is needed: \(APIName.searchModel)").at(file: path)
    }
    index = try ImageIndex(inMemoryFor: analyzer)
    try check(index)
    try update(index, analyzer)
  }

  /// Returns the results for an image: from the index if its bytes are stored, otherwise from the
  /// model.
  package func analysis(ofImage path: String) throws(WeighbridgeError) -> ImageAnalysis {
    if let known = try index.analysis(ofImage: path) { return known }
    guard let analyzer else {
      throw .mismatch("is not in \(self.path), so a model is needed: \(APIName.searchModel)")
        .at(file: path)
    }
    let image = try Image(contentsOf: path)
    do throws(WeighbridgeError) {
      return try analyzer.analyze(image)
    } catch {
      throw error.at(file: path)
    }
  }

  /// Returns the objects that the model finds in an image.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when it finds none.
  package func composition(like image: String) throws(WeighbridgeError) -> Composition {
    let analysis = try analysis(ofImage: image)
    let composition = Composition(
      analysis.detections ?? [], width: analysis.width, height: analysis.height)
    guard !composition.objects.isEmpty else {
      throw .mismatch("the model finds nothing in it").at(file: image)
    }
    return composition
  }
}
