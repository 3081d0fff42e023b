import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Values in which elements are replaced by others, or combined with them.
enum MILScattering {
  static let nodes: [String: MILLayer.Build] = [
    "scatter": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input("data"), try layer.input("indices"))
      let axis = try layer.axis(of: input, default: 0)
      guard let places = layer.type(indices).fixedShape, let shape = layer.type(input).fixedShape
      else {
        throw layer.unsupported(
          "scatters into \(layer.type(input)) by \(layer.type(indices)), and known sizes can be read"
        )
      }
      let (updates, reduction) = try layer.updates()
      var target = shape
      target[axis] = try Checked.product(places, of: "positions")
      var ones = [Int](repeating: 1, count: shape.count)
      ones[axis] = target[axis]
      let column = try layer.reshape(
        indices, to: ones.map { .known($0) }, keepsZeros: true, role: "column")
      let everywhere = try layer.apply(BroadcastTo(target: target), to: column, role: "places")
      let parts = try layer.reshape(
        updates, to: target.map { .known($0) }, keepsZeros: true, role: "parts")
      return try layer.apply(
        ScatterElements(axis: axis, reduction: reduction), [input, everywhere, parts])
    },
    "scatter_along_axis": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input("data"), try layer.input("indices"))
      let axis = try layer.axis(of: input, default: 0)
      let (updates, reduction) = try layer.updates()
      return try layer.apply(
        ScatterElements(axis: axis, reduction: reduction), [input, indices, updates])
    },
    "scatter_nd": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input("data"), try layer.input("indices"))
      let (updates, reduction) = try layer.updates()
      if reduction == .none, let places = indices.tensor {
        return [try layer.replacing(updates, in: input, at: places)]
      }
      return [try layer.scattered(input, indices, updates, reduction)]
    },
  ]
}

extension MILLayer {
  /// The new elements, and what becomes of those that there are.
  fileprivate mutating func updates() throws(WeighbridgeError) -> (
    SourceValue, ScatterElements.Reduction
  ) {
    ignore("validate_indices")
    let (updates, mode) = (try input("updates"), try text("mode"))
    let reductions: [String: ScatterElements.Reduction] = [
      "add": .add, "max": .maximum, "min": .minimum, "mul": .multiply, "sub": .add, "update": .none,
    ]
    guard let reduction = reductions[mode] else {
      throw unsupported(
        "scatters in the mode \(mode), and add, max, min, mul, sub and update can be read")
    }
    guard mode == "sub" else { return (updates, reduction) }
    return (
      try apply(Multiply(), to: updates, number(-1, like: updates, "minus"), role: "negative"),
      reduction
    )
  }
}
