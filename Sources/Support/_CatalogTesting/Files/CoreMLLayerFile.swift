/// A Core ML file with one layer, which reads one input several times. It is made without Core ML's
/// schema, so that layers and ranks can be combined that no converter combines.
package struct CoreMLLayerFile: Sendable, CustomStringConvertible {
  /// The model's input. Every axis has two elements.
  package enum Input: Hashable, Sendable, CustomStringConvertible {
    case array(rank: Int)
    case picture(isGray: Bool)

    package var description: String {
      switch self {
      case .array(let rank): "array of rank \(rank)"
      case .picture(let isGray): isGray ? "gray picture" : "color picture"
      }
    }
  }

  /// The number of the layer's kind in `NeuralNetworkLayer`.
  package let kind: Int
  /// The layer's settings.
  package let settings: WireMessage
  package let input: Input
  /// How often the layer reads the input.
  package let inputCount: Int
  /// Whether arrays have exactly the axes of their shape, and pictures four, instead of five axes.
  package let isExact: Bool
  package let version: Int

  package init(
    kind: Int, settings: WireMessage, input: Input, inputCount: Int = 1, isExact: Bool,
    version: Int = 4
  ) {
    self.kind = kind
    self.settings = settings
    self.input = input
    self.inputCount = inputCount
    self.isExact = isExact
    self.version = version
  }

  package var description: String {
    "layer \(kind) \(settings.bytes) of \(inputCount) \(input), \(isExact ? "exact" : "five axes"), "
      + "version \(version)"
  }

  /// The file's bytes.
  package var bytes: [UInt8] {
    var layer: WireMessage = "1='layer'"
    for _ in 0..<inputCount { layer.add(2, Array("x".utf8)) }
    layer.add(3, Array("y".utf8))
    layer.add(kind, settings.bytes)
    var network = WireMessage()
    network.add(1, layer.bytes)
    if isExact {
      network.add(5, 1)
      network.add(6, 1)
    }
    var description = WireMessage()
    description.add(1, WireMessage("1='x' 3={\(type)}").bytes)
    description.add(10, WireMessage("1='y' 3={5={2=65568}}").bytes)
    var model = WireMessage("1=\(version)")
    model.add(2, description.bytes)
    model.add(500, network.bytes)
    return model.bytes
  }

  /// The input's type.
  private var type: String {
    switch input {
    case .array(let rank):
      "5={1=[\([String](repeating: "2", count: rank).joined(separator: ","))] 2=65568}"
    case .picture(let isGray): "4={1=2 2=2 3=\(isGray ? 10 : 20)}"
    }
  }
}
