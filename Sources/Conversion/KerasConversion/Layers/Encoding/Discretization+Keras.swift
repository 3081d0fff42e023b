import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Discretization: KerasMapped {
  /// Keras: `Discretization(bin_boundaries, output_mode="int")`, whose boundaries are float32. For
  /// boundaries found by `adapt`, Keras 2 stores the summary from which they are computed.
  static let keras = KerasMapping([.plain("Discretization", casts: .none, add)])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let boundaries = operation.comparison(with: builder.type().elementType).boundaries
    let index = try builder.layer(
      "Discretization",
      [
        // As each generation of Keras writes it.
        "dtype": builder.format == .archive ? "float32" : "int64",
        "bin_boundaries": .array(boundaries.map(JSONValue.real)), "num_bins": .null,
        "epsilon": .real(0.01), "output_mode": "int", "sparse": false,
      ])
    return try builder.function(.cast, [index], to: operation.outputType)
  }

  private static let add: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    if let bins = layer.unreadSettings["bins"], layer.unreadSettings["epsilon"] == nil {
      return try addOfTensorFlow23(&layer, inputs, bins)
    }
    layer.ignore("epsilon")
    try layer.require("sparse", toBe: false, because: "sparse tensors are not supported")
    let boundaries = try boundaries(&layer).map { Double(Float($0)) }
    let encoding = try layer.encodingMode()
    let outputType = encoding == nil ? try integerType(&layer) : .int64
    let operation = Discretization(
      boundaries: boundaries, outputType: outputType.isFloat ? .int32 : outputType)
    if let problem = operation.problem { throw .malformed(problem) }
    guard let encoding else {
      guard outputType.isFloat else { return try layer.add(operation, inputs) }
      let intervals = try layer.add(operation, inputs, role: "intervals")
      return try layer.add(Cast(to: outputType), intervals)
    }
    let intervals = try layer.add(operation, inputs, role: "intervals")
    return try layer.addEncoding(
      of: intervals[0], categories: boundaries.count + 1, encoding, role: "encoding")
  }

  /// The layer of TensorFlow 2.3, `Discretization(bins)`, which casts its input.
  private static func addOfTensorFlow23(
    _ layer: inout KerasLayer, _ inputs: [ValueID], _ bins: JSONValue
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let numbers = bins.doubles else {
      throw layer.unexpected("bins", bins, "a list of numbers")
    }
    layer.ignore("bins")
    let operation = Discretization(
      boundaries: numbers.map { Double(Float($0)) }, outputType: .int32)
    if let problem = operation.problem { throw .malformed(problem) }
    let input = try layer.onlyInput(inputs)
    let isFloat = layer.graph.type(of: input).elementType.isFloat
    let type = isFloat ? layer.types?.compute : nil
    let value = try type.map { (type) throws(WeighbridgeError) in
      try layer.cast(input, to: type, role: "input_cast")
    }
    return try layer.add(operation, [value ?? input])
  }

  /// The boundaries from the settings, or those computed from the summary that `adapt` stored.
  private static func boundaries(
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [Double] {
    let count = layer.take("num_bins")
    if let written = layer.take("bin_boundaries") {
      guard let list = written.array?.compactMap(\.real), list.count == written.array?.count else {
        throw layer.unexpected("bin_boundaries", written, "a list of numbers")
      }
      return list
    }
    guard let bins = count?.integer, (1...1 << 24).contains(bins) else {
      throw layer.unexpected("num_bins", count ?? .null, "a number of intervals")
    }
    // As long as there are no weights, any boundaries will do.
    guard let summary = try layer.weightOfAnyShape("summary") else { return [] }
    guard summary.shape.count == 2, summary.shape[0] == 2, summary.shape[1] > 0 else {
      throw .malformed("has a summary \(summary.type), expected [2, values]")
    }
    let numbers = summary.doubles
    let (values, weights) = (
      Array(numbers[..<summary.shape[1]]), Array(numbers[summary.shape[1]...])
    )
    return quantiles(values, weights, bins).dropLast()
  }

  /// The quantiles of weighted values at 1/count, 2/count, and so on, interpolated linearly.
  private static func quantiles(
    _ values: [Double], _ weights: [Double], _ count: Int
  ) -> [Double] {
    let step = 1 / Double(count)
    if Double(values.count) * step < 1 { return values }
    var (sums, sum) = ([Double](), Float(0))
    for weight in weights {
      sum += Float(weight)
      sums.append(Double(sum))
    }
    let cumulativeFractions = sums.map { Double(Float($0) / sum) }
    return (0..<Int((1 / step).rounded(.up))).map { index in
      let fraction = step + Double(index) * step
      guard let above = cumulativeFractions.firstIndex(where: { $0 > fraction }) else {
        return values[values.count - 1]
      }
      if above == 0 { return values[0] }
      let (low, high) = (cumulativeFractions[above - 1], cumulativeFractions[above])
      let slope = (values[above] - values[above - 1]) / (high - low)
      return values[above - 1] + slope * (fraction - low)
    }
  }

  /// Reads the setting `dtype`, which is int64 by default for this layer. Keras 3.12 does not use it.
  private static func integerType(
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ElementType {
    guard layer.version < KerasVersion(3, 12) else { return .int32 }
    guard let setting = layer.take("dtype") else {
      return layer.version.major < 3 ? .int64 : layer.types?.compute ?? .int64
    }
    guard let type = setting.string.flatMap(ElementType.init(rawValue:)) else {
      throw layer.unexpected("dtype", setting, "int32 or int64")
    }
    return type
  }
}
