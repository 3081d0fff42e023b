import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Normalizations whose statistics or weights are arguments.
extension KerasFunctionTable {
  static let normalizations: [Entry] = [
    Entry(["LayerNorm"]) { (call) throws(WeighbridgeError) in try call.addLayerNormalization() },
    Entry(["RMSNorm"]) { (call) throws(WeighbridgeError) in try call.addRMSNormalization() },
    Entry(["BatchNorm"], tf: ["nn.batch_normalization"]) { (call) throws(WeighbridgeError) in
      try call.addBatchNormalization()
    },
    Entry(tf: ["linalg.normalize"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("tensor", at: 0)
      let axes = try call.axes("axis", of: type) ?? Array(0..<type.rank)
      let order = try call.plain("ord", at: 1) ?? "euclidean"
      let norm = try call.addNorm(of: value, order: order, axes: axes, keepDims: true, role: "norm")
      return try call.add(BinaryMath(.divide), [value, norm]) + [norm]
    },
    Entry(tf: ["clip_by_norm"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("t", at: 0)
      let limit = try call.real("clip_norm", at: 1)
      guard limit > 0, limit.isFinite else {
        throw .unsupported(
          "clip_norm=\(limit), expected a positive, "
            + "finite number")
      }
      let axes = try call.axes("axes", of: type) ?? Array(0..<type.rank)
      let norm = try call.reduced(.l2Norm, value, axes)
      let divisor = try call.part(Maximum(), norm, try call.number(limit, like: norm))
      return try call.add(BinaryMath(.divide), [try call.scaled(value, by: limit), divisor])
    },
    Entry(tf: ["nn.l2_loss"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("t", at: 0)
      let squares = try call.part(UnaryMath(.square), value)
      let sum = try call.reduced(.sum, squares, Array(0..<type.rank), keepDims: false)
      return try call.add(Rescaling(scale: [0.5], offset: [0]), [sum])
    },
    Entry(tf: ["math.zero_fraction", "nn.zero_fraction"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("value", at: 0)
      let isZero = try call.part(Comparison(.equal), value, try call.number(0, like: value))
      let numbers = try call.part(Cast(to: .float32), isZero)
      return try call.add(Reduce(.mean, axes: Array(0..<type.rank), keepDims: false), [numbers])
    },
    Entry(tf: ["nn.crelu"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("features", at: 0)
      let axis = try call.axis(at: 2, of: type, default: -1)
      let negative = try call.part(UnaryMath(.negative), value)
      let both = try call.part(Concatenate(axis: axis), value, negative)
      return try call.add(ReLU(slope: 0, threshold: 0, maximum: nil), [both])
    },
  ]
}

extension KerasFunction {
  /// Keras' `backend.epsilon()`, unless it was changed.
  private static let defaultEpsilon = 1e-7

  /// Takes the tensor of a normalization, converted to float32 unless it is float64.
  private mutating func normalized() throws(WeighbridgeError) -> (ValueID, result: ElementType) {
    let value = try tensor("x", at: 0)
    let type = self.type(of: value).elementType
    return (type == .float64 ? value : try self.value(.value(value), as: .float32), type)
  }

  /// Takes a weight, which is reshaped to the sizes of some axes unless it has the rank of the
  /// value that it is combined with.
  private mutating func weight(
    _ name: String, at position: Int, of value: ValueID, along axes: [Int]
  ) throws(WeighbridgeError) -> ValueID? {
    guard let term = try optionalTerm(name, at: position) else { return nil }
    let type = self.type(of: value)
    let weight = try self.value(term, as: type.elementType)
    guard self.type(of: weight).rank < type.rank, axes != [type.rank - 1] else { return weight }
    let sizes: [ReshapeAxes.Size] = type.shape.indices.map { axis in
      guard axes.contains(axis) else { return .fixed(1) }
      return type.shape[axis].value.map { .fixed($0) } ?? .rest
    }
    guard sizes.count(where: { $0 == .rest }) <= 1 else {
      throw .unsupported("\(name) belongs to axes of \(type), of which two sizes are not known")
    }
    return try part(ReshapeAxes(sizes), weight)
  }

  fileprivate mutating func addLayerNormalization() throws(WeighbridgeError) -> [ValueID] {
    let (value, result) = try normalized()
    try layer.requireSigned(result)
    let axes = try axes("axis", of: type(of: value)) ?? [type(of: value).rank - 1]
    let epsilon = try real("epsilon", default: Self.defaultEpsilon)
    let dividesByVariance = try flag("rms_scaling", default: false)
    let gamma = try weight("gamma", at: 1, of: value, along: axes)
    let beta = try weight("beta", at: 2, of: value, along: axes)
    var output: ValueID
    if dividesByVariance {
      // Keras drops beta here, and the mean is not subtracted.
      let variance = try reduced(.variance, value, axes)
      let factor = try part(
        UnaryMath(.reciprocalSquareRoot), try scaled(variance, by: 1, plus: epsilon))
      output = try product(value, factor)
    } else {
      output = try part(
        LayerNormalization(axes: axes, epsilon: epsilon, hasScale: false, hasCenter: false), value)
    }
    if let gamma { output = try product(output, gamma) }
    if let beta, !dividesByVariance { output = try sum(output, beta) }
    return try self.result(output, as: result)
  }

  fileprivate mutating func addRMSNormalization() throws(WeighbridgeError) -> [ValueID] {
    let (value, result) = try normalized()
    let axes = try axes("axis", of: type(of: value)) ?? [type(of: value).rank - 1]
    let epsilon = try real("epsilon", default: Self.defaultEpsilon)
    let mean = try reduced(.mean, try part(UnaryMath(.square), value), axes)
    let factor = try part(UnaryMath(.reciprocalSquareRoot), try scaled(mean, by: 1, plus: epsilon))
    var output = try product(value, factor)
    if let term = try optionalTerm("scale", at: 1) {
      output = try product(output, try self.value(term, as: type(of: value).elementType))
    }
    return try self.result(output, as: result)
  }

  /// Adds x · factor + summand, where factor = scale / √(variance + epsilon), and summand = offset -
  /// mean · factor; both are rounded to the type of x.
  fileprivate mutating func addBatchNormalization() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("x", at: 0)
    let type = self.type(of: value)
    let mean = try statistic(try term("mean", at: 1), like: value)
    let variance = try statistic(try term("variance", at: 2), like: value)
    let offset = try optionalTerm("offset", at: 3)
    let scale = try optionalTerm("scale", at: 4)
    // TensorFlow has no axis: its statistics are broadcast. Keras reshapes them for all but -1.
    let axis = isOperation ? try integer("axis") : -1
    let epsilon =
      isOperation ? try real("epsilon", default: 1e-3) : try real("variance_epsilon", at: 5)
    var terms = [mean, variance]
    if let offset { terms.append(try statistic(offset, like: value)) }
    if let scale { terms.append(try statistic(scale, like: value)) }
    if axis != -1 {
      let axis = try KerasLayer.axis(axis, of: type)
      var sizes = type.shape.map { _ in ReshapeAxes.Size.fixed(1) }
      sizes[axis] = .rest
      for index in terms.indices { terms[index] = try part(ReshapeAxes(sizes), terms[index]) }
    }
    var factor = try part(
      UnaryMath(.reciprocalSquareRoot), try scaled(terms[1], by: 1, plus: epsilon))
    if scale != nil { factor = try product(factor, terms[terms.count - 1]) }
    let shift = try product(terms[0], factor)
    let summand =
      offset == nil ? try part(UnaryMath(.negative), shift) : try difference(terms[2], shift)
    let scaledValue = try product(value, try self.value(.value(factor), as: type.elementType))
    let (first, second) = try sameRank(
      scaledValue, try self.value(.value(summand), as: type.elementType))
    return try add(Add(), [first, second])
  }

  /// A statistic or weight of a batch normalization in its own type.
  private mutating func statistic(
    _ term: Term, like value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let own = type(of: value).elementType
    let type = elementType(of: term, default: own.isFloat ? own : .float32)
    guard type.isFloat else {
      throw .unsupported(
        "the statistics are \(type.rawValue), expected floating-point "
          + "numbers")
    }
    return try self.value(term, as: type)
  }
}
