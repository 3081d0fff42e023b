import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// What looks at windows of images, or at all of them.
enum KerasPooling {
  static let rows: [KerasRow] = [
    KerasRow(MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      return try builder.pooling(
        "MaxPooling", operation.window, filledWith: -Double.greatestFiniteMagnitude)
    },
    KerasRow(AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.average(operation)
    },
    KerasRow(GlobalAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.globalPooling("GlobalAveragePooling", operation.keepDims)
    },
    KerasRow(GlobalMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.globalPooling("GlobalMaxPooling", operation.keepDims)
    },
    KerasRow(MaskedAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      let call = KerasWrittenCall(
        [try builder.argument(builder[0])],
        keywords: [(name: "mask", value: try builder.argument(builder[1]))])
      return try builder.layer(
        "GlobalAveragePooling1D",
        ["data_format": "channels_last", "keepdims": .bool(operation.keepDims)], call,
        types: [builder.outputType])[0]
    },
  ]
}

extension KerasModelBuilder {
  /// A layer for a window; what Keras cannot pad is padded beforehand.
  ///
  /// - Parameter borders: What is padded in any case, so that it counts.
  fileprivate mutating func pooling(
    _ className: String, _ window: Window, filledWith number: Double, borders: Borders? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    guard window.dilation.allSatisfy({ $0 == 1 }), (1...3).contains(window.size.count) else {
      throw WeighbridgeError(.unsupported, "a window with gaps, or of more than three axes")
    }
    var (word, outside) = try padding(window, type())
    if let borders { (word, outside) = ("valid", borders) }
    var input = self[0]
    if let outside {
      input = try padded(
        input, [0] + outside.before + [0], [0] + outside.after + [0], mode: "constant",
        number: number)
    }
    return try layer(
      "\(className)\(window.size.count)D",
      [
        "pool_size": .integers(window.size), "strides": .integers(window.strides),
        "padding": .string(word), "data_format": "channels_last",
      ], [input])
  }

  /// Keras never counts what it pads itself.
  fileprivate mutating func average(
    _ operation: AveragePooling
  ) throws(WeighbridgeError) -> KerasValue {
    let window = operation.window
    var borders: Borders?
    switch window.padding {
    case .valid: break
    case .same where operation.countIncludePad:
      throw WeighbridgeError(.unsupported, "counts the padding, which Keras' average leaves out")
    case .same: break
    case .explicit(let before, let after):
      if operation.countIncludePad {
        borders = Borders(before: before, after: after)
      } else if try padding(window, type()).borders != nil {
        throw WeighbridgeError(
          .unsupported, "leaves out a padding of another width than Keras', which would count")
      }
    }
    return try pooling("AveragePooling", window, filledWith: 0, borders: borders)
  }

  fileprivate mutating func globalPooling(
    _ className: String, _ keepDims: Bool
  ) throws(WeighbridgeError) -> KerasValue {
    let axes = type().rank - 2
    guard (1...3).contains(axes) else {
      throw WeighbridgeError(.unsupported, "\(axes) spatial axes")
    }
    return try layer(
      "\(className)\(axes)D",
      ["data_format": "channels_last", "keepdims": .bool(keepDims)])
  }
}
