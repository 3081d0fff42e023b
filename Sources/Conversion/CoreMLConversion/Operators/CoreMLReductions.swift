import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Reductions, cumulative sums, arg max and arg min.
enum CoreMLReductions: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(native: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw .unsupported("reduces along no axis, and Core ML can along one or more")
      }
      return try builder.reduction(operation)
    },
    CoreMLRow(CumSum.self, is: "cumSum") {
      [
        "axis": .integer($0.axis), "excludeFinalSum": .boolean($0.isExclusive),
        "reverse": .boolean($0.isReversed),
      ]
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = .init(families: [
    special, modes.mapValues(reducing),
  ])

  private static func reducing(_ mode: String) -> CoreMLLayerImport.Build {
    { (layer) throws(WeighbridgeError) in [try layer.reduce(mode)] }
  }

  private static let special: [String: CoreMLLayerImport.Build] = [
    "reduce": { (layer) throws(WeighbridgeError) in [try layer.reduce()] },
    "argMax": { (layer) throws(WeighbridgeError) in [try layer.argumentReduction(ArgMax.self)] },
    "argMin": { (layer) throws(WeighbridgeError) in [try layer.argumentReduction(ArgMin.self)] },
    "cumSum": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      let operation = CumSum(
        axis: try layer.position(of: blob),
        isExclusive: layer.flag("excludeFinalSum"), isReversed: layer.flag("reverse"))
      return [try layer.fullRankBlob(layer.add(operation, [layer.fullRank(blob)]))]
    },
  ]

  /// The layers of a single reduction, with its mode in the layer `reduce`.
  fileprivate static let modes = [
    "reduceL1": "L1", "reduceL2": "L2", "reduceMax": "MAX", "reduceMin": "MIN",
    "reduceSum": "SUM", "reduceProd": "PROD", "reduceMean": "AVG", "reduceLogSum": "LOG OF SUM",
    "reduceSumSquare": "SUMSQUARE", "reduceLogSumExp": "LOG OF SUM OF EXP",
  ]

  /// The reductions of the catalog, by their modes in the layer `reduce`.
  fileprivate static let functions: [String: Reduce.Function] = [
    "SUM": .sum, "AVG": .mean, "PROD": .product, "MAX": .maximum, "MIN": .minimum,
    "L2": .l2Norm,
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func reduction(
    _ operation: Reduce
  ) throws(WeighbridgeError) -> String? {
    let (x, axes, keepDims) = (try input(), operation.axes, operation.keepDims)
    let function: Reduce.Function =
      switch operation.function {
      case .any: .maximum
      case .all: .minimum
      default: operation.function
      }
    let mode = CoreMLReductions.functions.first { $0.value == function }?.key
    guard let layer = CoreMLReductions.modes.first(where: { $0.value == mode }) else { return nil }
    return try reduce(layer.key, x, axes, keepDims: keepDims)
  }
}

extension CoreMLLayerImport {
  /// Adds the layer `reduce`, whose axes are C, H and W.
  fileprivate mutating func reduce() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let axes: [CoreMLAxis] =
      switch choice("axis", default: "CHW") {
      case "CHW": [.channel, .height, .width]
      case "HW": [.height, .width]
      case "C": [.channel]
      case "H": [.height]
      default: [.width]
      }
    let mode = choice("mode", default: "SUM")
    let epsilon = double("epsilon", zeroMeans: 1e-6)
    try requireAxes(axes, of: blob)
    let blobAxes = Set(blob.axes + axes).sorted()
    var tensor = try value(blob, blobAxes)
    let positions = axes.compactMap { blobAxes.firstIndex(of: $0) }
    if mode == "LOGSUM" {
      tensor = try add(Rescaling(scale: [1], offset: [epsilon]), [tensor], role: "epsilon")
    }
    guard mode != "ARGMAX" else {
      let operation = ArgMax(
        axis: positions[0], keepDims: true, elementType: .int32)
      guard positions.count == 1 else {
        throw malformed("takes the arg max along \(positions.count.counted("axis")), expected one")
      }
      return CoreMLBlob(
        try castToFloat(add(operation, [tensor], role: "position")), blobAxes, rank: blob.rank)
    }
    return CoreMLBlob(
      try reduced(mode, tensor, positions, keepDims: true), blobAxes, rank: blob.rank)
  }

  /// Adds a layer of a single reduction.
  fileprivate mutating func reduce(_ mode: String) throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let tensor = try fullRank(blob)
    let (named, keepDims) = (integers("axes"), flag("keepDims"))
    let reducesAll = flag("reduceAll") || named.isEmpty
    let axes = try Set(axes(reducesAll ? Array(0..<blob.rank) : named, rank: blob.rank)).sorted()
    // A tensor has at least one axis.
    guard axes.count == blob.rank, !keepDims else {
      return try fullRankBlob(reduced(mode, tensor, axes, keepDims: keepDims))
    }
    let single = try reduced(mode, tensor, axes, keepDims: true)
    return try fullRankBlob(
      axes.count == 1
        ? single : add(Squeeze(axes: Array(axes.dropLast())), [single], role: "single"))
  }

  private mutating func reduced(
    _ mode: String, _ value: ValueID, _ axes: [Int], keepDims: Bool
  ) throws(WeighbridgeError) -> ValueID {
    func reduction(_ function: Reduce.Function) -> Reduce {
      Reduce(function, axes: axes, keepDims: keepDims)
    }
    if let function = CoreMLReductions.functions[mode] {
      return try add(reduction(function), [value])
    }
    switch mode {
    case "LOG OF SUM OF EXP": return try add(reduction(.logSumExp), [value])
    case "L1":
      let absolute = try add(UnaryMath(.absolute), [value], role: "absolute")
      return try add(reduction(.sum), [absolute])
    case "SUMSQUARE":
      let squares = try add(UnaryMath(.square), [value], role: "squares")
      return try add(reduction(.sum), [squares])
    case "LOGSUM":
      let logarithms = try add(UnaryMath(.logarithm), [value], role: "logarithms")
      return try add(reduction(.sum), [logarithms])
    default:  // the logarithm of the sum
      let sum = try add(reduction(.sum), [value], role: "sum")
      return try add(UnaryMath(.logarithm), [sum])
    }
  }

  fileprivate mutating func argumentReduction<Operation: ArgumentReduction>(
    _: Operation.Type
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let axis = try position(of: blob)
    let removesAxis = flag("removeDim")
    let operation = Operation(
      axis: axis, keepDims: !removesAxis || blob.rank == 1, elementType: .int32)
    return try fullRankBlob(try castToFloat(add(operation, [fullRank(blob)], role: "position")))
  }
}
