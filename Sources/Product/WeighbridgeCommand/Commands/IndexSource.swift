import Bytes
import ImageSearch

extension IndexSource {
  /// Opens an index, or analyzes a folder and reports problems.
  ///
  /// - Parameters:
  ///   - path: The index or folder.
  ///   - model: The model's file; a folder needs one.
  ///   - check: Throws when the index does not contain the data to search.
  ///   - hasProblems: Set when images of the folder could not be read.
  init(
    _ path: String, model: String?, _ reading: ReadOptions, _ analysis: AnalysisOptions,
    _ general: GeneralOptions, _ cancellation: Cancellation, hasProblems: inout Bool,
    check: (ImageIndex) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let analyzer = try model.map { (model) throws(WeighbridgeError) in
      try analysis.analyzer(model, reading, cancellation, general)
    }
    try self.init(path, analyzer) { (index) throws(WeighbridgeError) in
      try locating({ isFolder(path) ? $0.at(file: model ?? path) : $0 }) {
        () throws(WeighbridgeError) in try check(index)
      }
    } update: { (index, analyzer) throws(WeighbridgeError) in
      let folderUpdate = FolderUpdate(
        analyzer: analyzer, threads: analysis.preparation.threading.threads,
        cancellation: cancellation, general: general)
      hasProblems = try !folderUpdate.run(path, in: index).problems.isEmpty
    }
  }
}
