import Bytes
import Vision

extension Model {
  /// Reads examples of the model's inputs.
  ///
  /// - Parameter paths: Images, files of arrays (.npy, .npz), or folders of either.
  /// - Returns: `nil` when there are no paths.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for images where the model does not take one;
  ///   the errors of reading the files.
  public func examples(
    in paths: [String]
  ) throws(WeighbridgeError) -> CompactOptions.Examples? {
    guard !paths.isEmpty else { return nil }
    let paths = paths.flatMap(Self.expandingArrayFolder)
    let areArrays = paths.allSatisfy(Self.isArrayFile)
    var inputs: [[NamedTensor]] = []
    for path in areArrays ? paths : try ImageFiles(paths).paths {
      inputs.append(areArrays ? try ArrayFile.read(path) : try imageInput(path))
    }
    let noun =
      areArrays
      ? "file\(inputs.count == 1 ? "" : "s") of arrays" : "image\(inputs.count == 1 ? "" : "s")"
    return CompactOptions.Examples(inputs, words: "\(inputs.count) \(noun)")
  }

  /// Returns the model's only input for an image file.
  private func imageInput(_ path: String) throws(WeighbridgeError) -> [NamedTensor] {
    guard inputs.count == 1, let input = inputs.first else {
      throw .mismatch(
        "the model has \(inputs.count) inputs, and an image is one: give files of arrays")
    }
    let image = try Image(contentsOf: path)
    return [NamedTensor(name: input.name, tensor: try imageTensor(input.name, [image]))]
  }

  private static func isArrayFile(_ path: String) -> Bool {
    path.hasSuffix(".npy") || path.hasSuffix(".npz")
  }

  /// Returns the array files in a folder that has any; otherwise the path itself.
  private static func expandingArrayFolder(_ path: String) -> [String] {
    guard isFolder(path) else { return [path] }
    let files = FolderListing.names(in: path, limit: 1_000_000).filter(isArrayFile)
    return files.isEmpty ? [path] : files.map { "\(path)/\($0)" }
  }
}
