import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// One element for many, sums of all before, and places of extremes.
extension CoreMLNodes {
  static let reductions = ownReductions.merging(
    kinds.mapValues(build), uniquingKeysWith: { first, _ in first })

  private static func build(_ kind: String) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.reduce(kind)] }
  }

  private static let ownReductions: [String: CoreMLCall.Build] = [
    "reduce": { (call) throws(WeighbridgeError) in [try call.reduce()] },
    "argMax": { (call) throws(WeighbridgeError) in [try call.position(ArgMax.self)] },
    "argMin": { (call) throws(WeighbridgeError) in [try call.position(ArgMin.self)] },
    "cumSum": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let axis = try call.axis(of: blob)
      let operation = CumSum(
        axis: blob.allAxes.firstIndex(of: axis) ?? 0,
        isExclusive: call.flag("excludeFinalSum"), isReversed: call.flag("reverse"))
      return [try call.exact(call.add(operation, [call.whole(blob)]))]
    },
  ]

  /// The layers of one reduction each, by what the layer `reduce` calls it.
  private static let kinds = [
    "reduceL1": "L1", "reduceL2": "L2", "reduceMax": "MAX", "reduceMin": "MIN",
    "reduceSum": "SUM", "reduceProd": "PROD", "reduceMean": "AVG", "reduceLogSum": "LOG OF SUM",
    "reduceSumSquare": "SUMSQUARE", "reduceLogSumExp": "LOG OF SUM OF EXP",
  ]
}

extension CoreMLCall {
  /// The layer `reduce`, whose axes are C, H and W.
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

  /// A layer of one reduction.
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
    // A tensor has one axis at least.
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
    switch kind {
    case "SUM": return try add(reduction(.sum), [value])
    case "AVG": return try add(reduction(.mean), [value])
    case "PROD": return try add(reduction(.product), [value])
    case "MAX": return try add(reduction(.maximum), [value])
    case "MIN": return try add(reduction(.minimum), [value])
    case "L2": return try add(reduction(.length), [value])
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
    let axis = try axis(of: blob)
    let drops = flag("removeDim")
    let operation = Operation(
      axis: blob.allAxes.firstIndex(of: axis) ?? 0,
      keepDims: !drops || blob.rank == 1, elementType: .int32)
    return try exact(try number(add(operation, [whole(blob)], role: "place")))
  }
}
