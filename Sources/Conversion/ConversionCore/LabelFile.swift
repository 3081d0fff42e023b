public import Bytes

/// Files of class labels, one per line, like darknet's `.names`.
public enum LabelFile {
  /// Reads the labels. Blank lines at the end and a byte order mark are ignored.
  ///
  /// - Parameter path: The file; whitespace around a label is removed.
  /// - Returns: The labels, in the order of the lines.
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/mismatch`` when the file
  ///   is not UTF-8, is empty, or has a blank line between labels.
  public static func read(_ path: String) throws(WeighbridgeError) -> [String] {
    try parse(try readSmallFile(path), path: path)
  }

  package static func parse(_ bytes: [UInt8], path: String) throws(WeighbridgeError) -> [String] {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = bytes.dropFirst(bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .mismatch("is not UTF-8 text").at(file: path)
    }
    var labels = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
      String(line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
    while labels.last?.isEmpty == true { labels.removeLast() }
    guard !labels.isEmpty else { throw .mismatch("has no labels").at(file: path) }
    if let line = labels.firstIndex(of: "") {
      throw .mismatch(
        "has a blank line between labels, where each "
          + "line must be one"
      ).at(.line(line + 1)).at(file: path)
    }
    return labels
  }
}

/// Reads the bytes of a text file that a person wrote, of at most 16 MiB.
package func readSmallFile(_ path: String) throws(WeighbridgeError) -> [UInt8] {
  let file = try MappedFile(path: path)
  guard file.count <= 16 << 20 else {
    throw .limitExceeded("has \(file.count) bytes, over the limit of 16 MiB").at(file: path)
  }
  return file.withBytes { $0.copied(0..<$0.byteCount) }
}
