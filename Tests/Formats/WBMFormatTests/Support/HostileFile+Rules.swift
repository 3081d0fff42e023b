import Bytes

extension HostileFile {
  /// Attacks on the rules between the header's parts.
  static let rules: [HostileFile] = [
    HostileFile(
      "value-missing", "value #9, but there are 3",
      story: "A node that reads a value which is not there."
    ) { $0.nodes = [RawModel.node(inputs: [0, 9])] },
    HostileFile(
      "output-missing", "value #9, but there are 3",
      story: "A graph output that is a value which is not there."
    ) { $0.outputs = [RawModel.port("y", 9)] },
    HostileFile(
      "without-output", "the model has no output", story: "A model that gives nothing."
    ) { $0.outputs = [] },
    HostileFile(
      "cycle", "nothing before it computes", story: "A node that reads its own result."
    ) { $0.nodes = [RawModel.node(inputs: [0, 2])] },
    HostileFile(
      "computed-twice", "a constant or already computed", story: "Two nodes that compute one value."
    ) { $0.nodes.append(RawModel.node(name: "m")) },
    HostileFile(
      "constant-computed", "a constant or already computed",
      story: "A node that overwrites a weight."
    ) { $0.nodes = [RawModel.node(inputs: [0], outputs: [2, 1])] },
    HostileFile(
      "value-from-nowhere", "is never computed", story: "A value that nothing computes."
    ) { $0.values.append(RawModel.value("z")) },
    HostileFile(
      "tensor-missing", "tensor #5, but there are 1",
      story: "A constant whose tensor is not there."
    ) { $0.values[1] = RawModel.value("w") + Wire.number(4, 5) },
    HostileFile(
      "constant-shape", "differs in type or shape",
      story: "A constant of another shape than its tensor, read past the end by the careless."
    ) {
      $0.values[1] =
        Wire.string(1, "w") + Wire.number(2, 3) + Wire.bytes(3, Wire.number(1, 4))
        + Wire.number(4, 0)
    },
    HostileFile(
      "value-twice", "two of the values are named x", story: "Two values of one name."
    ) { $0.values[2] = RawModel.value("x") },
    HostileFile(
      "node-twice", "two of the nodes are named n", story: "Two nodes of one name."
    ) {
      $0.values.append(RawModel.value("z"))
      $0.nodes.append(RawModel.node(outputs: [3]))
    },
    HostileFile(
      "node-nameless", "no name", story: "A node without a name."
    ) { $0.nodes = [RawModel.node(name: "")] },
    HostileFile(
      "port-twice", "two of the graph outputs are named y", story: "Two outputs of one name."
    ) { $0.outputs.append(RawModel.port("y", 0)) },
    HostileFile(
      "attribute-twice", "two of the attributes are named a",
      story: "A setting given twice; which one counts depends on the reader."
    ) {
      let setting = Wire.bytes(6, Wire.string(1, "a") + Wire.number(2, 1))
      $0.nodes = [RawModel.node(rest: setting + setting)]
    },
    HostileFile(
      "extent-negative", "negative", story: "An axis of -1 elements."
    ) {
      $0.values[0] = Wire.string(1, "x") + Wire.number(2, 3) + Wire.bytes(3, Wire.number(1, .max))
    },
    HostileFile(
      "version-zero", "in version 0", story: "An operator without a version."
    ) { $0.nodes = [Wire.string(1, "add") + RawModel.node().dropFirst(7)] },
    HostileFile(
      "feature-unknown", "no input z",
      story: "A description of an input which is not there."
    ) { $0.description = Wire.bytes(6, Wire.string(1, "z")) },
    HostileFile(
      "keys-unsorted", "not sorted", story: "User-defined keys in an order of somebody's own."
    ) {
      $0.description =
        Wire.bytes(9, Wire.string(1, "b")) + Wire.bytes(9, Wire.string(1, "a"))
    },
    HostileFile(
      "labels-and-classes", "3 labels for 2 classes",
      story: "A detector of two classes in a model of three labels."
    ) {
      $0.description =
        Wire.string(7, "a") + Wire.string(7, "b") + Wire.string(7, "c")
        + Wire.bytes(8, RawModel.detector + Wire.number(7, 2))
    },
    HostileFile(
      "anchor-unit", "does not match its kind",
      story: "Anchors in pixels for a kind that has them in grid cells."
    ) { $0.description = Wire.bytes(8, Wire.number(1, 1) + Wire.number(3, 2) + Wire.number(5, 1)) },
    HostileFile(
      "part-missing", "part of a box is missing",
      story: "An activated part of the number 0, which has no meaning."
    ) { $0.description = Wire.bytes(8, RawModel.detector + Wire.bytes(11, [0])) },
    HostileFile(
      "order-unknown", "order of a head 9", code: .unsupported,
      story: "An order of a head's numbers of a later version, in the description too."
    ) { $0.description = Wire.bytes(8, RawModel.detector + Wire.number(12, 9)) },
    HostileFile(
      "anchor-missing", "anchor #0, but there are 0",
      story: "A detector head that picks an anchor which is not there."
    ) {
      let head = Wire.string(1, "y") + Wire.bytes(2, [0])
      $0.description = Wire.bytes(
        8, Wire.number(1, 1) + Wire.number(3, 1) + Wire.bytes(4, head) + Wire.number(5, 1))
    },
    HostileFile(
      "bias-count", "2 biases for 3 channels",
      story: "An image with a bias for two of its channels."
    ) {
      let image =
        Wire.number(1, 1) + Wire.bytes(3, [UInt8](repeating: 0, count: 16)) + Wire.number(5, 1)
      $0.description = Wire.bytes(6, Wire.string(1, "x") + Wire.bytes(3, image))
    },
    HostileFile(
      "default-infinite", "the input x has the default inf",
      story: "An input that is infinite where it is not given."
    ) { $0.description = Wire.bytes(6, Wire.string(1, "x") + Wire.real(4, .infinity)) },
    HostileFile(
      "default-fraction", "the input x has the default 0.5",
      story: "An input of integers that is a fraction where it is not given."
    ) {
      $0.values[0] =
        Wire.string(1, "x") + Wire.number(2, 8) + Wire.bytes(3, Wire.number(1, 3))
      $0.description = Wire.bytes(6, Wire.string(1, "x") + Wire.real(4, 0.5))
    },
    HostileFile(
      "default-of-unknown-size", "the input x has the default 0.0",
      story: "An input of unknown size that need not be given."
    ) {
      $0.values[0] = Wire.string(1, "x") + Wire.number(2, 3) + Wire.bytes(3, [])
      $0.description = Wire.bytes(6, Wire.string(1, "x") + Wire.real(4, 0))
    },
    HostileFile(
      "default-huge", "which takes at most 2^26 elements",
      story: "An input of more than 2^26 elements that need not be given."
    ) {
      $0.values[0] =
        Wire.string(1, "x") + Wire.number(2, 3) + Wire.bytes(3, Wire.number(1, 1 << 27))
      $0.description = Wire.bytes(6, Wire.string(1, "x") + Wire.real(4, 0))
    },
    HostileFile(
      "default-of-output", "the output y has a default", story: "An output that need not be given."
    ) { $0.description = Wire.bytes(10, Wire.string(1, "y") + Wire.real(4, 0)) },
    HostileFile(
      "source-with-folder", "is not a plain file name",
      story: "A source file's whole path, which tells about the machine it was read on."
    ) {
      let source = Wire.string(1, "/home/me/a.h5") + Wire.bytes(3, [UInt8](repeating: 0, count: 32))
      $0.provenance = Wire.bytes(1, source) + Wire.string(5, "test")
    },
    HostileFile(
      "source-with-backslash", "is not a plain file name", story: "The same on another system."
    ) {
      let source = Wire.string(1, "me\\a.h5") + Wire.bytes(3, [UInt8](repeating: 0, count: 32))
      $0.provenance = Wire.bytes(1, source) + Wire.string(5, "test")
    },
    HostileFile(
      "source-parent", "is not a plain file name", story: "A source file that is the folder above."
    ) {
      let source = Wire.string(1, "..") + Wire.bytes(3, [UInt8](repeating: 0, count: 32))
      $0.provenance = Wire.bytes(1, source) + Wire.string(5, "test")
    },
    HostileFile(
      "source-digest", "31 bytes, expected 32", story: "A SHA-256 of thirty-one bytes."
    ) {
      let source = Wire.string(1, "a.h5") + Wire.bytes(3, [UInt8](repeating: 0, count: 31))
      $0.provenance = Wire.bytes(1, source) + Wire.string(5, "test")
    },
  ]
}
