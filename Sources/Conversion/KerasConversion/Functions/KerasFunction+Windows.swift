import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Arguments of functions whose window slides over the spatial axes.
extension KerasFunction {
  /// Takes a kernel, which must be a constant of any elements with as many axes as the tensor.
  mutating func kernel(
    _ names: String..., at position: Int, for value: ValueID
  ) throws(WeighbridgeError) -> Tensor {
    for name in names {
      guard let operand = take(name, at: position) else { continue }
      guard case .constant(let constant) = try term(operand) else {
        throw .unsupported("\(name) is a tensor that the model computes, and constants can be had")
      }
      let type = type(of: value)
      guard constant.shape.count == type.rank, type.rank >= 3, !constant.numbers.isEmpty else {
        throw .unsupported("\(name) of the shape \(constant.shape) slides over \(type)")
      }
      return try constant.tensor(type.elementType)
    }
    throw missing(names[0])
  }

  /// Takes the settings of a window, whose strides are its size's or 1 by default.
  mutating func window(
    _ size: [Int], _ layout: DataLayout, defaultStrides: [Int]? = nil,
    defaultPadding: WindowPadding = .valid
  ) throws(WeighbridgeError) -> Window {
    ignore("use_cudnn_on_gpu")
    let (axes, ones) = (size.count, size.map { _ in 1 })
    let strides = try perAxis(["strides", "stride"], axes, layout)
    let dilation = try perAxis(["dilation_rate", "dilations", "rate"], axes, layout)
    let window = Window(
      size: size, strides: strides ?? defaultStrides ?? ones, dilation: dilation ?? ones,
      padding: try padding(axes, layout) ?? defaultPadding)
    if let problem = window.problem { throw .malformed(problem) }
    return window
  }

  /// What is added at the borders: a word, or two numbers for each axis.
  private mutating func padding(
    _ axes: Int, _ layout: DataLayout
  ) throws(WeighbridgeError) -> WindowPadding? {
    guard let written = try plain("padding") else { return nil }
    switch written.string?.lowercased() {
    case "valid": return .valid
    case "same": return .same
    default: break
    }
    let pairs = written.array?.map { $0.array?.compactMap(\.integer) ?? [] } ?? []
    let spatial = layout.spatialAxes(rank: axes + 2)
    guard pairs.count == axes + 2, pairs.allSatisfy({ $0.count == 2 }),
      pairs.indices.allSatisfy({ spatial.contains($0) || pairs[$0] == [0, 0] })
    else { throw wrong("padding", written, "valid, same or two numbers for each spatial axis") }
    return .explicit(before: pairs[spatial].map { $0[0] }, after: pairs[spatial].map { $0[1] })
  }

  /// Takes a number for each spatial axis by the first of the names that is there: one for all, one
  /// each, or TensorFlow's list with those of batch and channels, which are 1.
  mutating func perAxis(
    _ names: [String], _ axes: Int, _ layout: DataLayout
  ) throws(WeighbridgeError) -> [Int]? {
    guard axes >= 1 else { throw .malformed("takes a tensor without a spatial axis") }
    for name in names {
      guard let written = try integers(name) else { continue }
      if written.count == 1 { return [Int](repeating: written[0], count: axes) }
      if written.count == axes { return written }
      let spatial = layout.spatialAxes(rank: axes + 2)
      guard written.count == axes + 2,
        written.indices.allSatisfy({ spatial.contains($0) || written[$0] == 1 })
      else { throw .unsupported("\(name)=\(written) with \(axes) spatial axes") }
      return Array(written[spatial])
    }
    return nil
  }
}
