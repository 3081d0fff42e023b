import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Reductions, cumulative sums, and positions of maxima and minima.
enum CoreMLReductions: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(native: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw .unsupported("Core ML reduces along one axis at least")
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

  static let nodes: [String: CoreMLCall.Build] = .init(families: [
    own, modes.mapValues(reducing),
  ])

  private static func reducing(_ mode: String) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.reduce(mode)] }
  }

  private static let own: [String: CoreMLCall.Build] = [
    "reduce": { (call) throws(WeighbridgeError) in [try call.reduce()] },
    "argMax": { (call) throws(WeighbridgeError) in [try call.position(ArgMax.self)] },
    "argMin": { (call) throws(WeighbridgeError) in [try call.position(ArgMin.self)] },
    "cumSum": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let operation = CumSum(
        axis: try call.position(of: blob),
        isExclusive: call.flag("excludeFinalSum"), isReversed: call.flag("reverse"))
      return [try call.exact(call.add(operation, [call.whole(blob)]))]
    },
  ]

  /// The layers of a single reduction, with its name in the layer `reduce`.
  fileprivate static let modes = [
    "reduceL1": "L1", "reduceL2": "L2", "reduceMax": "MAX", "reduceMin": "MIN",
    "reduceSum": "SUM", "reduceProd": "PROD", "reduceMean": "AVG", "reduceLogSum": "LOG OF SUM",
    "reduceSumSquare": "SUMSQUARE", "reduceLogSumExp": "LOG OF SUM OF EXP",
  ]

  /// The reductions that the catalogue has, by their names in the layer `reduce`.
  fileprivate static let functions: [String: Reduce.Function] = [
    "SUM": .sum, "AVG": .mean, "PROD": .product, "MAX": .maximum, "MIN": .minimum,
    "L2": .length,
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func reduction(
    _ operation: Reduce
  ) throws(WeighbridgeError) -> String? {
    let (x, axes, keeps) = (try input(), operation.axes, operation.keepDims)
    let function: Reduce.Function =
      switch operation.function {
      case .any: .maximum
      case .all: .minimum
      default: operation.function
      }
    let mode = CoreMLReductions.functions.first { $0.value == function }?.key
    guard let layer = CoreMLReductions.modes.first(where: { $0.value == mode }) else { return nil }
    return try reduce(layer.key, x, axes, keeps: keeps)
  }
}

extension CoreMLCall {
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
    let kind = choice("mode", default: "SUM")
    let epsilon = real("epsilon", zeroMeans: 1e-6)
    let all = Set(blob.axes + axes).sorted()
    var whole = try value(blob, all)
    let positions = axes.compactMap { all.firstIndex(of: $0) }
    if kind == "LOGSUM" {
      whole = try add(Rescaling(scale: [1], offset: [epsilon]), [whole], role: "epsilon")
    }
    guard kind != "ARGMAX" else {
      let operation = ArgMax(
        axis: positions[0], keepDims: true, elementType: .int32)
      guard positions.count == 1 else { throw malformed("looks for a place along three axes") }
      return CoreMLBlob(
        try number(add(operation, [whole], role: "place")), all, rank: blob.rank)
    }
    return CoreMLBlob(
      try reduced(kind, whole, positions, keepDims: true), all, rank: blob.rank)
  }

  /// Adds a layer of a single reduction.
  fileprivate mutating func reduce(_ kind: String) throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let whole = try whole(blob)
    let written = integers("axes")
    let keeps = flag("keepDims")
    let goesOverAll = flag("reduceAll")
    var axes = Set(written.map { $0 < 0 ? $0 + blob.rank : $0 }).sorted()
    if goesOverAll || axes.isEmpty { axes = Array(0..<blob.rank) }
    guard axes.allSatisfy({ (0..<blob.rank).contains($0) }) else {
      throw malformed("has the axes \(written), and its input \(blob.rank)")
    }
    // A tensor has at least one axis.
    guard axes.count == blob.rank, !keeps else {
      return try exact(reduced(kind, whole, axes, keepDims: keeps))
    }
    let single = try reduced(kind, whole, axes, keepDims: true)
    return try exact(
      axes.count == 1
        ? single : add(Squeeze(axes: Array(axes.dropLast())), [single], role: "single"))
  }

  private mutating func reduced(
    _ kind: String, _ value: ValueID, _ axes: [Int], keepDims: Bool
  ) throws(WeighbridgeError) -> ValueID {
    func reduction(_ function: Reduce.Function) -> Reduce {
      Reduce(function, axes: axes, keepDims: keepDims)
    }
    if let function = CoreMLReductions.functions[kind] {
      return try add(reduction(function), [value])
    }
    switch kind {
    case "LOG OF SUM OF EXP": return try add(reduction(.logarithmOfSum), [value])
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

  fileprivate mutating func position<Operation: ArgumentReduction>(
    _: Operation.Type
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let axis = try position(of: blob)
    let drops = flag("removeDim")
    let operation = Operation(
      axis: axis, keepDims: !drops || blob.rank == 1, elementType: .int32)
    return try exact(try number(add(operation, [whole(blob)], role: "place")))
  }
}
