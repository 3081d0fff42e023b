import Bytes
import GraphIR
import KerasFormat

/// Keras: `UpSampling1D`, `UpSampling2D`, `UpSampling3D`.
extension Upsampling {
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "UpSampling1D": { (layer, inputs) throws(WeighbridgeError) in
        try add(&layer, inputs, axes: 1, .nearest, .channelsLast)
      },
      "UpSampling2D": { (layer, inputs) throws(WeighbridgeError) in
        let interpolation = try interpolation(&layer)
        return try add(&layer, inputs, axes: 2, interpolation, try layer.dataLayout())
      },
      "UpSampling3D": { (layer, inputs) throws(WeighbridgeError) in
        try add(&layer, inputs, axes: 3, .nearest, try layer.dataLayout())
      },
    ]))

  private enum KerasInterpolation: String, CaseIterable { case nearest, bilinear }

  private static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int, _ interpolation: Interpolation,
    _ layout: DataLayout
  ) throws(WeighbridgeError) -> [ValueID] {
    let two = [Int](repeating: 2, count: axes)
    let factors = try layer.integers("size", count: axes, default: two)
    if let problem = problem(factors) { throw WeighbridgeError(.malformed, problem) }
    let operation = Upsampling(factors: factors, interpolation: interpolation, layout: layout)
    return try layer.add(operation, inputs)
  }

  /// Keras by itself, up to 2.3, resizes as TensorFlow 1 does; the Keras inside TensorFlow and
  /// every version from 2.4 takes half-pixel centres. No file says which.
  private static func interpolation(
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> Interpolation {
    guard try layer.word("interpolation", default: KerasInterpolation.nearest) == .bilinear else {
      return .nearest
    }
    guard layer.backend == .tensorflow else {
      throw WeighbridgeError(
        .unsupported,
        "where \(layer.backend) takes the samples of bilinear upsampling is not known")
    }
    let version = layer.version
    let isInsideTensorFlow = version.suffix.hasPrefix("-tf") && version >= KerasVersion(2, 2, 4)
    let isHalfPixel = isInsideTensorFlow || version >= KerasVersion(2, 4)
    layer.decide(
      "bilinear upsampling samples at "
        + (isHalfPixel ? "half-pixel centres" : "output / factor (asymmetric)")
        + ", as Keras \(version) does")
    return isHalfPixel ? .linearHalfPixel : .linearAsymmetric
  }
}
