import Bytes
import HDF5File
import Testing

/// The path of a file that `Files/make_files.py` made.
func file(_ name: String) -> String {
  let filePath = #filePath
  return "/\(filePath.split(separator: "/").dropLast().joined(separator: "/"))/Files/\(name)"
}

/// Opens a file that `Files/make_files.py` made.
func open(
  _ name: String, limits: HDF5File.Limits = HDF5File.Limits()
) throws(WeighbridgeError) -> HDF5File {
  try HDF5File(path: file(name), limits: limits)
}

extension HDF5File {
  /// The elements of the dataset at a path, taken bit by bit from its little-endian bytes.
  func elements<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ path: String, as type: Element.Type = Element.self
  ) throws -> [Element] {
    let bytes = try contents(of: dataset(at: path))
    var cursor = ByteCursor(0..<bytes.count)
    var elements: [Element] = []
    while cursor.remaining > 0 { elements.append(try cursor.integer(from: bytes.span.bytes)) }
    return elements
  }

  /// The elements of a float32 dataset.
  func floats(_ path: String) throws -> [Float] {
    try elements(path, as: UInt32.self).map { Float(bitPattern: $0) }
  }

  /// The elements of a float64 dataset.
  func doubles(_ path: String) throws -> [Double] {
    try elements(path, as: UInt64.self).map { Double(bitPattern: $0) }
  }

  /// Whether the dataset's bytes are used where they are in the file.
  func isMapped(_ path: String) throws -> Bool {
    if case .fileRange = try dataset(at: path).storage { true } else { false }
  }
}

/// Expects `body` to fail with a code and a reason that contains a text.
func expectFailure(
  _ code: WeighbridgeError.Code, _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  let error = #expect(
    throws: WeighbridgeError.self, sourceLocation: sourceLocation, performing: body)
  guard let error else { return }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  #expect(error.description.contains(text), "\(error)", sourceLocation: sourceLocation)
}
