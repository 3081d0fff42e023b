package import Bytes
package import GraphIR

/// A node whose inputs are known by their positions.
package protocol PositionalLayer: ValueLayer {
  /// Returns an input as it is stored; `nil` when it is absent.
  func optional(_ position: Int) throws(WeighbridgeError) -> SourceValue?
}

extension PositionalLayer {
  /// Returns an input as it is stored.
  package func input(_ position: Int = 0) throws(WeighbridgeError) -> SourceValue {
    guard let value = try optional(position) else {
      throw malformed("has no input \(position), which \(source.className) takes")
    }
    return value
  }

  /// Returns the elements of an input that must be constant; `nil` when it is absent.
  package func constant(_ position: Int) throws(WeighbridgeError) -> Tensor? {
    guard let value = try optional(position) else { return nil }
    guard let tensor = value.tensor else {
      throw unsupported(
        "the input \(position) of \(source.className) is known only when the model runs, and only a "
          + "constant one can be read")
    }
    return tensor
  }

  /// Returns the integers of an input that must be constant.
  package func constantIntegers(_ position: Int) throws(WeighbridgeError) -> [Int] {
    guard let tensor = try constant(position) else {
      throw malformed("has no input \(position), which \(source.className) takes")
    }
    guard tensor.elementType.isInteger else {
      throw malformed("has \(tensor.type) as its input \(position), and integers are expected")
    }
    return tensor.wholeNumbers
  }

  /// Returns the axis that a constant input names, from the beginning.
  package func axis(ofInput position: Int, rank: Int) throws(WeighbridgeError) -> Int {
    let axes = try constantIntegers(position)
    guard axes.count == 1 else {
      throw malformed("has \(axes.count.counted("axis")), and takes one")
    }
    return try axis(axes[0], rank: rank)
  }
}
