import Bytes

extension ForeignFile {
  /// Archives and compressed files, except the zip archives `.keras` and `.npz`, which can be read.
  package static let archives: [ForeignFile] = [
    ForeignFile { zip($0.members) },
    ForeignFile(
      [0x1F, 0x8B, 0x08],
      "is compressed with gzip; unpack it first: gunzip FILE.gz, or "
        + "tar -xzf FILE.tar.gz, and give the model in it"),
    ForeignFile("BZh", "is compressed with bzip2; \(unpackAdvice)"),
    ForeignFile([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "is compressed with xz; \(unpackAdvice)"),
    ForeignFile([0x28, 0xB5, 0x2F, 0xFD], "is compressed with zstd; \(unpackAdvice)"),
    ForeignFile([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "is a 7z archive; \(unpackAdvice)"),
    ForeignFile("Rar!\u{1A}\u{07}", "is a RAR archive; \(unpackAdvice)"),
    ForeignFile("ustar", at: 257, "is a tar archive; \(unpackAdvice)"),
  ]

  private static let unpackAdvice = "unpack it first, and give the model in it"

  private static let modelExtensions = [
    ".h5", ".keras", ".hdf5", ".onnx", ".mlmodel", ".cfg", ".safetensors", ".wbm", ".tflite",
  ]

  private static func zip(_ members: [String]) -> String? {
    let names = members.map { name in name.split { "/\\".contains($0) }.last.map(String.init) ?? ""
    }
    // A .keras, .npz or .pth file is left to its reader, which reports what is wrong with it.
    let kerasMembers = ["config.json", "metadata.json", "model.weights.h5"]
    guard !members.isEmpty, !members.contains(where: kerasMembers.contains),
      !names.contains("data.pkl"),
      members.first?.hasSuffix(".npy") != true
    else { return nil }
    if names.contains("saved_model.pb") {
      return "is a zip archive with a SavedModel of TensorFlow; unpack it, and give the folder"
    }
    if members.contains(where: { $0.contains(".mlpackage/") }) {
      return "is a zip archive with a Core ML package (.mlpackage); unpack it first"
    }
    let models = members.filter { name in modelExtensions.contains { name.hasSuffix($0) } }
    if !models.isEmpty {
      return "is a zip archive with \(models.prefix(5).joined(separator: ", ")); \(unpackAdvice)"
    }
    let more = members.count > 5 ? ", ..." : ""
    return "is a zip archive, but not a .keras or .npz: it holds "
      + members.prefix(5).joined(separator: ", ") + more
  }
}
