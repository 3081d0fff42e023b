import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Dense layers, embeddings and normalizations.
enum PyTorchLayers {
  static let rows: [PyTorchRow] = [
    PyTorchRow(value: Dense.self) { (operation, builder) throws(WeighbridgeError) in
      let kernel = try builder.tensor(1)
      let module = try builder.module(
        "nn.Linear",
        [.init("\(kernel.shape[1])"), .init("\(kernel.shape[0])")]
          + (operation.hasBias ? [] : [.init("bias", "False")]),
        ["weight": kernel, "bias": operation.hasBias ? try builder.tensor(2) : nil])
      return try builder.add("\(module)(\(builder[0]))", isLayer: true)
    },
    PyTorchRow(expression: EinsumDense.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isPrimitive else { return nil }
      let axes =
        "\(operation.input.rawValue), \(operation.kernel.rawValue) -> \(operation.output.rawValue)"
      let product: PythonExpression = "torch.einsum(\"\(axes)\", \(builder[0]), \(builder[1]))"
      let letters = operation.bias.letters
      guard !letters.isEmpty else { return product }
      let bias = try builder.tensor(2)
      let shape = operation.output.letters.map { letter in
        letters.firstIndex(of: letter).map { bias.shape[$0] } ?? 1
      }
      return "\(product) + \(ExportOperand.weight(bias.reshaped(shape), named: builder[2].name))"
    },
    PyTorchRow(value: Embedding.self) { (operation, builder) throws(WeighbridgeError) in
      let table = try builder.tensor(1)
      let module = try builder.module(
        "nn.Embedding", [.init("\(table.shape[0])"), .init("\(table.shape[1])")],
        ["weight": table])
      let indices =
        operation.negativeIndices == .fromEnd
        ? try builder.positions(builder.indices(0), "\(table.shape[0])", like: builder.type())
        : builder.indices(0)
      return try builder.add("\(module)(\(indices))", isLayer: true)
    },
    PyTorchRow(value: BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.batchNormalization(operation)
    },
    PyTorchRow(expression: Identity.self) { (operation, builder) throws(WeighbridgeError) in
      guard let noise = operation.noise, builder.type().elementType.isFloat else {
        return "\(builder[0])"
      }
      return try builder.noise(noise)
    },
    PyTorchRow(value: LayerNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      let rank = builder.type().rank
      let sizes = operation.axes.compactMap { builder.type().shape[$0].value }
      let isLast = operation.normalizesLastAxes(rank: rank)
      guard sizes.count == operation.axes.count, isLast || sizes.count == 1 else { return nil }
      let affine = try builder.affine(operation.hasScale, operation.hasCenter, sizes)
      let shape = sizes.count == 1 ? "\(sizes[0])" : PythonLiteral.tuple(sizes)
      let module = try builder.module(
        "nn.LayerNorm",
        [.init(shape), .init("eps", operation.epsilon.python)] + affine.arguments,
        ["weight": affine.scale, "bias": affine.offset])
      return try builder.applied(module, along: operation.axes[0], isLast ? nil : rank - 1)
    },
    PyTorchRow(value: GroupNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      guard let count = builder.type().shape[operation.axis].value else { return nil }
      let affine = try builder.affine(operation.hasScale, operation.hasCenter, [count])
      let module = try builder.module(
        "nn.GroupNorm",
        [
          .init("\(operation.groups)"), .init("\(count)"), .init("eps", operation.epsilon.python),
        ] + (affine.arguments.isEmpty ? [] : [.init("affine", "False")]),
        ["weight": affine.scale, "bias": affine.offset])
      // PyTorch 2.13 crashes in training if the transposed input is not copied.
      return try builder.applied(module, along: operation.axis, 1, copies: true)
    },
  ]
}

extension PythonLiteral {
  static func tuple(_ integers: [Int]) -> String {
    "(" + integers.map(String.init).joined(separator: ", ") + (integers.count == 1 ? ",)" : ")")
  }
}

extension PyTorchBuilder {
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> ExportOperand? {
    let rank = type().rank
    let (mean, variance) = (try tensor(operands.count - 2), try tensor(operands.count - 1))
    guard (2...5).contains(rank), operation.axis > 0 else { return nil }
    let affine = try affine(operation.hasScale, operation.hasCenter, [mean.count])
    // PyTorch states the share of the new statistics, without the rounding of the difference.
    let momentum = ((1 - (operation.momentum ?? 0.99)) * 1e9).rounded() / 1e9
    let module = try module(
      "nn.BatchNorm\(max(1, rank - 2))d",
      [
        .init("\(mean.count)"), .init("eps", operation.epsilon.python),
        .init("momentum", momentum.python),
      ] + (affine.arguments.isEmpty ? [] : [.init("affine", "False")]),
      [
        "weight": affine.scale, "bias": affine.offset, "running_mean": mean,
        "running_var": variance, "num_batches_tracked": Tensor(.int64, shape: [], [0]),
      ])
    return try applied(module, along: operation.axis, 1)
  }

  /// What an element is multiplied with or what is added to it in training.
  mutating func noise(
    _ noise: TrainingNoise
  ) throws(WeighbridgeError) -> PythonExpression {
    let (rate, rank) = (noise.rate.python, type().rank)
    if noise.sharedAxes.isEmpty, noise.kind == .dropout || noise.kind == .alphaDropout {
      let module = try module(
        noise.kind == .dropout ? "nn.Dropout" : "nn.AlphaDropout", [.init(rate)])
      return "\(module)(\(self[0]))"
    }
    if noise.kind == .dropout, (3...5).contains(rank), noise.sharedAxes == Array(2..<rank) {
      return "\(try module("nn.Dropout\(rank - 2)d", [.init(rate)]))(\(self[0]))"
    }
    let function = call(.noise)
    let axes = noise.sharedAxes.map(String.init).joined(separator: ", ")
    return "\(function)(\(self[0]), \"\(noise.kind.rawValue)\", \(rate), [\(axes)], self.training)"
  }

  /// Applies a module that takes the axis of an operator at another position; `nil` for any.
  ///
  /// - Parameter copies: Whether a transposed input is copied.
  fileprivate mutating func applied(
    _ module: PythonExpression.Piece, along axis: Int, _ position: Int?, copies: Bool = false
  ) throws(WeighbridgeError) -> ExportOperand {
    guard let position, position != axis else { return try add("\(module)(\(self[0]))") }
    let moved: PythonExpression =
      "\(self[0]).movedim(\(axis), \(position))\(copies ? ".contiguous()" : "")"
    return try add("\(module)(\(moved)).movedim(\(position), \(axis))")
  }

  /// The scales and offsets of a normalization, ones or zeros for missing ones if there are others.
  fileprivate func affine(
    _ hasScale: Bool, _ hasCenter: Bool, _ shape: [Int]
  ) throws(WeighbridgeError) -> (scale: Tensor?, offset: Tensor?, arguments: [Argument]) {
    guard hasScale || hasCenter else {
      return (nil, nil, [.init("elementwise_affine", "False")])
    }
    let inputs = NormalizationInputs(hasScale: hasScale, hasCenter: hasCenter)
    let defaults = [1.0, 0].map {
      Tensor(.float32, shape: shape.map { _ in 1 }, [$0]).broadcast(to: shape)
    }
    return (
      try inputs.scale.map(tensor) ?? defaults[0], try inputs.offset.map(tensor) ?? defaults[1], []
    )
  }

  /// An input as indices, which are integers.
  func indices(_ position: Int) -> PythonExpression {
    [.int64, .int32].contains(self[position].type.elementType)
      ? "\(self[position])" : "\(self[position]).long()"
  }
}
