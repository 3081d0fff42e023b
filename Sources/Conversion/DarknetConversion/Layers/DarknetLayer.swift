package import Bytes
import ConversionCore
package import DarknetFormat
package import GraphIR

/// A section of a `.cfg` that is being converted to nodes.
///
/// Settings are ticked off as they are read; ``finish(_:)`` refuses those that are left and do not
/// belong to training.
package struct DarknetLayer: MappedLayer {
  /// The result of a builder: the section's output; `nil` when it is for training only.
  package typealias Output = ValueID?
  /// What a builder throws. (An alias, because the compiler does not count an error type used only
  /// after `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// The layer's position, counted as darknet does: the first after `[net]` is 0.
  package let index: Int
  /// The section's full name.
  package let name: String
  /// The state that it shares with the other sections.
  package var network: DarknetNetwork
  /// What later sections may need from this one.
  package var result = DarknetNetwork.Layer()
  private let line: Int
  private var unread: [String: DarknetOption] = [:]
  /// The line of the setting that was read last.
  private(set) var lastLine: Int

  /// Starts with a section.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` in strict mode, for keys that occur twice with
  ///   different values or have no value.
  package init(
    _ section: DarknetSection, name: String, index: Int, network: consuming DarknetNetwork
  ) throws(WeighbridgeError) {
    self.index = index
    self.name = name
    self.network = network
    line = section.line
    lastLine = section.line
    for option in section.options {
      lastLine = option.line
      if option.value.isEmpty {
        try tolerate("\(option.key)= has no value: darknet passes over it")
      } else if let first = unread[option.key] {
        if first.value == option.value { continue }
        try tolerate(
          "\(option.text) is not used: \(option.key) stands in line \(first.line) already, and "
            + "the first one counts")
      } else {
        unread[option.key] = option
      }
    }
    lastLine = line
  }

  /// The fork whose arithmetic applies.
  package var fork: DarknetFork { network.fork }
  /// The name of the layer: `3_maxpool`; empty for the network's own section.
  package var layerName: String { index < 0 ? "" : "\(index)_\(name)" }
  package var source: SourceScope { SourceScope(layer: layerName, className: name) }

  /// Records something that darknet silently ignores.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` in strict mode.
  package mutating func tolerate(_ text: String) throws(WeighbridgeError) {
    guard !network.isStrict else {
      throw .unsupported("\(text) (refused, because \(APIName.isStrict) was given)")
        .at(.line(lastLine))
    }
    decide("line \(lastLine): \(text)")
  }

  /// Makes an error at the setting that was read last.
  package func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason).at(.line(lastLine))
  }

  /// Makes an error at the setting that was read last.
  package func unsupported(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, reason).at(.line(lastLine))
  }

  /// Takes a setting and so ticks it off; `nil` when it is absent, or the fork does not know it.
  mutating func take(_ key: String) throws(WeighbridgeError) -> DarknetOption? {
    guard let option = unread.removeValue(forKey: key) else { return nil }
    lastLine = option.line
    if let owner = DarknetKeys.owner(of: key, in: name), owner != fork {
      try tolerate("\(option.text) is not used: \(fork.title) does not know \(key)")
      return nil
    }
    return option
  }

  /// Ticks off settings that have no effect here.
  mutating func ignore(_ keys: String...) {
    for key in keys { unread[key] = nil }
  }

  /// Finishes the section and adds it to the network.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting that was not read.
  package mutating func finish(_ output: ValueID?) throws(WeighbridgeError) {
    try checkRest()
    network.weights.endLayer()
    result.output = output
    network.layers.append(result)
    if let output { network.input = output }
  }

  /// Reads the network's own section and adds its input: `[batch, channels, height, width]`, or
  /// `[batch, inputs]` where there is no image.
  ///
  /// - Returns: Whether images are letterboxed, where the section states it.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it has no size.
  package mutating func beginNetwork() throws(WeighbridgeError) -> Bool? {
    let width = try integer("width", default: 0)
    let height = try integer("height", default: 0)
    let channels = try integer("channels", default: 0)
    let size = try Checked.product([width, height, channels], of: "the size of the input")
    let inputs = try integer("inputs", default: size, in: 0...Int(Int32.max))
    guard size > 0 || inputs > 0 else {
      lastLine = line
      throw malformed("has neither width, height and channels nor inputs")
    }
    guard size == 0 || inputs == size else {
      throw malformed("inputs=\(inputs), and width, height and channels make \(size)")
    }
    let boxes = try optionalInteger("letter_box", in: -1...1 << 24)
    try checkRest()
    let sizes = size > 0 ? [channels, height, width] : [inputs]
    network.input = try network.graph.addInput(
      "data", TensorType(.float32, [.symbolic("batch")] + sizes.map(Dimension.fixed)))
    return boxes.map { $0 != 0 }
  }

  private mutating func checkRest() throws(WeighbridgeError) {
    for option in unread.values.sorted(by: { $0.line < $1.line })
    where !DarknetKeys.isMeaningless(option.key, in: name) {
      lastLine = option.line
      guard DarknetKeys.owner(of: option.key, in: name) == fork.other else {
        throw unsupported("unknown key \(option.text)")
      }
      try tolerate("\(option.text) is not used: \(fork.title) does not know \(option.key)")
    }
  }
}
