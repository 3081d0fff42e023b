import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The losses that ONNX has as operators, which models exported in training mode end with.
enum ONNXLosses: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "NegativeLogLikelihoodLoss": { (layer) throws(WeighbridgeError) in
      [try layer.negativeLogLikelihood(of: try layer.input(0))]
    },
    "SoftmaxCrossEntropyLoss": { (layer) throws(WeighbridgeError) in
      let scores = try layer.input(0)
      guard layer.type(scores).rank >= 2 else {
        throw layer.malformed(
          "takes scores \(layer.type(scores)), and [batch, classes, ...] is expected")
      }
      let logarithms = try layer.apply(LogSoftmax(axes: [1]), to: scores, role: "log_prob")
      return [try layer.negativeLogLikelihood(of: logarithms), logarithms]
    },
  ]
}

extension ONNXLayer {
  /// Adds the loss of logarithms of probabilities, `[batch, classes, ...]`: the negative one of the
  /// target class of each position, times the weight of its class.
  fileprivate mutating func negativeLogLikelihood(
    of logarithms: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    let reduction = try string("reduction", default: "mean")
    let ignored = try integer("ignore_index")
    let targets = try apply(Cast(to: .int64), to: try input(1), role: "targets")
    guard type(logarithms).rank == type(targets).rank + 1, type(targets).rank >= 1 else {
      throw malformed(
        "takes \(type(logarithms)) and targets \(type(targets)), and [batch, classes, ...] and [batch, ...] "
          + "are expected")
    }
    var (classes, isCounted): (ONNXValue, ONNXValue?) = (targets, nil)
    if let ignored {
      let index = number(Double(ignored), like: targets, "ignored")
      let counted = try apply(Comparison(.notEqual), to: targets, index, role: "is_counted")
      let zero = number(0, like: targets, "zero")
      classes = try apply(Where(), to: counted, targets, zero, role: "classes")
      isCounted = counted
    }
    let column = try apply(ExpandDims(axes: [1]), to: classes, role: "column")
    let found = try apply(GatherElements(axis: 1), to: logarithms, column, role: "found")
    let own = try apply(Squeeze(axes: [1]), to: found, role: "own")
    var loss = try apply(UnaryMath(.negative), to: own, role: "losses")
    let weights = try lossWeights(classes, isCounted, like: loss)
    if let weights { loss = try apply(Multiply(), to: loss, weights, role: "weighted") }
    let all = Array(0..<type(loss).rank)
    switch reduction {
    case "none": return loss
    case "sum": return try apply(Reduce(.sum, axes: all, keepDims: false), to: loss)
    case "mean":
      guard let weights else {
        return try apply(Reduce(.mean, axes: all, keepDims: false), to: loss)
      }
      let sums = try [("sum", loss), ("total", weights)].map {
        (role, value) throws(WeighbridgeError) in
        try apply(Reduce(.sum, axes: all, keepDims: false), to: value, role: role)
      }
      return try apply(BinaryMath(.divide), to: sums[0], sums[1])
    default:
      throw malformed("has the reduction \(reduction), and none, sum or mean is expected")
    }
  }

  /// Returns the weight of each position: that of its class, 0 where it is ignored; `nil` if all
  /// are 1.
  private mutating func lossWeights(
    _ classes: ONNXValue, _ isCounted: ONNXValue?, like loss: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue? {
    var weights: ONNXValue?
    if let table = try optional(2) {
      weights = try apply(Gather(axis: 0), to: table, classes, role: "class_weights")
    }
    guard let isCounted else { return weights }
    let given = weights ?? number(1, like: loss, "one")
    return try apply(Where(), to: isCounted, given, number(0, like: loss, "none"), role: "weights")
  }
}
