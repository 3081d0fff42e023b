import Bytes

extension HostileFile {
  /// Attacks on the description of a detector, and on names.
  static let detectors: [HostileFile] = [
    HostileFile(
      "head-unknown", "no output z", story: "A detector head that is an output which is not there."
    ) { $0.setDetector(RawModel.detector + Wire.bytes(4, Wire.string(1, "z"))) },
    HostileFile(
      "head-twice", "two of the detector heads are named y", story: "Two heads of one output."
    ) {
      let head = Wire.bytes(4, Wire.string(1, "y"))
      $0.setDetector(RawModel.detector + head + head)
    },
    HostileFile(
      "tree-classes", "1 class, but the detector has 2",
      story: "A tree of one class for a detector of two."
    ) { $0.setDetector(RawModel.detector + Wire.number(7, 2) + RawModel.tree([0])) },
    HostileFile(
      "tree-order", "parent of class #0 does not come before it",
      story: "A class whose parent stands behind it, over which a walk may never end."
    ) { $0.setDetector(RawModel.detector + Wire.number(7, 2) + RawModel.tree([2, 1])) },
    HostileFile(
      "side-missing", "does not match its kind", story: "A grid of YOLO version 1 without cells."
    ) { $0.setDetector(Wire.number(1, 4) + Wire.number(3, 2) + Wire.number(5, 3)) },
    HostileFile(
      "side-surplus", "does not match its kind", story: "A number of cells where heads say it."
    ) { $0.setDetector(RawModel.detector + Wire.number(14, 7) + Wire.number(15, 2)) },
    HostileFile(
      "enumerator-too-large", "too large for its type",
      story: "An order of 2^33, which is 0 for who drops the upper half."
    ) { $0.setDetector(RawModel.detector + Wire.number(12, 1 << 33)) },
    HostileFile(
      "encoding-unknown", "tensor encoding 99", code: .unsupported,
      story: "A tensor in an encoding of a later version."
    ) {
      $0.tensors = [
        Wire.string(1, "w") + Wire.number(2, 3) + Wire.number(3, 99)
          + RawModel.tensor("w").dropFirst(7)
      ]
    },
    HostileFile(
      "symbol-empty", "an empty name", story: "A dimension whose symbol has no name."
    ) {
      $0.values[0] = Wire.string(1, "x") + Wire.number(2, 3) + Wire.bytes(3, Wire.string(2, ""))
    },
    HostileFile(
      "tensor-nameless", "one of the tensors has no name", story: "A tensor without a name."
    ) { $0.tensors = [RawModel.tensor("")] },
    HostileFile(
      "key-empty", "one of the user-defined keys has no name", story: "A pair without a key."
    ) { $0.description = Wire.bytes(9, Wire.string(2, "value")) },
    HostileFile(
      "option-twice", "two of the options are named a",
      story: "An option given twice; which one counts depends on the reader."
    ) {
      let option = Wire.bytes(6, Wire.string(1, "a"))
      $0.provenance = Wire.string(5, "test") + option + option
    },
    HostileFile(
      "source-too-large", "negative or too large", story: "A source file of 2^63 bytes."
    ) {
      let digest = Wire.bytes(3, [UInt8](repeating: 0, count: 32))
      $0.provenance =
        Wire.bytes(1, Wire.string(1, "a.h5") + digest + Wire.number(4, 1 << 63))
        + Wire.string(5, "test")
    },
  ]
}

extension RawModel {
  /// Gives the description a detector and nothing else.
  mutating func setDetector(_ detector: [UInt8]) { description = Wire.bytes(8, detector) }

  /// The field of a detector with a tree of classes.
  static func tree(_ parents: [UInt8]) -> [UInt8] {
    Wire.bytes(16, Wire.bytes(1, parents) + Wire.number(3, 1))
  }
}
