import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Convolutions over one, two or three axes.
enum PyTorchConvolutions {
  static let rows: [PyTorchRow] = [
    PyTorchRow(value: Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let (kernel, window) = (try builder.tensor(1), operation.window)
      let bias = operation.hasBias ? try builder.tensor(2) : nil
      let placed = try builder.placed(window)
      let arguments =
        try builder.layer(kernel.shape[1] * operation.groups, kernel.shape[0], window)
        + placed.arguments + PyTorchBuilder.dilation(window)
        + PyTorchBuilder.groups(operation.groups, hasBias: operation.hasBias)
      let module = try builder.module(
        "nn.Conv\(window.size.count)d", arguments, ["weight": kernel, "bias": bias])
      return try builder.add("\(module)(\(placed.input))", isLayer: true)
    },
    PyTorchRow(value: TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transposedConvolution(operation)
    },
  ]
}

extension PyTorchBuilder {
  typealias Argument = PythonMember.Argument

  /// The suffix of the name of a layer with a number of spatial axes.
  func dimensions(_ window: Window) throws(WeighbridgeError) -> Int {
    guard (1...3).contains(window.size.count) else {
      throw .unsupported("has other than one to three spatial axes, which PyTorch's layers have")
    }
    return window.size.count
  }

  /// The first arguments of a convolution.
  fileprivate func layer(
    _ taken: Int, _ given: Int, _ window: Window
  ) throws(WeighbridgeError) -> [Argument] {
    _ = try dimensions(window)
    return [.init("\(taken)"), .init("\(given)"), .init(PythonLiteral.sizes(window.size))]
      + Self.strides(window)
  }

  static func strides(_ window: Window) -> [Argument] {
    window.strides.contains { $0 != 1 }
      ? [.init("stride", PythonLiteral.sizes(window.strides))] : []
  }

  static func dilation(_ window: Window) -> [Argument] {
    window.dilation.contains { $0 != 1 }
      ? [.init("dilation", PythonLiteral.sizes(window.dilation))] : []
  }

  fileprivate static func groups(_ count: Int, hasBias: Bool) -> [Argument] {
    (count > 1 ? [.init("groups", "\(count)")] : []) + (hasBias ? [] : [.init("bias", "False")])
  }

  /// The padding of a window as an argument; an input with other borders is padded first.
  ///
  /// - Parameters:
  ///   - value: The number around the input.
  ///   - limit: The largest padding that the argument may have along each axis.
  mutating func placed(
    _ window: Window, value: Double = 0, limit: [Int]? = nil
  ) throws(WeighbridgeError) -> (input: PythonExpression, arguments: [Argument]) {
    let sizes = Array(self[0].type.shape.dropFirst(2))
    guard let borders = window.borders(of: sizes) else {
      return (paddedForUnknownSize(window, value: value), [])
    }
    let before = borders.before
    let after = Self.reached(window, sizes, borders.after)
    if (before + after).allSatisfy({ $0 == 0 }) { return ("\(self[0])", []) }
    let isWithin = zip(before, limit ?? before).allSatisfy { $0 <= $1 }
    if before == after, isWithin {
      return ("\(self[0])", [.init("padding", PythonLiteral.sizes(before))])
    }
    return (Self.padded("\(self[0])", before, after, value), [])
  }

  /// The padding at the ends that a window reaches.
  private static func reached(_ window: Window, _ sizes: [Dimension], _ after: [Int]) -> [Int] {
    after.indices.map { axis in
      guard let size = sizes[axis].value,
        let placement = try? window.placement(axis, dimension: size)
      else { return after[axis] }
      let end = (placement.count - 1) * window.strides[axis] + window.effectiveSize(axis)
      return min(after[axis], max(0, end - size - placement.before))
    }
  }

  /// Pads the last axes with a number.
  static func padded(
    _ x: PythonExpression, _ before: [Int], _ after: [Int], _ value: Double = 0
  ) -> PythonExpression {
    let borders = zip(before, after).reversed().flatMap { [$0, $1] }
    let suffix = value == 0 ? "" : ", value=\(value.python)"
    return "F.pad(\(x), [\(borders)]\(suffix))"
  }

  /// The input of a window whose padding depends on a size that is not known, padded.
  private mutating func paddedForUnknownSize(
    _ window: Window, value: Double
  ) -> PythonExpression {
    let sizes = window.size.indices.map { window.effectiveSize($0) }
    let suffix = value == 0 ? "" : ", \(value.python)"
    return "\(call(.padSame))(\(self[0]), [\(sizes)], [\(window.strides)]\(suffix))"
  }

  /// Adds a transposed convolution, whose padding is cropped from the output.
  fileprivate mutating func transposedConvolution(
    _ operation: TransposedConvolution
  ) throws(WeighbridgeError) -> ExportOperand {
    let (kernel, window) = (try tensor(1), operation.window)
    let count = window.size.count
    var (before, after) = ([Int](repeating: 0, count: count), [Int](repeating: 0, count: count))
    if case .explicit(let first, let last) = window.padding { (before, after) = (first, last) }
    // What is cropped at the start only is appended at the end, if that is possible.
    var extra = zip(operation.outputPadding, zip(before, after)).map { $0 + $1.0 - $1.1 }
    let isDirect = zip(extra, zip(window.strides, window.dilation)).allSatisfy {
      $0 >= 0 && $0 < max($1.0, $1.1)
    }
    if !isDirect { extra = operation.outputPadding }
    guard zip(extra, zip(window.strides, window.dilation)).allSatisfy({ $0 < max($1.0, $1.1) })
    else {
      throw .unsupported(
        "extends its output by \(extra), and PyTorch does so by less than the strides only")
    }
    var arguments = try layer(kernel.shape[0], kernel.shape[1] * operation.groups, window)
    if isDirect, before.contains(where: { $0 > 0 }) {
      arguments.append(.init("padding", PythonLiteral.sizes(before)))
    }
    if extra.contains(where: { $0 > 0 }) {
      arguments.append(.init("output_padding", PythonLiteral.sizes(extra)))
    }
    arguments += Self.groups(operation.groups, hasBias: operation.hasBias) + Self.dilation(window)
    let module = try module(
      "nn.ConvTranspose\(count)d", arguments,
      ["weight": kernel, "bias": operation.hasBias ? try tensor(2) : nil])
    let result: PythonExpression = "\(module)(\(self[0]))"
    if isDirect { return try add(result, isLayer: true) }
    let ranges = zip(before, after).map { "\($0):\($1 == 0 ? "" : "-\($1)")" }
    return try add("\(result)[:, :, \(ranges.joined(separator: ", "))]", isLayer: true)
  }
}
