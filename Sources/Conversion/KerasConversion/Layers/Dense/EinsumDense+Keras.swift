import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `EinsumDense(equation, output_shape, bias_axes=None)`, whose kernel has its axes in the
/// equation's order.
extension EinsumDense: KerasMapped {
  static let keras = KerasMapping([
    .plain("EinsumDense") { (layer, inputs) throws(WeighbridgeError) in
      let type = try layer.typedInput(inputs).type
      try layer.require(
        "gptq_unpacked_column_size", toBe: .null,
        because: "weights in another form than the layer's own are not supported")
      layer.ignore("lora_rank", "lora_alpha")  // Keras' own files contain the sum.
      let written = layer.take("equation") ?? .null
      guard let text = written.string, let equation = EinsumEquation(text, rank: type.rank) else {
        throw layer.unexpected("equation", written, "[X],[Y]->[Z], maybe with an ellipsis")
      }
      let shape = layer.take("output_shape") ?? .null
      let dimensions = try equation.dimensions(
        input: type, output: shape.array ?? (shape == .null ? [] : [shape]))
      let bias = layer.take("bias_axes")?.string ?? ""
      let quantization = try layer.takeQuantization()
      if let quantization {
        try layer.orderQuantizedWeights("kernel", quantization, hasBias: !bias.isEmpty)
      }
      let numbers = try layer.cast(inputs, to: layer.types?.compute ?? .float32)
      let output = try layer.addEinsum(
        equation, bias: bias, dimensions: dimensions, to: numbers[0], quantization: quantization)
      return try layer.addActivation(to: output)
    }
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let (output, bias) = (operation.output.letters, operation.bias.letters)
    let shape = builder.outputType.shape.dropFirst().map {
      $0.value.map(JSONValue.integer) ?? .null
    }
    var weights = [KerasLayerWeight(name: "kernel", tensor: try builder.tensor(1))]
    if let first = bias.first, let start = output.firstIndex(of: first) {
      let tensor = try builder.tensor(2)
      var dimensions = tensor.shape[...]
      let fullShape = output[start...].map { bias.contains($0) ? dimensions.popFirst() ?? 1 : 1 }
      weights.append(KerasLayerWeight(name: "bias", tensor: tensor.reshaped(fullShape)))
    }
    let equation =
      "\(operation.input.rawValue),\(operation.kernel.rawValue)->\(operation.output.rawValue)"
    return try builder.layer(
      "EinsumDense",
      [
        "equation": .string(equation), "output_shape": .array(shape),
        "activation": .string(builder.fusedActivation),
        "bias_axes": bias.isEmpty ? .null : .string(operation.bias.rawValue),
      ], weights: weights)
  }
}

/// An equation of Keras' `EinsumDense`, in which reserved letters replace an ellipsis.
struct EinsumEquation {
  /// The letters of the equation, which may be upper-case.
  let input: [Character]
  let kernel: [Character]
  let output: [Character]
  /// The number of axes that a leading or trailing ellipsis represents.
  let elided: (leading: Int, trailing: Int)

  /// - Parameter rank: The rank of the input.
  init?(_ text: String, rank: Int) {
    guard
      let match = text.wholeMatch(
        of: /(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?/),
      (match.1 == nil) == (match.5 == nil), (match.3 == nil) == (match.7 == nil),
      match.1 == nil || match.3 == nil
    else { return nil }
    let (input, output) = (Array(match.2), Array(match.6))
    let count = rank - input.count
    guard count >= 0, count == 0 || match.1 != nil || match.3 != nil, rank <= 16 else {
      return nil
    }
    // Characters that cannot occur in an equation.
    let letters = (0..<count).map { Character(UnicodeScalar(UInt8(0x80 + $0))) }
    elided = match.1 != nil ? (count, 0) : (0, count)
    self.input = match.1 != nil ? letters + input : input + letters
    self.output = match.1 != nil ? letters + output : output + letters
    kernel = Array(match.4)
  }

  /// Creates an equation from its axes.
  init(input: String, kernel: String, output: String) {
    (self.input, self.kernel, self.output) = (Array(input), Array(kernel), Array(output))
    elided = (0, 0)
  }

  /// The sizes of the axes, from the input and the setting `output_shape`, which omits the batch
  /// unless it is part of an ellipsis.
  func dimensions(
    input type: TensorType, output shape: [JSONValue]
  ) throws(WeighbridgeError) -> [Character: Int] {
    var dimensions: [Character: Int] = [:]
    for (letter, dimension) in zip(input, type.shape) { dimensions[letter] = dimension.value }
    let first = elided.leading == 0 ? 1 : elided.leading
    let named = output[first..<(output.count - elided.trailing)]
    // Keras ignores further sizes.
    guard named.count <= shape.count else {
      throw .malformed(
        "output_shape has \(shape.count.counted("axis")), and \(named.count) are expected")
    }
    for (letter, setting) in zip(named, shape) where setting != .null {
      guard let dimension = setting.integer, dimension >= 1,
        dimensions[letter] ?? dimension == dimension
      else {
        throw .malformed("output_shape has \(setting.text()), which does not fit the input \(type)")
      }
      dimensions[letter] = dimension
    }
    return dimensions
  }

  /// Maps the axes to the letters that ``EinsumDense`` uses.
  func labels() throws(WeighbridgeError) -> (Character) -> Character {
    let all = input + output.filter { !input.contains($0) }
    guard Set(all).count == all.count, all.count <= 26, Set(output).count == output.count,
      Set(kernel).count == kernel.count
    else {
      throw .unsupported(
        "has an equation in which an axis occurs twice, and each may occur once in an operand")
    }
    let indices = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
    guard kernel.allSatisfy({ indices[$0] != nil }) else {
      throw .malformed("an axis of the kernel is in neither input nor output")
    }
    return { letter in Character(UnicodeScalar(UInt8(97 + (indices[letter] ?? 0)))) }
  }
}

extension KerasLayer {
  /// Adds a product with a kernel and a bias, which are the layer's next weights.
  ///
  /// - Parameters:
  ///   - bias: The axes of the bias, in the equation's letters; empty when there is none.
  ///   - dimensions: The axes' sizes as far as they are known.
  ///   - name: The prefix of the roles of the node and its weights: empty, or a part of the layer,
  ///     for example `query`.
  ///   - quantization: The quantization of the layer; its scales are the weight after the bias.
  mutating func addEinsum(
    _ equation: EinsumEquation, bias: String, dimensions: [Character: Int], to input: ValueID,
    name: String = "", quantization: KerasQuantization? = nil
  ) throws(WeighbridgeError) -> ValueID {
    let label = try equation.labels()
    let (from, to) = (AxisLabels(equation.input.map(label)), AxisLabels(equation.output.map(label)))
    let kernelLabels = equation.kernel.map(label)
    let kernel = EinsumDense.canonical(Set(kernelLabels), from, to)
    let order = kernel.compactMap { kernelLabels.firstIndex(of: $0) }
    let biasAxes = equation.output.filter(Set(bias).contains)
    guard biasAxes.count == bias.count else {
      throw .malformed("bias_axes=\(bias) are not axes of the output")
    }
    let isQuantized = quantization != nil
    let operation = try EinsumDense(
      input: from, kernel: AxisLabels(kernel), output: to,
      bias: AxisLabels(isQuantized ? [] : biasAxes.map(label)))
    let prefix = name.isEmpty ? "" : "\(name)/"
    let shape = try Self.dimensions(equation.kernel, dimensions)
    let addBias = { (layer: inout KerasLayer) throws(WeighbridgeError) -> ValueID? in
      guard let first = equation.output.firstIndex(where: biasAxes.contains) else { return nil }
      // Keras keeps an axis of size 1 for each other axis after the first one of the bias.
      let shape = try Self.dimensions(equation.output, of: biasAxes, dimensions)
      let valueShape = isQuantized ? shape : try Self.dimensions(biasAxes, dimensions)
      return try layer.weight("\(prefix)bias", shape: Array(shape[first...])) {
        $0.reshaped(valueShape)
      }
    }
    if let quantization {
      return try addQuantizedEinsum(
        quantization, operation, equation, input, kernelShape: shape, order: order,
        scaleShape: try Self.dimensions(equation.output, of: equation.kernel, dimensions),
        bias: addBias)
    }
    let matrix = try weight("\(prefix)kernel", shape: shape) { $0.permuted(order) }
    if let sum = try addMovedBias(operation, [input, matrix], name) { return sum }
    let bias = try addBias(&self)
    return try add(operation, [input, matrix] + (bias.map { [$0] } ?? []), role: name)[0]
  }

  /// Adds a product and a bias that Keras on TensorFlow adds along another axis; `nil` where it does not.
  private mutating func addMovedBias(
    _ operation: EinsumDense, _ inputs: [ValueID], _ name: String
  ) throws(WeighbridgeError) -> ValueID? {
    let plain = try EinsumDense(
      input: operation.input, kernel: operation.kernel, output: operation.output,
      bias: AxisLabels([]))
    let (letters, own) = (operation.output.letters, operation.bias.letters)
    guard let first = letters.firstIndex(where: own.contains),
      let type = try? plain.outputTypes(of: inputs.map { graph.type(of: $0) })[0]
    else { return nil }
    let shape = (first..<letters.count).map {
      own.contains(letters[$0]) ? type.shape[$0] : .fixed(1)
    }
    guard let moved = movedShape(of: shape, in: type, since: KerasVersion(3, 10)) else {
      return nil
    }
    let product = try add(plain, inputs, role: name.isEmpty ? "unbiased" : "\(name)_unbiased")
    let bias = try weight("\(name.isEmpty ? "" : "\(name)/")bias", shape: shape.compactMap(\.value))
    {
      $0.reshaped(moved)
    }
    return try add(Add(), product + [bias], role: name)[0]
  }

  /// The sizes of axes; 1 for those that are not in `own`.
  private static func dimensions(
    _ letters: [Character], of own: [Character], _ dimensions: [Character: Int]
  ) throws(WeighbridgeError) -> [Int] {
    try Self.dimensions(
      letters.map { own.contains($0) ? $0 : " " },
      dimensions.merging([" ": 1]) { first, _ in first })
  }

  private static func dimensions(
    _ letters: [Character], _ dimensions: [Character: Int]
  ) throws(WeighbridgeError) -> [Int] {
    let result = letters.compactMap { dimensions[$0] }
    guard result.count == letters.count else {
      throw .malformed("the sizes of a weight's axes are not known")
    }
    return result
  }
}
