import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Convolutions over one, two or three axes.
enum MILConvolutions {
  static let rows: [MILRow] = [
    MILRow(value: Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let window = operation.window
      let padding = try MILPadding(window, of: builder.type())
      return try builder.add(
        "conv",
        [
          "x": .value(builder[0]), "weight": .value(builder[1]),
          "bias": operation.hasBias ? .value(builder[2]) : nil,
          "strides": .integers(window.strides), "pad_type": .text(padding.type),
          "pad": .integers(padding.borders), "dilations": .integers(window.dilation),
          "groups": .integer(operation.groups),
        ], as: builder.outputType)
    },
    MILRow(value: TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transposedConvolution(operation)
    },
  ]
}

/// The padding of a window as MIL states it.
struct MILPadding {
  let type: String
  /// The borders of each axis, before and after it.
  let borders: [Int]

  /// - Parameter input: A type in channels-first order.
  init(_ window: Window, of input: TensorType) throws(WeighbridgeError) {
    if let known = window.borders(of: Array(input.shape.dropFirst(2))) {
      type = window.padding == .valid ? "valid" : "custom"
      borders = zip(known.before, known.after).flatMap { [$0, $1] }
    } else {
      (type, borders) = ("same", [Int](repeating: 0, count: 2 * window.size.count))
    }
  }
}

extension MILBuilder {
  /// Adds a transposed convolution. What is appended beyond what cropping takes away is zeros, to
  /// which the bias is then added.
  fileprivate mutating func transposedConvolution(
    _ operation: TransposedConvolution
  ) throws(WeighbridgeError) -> ExportOperand {
    let window = operation.window
    var (before, after) = ([Int](repeating: 0, count: window.size.count), [Int]())
    after = before
    if case .explicit(let first, let last) = window.padding { (before, after) = (first, last) }
    let crop = zip(after, operation.outputPadding).map { max(0, $0 - $1) }
    let appended = zip(operation.outputPadding, after).map { max(0, $0 - $1) }
    let isAppended = appended.contains { $0 > 0 }
    var type = outputType
    for (axis, count) in appended.enumerated() {
      type.shape[axis + 2] = type.shape[axis + 2].value.map { .fixed($0 - count) } ?? .unknown
    }
    let result = try add(
      "conv_transpose",
      [
        "x": .value(self[0]), "weight": .value(self[1]),
        "bias": operation.hasBias && !isAppended ? .value(self[2]) : nil,
        "pad": .integers(zip(before, crop).flatMap { [$0, $1] }),
        "pad_type": (before + crop).contains { $0 > 0 } ? "custom" : "valid",
        "strides": .integers(window.strides), "dilations": .integers(window.dilation),
        "groups": .integer(operation.groups),
      ], as: type)
    guard isAppended else { return result }
    let padded = try padded(result, [0, 0] + before.map { _ in 0 }, [0, 0] + appended, value: 0)
    guard operation.hasBias else { return padded }
    let bias = try weight(2, "planes") {
      $0.reshaped([1, $0.count] + before.map { _ in 1 })
    }
    return try binary("add", padded, bias)
  }
}
