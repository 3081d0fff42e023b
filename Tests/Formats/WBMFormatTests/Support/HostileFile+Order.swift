import Bytes

extension HostileFile {
  /// Lists in an order other than the required one, which would allow several files for one model.
  static let order: [HostileFile] = [
    HostileFile(
      "attributes-unsorted", "attributes b and a are not sorted",
      story: "Attributes in an order of somebody's own."
    ) {
      let attributes = ["b", "a"].flatMap { Wire.bytes(6, Wire.string(1, $0) + Wire.number(2, 1)) }
      $0.nodes = [RawModel.node(rest: attributes)]
    },
    HostileFile(
      "constant-late", "after values that nodes compute",
      story: "A constant behind the values that nodes compute."
    ) {
      $0.values.swapAt(1, 2)
      $0.nodes = [RawModel.node(inputs: [0, 2], outputs: [1])]
      $0.outputs = [RawModel.port("y", 1)]
    },
    HostileFile(
      "constants-unordered", "must come before it",
      story: "Two constants, of which the second is read first."
    ) {
      $0.addTensor()
      $0.nodes = [RawModel.node(inputs: [0, 2, 1], outputs: [3])]
    },
    HostileFile(
      "constant-unread", "no node reads the constant", story: "A constant that no node reads."
    ) {
      $0.addTensor()
      $0.nodes = [RawModel.node(inputs: [0, 1], outputs: [3])]
    },
    HostileFile(
      "tensors-unordered", "must come after the first use of tensor #0",
      story: "A constant whose tensor stands behind one that is named later."
    ) {
      $0.addTensor()
      $0.values[1] = RawModel.value("w") + Wire.number(4, 1)
      $0.values[2] = RawModel.value("v") + Wire.number(4, 0)
    },
    HostileFile(
      "input-late", "out of order: expected #0", story: "An input that is not the first value."
    ) {
      $0.values.insert(RawModel.value("z"), at: 0)
      $0.inputs = [RawModel.port("x", 1)]
    },
    HostileFile(
      "output-unordered", "out of order: expected #2",
      story: "A node whose outputs are numbered backwards."
    ) {
      $0.values.append(RawModel.value("z"))
      $0.nodes = [RawModel.node(outputs: [3, 2])]
    },
    HostileFile(
      "features-unordered", "are not in the graph's order",
      story: "Descriptions of two outputs in another order than the outputs."
    ) {
      $0.outputs.append(RawModel.port("z", 2))
      $0.description = Wire.bytes(10, Wire.string(1, "z")) + Wire.bytes(10, Wire.string(1, "y"))
    },
    HostileFile(
      "options-unsorted", "options b and a are not sorted",
      story: "Options of the conversion in an order of somebody's own."
    ) {
      $0.provenance =
        Wire.string(5, "test") + Wire.bytes(6, Wire.string(1, "b"))
        + Wire.bytes(6, Wire.string(1, "a"))
    },
    HostileFile(
      "parts-unordered", "twice or out of order",
      story: "Activated parts of a box in another order."
    ) { $0.description = Wire.bytes(8, RawModel.detector + Wire.bytes(11, [2, 1])) },
  ]
}

extension RawModel {
  /// The required fields of a detector.
  static let detector = Wire.number(1, 1) + Wire.number(3, 1) + Wire.number(5, 1)
}
