package import Bytes
import ConversionCore
package import DarknetFormat
package import GraphIR

/// A section of a `.cfg` that is being converted to nodes.
///
/// ``finish(_:)`` refuses settings that were not read, except those for training.
package struct DarknetLayer: MappedLayer {
  /// The result of a builder: the section's output; `nil` if the section is for training only.
  package typealias Output = ValueID?
  /// What a builder throws. (An alias, because the compiler does not count an error type used only
  /// after `throws` as a use of its module.)
  package typealias Failure = WeighbridgeError

  /// The layer's position as darknet counts them: that of the first section after `[net]` is 0.
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

  /// Creates a layer from a section whose settings have not been read.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` in strict mode, for keys that have no value or
  ///   occur twice with different values.
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
      let first = unread[option.key]
      if first == nil, option.isBare || !option.value.isEmpty { unread[option.key] = option }
      if let bareLine = option.bareLine {
        let words = bareLine.split { " \t\"".contains($0) }
        let advice = words.count == 2 ? "; write \(words[0])=\(words[1]) if that is meant" : ""
        try tolerate("\(bareLine) has no \"=\", so that darknet reads no value there\(advice)")
      } else if option.value.isEmpty {
        try tolerate("\(option.key)= has no value, and darknet passes over it")
      } else if let first, first.value != option.value {
        try tolerate(
          "\(option.text) is not used: \(option.key) is already set on line \(first.line), and "
            + "the first one counts")
      }
    }
    lastLine = line
  }

  /// The fork of darknet whose results the graph must reproduce.
  package var fork: DarknetFork { network.fork }
  /// The name of the layer: `3_maxpool`; empty for the network's own section.
  package var layerName: String { index < 0 ? "" : "\(index)_\(name)" }
  package var source: SourceScope { SourceScope(layer: layerName, className: name) }

  /// Records something that darknet silently ignores.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` in strict mode.
  package mutating func tolerate(_ text: String) throws(WeighbridgeError) {
    guard !network.isStrict else {
      throw .unsupported("\(text) (refused, because \(APIName.strict) was given)")
        .at(.line(lastLine))
    }
    decide("line \(lastLine): \(text)")
  }

  /// Returns an error at the line of the setting that was read last.
  package func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason).at(.line(lastLine))
  }

  /// Returns an error at the line of the setting that was read last.
  package func unsupported(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, reason).at(.line(lastLine))
  }

  /// Takes a setting, which marks it as read; `nil` when it is absent or unknown to the fork.
  mutating func take(_ key: String) throws(WeighbridgeError) -> DarknetOption? {
    guard let option = unread.removeValue(forKey: key), !option.isBare else { return nil }
    lastLine = option.line
    if let onlyFork = DarknetKeys.onlyFork(knowing: key, in: name), onlyFork != fork {
      try tolerate("\(option.text) is not used: \(fork.title) does not know \(key)")
      return nil
    }
    return option
  }

  /// Marks settings without effect as read.
  mutating func ignore(_ keys: String...) {
    for key in keys { unread[key] = nil }
  }

  /// Finishes the section and adds it to the network.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting that was not read.
  package mutating func finish(_ output: ValueID?) throws(WeighbridgeError) {
    try checkUnread()
    network.weights.endLayer()
    result.output = output
    network.layers.append(result)
    if let output { network.input = output }
  }

  /// Reads the network's own section and adds the input: `[batch, channels, height, width]`, or
  /// `[batch, inputs]` if it is not an image.
  ///
  /// - Returns: Whether images are letterboxed, if the section states it.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the input has no size.
  package mutating func beginNetwork() throws(WeighbridgeError) -> Bool? {
    let width = try integer("width", default: 0)
    let height = try integer("height", default: 0)
    let channels = try integer("channels", default: 0)
    let size = try Checked.product([width, height, channels], of: "the size of the input")
    let inputs = try integer("inputs", default: size, in: 0...Int(Int32.max))
    guard size > 0 || inputs > 0 else {
      lastLine = line
      throw malformed(
        "has neither width, height and channels nor inputs, and an input needs a size")
    }
    guard size == 0 || inputs == size else {
      throw malformed("has inputs=\(inputs), and width, height and channels make \(size)")
    }
    let letterbox = try optionalInteger("letter_box", in: -1...1 << 24)
    try checkUnread()
    let dimensions = size > 0 ? [channels, height, width] : [inputs]
    network.input = try network.graph.addInput(
      "data", TensorType(.float32, [.symbolic("batch")] + dimensions.map(Dimension.fixed)))
    return letterbox.map { $0 != 0 }
  }

  private mutating func checkUnread() throws(WeighbridgeError) {
    var training: [DarknetOption] = []
    for option in unread.values.sorted(by: { $0.line < $1.line })
    where !option.isBare && !DarknetKeys.hasNoEffect(option.key, in: name) {
      lastLine = option.line
      if DarknetKeys.onlyFork(knowing: option.key, in: name) == fork.other {
        try tolerate("\(option.text) is not used: \(fork.title) does not know \(option.key)")
      } else if name == "net", DarknetOtherForks.isForTraining(option.key) {
        training.append(option)
      } else if name != "net", let meaning = DarknetOtherForks.precision(option) {
        try tolerateOnce(meaning)
      } else {
        throw unsupported(
          "\(option.text) is a key that neither fork of darknet knows here; remove the line if it "
            + "changes nothing that is computed")
      }
    }
    guard let first = training.first else { return }
    lastLine = first.line
    try tolerate(
      "\(String.listing(training.map(\.text))) \(training.count == 1 ? "is" : "are") not used: other "
        + "forks of darknet read it for training, which does not change what the network computes")
  }

  /// Records something that is ignored in several sections for the first of them only.
  private mutating func tolerateOnce(_ text: String) throws(WeighbridgeError) {
    guard network.isStrict || !network.decisions.contains(where: { $0.text.hasSuffix(text) })
    else { return }
    try tolerate(text)
  }
}
