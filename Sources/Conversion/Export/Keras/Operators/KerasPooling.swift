import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// What looks at windows of pictures, or at all of them.
enum KerasPooling {
  static let rows: [KerasRow] = [
    KerasRow(MaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsLast(operation.layout)
      return try draft.pooling(
        "MaxPooling", operation.window, filledWith: -Double.greatestFiniteMagnitude)
    },
    KerasRow(AveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsLast(operation.layout)
      return try draft.average(operation)
    },
    KerasRow(GlobalAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.globalPooling("GlobalAveragePooling", operation.keepsAxes, operation.layout)
    },
    KerasRow(GlobalMaxPooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.globalPooling("GlobalMaxPooling", operation.keepsAxes, operation.layout)
    },
    KerasRow(MaskedAveragePooling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsLast(operation.layout)
      let call = KerasWrittenCall(
        [try draft.argument(draft[0])],
        keywords: [(name: "mask", value: try draft.argument(draft[1]))])
      return try draft.layer(
        "GlobalAveragePooling1D",
        ["data_format": "channels_last", "keepdims": .bool(operation.keepsAxes)], call,
        types: [draft.outputType])[0]
    },
  ]
}

extension KerasDraft {
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
    case .same where operation.countsPadding:
      throw WeighbridgeError(.unsupported, "counts the padding, which Keras' average leaves out")
    case .same: break
    case .explicit(let before, let after):
      if operation.countsPadding {
        borders = Borders(before: before, after: after)
      } else if try padding(window, type()).borders != nil {
        throw WeighbridgeError(
          .unsupported, "leaves out a padding of another width than Keras', which would count")
      }
    }
    return try pooling("AveragePooling", window, filledWith: 0, borders: borders)
  }

  fileprivate mutating func globalPooling(
    _ className: String, _ keepsAxes: Bool, _ layout: DataLayout
  ) throws(WeighbridgeError) -> KerasValue {
    try requireChannelsLast(layout)
    let axes = type().rank - 2
    guard (1...3).contains(axes) else {
      throw WeighbridgeError(.unsupported, "\(axes) spatial axes")
    }
    return try layer(
      "\(className)\(axes)D",
      ["data_format": "channels_last", "keepdims": .bool(keepsAxes)])
  }
}
