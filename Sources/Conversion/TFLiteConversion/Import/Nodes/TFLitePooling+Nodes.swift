import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLitePooling {
  static let nodes: [String: TFLiteReading] = [
    "AVERAGE_POOL_2D": TFLiteReading(options: 5) { (layer) throws(WeighbridgeError) in
      let window = try layer.poolingWindow()
      return [try layer.averagePooling(window)]
    },
    "L2_POOL_2D": TFLiteReading(options: 5) { (layer) throws(WeighbridgeError) in
      let (window, input) = (try layer.poolingWindow(), try layer.real())
      let squares = try layer.apply(Multiply(), to: input, input, role: "squares")
      let means = try layer.apply(
        AveragePooling(window: window, countIncludePad: false, layout: .channelsLast),
        to: squares, role: "means")
      return [try layer.apply(UnaryMath(.squareRoot), to: means)]
    },
    "MAX_POOL_2D": TFLiteReading(options: 5) { (layer) throws(WeighbridgeError) in
      let operation = MaxPooling(window: try layer.poolingWindow(), layout: .channelsLast)
      return [try layer.apply(operation, to: try layer.real())]
    },
  ]
}

extension TFLiteLayer {
  fileprivate mutating func poolingWindow() throws(WeighbridgeError) -> Window {
    try readActivation(5)
    let size = [try integer(4), try integer(3)]
    return try window(size: size, strides: [2, 1])
  }

  /// Adds means of windows. The kernel for integers rounds the means of the integers themselves.
  fileprivate mutating func averagePooling(
    _ window: Window
  ) throws(WeighbridgeError) -> SourceValue {
    let operation = AveragePooling(
      window: window, countIncludePad: false, layout: .channelsLast)
    guard type(try input()).elementType.isInteger, !hasActivation, sharesSteps(0) else {
      return try apply(operation, to: try real())
    }
    let type = type(try input()).elementType
    let wide = try apply(Cast(to: .float32), to: try input(), role: "float")
    let means = try apply(operation, to: wide, role: "means")
    return try apply(Cast(to: type), to: try roundedAway(means, "means"))
  }
}
