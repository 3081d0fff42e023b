import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Pooling functions.
extension KerasFunctionTable {
  static let pooling: [Entry] = [
    Entry(
      ["MaxPool"], tf: ["nn.max_pool", "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"]
    ) { (call) throws(WeighbridgeError) in try call.addMaxPooling() },
    Entry(
      ["AveragePool"], tf: ["nn.avg_pool", "nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d"]
    ) { (call) throws(WeighbridgeError) in try call.addAveragePooling() },
    Entry(tf: ["nn.pool"]) { (call) throws(WeighbridgeError) in
      switch try call.string("pooling_type") {
      case "MAX": return try call.addMaxPooling()
      case "AVG": return try call.addAveragePooling()
      case let other: throw call.unexpected("pooling_type", .string(other ?? ""), "MAX or AVG")
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
    return try layer.addSelection(MaxPooling(window: window, layout: layout), [value])
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
    return try layer.addAdaptivePooling(
      Pooling(dimensions: dimensions, layout: layout), [value])
  }
}

/// Arguments of functions with a window over the spatial axes.
extension KerasFunction {
  /// Takes a kernel, which must be a non-empty constant of the tensor's rank.
  mutating func kernel(
    _ names: String..., at position: Int, for value: ValueID
  ) throws(WeighbridgeError) -> Tensor {
    for name in names {
      guard let operand = take(name, at: position) else { continue }
      guard case .constant(let constant) = try term(operand) else {
        throw .unsupported(
          "\(name) is a tensor that the model computes; only constants are supported")
      }
      let type = type(of: value)
      guard constant.shape.count == type.rank, type.rank >= 3, !constant.numbers.isEmpty else {
        throw .unsupported(
          "\(name) of the shape \(constant.shape) slides over \(type), which must have as many "
            + "axes, at least 3")
      }
      return try constant.tensor(type.elementType)
    }
    throw missing(names[0])
  }

  /// Takes the settings of a window. Its strides are 1 unless another default is given.
  mutating func window(
    _ size: [Int], _ layout: DataLayout, defaultStrides: [Int]? = nil,
    defaultPadding: WindowPadding = .valid
  ) throws(WeighbridgeError) -> Window {
    ignore("use_cudnn_on_gpu")
    let (axes, ones) = (size.count, size.map { _ in 1 })
    let strides = try perAxis(["strides", "stride"], axes, layout)
    let dilation = try perAxis(["dilation_rate", "dilations", "rate", "rates"], axes, layout)
    let window = Window(
      size: size, strides: strides ?? defaultStrides ?? ones, dilation: dilation ?? ones,
      padding: try padding(axes, layout) ?? defaultPadding)
    if let problem = window.problem { throw .malformed(problem) }
    return window
  }

  /// The padding: a name, or two numbers for each axis.
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
    else {
      throw unexpected("padding", written, "valid, same or two numbers for each spatial axis")
    }
    return .explicit(before: pairs[spatial].map { $0[0] }, after: pairs[spatial].map { $0[1] })
  }

  /// Takes a number for each spatial axis from the first argument that is present: one for all, one
  /// each, or TensorFlow's list with 1 for batch and channels.
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
      else {
        throw .unsupported(
          "\(name)=\(written), expected a number for each of "
            + "\(axes.counted("spatial axis"))")
      }
      return Array(written[spatial])
    }
    return nil
  }
}
