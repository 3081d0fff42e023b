import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `MultiHeadAttention(num_heads, key_dim, value_dim=key_dim)`, and Keras 3's
/// `GroupQueryAttention(head_dim, num_query_heads, num_key_value_heads)`: an ``EinsumDense`` each
/// projects query, key and value to heads, and another one projects the output of the attention.
extension DotProductAttention: KerasMapped {
  static let keras = KerasMapping([
    headed("MultiHeadAttention") { (layer, inputs) throws(WeighbridgeError) in
      let heads = try layer.count("num_heads")
      let size = try layer.count("key_dim")
      // Keras treats 0 as unset here.
      let width = try layer.integer("value_dim", default: 0)
      return try layer.addHeads(
        inputs,
        KerasHeads(
          queryHeads: heads, keyHeads: heads, keySize: size,
          valueSize: width == 0 ? size : width))
    },
    headed("GroupQueryAttention", grouped),
    headed("GroupedQueryAttention", grouped),
  ])
  static let kerasRow: KerasRow? = nil

  /// Creates a class that has dense layers of its own for the heads.
  private static func headed(
    _ name: String, _ build: @escaping KerasMapping.Build
  ) -> KerasLayerClass {
    let parts = ["query", "key", "gate", "value", "output"].map { name in
      KerasLayerParts.Object(["\(name)_dense", "_\(name)_dense"])
    }
    return KerasLayerClass(
      name, masks: .handledByBuilder, casts: .floats, shape: .unknown,
      parts: KerasLayerParts(parts), build)
  }

  private static let grouped: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let size = try layer.count("head_dim")
    let heads = KerasHeads(
      queryHeads: try layer.count("num_query_heads"),
      keyHeads: try layer.count("num_key_value_heads"), keySize: size, valueSize: size)
    guard heads.queryHeads % heads.keyHeads == 0 else {
      throw .malformed("\(heads.queryHeads) heads cannot share \(heads.keyHeads) equally")
    }
    return try layer.addHeads(inputs, heads)
  }
}

/// The heads of an attention layer.
struct KerasHeads {
  let queryHeads: Int
  let keyHeads: Int
  let keySize: Int
  let valueSize: Int
}

extension KerasLayer {
  /// Reads a setting that is a count of at least 1.
  fileprivate mutating func count(_ key: String) throws(WeighbridgeError) -> Int {
    let count = try integer(key)
    guard count >= 1 else { throw .malformed("\(key)=\(count)") }
    return count
  }

  /// Adds a multi-head attention layer.
  fileprivate mutating func addHeads(
    _ inputs: [ValueID], _ heads: KerasHeads
  ) throws(WeighbridgeError) -> [ValueID] {
    ignore("flash_attention", "key_shape", "query_shape", "seed", "value_shape")
    let tensors = try attentionTensors(inputs)
    let type = graph.type(of: tensors.query)
    let axes = try attentionAxes(type)
    let masking = try AttentionCallMasking(&self, tensors, axes: axes)
    let hasBias = try flag("use_bias", default: true)
    let hasGate = try flag("use_gate", default: false)
    let (query, key) = ((heads.queryHeads, heads.keySize), (heads.keyHeads, heads.keySize))
    var parts = [
      try addProjection(of: tensors.query, to: query, hasBias, name: "query"),
      try addProjection(of: tensors.key, to: key, hasBias, name: "key"),
    ]
    let gate =
      hasGate
      ? try addProjection(
        of: tensors.query, to: (heads.queryHeads, heads.valueSize), hasBias, name: "gate") : nil
    parts.append(
      try addProjection(
        of: tensors.value, to: (heads.keyHeads, heads.valueSize), hasBias, name: "value"))
    let scale = 1 / Double(heads.keySize).squareRoot()
    // Keras 3 has it in float32, whatever the type of the heads.
    let operation = DotProductAttention(
      axes: axes, scale: version.major < 3 ? scale : Double(Float(scale)), masking: masking.masking,
      returnsAttentionWeights: masking.returnsAttentionWeights)
    var outputs = try add(operation, parts + masking.mask, role: "attention")
    if let gate {
      let factor = try add(Sigmoid(), [gate], role: "gate_activation")
      outputs[0] = try add(Multiply(), [outputs[0]] + factor, role: "gated")[0]
    }
    outputs[0] = try addOutputProjection(outputs[0], type, heads, hasBias)
    passMask(tensors, to: outputs[0])
    if masking.returnsAttentionWeights { try passMask(of: masking, to: outputs[1]) }
    return outputs
  }

  /// Passes the mask of the scores on to the attention weights, as the softmax layer does that computes
  /// them: in Keras 2, and from 3.11 on.
  private mutating func passMask(
    of call: AttentionCallMasking, to weights: ValueID
  ) throws(WeighbridgeError) {
    guard version.major == 2 || version >= KerasVersion(3, 11) else { return }
    let composition = Composition.outputs { (make) throws(WeighbridgeError) in
      let mask = make.inputs.count > 1 ? make.inputs[1] : nil
      let attended = try call.masking.attended(make.inputs[0], mask: mask, &make)
      return attended.map { [$0] } ?? []
    }
    guard case .nodes(let build) = composition else { return }
    let mask = try build(
      &network.graph, [weights] + call.mask, source.withRole(path(of: "attended")))
    // Without another mask it is a constant, and every constant of a graph has a reader.
    let read = call.mask.isEmpty && !mask.isEmpty ? try add(Identity(), mask, role: "mask") : mask
    setMask(read.first, of: weights)
  }

  /// Reads the axes of the attention: by default all those between batch and features.
  private mutating func attentionAxes(_ type: TensorType) throws(WeighbridgeError) -> [Int] {
    let range = 1..<max(1, type.rank - 1)
    let written = try integerList("attention_axes", default: Array(range))
    // Counted from the end of the query's axes.
    let axes = version.major >= 3 ? written.map { $0 < 0 ? $0 + type.rank : $0 } : written
    guard axes.allSatisfy(range.contains), !axes.isEmpty, axes.count == Set(axes).count else {
      throw .malformed("attention_axes=\(written), and the query is \(type)")
    }
    guard axes == axes.sorted() else {
      throw .unsupported("attention_axes=\(written), which are not in ascending order")
    }
    return axes
  }

  /// Adds the product that projects the features to heads.
  private mutating func addProjection(
    of input: ValueID, to heads: (count: Int, size: Int), _ hasBias: Bool, name: String
  ) throws(WeighbridgeError) -> ValueID {
    // Keras multiplies integers by the kernel in its type.
    let input = try cast(input, to: types?.compute ?? .float32, role: "\(name)_cast")
    let type = graph.type(of: input)
    let freeLetters = try Self.freeAxes(type)
    let equation = EinsumEquation(
      input: freeLetters + "x", kernel: "xyz", output: freeLetters + "yz")
    let dimensions = try dimensions([type.rank - 1], of: type)
    return try addEinsum(
      equation, bias: hasBias ? "yz" : "",
      dimensions: ["x": dimensions[0], "y": heads.count, "z": heads.size], to: input, name: name)
  }

  /// Adds the product that projects the heads to features: as many as the query has, or those of
  /// the setting `output_shape`.
  private mutating func addOutputProjection(
    _ value: ValueID, _ query: TensorType, _ heads: KerasHeads, _ hasBias: Bool
  ) throws(WeighbridgeError) -> ValueID {
    var shape = try integerList("output_shape", default: [])
    if shape.isEmpty || shape == [0] { shape = try dimensions([query.rank - 1], of: query) }
    guard shape.allSatisfy({ $0 >= 1 }), shape.count <= 8 else {
      throw .malformed("output_shape=\(shape), expected at most 8 sizes of at least 1")
    }
    let freeLetters = try Self.freeAxes(query)
    let newLetters = String("opqrstuv".prefix(shape.count))
    let equation = EinsumEquation(
      input: freeLetters + "yz", kernel: "yz" + newLetters, output: freeLetters + newLetters)
    var dimensions: [Character: Int] = ["y": heads.queryHeads, "z": heads.valueSize]
    for (letter, dimension) in zip(newLetters, shape) { dimensions[letter] = dimension }
    return try addEinsum(
      equation, bias: hasBias ? newLetters : "", dimensions: dimensions, to: value,
      name: "attention_output")
  }

  /// Letters for all axes except the features.
  private static func freeAxes(_ type: TensorType) throws(WeighbridgeError) -> String {
    guard (3...9).contains(type.rank) else {
      throw .unsupported("takes three axes or more and has \(type)")
    }
    return String("abcdefgh".prefix(type.rank - 1))
  }
}
