package import Bytes

/// Writes a `.param` file and, weight by weight, the `.bin` file. The same network always yields
/// the same bytes.
package struct NCNNWriter: ~Copyable {
  private let path: String
  private let model: NCNNModel
  private let slots: [NCNNWeightSlot]
  private var binary: AtomicFile
  /// The number of weights begun so far.
  private var count = 0

  /// Begins to write a network.
  ///
  /// - Parameters:
  ///   - path: The path of the `.param` file.
  ///   - weightsPath: The path of the `.bin` file.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, and the errors of
  ///   ``NCNNLayer/weightSlots()``.
  package init(
    _ model: NCNNModel, to path: String, weights weightsPath: String
  ) throws(WeighbridgeError) {
    var slots: [NCNNWeightSlot] = []
    for layer in model.layers { slots += try layer.weightSlots() }
    let binary = try AtomicFile(path: weightsPath)
    (self.path, self.model, self.slots) = (path, model, slots)
    self.binary = binary
  }

  /// Begins the next weight.
  ///
  /// - Parameter isHalf: Whether its elements are stored as float16 where the format allows it.
  /// - Returns: The encoding that its elements must have.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func beginWeight(isHalf: Bool) throws(WeighbridgeError) -> NCNNEncoding {
    precondition(count < slots.count, "the network has no further weights")
    let isTagged = slots[count].isTagged
    let encoding: NCNNEncoding = isHalf && isTagged ? .float16 : .float32
    // Padding to a multiple of four bytes, then the tag.
    var bytes = [UInt8](repeating: 0, count: NCNNEncoding.padding(binary.count))
    if isTagged { bytes.append(littleEndian: Int(encoding.rawValue), byteCount: 4) }
    try unsafe append(bytes.span.bytes)
    count += 1
    return encoding
  }

  /// Appends elements of the current weight, little-endian.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    if bytes.byteCount > 0 { try binary.append(bytes) }
  }

  /// Reads both files back and moves them to their paths, the text last.
  ///
  /// - Parameter replacing: Whether existing files may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    precondition(count == slots.count, "weights are missing")
    let zeros = [UInt8](repeating: 0, count: NCNNEncoding.padding(binary.count))
    try unsafe append(zeros.span.bytes)
    let text = Array(model.text.utf8)
    let model = try NCNNModel(text)
    if binary.count > 0 {
      try binary.withWrittenBytes { (bytes) throws(WeighbridgeError) in
        _ = try NCNNFile(model, weights: bytes)
      }
    }
    var file = try AtomicFile(path: path)
    try unsafe file.append(text.span.bytes)
    try binary.commit(replacing: replacing)
    try file.commit(replacing: replacing)
  }
}
