import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Elementwise functions and functions along axes.
enum TFLiteActivations {
  static let rows: [TFLiteRow] = [
    TFLiteRow(Sigmoid.self, is: .logistic), TFLiteRow(Tanh.self, is: .tanh),
    TFLiteRow(Exponential.self, is: .exponential),
    TFLiteRow(value: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.threshold == 0 else { return nil }
      if operation.slope == 0, operation.maximum == 6 { return try builder.add(.relu6, builder[0]) }
      let rectified =
        operation.slope == 0
        ? try builder.add(.relu, builder[0])
        : try builder.add(.leakyReLU, builder[0], options: .leakyReLU(slope: operation.slope))
      guard let maximum = operation.maximum else { return rectified }
      // With a negative slope, negative elements may be above the maximum, and are not bounded.
      guard operation.slope >= 0 else { return nil }
      return try builder.binary(.minimum, rectified, builder.number(maximum, like: rectified))
    },
    TFLiteRow(value: LeakyReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(.leakyReLU, builder[0], options: .leakyReLU(slope: operation.slope))
    },
    TFLiteRow(value: ELU.self) { (operation, builder) throws(WeighbridgeError) in
      operation.alpha == 1 ? try builder.add(.elu, builder[0]) : nil
    },
    TFLiteRow(value: GELU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(.gelu, builder[0], options: .gelu(isApproximate: operation.isApproximate))
    },
    TFLiteRow(value: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.alongLastAxis(operation.axes) { (builder, x) throws(WeighbridgeError) in
        try builder.add(.softmax, x, options: .softmax)
      }
    },
    TFLiteRow(value: LogSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.alongLastAxis(operation.axes) { (builder, x) throws(WeighbridgeError) in
        try builder.add(.logSoftmax, x)
      }
    },
    TFLiteRow(value: BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.affine(operation)
    },
  ]
}

extension TFLiteBuilder {
  /// Applies a function of the last axis to another one; `nil` for several axes.
  fileprivate mutating func alongLastAxis(
    _ axes: [Int],
    _ function: (inout Self, ExportOperand) throws(WeighbridgeError) -> ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand? {
    let last = type().rank - 1
    guard axes.count == 1 else { return nil }
    if axes == [last] { return try function(&self, self[0]) }
    var order = Array(0...last)
    order.swapAt(axes[0], last)
    let turned = try transposed(self[0], order)
    return try transposed(try function(&self, turned), order)
  }
}
