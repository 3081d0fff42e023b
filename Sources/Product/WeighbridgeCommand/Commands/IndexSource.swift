import Bytes
import ImageSearch

/// The source of a search: an index, or a folder whose images are analyzed first.
struct IndexSource {
  let index: ImageIndex
  /// The model, if given.
  let analyzer: ImageAnalyzer?
  /// The path of the index or folder.
  let path: String
  /// Whether images of the folder could not be read.
  let hasProblems: Bool

  /// - Parameters:
  ///   - path: The index or folder.
  ///   - model: The model's file; a folder needs one.
  ///   - check: Throws when the index does not contain the data to search.
  init(
    _ path: String, model: String?, _ reading: ReadOptions, _ analysis: AnalysisOptions,
    _ general: GeneralOptions, _ cancellation: Cancellation,
    check: (ImageIndex) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let analyzer = try model.map { (model) throws(WeighbridgeError) in
      try analysis.analyzer(model, reading, cancellation, general)
    }
    (self.analyzer, self.path) = (analyzer, path)
    guard isFolder(path) else {
      index = try ImageIndex(contentsOf: path)
      hasProblems = false
      try check(index)
      guard analyzer == nil || analyzer?.identity == index.contents.identity else {
        throw .mismatch(
          "is an index of another model or with other options; index with --rebuild to change that"
        ).at(file: path)
      }
      return
    }
    guard let analyzer else {
      throw .mismatch("is a folder, so a model is needed: --model FILE").at(file: path)
    }
    let memoryIndex = try ImageIndex(inMemoryFor: analyzer)
    index = memoryIndex
    try locating({ $0.at(file: model ?? path) }) { () throws(WeighbridgeError) in
      try check(memoryIndex)
    }
    let folderUpdate = FolderUpdate(
      analyzer: analyzer, threads: analysis.preparation.threading.threads,
      cancellation: cancellation, general: general)
    hasProblems = try !folderUpdate.run(path, in: memoryIndex).problems.isEmpty
  }

  /// Returns the results for an image: from the index if its bytes are stored, otherwise from the
  /// model.
  func analysis(ofImage path: String) throws(WeighbridgeError) -> ImageAnalysis {
    if let known = try index.analysis(ofImage: path) { return known }
    guard let analyzer else {
      throw .mismatch("is not in \(self.path), so a model is needed: --model FILE")
        .at(file: path)
    }
    let image = try Image(contentsOf: path)
    do throws(WeighbridgeError) {
      return try analyzer.analyze(image)
    } catch {
      throw error.at(file: path)
    }
  }
}
