import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Pooling over windows, whole images, and to given sizes.
enum PyTorchPooling {
  static let rows: [PyTorchRow] = [
    PyTorchRow(value: MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      let window = operation.window
      let placed = try builder.placed(
        window, value: -.infinity, limit: window.size.map { $0 / 2 })
      return try builder.pooled(
        "max", window, placed.input, placed.arguments + PyTorchBuilder.dilation(window))
    },
    PyTorchRow(value: AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.averagePooled(operation)
    },
    PyTorchRow(expression: GlobalAveragePooling.self) {
      (operation, builder) throws(WeighbridgeError) in
      "\(builder[0]).mean(\(builder.spatialAxes(operation.keepDims)))"
    },
    PyTorchRow(expression: GlobalMaxPooling.self) {
      (operation, builder) throws(WeighbridgeError) in
      "\(builder[0]).amax(\(builder.spatialAxes(operation.keepDims)))"
    },
    PyTorchRow(expression: AdaptiveAveragePooling.self) {
      (operation, builder) throws(WeighbridgeError) in
      try builder.adapted("avg", operation.dimensions)
    },
    PyTorchRow(expression: AdaptiveMaxPooling.self) {
      (operation, builder) throws(WeighbridgeError) in
      try builder.adapted("max", operation.dimensions)
    },
    PyTorchRow(composite: MaskedAveragePooling.self),
  ]
}

extension PyTorchBuilder {
  /// The arguments of a reduction over the spatial axes.
  fileprivate func spatialAxes(_ keepsDimensions: Bool) -> String {
    let axes = (2..<max(2, type().rank)).map(String.init).joined(separator: ", ")
    return "[\(axes)]" + (keepsDimensions ? ", keepdim=True" : "")
  }

  fileprivate func adapted(
    _ function: String, _ sizes: [Int]
  ) throws(WeighbridgeError) -> PythonExpression {
    guard (1...3).contains(sizes.count) else {
      throw .unsupported("has other than one to three spatial axes, which PyTorch's layers have")
    }
    return "F.adaptive_\(function)_pool\(sizes.count)d(\(self[0]), [\(sizes)])"
  }

  /// Adds a function of windows.
  fileprivate mutating func pooled(
    _ function: String, _ window: Window, _ input: PythonExpression, _ arguments: [Argument]
  ) throws(WeighbridgeError) -> ExportOperand {
    let count = try dimensions(window)
    let size = "\(PythonLiteral.sizes(window.size))"
    let strides = "\(PythonLiteral.sizes(window.strides))"
    let all = ["\(size)", strides] + arguments.map(\.text)
    return try add(
      "F.\(function)_pool\(count)d(\(input), \(all.joined(separator: ", ")))", isLayer: true)
  }

  fileprivate mutating func averagePooled(
    _ operation: AveragePooling
  ) throws(WeighbridgeError) -> ExportOperand {
    let window = operation.window
    guard window.dilation.allSatisfy({ $0 == 1 }) else {
      throw .unsupported("has a dilated window, and PyTorch takes means of whole windows only")
    }
    let placed = try placed(window, limit: window.size.map { $0 / 2 })
    let countsAll = operation.countIncludePad || window.padding == .valid
    if placed.arguments.isEmpty, !countsAll, isPadded(window) {
      // The mean of the padded windows, divided by the share of each that lies in the image.
      let mean = try pooled("avg", window, placed.input, [])
      let ones = try add("torch.ones_like(\(self[0])[:1, :1])", as: type())
      let outer = scope
      scope.operands = [ones]
      let share = try pooled("avg", window, try self.placed(window, limit: [0, 0, 0]).input, [])
      scope = outer
      return try add("\(mean) / \(share)")
    }
    let flag =
      placed.arguments.isEmpty || operation.countIncludePad
      ? [] : [Argument("count_include_pad", "False")]
    return try pooled("avg", window, placed.input, placed.arguments + flag)
  }

  private func isPadded(_ window: Window) -> Bool {
    guard let (before, after) = window.borders(of: Array(type().shape.dropFirst(2))) else {
      return true
    }
    return (before + after).contains { $0 > 0 }
  }
}
