package import Bytes
package import GraphIR

/// The shapes that a user states for a model's inputs.
package struct StatedShapes: Sendable {
  /// The largest number of elements of one example in a stated shape.
  private static let elementLimit = Int(Int32.max)

  private var shapes: [String: InputShape] = [:]

  /// Creates an empty set of shapes.
  package init() {}

  /// - Parameter inputs: The names of the model's inputs.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a name that no input has, an input that is
  ///   named twice, and sizes that no input can have.
  package init(_ stated: [InputShape], inputs: [String]) throws(WeighbridgeError) {
    for shape in stated {
      try Self.check(shape)
      guard let name = shape.input ?? (inputs.count == 1 ? inputs[0] : nil) else {
        throw .mismatch(
          "has \(inputs.count.counted("input")) (\(inputs.joined(separator: ", "))), and the input shape "
            + "\(shape.text) was given without a name; \(inputs.first ?? "NAME")=\(shape.text) says "
            + "for which")
      }
      guard inputs.contains(name) else {
        throw .mismatch(
          "has no input \(name), for which the shape \(shape.text) was given; its inputs are: "
            + inputs.joined(separator: ", "))
      }
      guard shapes.updateValue(shape, forKey: name) == nil else {
        throw .mismatch("the shape of the input \(name) was given twice")
      }
    }
  }

  /// The shape stated for an input.
  package subscript(_ input: String) -> InputShape? { shapes[input] }

  private static func check(_ shape: InputShape) throws(WeighbridgeError) {
    let sizes = shape.dimensions.compactMap { $0 }
    guard !shape.dimensions.isEmpty, sizes.allSatisfy({ $0 >= 1 }) else {
      throw .mismatch(
        "the input shape \(shape.text) was given; dimensions from 1 on are expected, or None for any"
      )
    }
    let count = try? Checked.product(sizes, of: "the input shape")
    guard let count, count <= elementLimit else {
      throw .mismatch(
        "the input shape \(shape.text) was given, which is over the limit of \(elementLimit) elements"
      )
    }
  }

  /// Applies a stated shape to the type of an input: it provides the sizes that the file does not
  /// state.
  ///
  /// - Parameter unstatedAxes: How many axes, from the first one on, a stated shape leaves out: 1
  ///   for the batch.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` where the file states another size or another
  ///   number of dimensions.
  package func applied(
    to type: TensorType, of input: String, unstatedAxes: Int = 1
  ) throws(WeighbridgeError) -> TensorType {
    guard let stated = shapes[input] else { return type }
    let axes = type.shape.dropFirst(unstatedAxes)
    let written = axes.map(\.value)
    guard let dimensions = Self.merged(stated.dimensions, with: written), !written.isEmpty,
      zip(stated.dimensions, written).allSatisfy({ $0 != nil || $1 == nil })
    else {
      let left = unstatedAxes == 0 ? "" : " (without the batch axis)"
      throw .mismatch(
        "the input \(input) has the shape \(InputShape.text(written)) in the file\(left), and "
          + "\(stated.text) was given")
    }
    let sizes = zip(axes, dimensions).map { axis, size in
      size.map { Dimension.fixed($0) } ?? axis
    }
    return TensorType(type.elementType, type.shape.prefix(unstatedAxes) + sizes)
  }

  /// Merges two shapes; `nil` when they contradict each other.
  package static func merged(_ first: [Int?], with second: [Int?]) -> [Int?]? {
    guard first.count == second.count else { return nil }
    let pairs = zip(first, second)
    guard pairs.allSatisfy({ $0 == nil || $1 == nil || $0 == $1 }) else { return nil }
    return pairs.map { $0 ?? $1 }
  }
}
