package import Bytes
import FlatBuffers

extension TFLiteFile {
  /// The version of the schema.
  private static let version = 3

  /// Reads the tables of a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for parts
  ///   that newer schemas have; ``WeighbridgeError/Code/limitExceeded``. The place is a byte of the
  ///   file, or the tensor or operator.
  package init(_ store: ByteStore) throws(WeighbridgeError) {
    let reader = try FlatBufferReader(
      store, range: 0..<min(store.count, Int(Int32.max)), identifier: TFLiteModel.identifier)
    var budget = FlatBufferBudget(byteCount: reader.range.count)
    let model = try reader.root(&budget)
    let version = try model.uint32(0)
    guard version == Self.version else {
      throw .unsupported("has version \(version) of the schema, and only 3 can be read")
    }
    if let field = try model.fields().first(where: { $0 > 7 }) {
      throw .unsupported(
        "has the field \(field), such as buffers in other files, which cannot be read")
    }
    self.store = store
    description = try model.string(3, &budget) ?? ""
    codes = try model.tables(1, &budget).map { (code) throws(WeighbridgeError) in
      try Code(code, &budget)
    }
    buffers = try Self.buffers(try model.tables(4, &budget), store, &budget)
    var graphs: [Graph] = []
    for graph in try model.tables(2, &budget) {
      graphs.append(
        try Graph(graph, codes: codes, bufferCount: buffers.count, &budget))
    }
    guard !graphs.isEmpty else { throw .malformed("has no graph") }
    self.graphs = graphs
    _ = try model.integers(5, &budget)  // an old form of the metadata
    var metadata: [(name: String, buffer: Int)] = []
    for entry in try model.tables(6, &budget) {
      metadata.append((try entry.string(0, &budget) ?? "", try entry.uint32(1)))
    }
    self.metadata = metadata
    signatures = try model.tables(7, &budget).map { (signature) throws(WeighbridgeError) in
      try Signature(signature, graphs: graphs, &budget)
    }
    end = budget.end
  }

  /// Reads where buffers are: in the tables, or anywhere in the file.
  private static func buffers(
    _ tables: [FlatBufferView], _ store: ByteStore, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [Range<Int>?] {
    var buffers: [Range<Int>?] = []
    for table in tables {
      let (offset, count) = (try table.uint64(1), try table.uint64(2))
      guard offset > 1 else {
        let data = try table.data(0, &budget)
        buffers.append(data?.isEmpty == true ? nil : data)
        continue
      }
      guard offset <= UInt64(store.count), count <= UInt64(store.count) - offset else {
        throw .malformed(
          "has a buffer of \(count) bytes from byte \(offset) on, and the file has \(store.count)"
        ).at(.byte(table.offset))
      }
      let data = Int(offset)..<Int(offset + count)
      budget.reach(data)
      buffers.append(data)
    }
    let sorted = buffers.compactMap(\.self).sorted { $0.lowerBound < $1.lowerBound }
    for (first, second) in zip(sorted, sorted.dropFirst())
    where second.lowerBound < first.upperBound {
      throw .malformed("has two buffers that share bytes").at(.byte(second.lowerBound))
    }
    return buffers
  }
}

extension TFLiteFile.Code {
  /// The number that stands for an operator whose name is a text.
  private static let custom = 32

  fileprivate init(
    _ table: FlatBufferView, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    // Old files have one byte for it; newer ones have both, of which the larger counts.
    let number = max(try table.int8(0), try table.int32(3))
    version = try table.int32(2, default: 1)
    let customName = try table.string(1, &budget)
    isCustom = number == Self.custom
    if isCustom {
      name = customName ?? ""
    } else if let name = TFLiteOperatorNames.name(of: number) {
      self.name = name
    } else {
      throw .unsupported("has the operator number \(number), which is not known")
        .at(.byte(table.offset))
    }
  }
}

extension TFLiteFile.Graph {
  fileprivate init(
    _ table: FlatBufferView, codes: [TFLiteFile.Code], bufferCount: Int,
    _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    name = try table.string(4, &budget) ?? ""
    var tensors: [TFLiteFile.Tensor] = []
    for tensor in try table.tables(0, &budget) {
      tensors.append(try TFLiteFile.Tensor(tensor, bufferCount: bufferCount, &budget))
    }
    self.tensors = tensors
    inputs = try table.integers(1, &budget)
    outputs = try table.integers(2, &budget)
    if let position = (inputs + outputs).first(where: { !tensors.indices.contains($0) }) {
      throw .malformed(
        "has the tensor \(position) as an input or output, and there are \(tensors.count)"
      ).at(.byte(table.offset))
    }
    var operators: [TFLiteFile.Operator] = []
    for entry in try table.tables(3, &budget) {
      operators.append(
        try TFLiteFile.Operator(entry, codes: codes, tensorCount: tensors.count, &budget))
    }
    self.operators = operators
  }
}

extension TFLiteFile.Tensor {
  fileprivate init(
    _ table: FlatBufferView, bufferCount: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    name = try table.string(3, &budget) ?? ""
    type = try table.int8(1)
    buffer = try table.uint32(2)
    isVariable = try table.bool(5)
    isSparse = try table.fields().contains(6)
    let sizes = try table.integers(0, &budget)
    let signature = try table.integers(7, &budget)
    guard sizes.allSatisfy({ $0 >= -1 }), signature.isEmpty || signature.count == sizes.count else {
      throw .malformed(
        "has the sizes \(sizes) and the signature \(signature), expected as many, from -1 on"
      ).at(layer: "the tensor \(name)")
    }
    shape = sizes.enumerated().map { axis, size in
      size < 0 || !signature.isEmpty && signature[axis] < 0 ? nil : size
    }
    guard buffer < bufferCount || buffer == 0 else {
      throw .malformed("has its elements in the buffer \(buffer), and there are \(bufferCount)")
        .at(layer: "the tensor \(name)")
    }
    if let steps = try table.table(4, &budget) {
      quantization = try TFLiteQuantization(
        steps, tensor: name, rank: sizes.count, &budget)
    } else {
      quantization = nil
    }
  }
}

extension TFLiteQuantization {
  /// Returns `nil` where only the range of numbers is recorded.
  fileprivate init?(
    _ table: FlatBufferView, tensor: String, rank: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    _ = (try table.integers(0, &budget), try table.integers(1, &budget))
    let scales = try table.floats(2, &budget)
    let zeroPoints = try table.integers(3, byteCount: 8, &budget)
    let axis = try table.int32(6)
    if scales.isEmpty, zeroPoints.isEmpty { return nil }
    func malformed(_ reason: String) -> WeighbridgeError {
      .malformed(reason).at(layer: "the tensor \(tensor)")
    }
    guard try table.int8(4) == 0 else {
      throw .unsupported("is quantized in a form that is not known, and only scales can be read")
        .at(layer: "the tensor \(tensor)")
    }
    guard !scales.isEmpty, zeroPoints.isEmpty || zeroPoints.count == scales.count else {
      throw malformed(
        "has \(scales.count) scales and \(zeroPoints.count) zero points, expected as many")
    }
    guard scales.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
      throw malformed("has a scale that is negative or no number")
    }
    guard scales.count == 1 || (0..<rank).contains(axis) else {
      throw malformed("has scales along axis \(axis), and has \(rank) axes")
    }
    self.init(
      scales: scales, zeroPoints: zeroPoints.isEmpty ? scales.map { _ in 0 } : zeroPoints,
      axis: axis)
  }
}

extension TFLiteFile.Operator {
  fileprivate init(
    _ table: FlatBufferView, codes: [TFLiteFile.Code], tensorCount: Int,
    _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    let number = try table.uint32(0)
    guard number < codes.count else {
      throw .malformed("has the operator code \(number), and there are \(codes.count)")
        .at(.byte(table.offset))
    }
    code = codes[number]
    inputs = try table.integers(1, &budget)
    outputs = try table.integers(2, &budget)
    let position =
      inputs.first { !(-1..<tensorCount).contains($0) }
      ?? outputs.first { !(0..<tensorCount).contains($0) }
    if let position {
      throw .malformed(
        "\(code.name) reads or gives the tensor \(position), and there are \(tensorCount)"
      ).at(.byte(table.offset))
    }
    let (first, second) = (try table.uint8(3), try table.uint8(11))
    optionsType = first == 0 && second > 0 ? Self.secondUnion + second : first
    options = optionsType == 0 ? nil : try table.table(first == 0 ? 12 : 4, &budget)
    customOptions = try table.data(5, &budget)
    _ = try table.data(7, &budget)  // which variables it changes
    _ = try table.integers(8, &budget)  // tensors within the operator
    if let field = try table.fields().first(where: { [9, 10].contains($0) || $0 > 13 }) {
      throw .unsupported("\(code.name) has the field \(field), which is not known")
        .at(.byte(table.offset))
    }
  }
}

extension TFLiteFile.Signature {
  fileprivate init(
    _ table: FlatBufferView, graphs: [TFLiteFile.Graph], _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    key = try table.string(2, &budget) ?? ""
    graph = try table.uint32(4)
    guard graph < graphs.count else {
      throw .malformed("the signature \(key) is of graph \(graph), and there are \(graphs.count)")
    }
    let tensorCount = graphs[graph].tensors.count
    var lists: [[(name: String, tensor: Int)]] = []
    for field in 0...1 {
      var ports: [(name: String, tensor: Int)] = []
      for port in try table.tables(field, &budget) {
        let tensor = try port.uint32(1)
        guard tensor < tensorCount else {
          throw .malformed(
            "the signature \(key) names the tensor \(tensor), and there are \(tensorCount)")
        }
        ports.append((try port.string(0, &budget) ?? "", tensor))
      }
      lists.append(ports)
    }
    (inputs, outputs) = (lists[0], lists[1])
  }
}
