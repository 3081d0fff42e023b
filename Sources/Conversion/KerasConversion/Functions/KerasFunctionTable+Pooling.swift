import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that make one element of many neighbours.
extension KerasFunctionTable {
  static let pooling: [Entry] = [
    Entry(
      ["MaxPool"], tf: ["nn.max_pool", "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"]
    ) { (call) throws(WeighbridgeError) in try call.addMaxPooling() },
    Entry(
      ["AveragePool"], tf: ["nn.avg_pool", "nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d"]
    ) { (call) throws(WeighbridgeError) in try call.addAveragePooling() },
    Entry(tf: ["nn.pool"]) { (call) throws(WeighbridgeError) in
      switch try call.word("pooling_type") {
      case "MAX": return try call.addMaxPooling()
      case "AVG": return try call.addAveragePooling()
      case let word: throw call.wrong("pooling_type", .string(word ?? ""), "MAX or AVG")
      }
    },
    Entry(["AdaptiveAveragePool"]) { (call) throws(WeighbridgeError) in
      try call.addAdaptivePooling(AdaptiveAveragePooling.self)
    },
    Entry(["AdaptiveMaxPool"]) { (call) throws(WeighbridgeError) in
      try call.addAdaptivePooling(AdaptiveMaxPooling.self)
    },
  ]
}

extension KerasFunction {
  fileprivate mutating func addMaxPooling() throws(WeighbridgeError) -> [ValueID] {
    let (value, window, layout) = try pooled()
    return try add(MaxPooling(window: window, layout: layout), [value])
  }

  fileprivate mutating func addAveragePooling() throws(WeighbridgeError) -> [ValueID] {
    let (value, window, layout) = try pooled()
    return try add(
      AveragePooling(window: window, countIncludePad: false, layout: layout), [value])
  }

  private mutating func pooled() throws(WeighbridgeError) -> (ValueID, Window, DataLayout) {
    let value = try tensor("inputs", "input", at: 0)
    let (axes, layout) = (type(of: value).rank - 2, try layout())
    let sizes = ["pool_size", "ksize", "window_shape"]
    guard let size = try perAxis(sizes, axes, layout) else { throw missing("ksize") }
    let defaultStrides: [Int]? = if case .operation = name { size } else { nil }
    return (value, try window(size, layout, defaultStrides: defaultStrides), layout)
  }

  fileprivate mutating func addAdaptivePooling<Pooling: AdaptivePoolingOperator>(
    _ operation: Pooling.Type
  ) throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("inputs", at: 0)
    let (axes, layout) = (type(of: value).rank - 2, try layout())
    guard let dimensions = try perAxis(["output_size"], axes, layout),
      dimensions.allSatisfy({ (1...1 << 24).contains($0) })
    else { throw .unsupported("output_size is missing or no number of elements") }
    return try add(Pooling(dimensions: dimensions, layout: layout), [value])
  }
}
