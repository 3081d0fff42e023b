import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Convolutions and fully connected layers.
enum KerasConvolutions {
  static let rows: [KerasRow] = [
    KerasRow(Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convolution(operation)
    },
    KerasRow(TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transposedConvolution(operation)
    },
    KerasRow(Dense.self) { (operation, builder) throws(WeighbridgeError) in
      let kernel = try builder.tensor(1)
      var weights = [KerasLayerWeight(name: "kernel", tensor: kernel.permuted([1, 0]))]
      if operation.hasBias {
        weights.append(KerasLayerWeight(name: "bias", tensor: try builder.tensor(2)))
      }
      return try builder.layer(
        "Dense",
        [
          "units": .integer(kernel.shape[0]), "activation": .string(builder.fusedActivation),
          "use_bias": .bool(operation.hasBias),
        ], weights: weights)
    },
    KerasRow(EinsumDense.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.einsumDense(operation)
    },
  ]
}

extension KerasModelBuilder {
  /// What a window asks of its input: Keras' word for the padding, and the borders that must be
  /// added beforehand where there is none.
  func padding(
    _ window: Window, _ type: TensorType
  ) throws(WeighbridgeError) -> (word: String, borders: Borders?) {
    switch window.padding {
    case .valid: return ("valid", nil)
    case .same: return ("same", nil)
    case .explicit(let before, let after):
      if (before + after).allSatisfy({ $0 == 0 }) { return ("valid", nil) }
      let same = Window(
        size: window.size, strides: window.strides, dilation: window.dilation, padding: .same)
      let isSame = window.size.indices.allSatisfy { axis in
        // With steps of 1, the padding does not depend on the size.
        let dimension = type.shape[axis + 1].value ?? (window.strides[axis] == 1 ? 64 : nil)
        guard let dimension, let wanted = try? same.placement(axis, dimension: dimension),
          let own = try? window.placement(axis, dimension: dimension)
        else { return false }
        return wanted.before == own.before && wanted.count == own.count
      }
      return isSame ? ("same", nil) : ("valid", Borders(before: before, after: after))
    }
  }

  /// The first input with zeros around it, where they are asked for.
  private mutating func padded(_ borders: Borders?) throws(WeighbridgeError) -> KerasValue {
    guard let borders else { return self[0] }
    var type = type()
    for (axis, added) in zip(borders.before, borders.after).enumerated() {
      type.shape[axis + 1] =
        type.shape[axis + 1].value.map { Dimension.fixed($0 + added.0 + added.1) } ?? .unknown
    }
    return try bordered("ZeroPadding", "padding", borders, self[0], type: type)
  }

  /// The settings that a window becomes.
  private func settings(_ window: Window, _ padding: String) -> JSONObject {
    [
      "kernel_size": .integers(window.size), "strides": .integers(window.strides),
      "padding": .string(padding), "data_format": "channels_last",
      "dilation_rate": .integers(window.dilation), "activation": .string(fusedActivation),
    ]
  }

  private func check(_ window: Window) throws(WeighbridgeError) {
    guard (1...3).contains(window.size.count) else {
      throw WeighbridgeError(.unsupported, "\(window.size.count) spatial axes")
    }
    guard window.strides.allSatisfy({ $0 == 1 }) || window.dilation.allSatisfy({ $0 == 1 }) else {
      throw WeighbridgeError(
        .unsupported,
        "strides=\(window.strides) with dilation=\(window.dilation), of which Keras "
          + "has one at a time")
    }
  }

  private func bias(_ hasBias: Bool) throws(WeighbridgeError) -> [KerasLayerWeight] {
    hasBias ? [KerasLayerWeight(name: "bias", tensor: try tensor(2))] : []
  }

  fileprivate mutating func convolution(
    _ operation: Convolution
  ) throws(WeighbridgeError) -> KerasValue {
    let window = operation.window
    try check(window)
    let (word, borders) = try padding(window, type())
    let input = try padded(borders)
    let kernel = try tensor(1)
    var settings = settings(window, word)
    settings["use_bias"] = .bool(operation.hasBias)
    let axes = window.size.count
    let isDepthwise =
      operation.groups > 1 && kernel.shape[1] == 1 && axes < 3
      && Set(window.strides).count == 1
    guard isDepthwise else {
      settings["filters"] = .integer(kernel.shape[0])
      settings["groups"] = .integer(operation.groups)
      let turned = kernel.permuted(Array(2..<axes + 2) + [1, 0])
      return try layer(
        "Conv\(axes)D", settings, [input],
        weights: [KerasLayerWeight(name: "kernel", tensor: turned)] + bias(operation.hasBias))
    }
    let multiplier = kernel.shape[0] / operation.groups
    settings["depth_multiplier"] = .integer(multiplier)
    let parted = kernel.splitting(0, into: [operation.groups, multiplier])
    let turned = parted.permuted(Array(3..<axes + 3) + [0, 1, 2]).reshaped(
      window.size + [operation.groups, multiplier])
    let name = form == .archive ? "kernel" : "depthwise_kernel"
    return try layer(
      "DepthwiseConv\(axes)D", settings, [input],
      weights: [KerasLayerWeight(name: name, tensor: turned)] + bias(operation.hasBias))
  }

  /// Keras' layer without padding, of whose output the borders are taken away.
  fileprivate mutating func transposedConvolution(
    _ operation: TransposedConvolution
  ) throws(WeighbridgeError) -> KerasValue {
    let window = operation.window
    try check(window)
    guard operation.groups == 1 else {
      throw WeighbridgeError(.unsupported, "Keras has no transposed convolution of groups")
    }
    var (before, after) = ([Int](repeating: 0, count: window.size.count), [Int]())
    var type = outputType
    if case .explicit(let front, let back) = window.padding { (before, after) = (front, back) }
    if after.isEmpty { after = before }
    for axis in window.size.indices {
      let reach = (window.size[axis] - 1) * window.dilation[axis] + 1
      after[axis] += max(0, window.strides[axis] - reach) - operation.outputPadding[axis]
      guard after[axis] >= 0 else {
        throw WeighbridgeError(
          .unsupported,
          "an output that is longer than the window reaches by "
            + "\(operation.outputPadding)")
      }
      let borders = before[axis] + after[axis]
      type.shape[axis + 1] =
        type.shape[axis + 1].value.map { Dimension.fixed($0 + borders) } ?? .unknown
    }
    let kernel = try tensor(1)
    let axes = window.size.count
    var settings = settings(window, "valid")
    settings["filters"] = .integer(kernel.shape[1])
    settings["use_bias"] = .bool(operation.hasBias)
    let turned = kernel.permuted(Array(2..<axes + 2) + [1, 0])
    let whole = try layer(
      "Conv\(axes)DTranspose", settings,
      weights: [KerasLayerWeight(name: "kernel", tensor: turned)] + bias(operation.hasBias),
      type: type)
    if (before + after).allSatisfy({ $0 == 0 }) { return whole }
    return try bordered(
      "Cropping", "cropping", Borders(before: before, after: after), whole)
  }

  fileprivate mutating func einsumDense(
    _ operation: EinsumDense
  ) throws(WeighbridgeError) -> KerasValue {
    let (output, bias) = (operation.output.letters, operation.bias.letters)
    let shape = outputType.shape.dropFirst().map { $0.value.map(JSONValue.integer) ?? .null }
    var weights = [KerasLayerWeight(name: "kernel", tensor: try tensor(1))]
    if let first = bias.first, let start = output.firstIndex(of: first) {
      let own = try tensor(2)
      var dimensions = own.shape[...]
      let full = output[start...].map { bias.contains($0) ? dimensions.popFirst() ?? 1 : 1 }
      weights.append(KerasLayerWeight(name: "bias", tensor: own.reshaped(full)))
    }
    let equation =
      "\(operation.input.rawValue),\(operation.kernel.rawValue)->\(operation.output.rawValue)"
    return try layer(
      "EinsumDense",
      [
        "equation": .string(equation), "output_shape": .array(shape),
        "activation": .string(fusedActivation),
        "bias_axes": bias.isEmpty ? .null : .string(operation.bias.rawValue),
      ], weights: weights)
  }
}
