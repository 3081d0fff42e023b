import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Windows with weights.
enum CoreMLConvolutions {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let kernel = try builder.tensor(1)
      guard operation.window.size.count < 3 else { return try builder.convolution3D(operation) }
      return try builder.inPlane(try builder.input(), operation.window) {
        (builder, input, window) throws(WeighbridgeError) in
        var settings: ProtobufRecord = [
          "outputChannels": .integer(kernel.shape[0]),
          "kernelChannels": .integer(kernel.shape[1]),
          "nGroups": .integer(operation.groups), "kernelSize": .integers(window.size),
          "stride": .integers(window.strides), "dilationFactor": .integers(window.dilation),
          "hasBias": .boolean(operation.hasBias),
          "weights": builder.weights(kernel, hasChannels: true),
        ]
        settings.set(window.padding)
        if operation.hasBias { settings["bias"] = try builder.weights(2) }
        return try builder.add("convolution", [input], settings)
      }
    },
    CoreMLRow(TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transposedConvolution(operation)
    },
    CoreMLRow(
      LocallyConnected.self,
      unsupported: "Core ML has no convolution whose weights differ from place to place"),
  ]
}

extension CoreMLNetworkBuilder {
  /// Adds a layer for a window of two axes; data of one spatial axis gets a height of 1 for it.
  mutating func inPlane(
    _ input: String, _ window: Window,
    _ build: (inout CoreMLNetworkBuilder, String, Window) throws(WeighbridgeError) -> String
  ) throws(WeighbridgeError) -> String {
    switch window.size.count {
    case 2: return try build(&self, input, window)
    case 1:
      try requireExactAxes("data of one spatial axis")
      let plane = try expandDims(input, [2])
      return try squeeze(try build(&self, plane, window.withHeight), [2])
    default:
      throw WeighbridgeError(
        .unsupported, "Core ML has this for two spatial axes, and there are \(window.size.count)")
    }
  }

  fileprivate mutating func convolution3D(
    _ operation: Convolution
  ) throws(WeighbridgeError) -> String {
    let (kernel, window) = (try tensor(1), operation.window)
    guard window.size.count == 3 else {
      throw WeighbridgeError(.unsupported, "Core ML has no convolution over so many axes")
    }
    var settings: ProtobufRecord = [
      "outputChannels": .integer(kernel.shape[0]),
      "inputChannels": .integer(kernel.shape[1] * operation.groups),
      "nGroups": .integer(operation.groups), "hasBias": .boolean(operation.hasBias),
      "weights": weights(kernel),
    ]
    settings.set(
      window,
      lists: [("kernel", window.size), ("stride", window.strides), ("dilation", window.dilation)])
    if operation.hasBias { settings["bias"] = try weights(2) }
    return try add("convolution3d", [try input()], settings)
  }

  fileprivate mutating func transposedConvolution(
    _ operation: TransposedConvolution
  ) throws(WeighbridgeError) -> String {
    let (kernel, window) = (try tensor(1), operation.window)
    guard window.dilation.allSatisfy({ $0 == 1 }) else {
      throw WeighbridgeError(.unsupported, "Core ML does not dilate transposed convolutions")
    }
    guard case .explicit(let before, let after) = window.padding,
      zip(after, operation.outputPadding).allSatisfy({ $0 >= $1 })
    else {
      throw WeighbridgeError(
        .unsupported, "Core ML adds nothing behind the output of a transposed convolution")
    }
    let cut = Window(
      size: window.size, strides: window.strides, dilation: window.dilation,
      padding: .explicit(before: before, after: zip(after, operation.outputPadding).map { $0 - $1 })
    )
    return try inPlane(try input(), cut) { (builder, input, window) throws(WeighbridgeError) in
      var settings: ProtobufRecord = [
        "outputChannels": .integer(kernel.shape[1] * operation.groups),
        "kernelChannels": .integer(kernel.shape[0]), "nGroups": .integer(operation.groups),
        "kernelSize": .integers(window.size), "stride": .integers(window.strides),
        "dilationFactor": .integers([1, 1]), "isDeconvolution": .boolean(true),
        "hasBias": .boolean(operation.hasBias), "weights": builder.weights(kernel),
      ]
      settings.set(window.padding)
      if operation.hasBias { settings["bias"] = try builder.weights(2) }
      return try builder.add("convolution", [input], settings)
    }
  }
}

extension Window {
  /// The same with an axis of one element in front.
  fileprivate var withHeight: Window {
    var padding = padding
    if case .explicit(let before, let after) = padding {
      padding = .explicit(before: [0] + before, after: [0] + after)
    }
    return Window(
      size: [1] + size, strides: [1] + strides, dilation: [1] + dilation, padding: padding)
  }
}

extension ProtobufRecord {
  /// What is added or cut at both ends of axes, as `BorderAmounts`.
  static func borders(before: [Int], after: [Int]) -> ProtobufRecord {
    let edges = zip(before, after).map { start, end -> ProtobufRecord in
      ["startEdgeSize": .integer(start), "endEdgeSize": .integer(end)]
    }
    return ["borderAmounts": .records(edges)]
  }

  /// Sets the padding of a window of two axes.
  mutating func set(_ padding: WindowPadding) {
    switch padding {
    case .same: self["same"] = .record([:])
    case .valid:
      self["valid"] = .record(["paddingAmounts": .record(.borders(before: [0, 0], after: [0, 0]))])
    case .explicit(let before, let after):
      self["valid"] = .record(["paddingAmounts": .record(.borders(before: before, after: after))])
    }
  }

  /// Sets the numbers of a window of three axes.
  mutating func set(_ window: Window, lists: [(name: String, numbers: [Int])]) {
    for (name, numbers) in lists {
      for (axis, number) in zip(["Depth", "Height", "Width"], numbers) {
        self["\(name)\(axis)"] = .integer(number)
      }
    }
    switch window.padding {
    case .same: self["paddingType"] = .choice("SAME")
    case .valid: self["paddingType"] = .choice("VALID")
    case .explicit(let before, let after):
      self["paddingType"] = .choice("CUSTOM")
      for (axis, edges) in [("Front", "Back"), ("Top", "Bottom"), ("Left", "Right")].enumerated() {
        self["customPadding\(edges.0)"] = .integer(before[axis])
        self["customPadding\(edges.1)"] = .integer(after[axis])
      }
    }
  }
}
