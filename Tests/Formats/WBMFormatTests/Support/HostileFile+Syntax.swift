import Bytes

extension HostileFile {
  /// Attacks on the header's protobuf syntax.
  static let syntax: [HostileFile] = [
    HostileFile(
      "deep-nesting", "deeper than", code: .limitExceeded,
      story: "Five thousand graphs inside one another, which overflow the stack of protobuf-c."
    ) { $0.nodes = [RawModel.nested(levels: 5000)] },
    HostileFile(
      "invalid-utf8", "UTF-8", story: "A name that is not UTF-8."
    ) { $0.values[0] = Wire.bytes(1, [0x78, 0xFF]) + RawModel.value("x").dropFirst(3) },
    HostileFile(
      "nul-in-text", "NUL",
      story: "A name with a NUL, of which C code sees only what is before it."
    ) { $0.values[0] = Wire.bytes(1, [0x78, 0]) + RawModel.value("x").dropFirst(3) },
    HostileFile(
      "attribute-type-unknown", "field 9", code: .unsupported,
      story: "An attribute of a type of a later version; ignoring it would change the result."
    ) {
      $0.nodes = [RawModel.node(rest: Wire.bytes(6, Wire.string(1, "a") + Wire.number(9, 1)))]
    },
    HostileFile(
      "attribute-without-value", "no value", story: "An attribute without a value."
    ) { $0.nodes = [RawModel.node(rest: Wire.bytes(6, Wire.string(1, "a")))] },
    HostileFile(
      "attribute-with-two-values", "occurs twice",
      story: "An attribute with two values; which one counts depends on the reader."
    ) {
      let both = Wire.string(1, "a") + Wire.number(2, 1) + Wire.number(4, 1)
      $0.nodes = [RawModel.node(rest: Wire.bytes(6, both))]
    },
    HostileFile(
      "node-field-unknown", "field 30", code: .unsupported,
      story: "A node with a field of a later version; ignoring it would change the result."
    ) { $0.nodes = [RawModel.node(rest: Wire.number(30, 1))] },
    HostileFile(
      "graph-twice", "occurs twice", story: "Two graphs, which protobuf merges into one."
    ) { $0.rest = Wire.bytes(2, []) },
    HostileFile(
      "wire-type", "wire type 0, expected 2", story: "A number where a text belongs."
    ) { $0.nodes = [RawModel.node() + Wire.number(8, 1)] },
    HostileFile(
      "description-wire-type", "wire type 0, expected 2",
      story: "The same in the description, where some libraries keep it as an unknown field."
    ) { $0.description = Wire.number(2, 1) },
    HostileFile(
      "boolean-two", "too large for its type", story: "A boolean of 2."
    ) {
      $0.nodes = [RawModel.node(rest: Wire.bytes(6, Wire.string(1, "a") + Wire.number(4, 2)))]
    },
    HostileFile(
      "tag-zero", "the invalid protobuf tag", story: "A field of the number 0."
    ) { $0.rest = [0x02, 0x00] },
    HostileFile(
      "packed-cut", "cut off", story: "A list of numbers that ends within a number."
    ) { $0.nodes = [RawModel.node(inputs: [0, 0x81])] },
    HostileFile(
      "graphs-too-deep", "nested deeper", code: .limitExceeded,
      story: "Twenty-five graphs inside one another, one more than the limit."
    ) { $0.nodes.append(RawModel.subgraphs(levels: 24)) },
    HostileFile(
      "group", "the invalid protobuf tag", story: "A group, which proto3 does not have."
    ) { $0.rest = [0x0B, 0x0C] },
    HostileFile(
      "length-beyond", "are left", story: "A text that claims more bytes than its message has."
    ) { $0.rest = Wire.varint(6 << 3 | 2) + [0x7F, 0] },
    HostileFile(
      "varint-endless", "longer than 64 bits", story: "A number of eleven bytes."
    ) { $0.rest = [UInt8](repeating: 0xFF, count: 11) },
    HostileFile(
      "number-too-large", "too large for its type",
      story: "A value's position of 2^32, which is 0 for who drops the upper half."
    ) { $0.outputs = [Wire.string(1, "y") + Wire.number(2, 1 << 32 | 2)] },
    HostileFile(
      "without-description", "lacks", story: "A header without a description."
    ) { $0.description = nil },
    HostileFile(
      "header-empty", "lacks", story: "A header without a byte, which protobuf accepts.",
      RawModel.file(header: [], data: [])),
  ]
}

extension RawModel {
  /// A node whose graph has a node with a graph, and so on, each following all other rules.
  static func subgraphs(levels: Int) -> [UInt8] {
    var graph: [UInt8] = []
    for level in 0..<levels {
      let node =
        Wire.string(1, "k") + Wire.number(2, 1) + Wire.string(3, "n\(level)") + Wire.bytes(7, graph)
      guard level < levels - 1 else { return node }
      graph = Wire.bytes(2, node)
    }
    return []
  }

  /// A node that holds a graph that holds a node, and so on.
  static func nested(levels: Int) -> [UInt8] {
    // Built in reverse and reversed at the end, which takes linear time.
    var reversed: [UInt8] = []
    for _ in 0..<levels {
      for field in [UInt64(2), 7] {  // Graph.nodes, Node.subgraphs
        let length = Wire.varint(UInt64(reversed.count))
        reversed += (Wire.varint(field << 3 | 2) + length).reversed()
      }
    }
    return reversed.reversed()
  }
}
