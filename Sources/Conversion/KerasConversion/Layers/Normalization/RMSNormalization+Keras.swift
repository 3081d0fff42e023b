import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension RMSNormalization: KerasMapped {
  /// Keras 3: `RMSNormalization(axis=-1, epsilon=1e-6)`, where `axis` may be a list. Also
  /// `LayerNormalization(rms_scaling=True)`, which divides by the root of the variance.
  static let keras = KerasMapping([
    .plain("RMSNormalization", shape: .same) { (layer, inputs) throws(WeighbridgeError) in
      try layer.addRMSNormalization(of: inputs, .meanSquare, epsilon: 1e-6)
    }
  ])
  static let kerasRow: KerasRow? = nil
}

extension UnitNormalization: KerasMapped {
  /// Keras: `UnitNormalization(axis=-1)`, where `axis` may be a list.
  static let keras = KerasMapping([
    .elementwise("UnitNormalization") { (layer, inputs) throws(WeighbridgeError) in
      let type = try layer.typedInput(inputs).type
      let axes = try layer.axes("axis", of: type).sorted()
      return try layer.add(UnitNormalization(axes: axes), inputs)
    }
  ])
  static let kerasRow: KerasRow? = KerasRow(UnitNormalization.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.layer("UnitNormalization", ["axis": .axes(operation.axes)])
  }
}

extension KerasLayer {
  /// Adds the normalisation that the settings `axis` and `epsilon` ask for.
  ///
  /// - Parameter epsilon: Keras' default.
  mutating func addRMSNormalization(
    of inputs: [ValueID], _ spread: RMSNormalization.Spread, epsilon: Double
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: try onlyInput(inputs))
    let axes = try axes("axis", of: type)
    let operation = RMSNormalization(
      axes: axes.sorted(), spread: spread,
      epsilon: try real("epsilon", default: epsilon))
    let rising = try dimensions(operation.axes, of: type)
    let written = try dimensions(axes, of: type)
    let first = type.rank - axes.count
    if spread == .variance || axes == Array(first..<type.rank) {
      // Keras gives the scale the axes as they are written, and then takes them as rising.
      let scale = try weight("scale", shape: written) { $0.reshaped(rising) }
      return try add(operation, inputs + [scale])
    }
    // Keras lines the scale up with the last axes, whichever it normalises over.
    guard zip(type.shape[first...], written).allSatisfy({ $1 == 1 || $0.value == $1 }) else {
      throw .malformed("axis=\(axes), and a scale \(written) does not fit the last axes of \(type)")
    }
    let scale = try weight("scale", shape: written) {
      $0.reshaped(Array(repeating: 1, count: first) + written)
    }
    let one = Tensor(type.elementType, shape: rising.map { _ in 1 }, [1]).broadcast(to: rising)
    let normalised = try add(
      operation, inputs + [try constant("ones", one)], role: "normalised")
    return try add(Multiply(), normalised + [scale])
  }
}
