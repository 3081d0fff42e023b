import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Losses that a model computes itself.
extension KerasFunctionTable {
  static let losses: [Entry] = [
    Entry(tf: ["nn.sigmoid_cross_entropy_with_logits"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(
        [try call.term("logits", at: 1), try call.term("labels", at: 0)], sharesRank: true)
      return try call.addSigmoidLoss(values[1], values[0])
    },
    Entry(["BinaryCrossentropy"], tf: ["keras.backend.binary_crossentropy"]) {
      (call) throws(WeighbridgeError) in
      let terms = [try call.term("target", at: 0), try call.term("output", at: 1)]
      let values = try call.unified(terms, sharesRank: true)
      if try call.flag("from_logits", default: false) {
        return try call.addSigmoidLoss(values[0], values[1])
      }
      return try call.addBinaryLoss(values[0], values[1])
    },
    Entry(tf: [
      "nn.softmax_cross_entropy_with_logits", "nn.softmax_cross_entropy_with_logits_v2",
    ]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(
        [try call.term("logits", at: 1), try call.term("labels", at: 0)], sharesRank: true)
      let axis = try call.axis(of: call.type(of: values[0]), default: -1)
      return try call.addLogarithmicLoss(values[1], values[0], axis: axis)
    },
    Entry(["CategoricalCrossentropy"], tf: ["keras.backend.categorical_crossentropy"]) {
      (call) throws(WeighbridgeError) in
      let terms = [try call.term("target", at: 0), try call.term("output", at: 1)]
      let values = try call.unified(terms, sharesRank: true)
      let axis = try call.axis(of: call.type(of: values[1]), default: -1)
      if try call.flag("from_logits", default: false) {
        return try call.addLogarithmicLoss(values[0], values[1], axis: axis)
      }
      let total = try call.reduced(.sum, values[1], [axis])
      let shares = try call.quotient(values[1], total)
      let clipped = try call.part(Clip(minimum: 1e-7, maximum: 1 - 1e-7), shares)
      let logarithms = try call.part(UnaryMath(.logarithm), clipped)
      let products = try call.product(values[0], logarithms)
      let sums = try call.reduced(.sum, products, [axis], keepDims: false)
      return try call.add(UnaryMath(.negative), [sums])
    },
    Entry(tf: ["nn.sparse_softmax_cross_entropy_with_logits"]) { (call) throws(WeighbridgeError) in
      let logits = try call.tensor("logits", at: 1)
      let labels = try call.tensor("labels", at: 0)
      let type = call.type(of: logits)
      let depth = try call.size(type.rank - 1, of: logits)
      let target = try call.part(
        OneHot(axis: type.rank - 1, depth: depth, elementType: type.elementType), labels)
      return try call.addLogarithmicLoss(target, logits, axis: type.rank - 1)
    },
  ]
}

extension KerasFunction {
  /// Adds max(x, 0) - x z + log(1 + exp(-|x|)) of the logits x and the targets z.
  fileprivate mutating func addSigmoidLoss(
    _ target: ValueID, _ logits: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let positive = try part(ReLU(slope: 0, threshold: 0, maximum: nil), logits)
    let first = try difference(positive, try product(logits, target))
    let distance = try part(
      UnaryMath(.negative), try part(UnaryMath(.absolute), logits))
    let exponential = try part(Exponential(), distance)
    return try add(Add(), [first, try part(UnaryMath(.logarithmOfOnePlus), exponential)])
  }

  /// Adds -(z log(p) + (1 - z) log(1 - p)) of the probabilities p, clipped, and the targets z.
  fileprivate mutating func addBinaryLoss(
    _ target: ValueID, _ output: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let epsilon = 1e-7
    let clipped = try part(Clip(minimum: epsilon, maximum: 1 - epsilon), output)
    // Keras 2 adds its epsilon once more.
    let offset = isOperation ? 0 : epsilon
    let logarithm = try part(UnaryMath(.logarithm), try scaled(clipped, by: 1, plus: offset))
    let rest = try scaled(clipped, by: -1, plus: 1)
    let otherLogarithm = try part(UnaryMath(.logarithm), try scaled(rest, by: 1, plus: offset))
    let first = try product(target, logarithm)
    let second = try product(try scaled(target, by: -1, plus: 1), otherLogarithm)
    return try add(UnaryMath(.negative), [try sum(first, second)])
  }

  /// Adds -(sum of the targets times the logarithm of the softmax) along an axis.
  fileprivate mutating func addLogarithmicLoss(
    _ target: ValueID, _ logits: ValueID, axis: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let logarithms = try part(LogSoftmax(axes: [axis]), logits)
    let sums = try reduced(.sum, try product(target, logarithms), [axis], keepDims: false)
    return try add(UnaryMath(.negative), [sums])
  }
}
